//! The HTTP client of a worker: HTTP/1.1 on hyper connections, with a pool of its own.
//!
//! One worker is one thread with one current-thread runtime and a `LocalSet`; nothing here is `Send`. Each connection is
//! one task that polls hyper's connection and the exchange it serves, so that a request costs no hop between tasks.
//!
//! - `request` checks a request and writes its head; `exchange` carries it from the asking to its end.
//! - `pool` gives it a connection: an idle one, a new one, or a place in the queue.
//! - `connect`, `resolve` and `tls` open a connection; `wire` stamps its bytes; `stream_io` is what hyper sees of it.
//! - `connection` is the task; `http1` drives hyper in it; `serve` turns what hyper says into events; `body`, `decode`
//!   and `redirect` do their part of that.
//! - `handshake` and `socket` make a WebSocket of a connection; `outbox` is what waits to be sent on it.
//! - `lines`, `events` and `inflate` cut what is handed over as it comes.
//!
//! HTTP/2 will be a sibling of `http1`.

mod body;
mod connect;
mod connection;
mod deadline;
mod decode;
mod events;
mod exchange;
mod failure;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod handshake;
mod hash;
mod http1;
mod inflate;
mod keeper;
mod lines;
mod origin;
mod outbox;
mod pool;
mod redirect;
mod relay;
mod request;
mod resolve;
mod seat;
mod serve;
mod settings;
mod socket;
mod stream_io;
mod target;
mod timings;
mod tls;
mod usage;
mod utf8;
mod warm_up;
mod wire;

#[cfg(test)]
pub(crate) mod tests;

use std::rc::Rc;
use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;

pub use connect::{Connect, Connecting, Network, Socket};
pub use failure::{Failure, Reason};
pub use outbox::{MOST_WAITING, MOST_WAITING_BYTES};
pub use request::{
    MOST_FIELD_BYTES, MOST_FIELDS, MOST_PATH_BYTES, MOST_REDIRECTS, ReadMode, Request, Timeouts, sendable,
};
pub use settings::Settings;
pub use socket::MOST_MESSAGE_BYTES;
pub use target::{AllowedHost, DialAddress, OriginName, Scheme, Target, TargetError};
pub use timings::Timings;
pub use tls::{Identity, Tls, TlsError, TlsFiles};
pub use usage::Usage;

use crate::clock::{Clock, Time};
use crate::pieces::{Message, ServerSentEvent};
use outbox::Outbox;
use pool::Pool;

/// Names an exchange. Chosen by the caller, unique among those that are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(pub u64);

/// Where events arrive.
pub trait Sink {
    /// Takes an event. Called from the client's tasks, never from within `send` or `cancel`; may call both.
    fn deliver(&self, token: Token, event: Event);
}

/// What happens to an exchange. The last five are final: each exchange ends in exactly one of them.
#[derive(Clone, Debug)]
pub enum Event {
    /// Status and fields have arrived, in the modes `Head`, `Events`, `Lines` and `Chunks`.
    Head {
        /// When they were read.
        at: Time,
        /// 200 to 999, or 1xx never: interim answers are skipped.
        status: u16,
        /// The answer's fields.
        fields: HeaderMap,
    },
    /// A WebSocket is open.
    Opened {
        /// When the answer to its handshake was read.
        at: Time,
        /// The subprotocol the peer selected; empty where it selected none.
        subprotocol: String,
        /// The fields of the answer.
        fields: HeaderMap,
        /// Moments and sizes of the handshake.
        timings: Timings,
    },
    /// Decoded parts of the body, or messages, that came in one read.
    Items {
        /// When they were read.
        at: Time,
        /// The parts, at least one.
        items: Items,
    },
    /// The answer is complete, in the modes `Whole` and `Count`.
    Response {
        /// Its status.
        status: u16,
        /// Its fields.
        fields: HeaderMap,
        /// The body after decompression; in the mode `Count` only what was to be peeked at.
        body: Bytes,
        /// Moments and sizes.
        timings: Timings,
    },
    /// The answer is complete, in the modes `Head`, `Events`, `Lines` and `Chunks`.
    End {
        /// Its status.
        status: u16,
        /// Moments and sizes.
        timings: Timings,
    },
    /// A WebSocket was closed.
    Closed {
        /// The peer's code, 1000 to 4999; 1005 where it sent none, 1006 where it ended the connection without its part
        /// of the handshake after the caller's close.
        code: u16,
        /// The peer's text, at most 123 bytes.
        reason: String,
        /// Moments and sizes.
        timings: Timings,
    },
    /// The exchange failed.
    Failed {
        /// The answer's status, where there was one.
        status: Option<u16>,
        /// Why.
        failure: Failure,
        /// Moments and sizes up to the failure.
        timings: Timings,
    },
    /// `cancel` took effect.
    Cancelled {
        /// Moments and sizes up to then.
        timings: Timings,
    },
}

