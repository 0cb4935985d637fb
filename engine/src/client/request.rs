//! A request as a caller asks for it, and the check that it can be sent as asked.

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;

use super::handshake::{self, Key};
use crate::clock::Time;
use crate::printable;

/// The most fields a request may have.
pub const MOST_FIELDS: usize = 256;
/// The most bytes of field names and values in all.
pub const MOST_FIELD_BYTES: usize = 64 * 1024;
/// The longest path with query, in bytes.
pub const MOST_PATH_BYTES: usize = 64 * 1024;
/// The most redirects a request may ask to follow.
pub const MOST_REDIRECTS: u32 = 20;

/// One HTTP request.
#[derive(Clone, Debug)]
pub struct Request {
    /// `host` or `host:port`, which the settings must allow; the target where absent.
    pub authority: Option<String>,
    /// The method, a token.
    pub method: String,
    /// Path and query: begins with `/`, printable ASCII without spaces. The target's base path is put before it where
    /// there is no authority.
    pub path_with_query: String,
    /// Fields, which leave in this order and with this capitalisation. Values are bytes mapped to U+0000 to U+00FF.
    pub fields: Vec<(String, String)>,
    /// The body, which may be empty.
    pub body: Bytes,
    /// How the answer is handed over.
    pub read: ReadMode,
    /// So many bytes from the start of a body that is only counted are handed over all the same, undecoded: for those who
    /// look at single exchanges. 0 in a run.
    pub peek: usize,
    /// The most redirects to follow, 0 to 20. Those beyond are answers like any other.
    pub follow_redirects: u32,
    /// When it was asked for. The response time counts from here.
    pub asked: Time,
    /// How long its parts may take.
    pub timeouts: Timeouts,
}

/// How an answer is handed over. Whatever is chosen, its body is read to the end and counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadMode {
    /// `Head`, then `End`.
    Head,
    /// One `Response` with the body, gzip and deflate decoded, of at most that many bytes.
    Whole(u32),
    /// `Head`, then `Items` with server-sent events, then `End`; bytes as in `Chunks` where the answer is JSON.
    Events,
    /// `Head`, then `Items` with lines, then `End`.
    Lines,
    /// `Head`, then `Items` with the bytes as they come, then `End`.
    Chunks,
    /// One `Response` without the body.
    Count,
    /// A WebSocket: `Opened`, then `Items` with messages, then `Closed`. The request is its handshake, a GET without a
    /// body; the engine adds the fields that ask for the upgrade, the caller offers subprotocols in one
    /// `sec-websocket-protocol`. No redirect is followed.
    Socket,
}

impl ReadMode {
    /// Whether the head of an answer is handed over before its end.
    pub(super) const fn is_streamed(self) -> bool {
        matches!(self, Self::Head | Self::Events | Self::Lines | Self::Chunks)
    }
}

/// How long the parts of an exchange may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// The whole exchange, from its asking to its end, waiting for a connection included.
    pub total: Duration,
    /// Name, connection and TLS together.
    pub connect: Duration,
    /// From the last request byte the socket took to the first byte of the answer.
    pub first_byte: Duration,
    /// Between two reads of an answer that has begun.
    pub idle: Duration,
}

impl Default for Timeouts {
    /// 30 s in all, 10 s to connect, 30 s each for the first byte and for a pause.
    fn default() -> Self {
        Self {
            total: Duration::from_secs(30),
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(30),
            idle: Duration::from_secs(30),
        }
    }
}

/// What the check found out about a request, for the writing of its head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Facts {
    /// It has a `host` field of its own.
    pub(super) has_host: bool,
    /// It has a `content-length` field of its own.
    pub(super) has_length: bool,
    /// It asks to close the connection after the answer.
    pub(super) closes: bool,
}

/// Looks whether the request can be sent as asked.
///
/// # Errors
/// In words, what cannot. Nothing of such a request is ever sent, so that no caller can write a second request into it.
pub(super) fn check(request: &Request) -> Result<Facts, String> {
    if !is_token(&request.method) {
        return Err(format!("method {:?} is no token", cut(&request.method)));
    }
    if request.method == "CONNECT" {
        return Err("method CONNECT is not supported".to_owned());
    }
    let path = &request.path_with_query;
    if !path.starts_with('/') {
        return Err(format!("path {:?} does not begin with `/`", cut(path)));
    }
    if path.len() > MOST_PATH_BYTES {
        return Err(format!("path of {} bytes, more than {MOST_PATH_BYTES}", path.len()));
    }
    if !path.bytes().all(|b| b.is_ascii_graphic()) {
        return Err(format!(
            "path {:?} holds something other than printable ASCII without spaces; encode it as %XX",
            cut(path)
        ));
    }
    if request.follow_redirects > MOST_REDIRECTS {
        return Err(format!("{} redirects to follow, more than {MOST_REDIRECTS}", request.follow_redirects));
    }
    if request.read == ReadMode::Socket && (request.method != "GET" || !request.body.is_empty()) {
        return Err("the handshake of a WebSocket is a GET without a body".to_owned());
    }
    check_fields(request)
}

