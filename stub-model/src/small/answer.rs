//! From what is to be said to how it is said: status, size, framing and fields, as the query asks for.

use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use hyper::header::{
    ALLOW, CONNECTION, CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION, WWW_AUTHENTICATE,
};
use hyper::http::request::Parts;
use hyper::{Method, Response, StatusCode, Version};
use serde_json::json;

use crate::body::{Body, Gzip, Source};
use crate::control::JSON;
use crate::exchange::Exchange;
use crate::query::{BadParameter, Query};
use crate::wire::{Abandoned, Line};

use super::faults::MAX_MS;

/// The body of `/small`: 100 bytes.
pub const SMALL: &str =
    r#"{"id":"0123456789abcdef","ok":true,"value":1234567,"name":"stub-model","pad":"xxxxxxxxxxxxxxxxxxxx"}"#;

const _: () = assert!(SMALL.len() == 100);

/// Most bytes that can be asked for.
const MAX_SIZE: u64 = 64 * 1024 * 1024;

/// Up to this size a compressed body is made at once, so that its length can be told.
const GZIP_AT_ONCE: u64 = 256 * 1024;

/// The interim answer of `hint=1`.
const HINT: &[u8] = b"HTTP/1.1 103 Early Hints\r\nlink: </small>; rel=preload\r\n\r\n";

const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// What is to be said.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) content_type: Option<HeaderValue>,
    pub(super) content: Source,
    pub(super) field: Option<(HeaderName, HeaderValue)>,
}

impl Reply {
    /// 200 with JSON.
    pub(super) fn json(content: Bytes) -> Self {
        Self { status: StatusCode::OK, content_type: Some(JSON), content: Source::Whole(content), field: None }
    }

    /// 200 with the 100 bytes.
    pub(super) fn small() -> Self {
        Self::json(Bytes::from_static(SMALL.as_bytes()))
    }

    /// A refusal in JSON: a code for programs and a message for people.
    pub(super) fn error(status: StatusCode, code: &str, message: &str) -> Self {
        let body = json!({"error": {"code": code, "message": message}});
        Self { status, ..Self::json(body.to_string().into()) }
    }

    /// 400 that names a parameter.
    pub(super) fn bad_parameter(bad: &BadParameter) -> Self {
        let error = json!({"code": "bad_parameter", "parameter": bad.name, "message": bad.to_string()});
        Self { status: StatusCode::BAD_REQUEST, ..Self::json(json!({"error": error}).to_string().into()) }
    }

    /// 401 that asks for a bearer token.
    pub(super) fn unauthorized(message: &str) -> Self {
        let field = Some((WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")));
        Self { field, ..Self::error(StatusCode::UNAUTHORIZED, "unauthorized", message) }
    }

    /// 405 that names the methods there are.
    pub(super) fn method_not_allowed(allowed: &'static str) -> Self {
        let message = format!("this path takes {allowed}");
        let field = Some((ALLOW, HeaderValue::from_static(allowed)));
        Self { field, ..Self::error(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", &message) }
    }
}

/// How it is to be said.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one switch of the query")]
pub(super) struct Shape {
    status: Option<StatusCode>,
    size: Option<u64>,
    chunked: bool,
    lengthless: bool,
    gzip: bool,
    close: bool,
    hint: bool,
    location: Option<HeaderValue>,
    loris: Option<Duration>,
}

impl Shape {
    /// Reads the shape from a query.
    pub(super) fn parse(query: &Query<'_>) -> Result<Self, BadParameter> {
        if query.is_empty() {
            return Ok(Self::default());
        }
        let status = query.number("status", 200..=999)?;
        let location = query.text("location")?.map(HeaderValue::from_str).transpose();
        let shape = Self {
            status: status.and_then(|status| StatusCode::from_u16(u16::try_from(status).ok()?).ok()),
            size: query.number("size", 0..=MAX_SIZE)?,
            chunked: query.flag("chunked")?,
            lengthless: query.flag("lengthless")?,
            gzip: query.flag("gzip")?,
            close: query.flag("close")?,
            hint: query.flag("hint")?,
            loris: query.number("loris", 1..=MAX_MS)?.map(Duration::from_millis),
            location: location.map_err(|_| BadParameter::new("location", "is no field value"))?,
        };
        if shape.chunked && shape.lengthless {
            return Err(BadParameter::new("lengthless", "cannot go together with chunked"));
        }
        Ok(shape)
    }

    /// Turns a reply into the answer that hyper sends, or sends it past hyper where that cannot.
    pub(super) async fn answer(
        self,
        mut reply: Reply,
        parts: &Parts,
        mut exchange: Exchange,
        line: Rc<Line>,
    ) -> Result<Response<Body>, Abandoned> {
        let status = self.status.unwrap_or(reply.status);
        if let Some(size) = self.size {
            reply.content = Source::pattern(size);
            reply.content_type = Some(TEXT);
        }
        // These never have a body, whatever is asked for.
        if matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) {
            reply.content = Source::empty();
            reply.content_type = None;
        }
        if let Some(gap) = self.loris {
            exchange.trickle(gap);
        }
        let gzip = self.gzip && reply.content.left() > 0;
        // HTTP/1.0 has no interim answers.
        if self.hint && parts.version == Version::HTTP_11 {
            line.send(HINT).await?;
        }
        exchange.set_status(status.as_u16());
        let content = reply.content;
        let body = if gzip && content.left() > GZIP_AT_ONCE {
            Body::gzip(Gzip::new(content), exchange, Rc::clone(&line))
        } else {
            let content = if gzip { Source::Whole(Gzip::new(content).whole()) } else { content };
            if self.chunked {
                Body::chunked(content, exchange, Rc::clone(&line))
            } else {
                Body::plain(content, Some(exchange), Rc::clone(&line))
            }
        };
        let mut response = Response::new(body);
        *response.status_mut() = status;
        let fields = response.headers_mut();
        if let Some(content_type) = reply.content_type {
            fields.insert(CONTENT_TYPE, content_type);
        }
        if gzip {
            fields.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        if let Some((name, value)) = reply.field {
            fields.insert(name, value);
        }
        if let Some(location) = self.location {
            fields.insert(LOCATION, location);
        }
        if self.close || self.lengthless {
            fields.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if self.lengthless { Err(send_lengthless(response, &parts.method, &line).await) } else { Ok(response) }
    }
}

/// Writes an answer whose end is the end of the connection, which hyper only does for HTTP/1.0.
async fn send_lengthless(response: Response<Body>, method: &Method, line: &Line) -> Abandoned {
    use http_body_util::BodyExt;

    let (head, mut body) = response.into_parts();
    let mut bytes = format!("HTTP/1.1 {}\r\n", head.status).into_bytes();
    for (name, value) in &head.headers {
        bytes.extend_from_slice(name.as_str().as_bytes());
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(value.as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"\r\n");
    if let Err(gone) = line.send(&bytes).await {
        return gone;
    }
    while method != Method::HEAD
        && let Some(Ok(frame)) = body.frame().await
    {
        if let Ok(data) = frame.into_data()
            && let Err(gone) = line.send(&data).await
        {
            return gone;
        }
    }
    drop(body);
    line.all_sent();
    Abandoned
}