impl Event {
    /// Whether the exchange has ended with it.
    pub(crate) const fn is_final(&self) -> bool {
        !matches!(self, Self::Head { .. } | Self::Opened { .. } | Self::Items { .. })
    }
}

/// Decoded parts of a body, or messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Items {
    /// Lines without their ends.
    Lines(Vec<String>),
    /// Server-sent events.
    Events(Vec<ServerSentEvent>),
    /// Bytes as they came.
    Chunk(Bytes),
    /// Messages of a WebSocket.
    Messages(Vec<Message>),
}

impl Items {
    /// Bytes of the payload.
    pub fn bytes(&self) -> u64 {
        let bytes: usize = match self {
            Self::Lines(lines) => lines.iter().map(String::len).sum(),
            Self::Events(events) => events.iter().map(|event| event.data.len()).sum(),
            Self::Chunk(bytes) => bytes.len(),
            Self::Messages(messages) => messages.iter().map(Message::len).sum(),
        };
        bytes as u64
    }
}

/// A worker's client. Cheap to clone. When the last clone is dropped, all its tasks end and nothing more is delivered;
/// so a sink that holds one must let go of it.
#[derive(Clone)]
pub struct Client {
    owner: Rc<Owner>,
}

/// Ends the pool with the last client: the tasks hold the pool too.
struct Owner {
    pool: Rc<Pool>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.pool.abort();
    }
}

impl Client {
    /// A client on the machine's network.
    pub fn new(settings: Arc<Settings>, clock: Rc<dyn Clock>, sink: Rc<dyn Sink>) -> Self {
        Self::with_network(settings, clock, sink, Rc::new(Network))
    }

    /// A client on another network, for tests.
    pub fn with_network(
        settings: Arc<Settings>,
        clock: Rc<dyn Clock>,
        sink: Rc<dyn Sink>,
        network: Rc<dyn Connect>,
    ) -> Self {
        Self { owner: Rc::new(Owner { pool: Pool::new(settings, clock, sink, network) }) }
    }

    /// Asks for an exchange. Never blocks and never fails: every outcome, also the refusal of an impossible request,
    /// arrives at the sink later, exactly once as a final event.
    ///
    /// # Panics
    /// Outside of a `LocalSet`.
    pub fn send(&self, token: Token, request: Request) {
        self.owner.pool.send(token, request);
    }

    /// Gives up an exchange and closes its connection. Nothing more is delivered for it but one `Cancelled`, later. No
    /// effect on one that has ended.
    pub fn cancel(&self, token: Token) {
        self.owner.pool.cancel(token);
    }

    /// Puts a message among those to be sent on a WebSocket, which may still be opening. It fails if more than
    /// [`MOST_WAITING`] messages or [`MOST_WAITING_BYTES`] bytes wait. No effect on one that has ended or been closed.
    pub fn write(&self, token: Token, message: Message) {
        self.with_outbox(token, |outbox| outbox.push(message));
    }

    /// Starts the close handshake of a WebSocket after what waits to be sent: 1000 to 1003, 1007 to 1014 or 3000 to
    /// 4999, and a text of at most [`MOST_CLOSE_BYTES`](crate::pieces::MOST_CLOSE_BYTES). It ends in `Closed`, or fails where the peer does not answer.
    pub fn close_socket(&self, token: Token, code: u16, reason: String) {
        self.with_outbox(token, |outbox| outbox.close(code, reason));
    }

    fn with_outbox(&self, token: Token, what: impl FnOnce(&Outbox)) {
        if let Some(outbox) = self.owner.pool.outbox(token) {
            what(&outbox);
        }
    }

    /// Figures of this client since it began.
    pub fn usage(&self) -> Usage {
        self.owner.pool.usage()
    }

    /// Opens up to `n` idle connections to the target, within the cap, and says how many it opened.
    ///
    /// # Errors
    /// The first failure, where none could be opened.
    ///
    /// # Panics
    /// Outside of a `LocalSet`.
    pub async fn warm_up(&self, n: usize) -> Result<usize, Failure> {
        warm_up::warm_up(&self.owner.pool, n).await
    }

    /// Closes idle connections, and the others when their exchange has ended. A `send` from now on fails.
    pub fn close(&self) {
        self.owner.pool.close();
    }
}
