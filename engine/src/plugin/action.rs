//! What a plugin asks for, as the worker sees it, and the imported functions that enqueue it.

use bytes::Bytes;

use super::bindings::engine::workload::actions::Host;
use super::bindings::engine::workload::types as wit;
use super::limits::{BLOB_BYTES, SHARE_BYTES};
use super::room::{Room, Stage};
use crate::pieces::{MOST_CLOSE_BYTES, Message, SUBPROTOCOL};

/// A request as the plugin asked for it, its body resolved.
#[derive(Clone, Debug)]
pub struct Request {
    /// Names the series; the method and path where absent.
    pub name: Option<String>,
    /// The method as sent.
    pub method: String,
    /// Another host than the target's.
    pub authority: Option<String>,
    /// Path and query as sent.
    pub path_with_query: String,
    /// Fields in order, as written.
    pub fields: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
    /// It is a blob of the plan, held once for all.
    pub shares_body: bool,
    /// How the answer is handed over.
    pub read: ReadMode,
    /// Lower-case names of the response fields to hand over; all where absent.
    pub wanted_fields: Option<Vec<String>>,
    /// The most redirects to follow; the workload's setting where absent.
    pub follow_redirects: Option<u32>,
    /// Settings by name; this version knows none.
    pub extensions: Vec<(String, String)>,
    /// Limit on the whole exchange in nanoseconds.
    pub timeout: Option<u64>,
}

impl Request {
    /// Bytes of its texts and body: what it takes in the engine's memory until it has ended. A blob's are shared.
    pub fn held(&self) -> usize {
        let pairs =
            |pairs: &[(String, String)]| pairs.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>();
        let wanted = self.wanted_fields.iter().flatten().map(String::len).sum::<usize>();
        let body = if self.shares_body { 0 } else { self.body.len() };
        let texts = self.method.len() + self.path_with_query.len();
        let given = self.name.as_ref().map_or(0, String::len) + self.authority.as_ref().map_or(0, String::len);
        texts + given + wanted + body + pairs(&self.fields) + pairs(&self.extensions)
    }
}

/// How an answer is handed over; see `read-mode` in the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadMode {
    /// Status and fields, then the end.
    Head,
    /// The whole body, at most this many bytes.
    Whole(u32),
    /// Server-sent events.
    Events,
    /// Lines.
    Lines,
    /// Bytes as they arrive.
    Chunks,
    /// Status and size at the end.
    Count,
    /// Not read: the request is the handshake of a WebSocket, asked for by `open`.
    Socket,
}

/// How an iteration ended, as its plugin sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Right.
    Ok,
    /// Ended early on purpose.
    Cancelled,
    /// The plugin's own judgement.
    Failed(String),
    /// By the reason of that exchange.
    FailedBy(u32),
}

/// From where a mark is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// The due time.
    Due,
    /// The moment that exchange was asked for.
    Asked(u32),
    /// The mark of the same metric before.
    Previous,
}

/// One thing a plugin asks for.
#[derive(Clone, Debug)]
pub enum Action {
    /// An HTTP exchange, or a WebSocket.
    Send {
        /// The id it was given.
        exchange: u32,
        /// What to send.
        request: Box<Request>,
    },
    /// An exchange that cannot be had; it comes back as a failure.
    Impossible {
        /// The id it was given.
        exchange: u32,
        /// The series it would have belonged to.
        name: String,
        /// Why, for the plugin's author.
        detail: String,
    },
    /// Send a message on a WebSocket.
    Write {
        /// Which.
        exchange: u32,
        /// What.
        message: Message,
    },
    /// Start the close handshake of a WebSocket.
    Close {
        /// Which.
        exchange: u32,
        /// With which code.
        code: u16,
        /// For the peer.
        reason: String,
    },
    /// Give an exchange up.
    Cancel(u32),
    /// Wake the iteration after this many nanoseconds.
    Wait {
        /// The id it was given.
        timer: u32,
        /// How long.
        nanoseconds: u64,
    },
    /// Take a timer back.
    Clear(u32),
    /// Record a time.
    Mark {
        /// Position in the plugin's metrics.
        metric: u32,
        /// From where.
        since: Since,
        /// As how many samples.
        weight: u32,
    },
    /// Add to a counter.
    Count {
        /// Position in the plugin's metrics.
        metric: u32,
        /// How much.
        n: u64,
    },
    /// Record a value.
    Observe {
        /// Position in the plugin's metrics.
        metric: u32,
        /// What.
        value: f64,
    },
    /// Count a check.
    Check {
        /// Position in the plugin's metrics.
        metric: u32,
        /// Whether it passed.
        passed: bool,
    },
    /// End the iteration.
    Finish(Verdict),
}

