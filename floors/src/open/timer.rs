//! One absolute timer of the kernel.

use std::io;

use rustix::fd::OwnedFd;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};

const NEVER: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

/// It fires once for each moment it is armed for.
#[derive(Debug)]
pub(super) struct Timer {
    descriptor: OwnedFd,
    armed_ns: u64,
}

impl Timer {
    pub(super) fn new() -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        Ok(Self { descriptor: timerfd_create(TimerfdClockId::Monotonic, flags)?, armed_ns: 0 })
    }

    pub(super) fn descriptor(&self) -> &OwnedFd {
        &self.descriptor
    }

    /// It has fired: the moment it was armed for is one it can be armed for again.
    pub(super) fn fired(&mut self) {
        self.armed_ns = 0;
    }

    /// Fires at this moment of the monotonic clock, at once where it has passed, and not at what it was armed for before.
    /// Nothing is done where it waits for that moment already.
    pub(super) fn arm(&mut self, at_ns: u64) -> io::Result<()> {
        if std::mem::replace(&mut self.armed_ns, at_ns) != at_ns {
            let at = Timespec {
                tv_sec: i64::try_from(at_ns / 1_000_000_000).unwrap_or(i64::MAX),
                tv_nsec: i64::try_from(at_ns % 1_000_000_000).unwrap_or(0),
            };
            let once = Itimerspec { it_interval: NEVER, it_value: at };
            timerfd_settime(&self.descriptor, TimerfdTimerFlags::ABSTIME, &once)?;
        }
        Ok(())
    }
}
