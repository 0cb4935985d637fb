//! The HTTP client of a worker: HTTP/1.1 on hyper connections, with a pool of its own.
//!
//! One worker is one thread with one current-thread runtime and a `LocalSet`; nothing here is `Send`. Each connection is
//! one task that polls hyper's connection and the exchange it serves, so that a request costs no hop between tasks.
//!
//! - `request` checks a request and writes its head; `exchange` carries it from the asking to its end.
//! - `pool` gives it a connection: an idle one, a new one, or a place in the queue.
//! - `connect`, `resolve` and `tls` open a connection; `wire` stamps its bytes; `stream_io` is what hyper sees of it.
//! - `connection` is the task; `http1` drives hyper in it; `serve` turns what hyper says into events; `body`, `lines`,
//!   `decode` and `redirect` do their part of that.
//!
//! HTTP/2 will be a sibling of `http1`; server-sent events will be a reader in `body`.

mod body;
mod connect;
mod connection;
mod deadline;
mod decode;
mod exchange;
mod failure;
mod hash;
mod http1;
mod keeper;
mod lines;
mod origin;
mod pool;
mod redirect;
mod relay;
mod request;
mod resolve;
mod seat;
mod serve;
mod settings;
mod stream_io;
mod target;
mod timings;
mod tls;
mod usage;
mod warm_up;
mod wire;

#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;

pub use connect::{Connect, Connecting, Network, Socket};
pub use failure::{Failure, Reason};
pub use request::{MOST_FIELD_BYTES, MOST_FIELDS, MOST_PATH_BYTES, MOST_REDIRECTS, ReadMode, Request, Timeouts};
pub use settings::Settings;
pub use target::{AllowedHost, DialAddress, OriginName, Scheme, Target, TargetError};
pub use timings::Timings;
pub use tls::{Identity, Tls, TlsError, TlsFiles};
pub use usage::Usage;

use crate::clock::{Clock, Time};
use pool::Pool;

/// Names an exchange. Chosen by the caller, unique among those that are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(pub u64);

/// Where events arrive.
pub trait Sink {
    /// Takes an event. Called from the client's tasks, never from within `send` or `cancel`; may call both.
    fn deliver(&self, token: Token, event: Event);
}

/// What happens to an exchange. The last four are final: each exchange ends in exactly one of them.
#[derive(Debug)]
pub enum Event {
    /// Status and fields have arrived, in the modes `Head`, `Lines` and `Chunks`.
    Head {
        /// When they were read.
        at: Time,
        /// 200 to 999, or 1xx never: interim answers are skipped.
        status: u16,
        /// The answer's fields.
        fields: HeaderMap,
    },
    /// Decoded parts of the body that came in one read.
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
        /// The body after decompression; empty in the mode `Count`.
        body: Bytes,
        /// Moments and sizes.
        timings: Timings,
    },
    /// The answer is complete, in the modes `Head`, `Lines` and `Chunks`.
    End {
        /// Its status.
        status: u16,
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

/// Decoded parts of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Items {
    /// Lines without their ends.
    Lines(Vec<String>),
    /// Bytes as they came.
    Chunk(Bytes),
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
