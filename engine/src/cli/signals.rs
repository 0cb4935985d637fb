//! Ctrl-C and SIGTERM; a terminal that goes away counts as the latter.

use std::io;

use super::exit::Exit;

/// The signal of a file that grew too large, on Linux and the BSDs alike.
#[cfg(unix)]
const SIGXFSZ: i32 = 25;

/// Listens for both signals from when it is made.
pub(super) struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    /// Held so that a file that grows past the limit on files (`ulimit -f`) is an error of its writing, and no sudden end.
    #[cfg(unix)]
    #[expect(dead_code, reason = "heeded by being there")]
    too_large: tokio::signal::unix::Signal,
    /// None where it is ignored on purpose, as under `nohup`.
    #[cfg(unix)]
    hangup: Option<tokio::signal::unix::Signal>,
}

impl Signals {
    /// Starts listening. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// When the operating system refuses.
    #[cfg(unix)]
    pub(super) fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            too_large: signal(SignalKind::from_raw(SIGXFSZ))?,
            hangup: if ignores_hangup() { None } else { Some(signal(SignalKind::hangup())?) },
        })
    }

    /// Waits for the next signal, and gives the status with which a run ends that it stopped.
    #[cfg(unix)]
    pub(super) async fn next(&mut self) -> Exit {
        tokio::select! {
            _ = self.interrupt.recv() => Exit::Interrupted,
            _ = self.terminate.recv() => Exit::Terminated,
            () = hung_up(self.hangup.as_mut()) => Exit::Terminated,
        }
    }

    /// Starts listening.
    ///
    /// # Errors
    /// Never.
    #[cfg(not(unix))]
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Waits for the next Ctrl-C.
    #[cfg(not(unix))]
    pub(super) async fn next(&mut self) -> Exit {
        let _ = tokio::signal::ctrl_c().await;
        Exit::Interrupted
    }
}

#[cfg(unix)]
async fn hung_up(hangup: Option<&mut tokio::signal::unix::Signal>) {
    match hangup {
        Some(hangup) => {
            hangup.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// Whether this process was started so as to ignore SIGHUP. Known on Linux only; elsewhere it is not.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    // SIGHUP is signal 1, the lowest bit.
    mask.is_some_and(|mask| mask & 1 == 1)
}
