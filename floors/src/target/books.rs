//! What the target has seen: sums, and times in room that does not grow.

use std::cell::{Cell, RefCell};

use serde::Serialize;
use stub_model::clock::monotonic_ns;

use crate::times::{Figures, Times};

/// The target's counts.
#[derive(Debug)]
pub(super) struct Books {
    requests: Cell<u64>,
    first_arrival_ns: Cell<Option<u64>>,
    connections: Cell<u64>,
    tokens: Cell<u64>,
    streams_open: Cell<u64>,
    streams_most: Cell<u64>,
    first_token: RefCell<Times>,
}

/// What `GET /count` says. The requests for it are not counted.
#[derive(Debug, Serialize)]
struct Count {
    requests: u64,
    /// When the first request came, in nanoseconds of the monotonic clock.
    first_arrival_ns: Option<u64>,
    /// Connections that were accepted, that of the reader of this included.
    connections: u64,
    tokens: u64,
    streams_open: u64,
    /// The most streams that were open at once.
    streams_most: u64,
    /// From a request for a stream to the moment its first token was handed over.
    first_token: Figures,
}

impl Default for Books {
    fn default() -> Self {
        Self {
            requests: Cell::default(),
            first_arrival_ns: Cell::default(),
            connections: Cell::default(),
            tokens: Cell::default(),
            streams_open: Cell::default(),
            streams_most: Cell::default(),
            first_token: RefCell::new(Times::new()),
        }
    }
}

impl Books {
    pub(super) fn connected(&self) {
        self.connections.set(self.connections.get() + 1);
    }

    pub(super) fn arrived(&self) {
        if self.requests.replace(self.requests.get() + 1) == 0 {
            self.first_arrival_ns.set(Some(monotonic_ns()));
        }
    }

    pub(super) fn stream_opened(&self) {
        let open = self.streams_open.get() + 1;
        self.streams_open.set(open);
        self.streams_most.set(self.streams_most.get().max(open));
    }

    pub(super) fn stream_closed(&self) {
        self.streams_open.set(self.streams_open.get() - 1);
    }

    /// A first token is handed over, this long after it was asked for.
    pub(super) fn first_token(&self, after_ns: u64) {
        self.first_token.borrow_mut().record(after_ns);
    }

    pub(super) fn token(&self) {
        self.tokens.set(self.tokens.get() + 1);
    }

    /// All of it as JSON.
    pub(super) fn json(&self) -> Vec<u8> {
        let count = Count {
            requests: self.requests.get(),
            first_arrival_ns: self.first_arrival_ns.get(),
            connections: self.connections.get(),
            tokens: self.tokens.get(),
            streams_open: self.streams_open.get(),
            streams_most: self.streams_most.get(),
            first_token: self.first_token.borrow().figures(),
        };
        // Cannot fail: it has nothing that JSON lacks.
        serde_json::to_vec(&count).unwrap_or_default()
    }
}
