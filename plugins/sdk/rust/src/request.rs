//! Requests and the wait for their answer.

use std::borrow::Cow;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use serde::Serialize;

use crate::bindings::engine::workload::types::{self, Body, ReadMode, ServerSentEvent};
use crate::context::{Context, nanoseconds};
use crate::encode::percent_encode;
use crate::inbox::{Answer, Lease};
use crate::reply::Head;
use crate::stream::{Empty, OpeningStream, StreamItem};
use crate::{Exchange, ExchangeFailed, Reply, Stop, backend};

/// The most bytes a body may have in [`RequestBuilder::send`] where nothing else is said: 16 MiB.
const DEFAULT_MAX_BODY: u32 = 16 << 20;

/// Room for fields on the stack, so that the usual request allocates nothing for the hand-over.
const FEW: usize = 16;

/// A body registered once and sent many times without being copied again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blob(u32);

impl Blob {
    /// Keeps these bytes. Only in `configure`; at most 64 MiB in all.
    pub fn register(bytes: &[u8]) -> Self {
        Self(backend::register_blob(bytes))
    }
}

/// A request being put together. Nothing is sent before [`send`](Self::send) or one of its kin.
#[must_use = "nothing is sent before `send`"]
pub struct RequestBuilder<'a> {
    ctx: &'a Context,
    name: Option<Cow<'a, str>>,
    method: &'a str,
    authority: Option<Cow<'a, str>>,
    path: Cow<'a, str>,
    fields: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    body: Payload<'a>,
    read: ReadMode,
    wanted: Option<&'a [&'a str]>,
    redirects: Option<u32>,
    extensions: Vec<(&'a str, Cow<'a, str>)>,
    timeout: Option<Duration>,
}

enum Payload<'a> {
    Empty,
    Bytes(Cow<'a, [u8]>),
    Blob(Blob),
}

impl<'a> RequestBuilder<'a> {
    pub(crate) fn new(ctx: &'a Context, method: &'a str, path: Cow<'a, str>) -> Self {
        Self {
            ctx,
            name: None,
            method,
            authority: None,
            path,
            fields: Vec::new(),
            body: Payload::Empty,
            read: ReadMode::Whole(DEFAULT_MAX_BODY),
            wanted: None,
            redirects: None,
            extensions: Vec::new(),
            timeout: None,
        }
    }

    /// Names the series this request belongs to; the method and the path without its query where not said. Give it
    /// where paths carry ids.
    pub fn name(mut self, name: impl Into<Cow<'a, str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Adds a request field. It leaves as written, in the order of the calls.
    pub fn field(mut self, name: impl Into<Cow<'a, str>>, value: impl Into<Cow<'a, str>>) -> Self {
        if self.fields.capacity() == 0 {
            self.fields.reserve_exact(FEW / 2);
        }
        self.fields.push((name.into(), value.into()));
        self
    }

    /// Adds request fields that the plan keeps.
    pub fn fields<N: AsRef<str>, V: AsRef<str>>(mut self, fields: &'a [(N, V)]) -> Self {
        let borrowed = fields.iter().map(|(n, v)| (Cow::Borrowed(n.as_ref()), Cow::Borrowed(v.as_ref())));
        self.fields.extend(borrowed);
        self
    }

    /// Sends these bytes.
    pub fn body(mut self, bytes: impl Into<Cow<'a, [u8]>>) -> Self {
        self.body = Payload::Bytes(bytes.into());
        self
    }

    /// Sends a registered body.
    pub fn blob(mut self, blob: Blob) -> Self {
        self.body = Payload::Blob(blob);
        self
    }

    /// Sends this value as JSON, with `content-type: application/json` unless a content type was given before.
    ///
    /// # Errors
    /// [`Stop::Failed`] where the value has no JSON form, such as a map whose keys are no strings.
    pub fn json<T: Serialize + ?Sized>(self, value: &T) -> Result<Self, Stop> {
        let bytes = serde_json::to_vec(value).map_err(|_| Stop::failed("body has no JSON form"))?;
        let typed = self.fields.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let request = if typed { self } else { self.field("content-type", "application/json") };
        Ok(request.body(bytes))
    }

    /// Sends these pairs as a form (`application/x-www-form-urlencoded`), in this order. A space is sent as `%20`, which
    /// every reader of forms takes as well as `+`: the engine masks a secret in its percent-encoded form too.
    pub fn form(self, pairs: &[(&str, &str)]) -> Self {
        let pairs = pairs.iter().map(|(name, value)| format!("{}={}", percent_encode(name), percent_encode(value)));
        let body = pairs.collect::<Vec<_>>().join("&");
        self.field("content-type", "application/x-www-form-urlencoded").body(body.into_bytes())
    }

    /// The most bytes the answer's body may have, after decompression, 1 to 64 MiB; 16 MiB where not said. A larger
    /// one is the failure `body_too_large`.
    pub fn max_body(mut self, bytes: u32) -> Self {
        self.read = ReadMode::Whole(bytes);
        self
    }

    /// Has the body counted and not handed over: the cheapest way to see a status.
    pub fn count_body(mut self) -> Self {
        self.read = ReadMode::Count;
        self
    }

    /// Has only these response fields handed over (names in lower case). Cheaper than all of them.
    pub fn wanted_fields(mut self, names: &'a [&'a str]) -> Self {
        self.wanted = Some(names);
        self
    }

