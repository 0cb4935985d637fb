//! What the process asks of the system: signals to stop, pause and resume by, and room for connections.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    /// SIGTERM or SIGINT.
    Stop,
    /// SIGUSR1.
    Pause,
    /// SIGUSR2.
    Resume,
}

/// The signals of [`Wish`], caught.
#[derive(Debug)]
pub(crate) struct Requests {
    terminate: Signal,
    interrupt: Signal,
    pause: Signal,
    resume: Signal,
}

impl Requests {
    /// Begins to catch them. Must be called within a tokio runtime.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            pause: signal(SignalKind::user_defined1())?,
            resume: signal(SignalKind::user_defined2())?,
        })
    }

    /// Waits for the next of them. Of several that wait, a stop comes first and a resumption last.
    pub(crate) async fn next(&mut self) -> Wish {
        tokio::select! {
            biased;
            _ = self.terminate.recv() => Wish::Stop,
            _ = self.interrupt.recv() => Wish::Stop,
            _ = self.pause.recv() => Wish::Pause,
            _ = self.resume.recv() => Wish::Resume,
        }
    }
}

/// Raises the soft limit of open descriptors to the hard one: each connection needs one. Where that fails, accepting
/// pauses at the limit, and the metrics count it.
pub(crate) fn raise_descriptor_limit() {
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}