impl Room {
    /// Gives out the next exchange id and enqueues the request, or its name and why there is none.
    fn enqueue_exchange(&mut self, action: &'static str, request: Result<Request, (Option<String>, String)>) -> u32 {
        let exchange = self.next_exchange;
        self.next_exchange = exchange.wrapping_add(1);
        match request {
            Ok(request) => {
                self.enqueue(action, request.held(), || Action::Send { exchange, request: Box::new(request) });
            }
            Err((name, detail)) => {
                let name = name.unwrap_or_default();
                self.enqueue(action, name.len(), || Action::Impossible { exchange, name, detail });
            }
        }
        exchange
    }

    /// Whether a request is within its limits, or why not.
    fn check_request(&self, request: &wit::Request) -> Result<(), String> {
        let wanted = request.wanted_fields.as_ref().map_or(0, Vec::len);
        self.check_lists([request.fields.len(), request.extensions.len(), wanted])?;
        let most = self.limits.string;
        match &request.body {
            wit::Body::Bytes(bytes) if bytes.len() > most => {
                let length = bytes.len();
                Err(format!("a body of {length} bytes where {most} are allowed (limits.plugin.string)"))
            }
            _ => Ok(()),
        }
    }

    /// The request of the interface with its blob looked up.
    fn resolve(&mut self, request: wit::Request) -> Request {
        let shares_body = matches!(request.body, wit::Body::Blob(_));
        let body = match request.body {
            wit::Body::Empty => Bytes::new(),
            wit::Body::Bytes(bytes) => bytes.into(),
            wit::Body::Blob(blob) => {
                let known = usize::try_from(blob).ok().and_then(|at| self.blobs.get(at)).cloned();
                known.unwrap_or_else(|| {
                    self.misuse(|| format!("blob {blob} was never registered"));
                    Bytes::new()
                })
            }
        };
        Request {
            name: request.name,
            method: request.method,
            authority: request.authority,
            path_with_query: request.path_with_query,
            fields: request.fields,
            body,
            shares_body,
            read: match request.read {
                wit::ReadMode::Head => ReadMode::Head,
                wit::ReadMode::Whole(most) => ReadMode::Whole(most),
                wit::ReadMode::Events => ReadMode::Events,
                wit::ReadMode::Lines => ReadMode::Lines,
                wit::ReadMode::Chunks => ReadMode::Chunks,
                wit::ReadMode::Count => ReadMode::Count,
            },
            wanted_fields: request.wanted_fields,
            follow_redirects: request.follow_redirects,
            extensions: request.extensions,
            timeout: request.timeout,
        }
    }
}

impl Room {
    /// Whether a handshake is within its limits, or why not.
    fn check_socket(&self, request: &wit::SocketRequest) -> Result<(), String> {
        self.check_lists([request.fields.len(), request.extensions.len(), request.subprotocols.len()])?;
        if request.fields.iter().any(|(name, _)| name.eq_ignore_ascii_case(SUBPROTOCOL)) {
            return Err(format!("field `{SUBPROTOCOL}`: offer subprotocols by `subprotocols`"));
        }
        Ok(())
    }

    /// The handshake of a WebSocket as a request.
    fn resolve_socket(request: wit::SocketRequest) -> Request {
        let mut fields = request.fields;
        if !request.subprotocols.is_empty() {
            fields.push(("Sec-WebSocket-Protocol".to_owned(), request.subprotocols.join(", ")));
        }
        Request {
            name: request.name,
            method: "GET".to_owned(),
            authority: request.authority,
            path_with_query: request.path_with_query,
            fields,
            body: Bytes::new(),
            shares_body: false,
            read: ReadMode::Socket,
            wanted_fields: None,
            follow_redirects: Some(0),
            extensions: request.extensions,
            timeout: request.timeout,
        }
    }

    fn check_lists(&self, lengths: [usize; 3]) -> Result<(), String> {
        let most = self.limits.list;
        match lengths.into_iter().find(|&length| length > most) {
            Some(length) => Err(format!("a list of {length} elements where {most} are allowed (limits.plugin.list)")),
            None => Ok(()),
        }
    }
}

impl wit::Host for Room {}