    /// Follows at most so many redirects, 0 to 20; the workload's setting where not said.
    pub fn follow_redirects(mut self, most: u32) -> Self {
        self.redirects = Some(most);
        self
    }

    /// The longest the whole exchange may take; the workload's limit where not said.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Goes to another host, as `host` or `host:port`, that the scenario allows.
    pub fn authority(mut self, authority: impl Into<Cow<'a, str>>) -> Self {
        self.authority = Some(authority.into());
        self
    }

    /// A setting this SDK has no method for. One the engine does not know is the failure `protocol`.
    pub fn extension(mut self, name: &'a str, value: impl Into<Cow<'a, str>>) -> Self {
        self.extensions.push((name, value.into()));
        self
    }

    /// Sends the request now; the future waits for the whole answer. Dropped before that, the exchange is cancelled.
    pub fn send(self) -> Sending {
        let read = self.read;
        Sending { lease: self.ask(read) }
    }

    /// Sends the request now and reads the answer as server-sent events.
    pub fn events(self) -> OpeningStream<ServerSentEvent> {
        self.stream()
    }

    /// Sends the request now and reads the answer line by line; empty lines are left out.
    pub fn lines(self) -> OpeningStream<String> {
        self.stream()
    }

    /// Sends the request now and reads the answer's bytes as they arrive.
    pub fn chunks(self) -> OpeningStream<Vec<u8>> {
        self.stream()
    }

    /// Sends the request now and hands over status and fields when they have arrived; the body is counted.
    pub fn head(self) -> OpeningStream<Empty> {
        self.stream()
    }

    fn stream<T: StreamItem>(self) -> OpeningStream<T> {
        OpeningStream::new(self.ask(T::READ))
    }

    fn ask(self, read: ReadMode) -> Lease {
        let extensions: Vec<(&str, &str)> = self.extensions.iter().map(|(name, value)| (*name, &**value)).collect();
        let exchange = with_pairs(&self.fields, |fields| {
            backend::send(types::Request {
                name: self.name.as_deref(),
                method: self.method,
                authority: self.authority.as_deref(),
                path_with_query: &self.path,
                fields,
                body: match &self.body {
                    Payload::Empty => Body::Empty,
                    Payload::Bytes(bytes) => Body::Bytes(bytes),
                    Payload::Blob(blob) => Body::Blob(blob.0),
                },
                read,
                wanted_fields: self.wanted,
                follow_redirects: self.redirects,
                extensions: &extensions,
                timeout: self.timeout.map(nanoseconds),
            })
        });
        self.ctx.inbox.lease(exchange)
    }
}

/// Lends the fields as the interface takes them, from the stack where they are few.
pub(crate) fn with_pairs<T>(fields: &[(Cow<'_, str>, Cow<'_, str>)], lend: impl FnOnce(&[(&str, &str)]) -> T) -> T {
    let pairs = fields.iter().map(|(name, value)| (&**name, &**value));
    if fields.len() > FEW {
        return lend(&pairs.collect::<Vec<_>>());
    }
    let mut few = [("", ""); FEW];
    few.iter_mut().zip(pairs).for_each(|(place, pair)| *place = pair);
    lend(&few[..fields.len()])
}

/// A request on its way: what [`RequestBuilder::send`] gives.
#[must_use = "dropped, the exchange is cancelled: await it"]
pub struct Sending {
    lease: Lease,
}

impl Sending {
    /// The exchange, for marks.
    pub fn exchange(&self) -> Exchange {
        self.lease.exchange
    }
}

impl Future for Sending {
    type Output = Result<Reply, ExchangeFailed>;

    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let exchange = self.lease.exchange;
        self.lease.poll(cx, |slot| match (slot.answer.take(), &mut slot.end) {
            (Some(Answer::Whole(response)), _) => Some(Ok(Reply::new(exchange, response))),
            (_, Some(Err(failure))) => Some(Err(ExchangeFailed::new(exchange, failure.clone()))),
            _ => None,
        })
    }
}

/// Waits for the head of an answer that comes in pieces.
pub(crate) fn poll_head(lease: &Lease, cx: &TaskContext<'_>) -> Poll<Result<Head, ExchangeFailed>> {
    lease.poll(cx, |slot| match (slot.answer.take(), &slot.end) {
        (Some(Answer::Head { status, fields }), _) => Some(Ok(Head { exchange: lease.exchange, status, fields })),
        (_, Some(Err(failure))) => Some(Err(ExchangeFailed::new(lease.exchange, failure.clone()))),
        _ => None,
    })
}
