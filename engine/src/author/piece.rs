//! What may come to an open exchange, owned: the events of `plugin::Event` without the exchange they belong to.

use std::fmt;

use http::HeaderMap;

use crate::pieces::{Message, ServerSentEvent};
use crate::plugin::{Event, ReadMode};
use crate::printable;

use super::open::Open;

/// One event of an exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A whole answer; what its body is in read mode `count` is only counted.
    Whole {
        /// Its status.
        status: u16,
        /// Its fields.
        fields: HeaderMap,
        /// Its body after decompression.
        body: Vec<u8>,
        /// Bytes of its body off the wire.
        size: u64,
    },
    /// Status and fields of an answer.
    Head {
        /// The status.
        status: u16,
        /// The fields.
        fields: HeaderMap,
    },
    /// The WebSocket is open.
    Opened {
        /// The subprotocol its peer selected; empty where it selected none.
        subprotocol: String,
        /// Fields of the handshake's answer.
        fields: HeaderMap,
    },
    /// Server-sent events of one read.
    Events(Vec<ServerSentEvent>),
    /// Messages of one read.
    Messages(Vec<Message>),
    /// Lines of one read.
    Lines(Vec<String>),
    /// Bytes of one read.
    Chunk(Vec<u8>),
    /// The answer is complete.
    Complete,
    /// The WebSocket was closed.
    Closed {
        /// The peer's code.
        code: u16,
        /// The peer's text.
        reason: String,
    },
    /// The exchange failed.
    Failed {
        /// A documented reason.
        reason: String,
        /// For people.
        detail: String,
    },
    /// The plugin's `cancel` took effect.
    Cancelled,
}

impl Piece {
    /// Whether the exchange has ended with it.
    pub fn is_final(&self) -> bool {
        matches!(
            self,
            Self::Whole { .. } | Self::Complete | Self::Closed { .. } | Self::Failed { .. } | Self::Cancelled
        )
    }

    /// The status it tells.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Whole { status, .. } | Self::Head { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// As the event that an exchange's plugin is given.
    pub(super) fn event<'a>(&'a self, open: &'a Open) -> Event<'a> {
        let (exchange, wanted) = (open.id, open.request.wanted_fields.as_deref());
        match self {
            Self::Whole { status, fields, body, size } => Event::Response {
                exchange,
                status: *status,
                fields,
                wanted,
                body: if open.request.read == ReadMode::Count { &[] } else { body },
                size: *size,
            },
            Self::Head { status, fields } => Event::Head { exchange, status: *status, fields, wanted },
            Self::Opened { subprotocol, fields } => Event::Opened { exchange, subprotocol, fields },
            Self::Events(events) => Event::Events { exchange, events },
            Self::Messages(messages) => Event::Messages { exchange, messages },
            Self::Lines(lines) => Event::Lines { exchange, lines },
            Self::Chunk(bytes) => Event::Chunk { exchange, bytes },
            Self::Complete => Event::Complete { exchange },
            Self::Closed { code, reason } => Event::Closed { exchange, code: *code, reason },
            Self::Failed { reason, detail } => Event::Failed { exchange, reason, detail },
            Self::Cancelled => Event::Cancelled { exchange },
        }
    }
}

impl fmt::Display for Piece {
    /// In the words of the interface, its texts cut.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole { status, body, .. } => write!(f, "on-response {status}, body {}", shown(body)),
            Self::Head { status, .. } => write!(f, "on-head {status}"),
            Self::Opened { subprotocol, .. } => write!(f, "on-open, subprotocol {subprotocol:?}"),
            Self::Events(events) => {
                let first = events.first().map_or(String::new(), |event| format!(", first data {}", cut(&event.data)));
                write!(f, "on-items, {} events{first}", events.len())
            }
            Self::Messages(messages) => {
                let first = messages.first().map_or(String::new(), |message| format!(", first {}", said(message)));
                write!(f, "on-items, {} messages{first}", messages.len())
            }
            Self::Lines(lines) => {
                let first = lines.first().map_or(String::new(), |line| format!(", first {}", cut(line)));
                write!(f, "on-items, {} lines{first}", lines.len())
            }
            Self::Chunk(bytes) => write!(f, "on-items, chunk {}", shown(bytes)),
            Self::Complete => f.write_str("on-end complete"),
            Self::Closed { code, reason } => write!(f, "on-end closed {code} {}", cut(reason)),
            Self::Failed { reason, detail } => write!(f, "on-failure {reason}: {}", cut(detail)),
            Self::Cancelled => f.write_str("on-end cancelled"),
        }
    }
}

/// A message for people.
pub(super) fn said(message: &Message) -> String {
    match message {
        Message::Text(text) => cut(text),
        Message::Binary(bytes) => format!("of {} bytes", bytes.len()),
    }
}

/// Bytes for people: their text where they are one.
pub(super) fn shown(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok("") => "empty".to_owned(),
        Ok(text) => cut(text),
        Err(_) => format!("of {} bytes that are not text", bytes.len()),
    }
}

/// A text in quotes, its end left out where it is long.
pub(super) fn cut(text: &str) -> String {
    const LONGEST: usize = 80;
    if text.len() <= LONGEST {
        return format!("{text:?}");
    }
    format!("{:?} ({} bytes)", printable::cut(text, LONGEST), text.len())
}
