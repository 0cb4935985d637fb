//! `--die-with-parent`: noticing that the process that started this one has ended.
//!
//! Linux sends a signal of our choice when the *thread* that started us ends, so the signal alone proves nothing: it
//! only makes us look at once whether our parent is still the one we began with. Elsewhere a look every second does.

use std::io;
use std::time::Duration;

use rustix::process::{Pid, getppid};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{MissedTickBehavior, interval};

/// How often to look where no signal comes.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The system's signal. Nobody else sends this one, and unhandled it does nothing.
const HINT: SignalKind = SignalKind::from_raw(rustix::process::Signal::URG.as_raw());

/// The process that started this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parent(Option<Pid>);

impl Parent {
    /// The parent at this moment. That one which ended before has another's place already: see [`Parent::of`].
    pub fn now() -> Self {
        Self(getppid())
    }

    /// The process of that id, as the parent itself says it is; none for an id that no process has.
    pub fn of(id: i32) -> Option<Self> {
        Pid::from_raw(id.max(0)).map(|pid| Self(Some(pid)))
    }

    /// Begins to watch it. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// The system refuses the signal that hurries the look.
    pub fn watch(self) -> io::Result<Watch> {
        // The handler before the request, so that nothing is missed.
        let hint = signal(HINT)?;
        #[cfg(target_os = "linux")]
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::URG))?;
        Ok(Watch { parent: self, hint })
    }
}

/// A parent being watched.
#[derive(Debug)]
pub struct Watch {
    parent: Parent,
    hint: Signal,
}

impl Watch {
    /// Waits until the parent is gone; at once where it is gone already.
    pub async fn gone(mut self) {
        let mut look = interval(LOOK_EVERY);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            if Parent::now() != self.parent {
                return;
            }
            tokio::select! {
                _ = self.hint.recv() => {}
                _ = look.tick() => {}
            }
        }
    }
}
