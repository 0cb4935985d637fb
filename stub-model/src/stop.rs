//! What the process asks of the system: signals to stop by, and room for connections.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGTERM and SIGINT, caught.
#[derive(Debug)]
pub(crate) struct Requests {
    terminate: Signal,
    interrupt: Signal,
}

impl Requests {
    /// Begins to catch them. Must be called within a tokio runtime.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// Waits for the first of them.
    pub(crate) async fn next(mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Raises the soft limit of open descriptors to the hard one: each connection needs one. Where that fails, accepting
/// pauses at the limit, and the metrics count it.
pub(crate) fn raise_descriptor_limit() {
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}