impl Host for Room {
    fn register_blob(&mut self, bytes: Vec<u8>) -> u32 {
        let blob = u32::try_from(self.blobs.len()).unwrap_or(u32::MAX);
        if self.stage != Stage::Configure {
            self.misuse(|| "`register-blob` is allowed in `configure` only".into());
        } else if self.blob_bytes + bytes.len() > BLOB_BYTES || self.blobs.len() >= self.limits.list {
            let most = self.limits.list;
            self.misuse(|| format!("blobs of more than {} MiB in all, or more than {most}", BLOB_BYTES >> 20));
        } else {
            self.blob_bytes += bytes.len();
            self.blobs.push(bytes.into());
        }
        blob
    }

    fn send(&mut self, request: wit::Request) -> u32 {
        let request = match self.check_request(&request) {
            Ok(()) => Ok(self.resolve(request)),
            Err(detail) => Err((request.name, detail)),
        };
        self.enqueue_exchange("send", request)
    }

    fn open(&mut self, request: wit::SocketRequest) -> u32 {
        let request = match self.check_socket(&request) {
            Ok(()) => Ok(Self::resolve_socket(request)),
            Err(detail) => Err((request.name, detail)),
        };
        self.enqueue_exchange("open", request)
    }

    fn write(&mut self, exchange: u32, message: wit::MessageResult) {
        let message = match message {
            wit::MessageResult::Text(text) => Message::Text(text),
            wit::MessageResult::Binary(bytes) => Message::Binary(bytes),
        };
        let most = self.limits.string;
        if message.len() > most {
            let length = message.len();
            self.misuse(|| format!("`write` of {length} bytes where {most} are allowed (limits.plugin.string)"));
            return;
        }
        self.enqueue("write", message.len(), || Action::Write { exchange, message });
    }

    fn close(&mut self, exchange: u32, info: wit::CloseInfoResult) {
        let (code, reason) = (info.code, info.reason);
        // RFC 6455, section 7.4: the others are reserved, or stand for a close without a frame.
        if !matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999) {
            self.misuse(|| {
                format!("`close` with code {code}: 1000 to 1003, 1007 to 1014 and 3000 to 4999 can be sent")
            });
        } else if reason.len() > MOST_CLOSE_BYTES {
            let length = reason.len();
            self.misuse(|| format!("`close` with a text of {length} bytes where {MOST_CLOSE_BYTES} are allowed"));
        } else {
            self.enqueue("close", reason.len(), || Action::Close { exchange, code, reason });
        }
    }

    fn cancel(&mut self, exchange: u32) {
        self.enqueue("cancel", 0, || Action::Cancel(exchange));
    }

    fn wait(&mut self, nanoseconds: u64) -> u32 {
        let timer = self.next_timer;
        self.next_timer = timer.wrapping_add(1);
        self.enqueue("wait", 0, || Action::Wait { timer, nanoseconds });
        timer
    }

    fn clear(&mut self, timer: u32) {
        self.enqueue("clear", 0, || Action::Clear(timer));
    }

    fn mark(&mut self, metric: u32, since: wit::Since, weight: u32) {
        let since = match since {
            wit::Since::Due => Since::Due,
            wit::Since::Asked(exchange) => Since::Asked(exchange),
            wit::Since::Previous => Since::Previous,
        };
        self.enqueue("mark", 0, || Action::Mark { metric, since, weight });
    }

    fn count(&mut self, metric: u32, n: u64) {
        self.enqueue("count", 0, || Action::Count { metric, n });
    }

    fn observe(&mut self, metric: u32, value: f64) {
        self.enqueue("observe", 0, || Action::Observe { metric, value });
    }

    fn check(&mut self, metric: u32, passed: bool) {
        self.enqueue("check", 0, || Action::Check { metric, passed });
    }

    fn share(&mut self, json: String) {
        if self.stage != Stage::Setup {
            self.misuse(|| "`share` is allowed in setup flows only".into());
        } else if self.shared_bytes + json.len() > SHARE_BYTES {
            self.misuse(|| format!("`share` of more than {SHARE_BYTES} bytes in one flow"));
        } else {
            self.shared_bytes += json.len();
            self.shared.push(json);
        }
    }

    fn log(&mut self, level: wit::Level, text: String) {
        self.write_log(level, text);
    }

    fn finish(&mut self, verdict: wit::Verdict) {
        let verdict = match verdict {
            wit::Verdict::Ok => Verdict::Ok,
            wit::Verdict::Cancelled => Verdict::Cancelled,
            wit::Verdict::Failed(text) => Verdict::Failed(text),
            wit::Verdict::FailedBy(exchange) => Verdict::FailedBy(exchange),
        };
        let bytes = if let Verdict::Failed(text) = &verdict { text.len() } else { 0 };
        self.enqueue("finish", bytes, || Action::Finish(verdict));
        self.finished = true;
    }
}
