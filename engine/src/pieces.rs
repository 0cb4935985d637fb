//! What streams are made of: the words that the client and the plugin host share.

use std::rc::Rc;

/// The field of a handshake that offers and selects subprotocols (RFC 6455, section 11.3.4).
pub const SUBPROTOCOL: &str = "sec-websocket-protocol";
/// The longest text of a close in bytes (RFC 6455, section 5.5).
pub const MOST_CLOSE_BYTES: usize = 123;

/// One event of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSentEvent {
    /// Its type as sent; empty where the stream names none, which means `message`.
    kind: String,
    /// Its data lines, joined by LF.
    pub data: String,
    /// The last event id seen; empty where there was none.
    pub id: Rc<str>,
}

impl ServerSentEvent {
    /// An event of that type, which is empty where the stream names none.
    pub fn new(kind: String, data: String, id: Rc<str>) -> Self {
        Self { kind, data, id }
    }

    /// Its type.
    pub fn kind(&self) -> &str {
        if self.kind.is_empty() { "message" } else { &self.kind }
    }
}

/// One message of a WebSocket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// UTF-8 text.
    Text(String),
    /// Bytes.
    Binary(Vec<u8>),
}

impl Message {
    /// Bytes of its payload.
    pub fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Binary(bytes) => bytes.len(),
        }
    }

    /// Whether its payload has no byte.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