/// Looks whether a request can be sent as asked, without sending it: for those who rehearse.
///
/// # Errors
/// In words, what cannot.
pub fn sendable(request: &Request) -> Result<(), String> {
    check(request).map(drop)
}

fn check_fields(request: &Request) -> Result<Facts, String> {
    if request.fields.len() > MOST_FIELDS {
        return Err(format!("{} fields, more than {MOST_FIELDS}", request.fields.len()));
    }
    let mut facts = Facts::default();
    let mut size = 0;
    for (name, value) in &request.fields {
        size += name.len() + value.len();
        if !is_token(name) {
            return Err(format!("field name {:?} is no token", cut(name)));
        }
        // In UTF-8 a character above U+00FF begins with a byte above 0xC3.
        if value.bytes().any(|b| matches!(b, 0 | b'\n' | b'\r' | 0xC4..)) {
            return Err(format!("the value of field `{name}` holds CR, LF, NUL or a character above U+00FF"));
        }
        if request.read == ReadMode::Socket {
            handshake::check_field(name, value)?;
        }
        check_meaning(name, value, request.body.len(), &mut facts)?;
    }
    if size > MOST_FIELD_BYTES {
        return Err(format!("{size} bytes of fields, more than {MOST_FIELD_BYTES}"));
    }
    Ok(facts)
}

/// Fields that decide how the request is framed.
fn check_meaning(name: &str, value: &str, body: usize, facts: &mut Facts) -> Result<(), String> {
    match name.len() {
        4 if name.eq_ignore_ascii_case("host") => facts.has_host = true,
        7 if name.eq_ignore_ascii_case("upgrade") => {
            return Err("field `upgrade`: changing the protocol is not supported".to_owned());
        }
        10 if name.eq_ignore_ascii_case("connection") => {
            facts.closes |= value.split(',').any(|option| option.trim().eq_ignore_ascii_case("close"));
        }
        14 if name.eq_ignore_ascii_case("content-length") => {
            let digits = !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit());
            if facts.has_length || !digits || value.parse::<usize>().ok() != Some(body) {
                return Err(format!("content-length {:?} on a body of {body} bytes", cut(value)));
            }
            facts.has_length = true;
        }
        17 if name.eq_ignore_ascii_case("transfer-encoding") => {
            return Err("field `transfer-encoding`: a body is always sent with its length".to_owned());
        }
        _ => {}
    }
    Ok(())
}

/// Writes the head as it goes over the wire. The request has passed the check that found `facts`; `key` is that of a
/// WebSocket's handshake.
pub(super) fn encode_head(
    head: &mut Vec<u8>,
    request: &Request,
    facts: Facts,
    base_path: &str,
    host: &str,
    key: Option<&Key>,
) {
    let method = request.method.as_bytes();
    head.extend_from_slice(method);
    head.push(b' ');
    head.extend_from_slice(base_path.as_bytes());
    head.extend_from_slice(request.path_with_query.as_bytes());
    head.extend_from_slice(b" HTTP/1.1\r\n");
    if !facts.has_host {
        head.extend_from_slice(b"host: ");
        head.extend_from_slice(host.as_bytes());
        head.extend_from_slice(b"\r\n");
    }
    if let Some(key) = key {
        key.encode(head);
    }
    for (name, value) in &request.fields {
        head.extend_from_slice(name.as_bytes());
        head.extend_from_slice(b": ");
        if value.is_ascii() {
            head.extend_from_slice(value.as_bytes());
        } else {
            // One byte each: the check has let no character above U+00FF through.
            head.extend(value.chars().filter_map(|c| u8::try_from(c).ok()));
        }
        head.extend_from_slice(b"\r\n");
    }
    if !facts.has_length && (!request.body.is_empty() || matches!(method, b"POST" | b"PUT" | b"PATCH")) {
        head.extend_from_slice(b"content-length: ");
        push_number(head, request.body.len());
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
}

fn push_number(head: &mut Vec<u8>, number: usize) {
    use std::io::Write;
    // Writing to a Vec does not fail.
    let _ = write!(head, "{number}");
}

/// `token` of RFC 9110, section 5.6.2.
pub(super) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

/// As much of a text as an error message should quote.
fn cut(text: &str) -> Cow<'_, str> {
    const LONGEST: usize = 64;
    printable::cut(text, LONGEST)
}
