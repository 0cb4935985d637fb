//! The run's clock: everything that is measured or paced reads it, so that tests can put virtual time in its place.

use std::ops::{Add, Sub};
use std::time::Duration;

/// A moment: nanoseconds since the origin of the clock that gave it. 64 bits last for 584 years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

impl Time {
    /// Nanoseconds from `earlier` to this moment, 0 where `earlier` is later.
    pub fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Duration> for Time {
    type Output = Self;

    /// The moment that much later; stays at the end of the clock's range instead of wrapping.
    fn add(self, length: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(length.as_nanos()).unwrap_or(u64::MAX)))
    }
}

impl Sub for Time {
    type Output = Duration;

    /// The time from `earlier` to this moment, zero where `earlier` is later.
    fn sub(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.since(earlier))
    }
}

/// Where the present comes from.
pub trait Clock {
    /// The present moment. Never goes backwards.
    fn now(&self) -> Time;
}

/// The machine's monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct Monotonic {
    /// Its origin in nanoseconds of `CLOCK_MONOTONIC`.
    origin_ns: u64,
}

impl Monotonic {
    /// A clock whose origin is now.
    pub fn start() -> Self {
        Self { origin_ns: machine_ns() }
    }

    /// How this clock stands to the machine's: exactly, for it is the machine's.
    pub fn anchor(&self) -> Anchor {
        Anchor { origin_ns: self.origin_ns, apart_ns: 0 }
    }
}

/// Where a clock's origin lies on the machine's monotonic clock, which all its processes share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Anchor {
    /// The origin in nanoseconds of `CLOCK_MONOTONIC`.
    pub origin_ns: u64,
    /// It is off by at most this many nanoseconds.
    pub apart_ns: u64,
}

impl Anchor {
    /// A moment in nanoseconds of `CLOCK_MONOTONIC`.
    pub fn machine_ns(self, time: Time) -> u64 {
        self.origin_ns.saturating_add(time.0)
    }
}

/// Nanoseconds of `CLOCK_MONOTONIC`.
pub(crate) fn machine_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let part = |value: i64| u64::try_from(value).unwrap_or(0);
    part(now.tv_sec) * 1_000_000_000 + part(now.tv_nsec)
}

impl Clock for Monotonic {
    // Several times a request: in integers all the way, without the seconds and nanoseconds of an `Instant`.
    fn now(&self) -> Time {
        Time(machine_ns().saturating_sub(self.origin_ns))
    }
}

/// tokio's clock, which stands still in a paused runtime and jumps from timer to timer: the clock of tests.
#[derive(Clone, Copy, Debug)]
pub struct Virtual {
    origin: tokio::time::Instant,
}

impl Virtual {
    /// A clock whose origin is now. Must be called within a tokio runtime.
    pub fn start() -> Self {
        Self { origin: tokio::time::Instant::now() }
    }
}

impl Clock for Virtual {
    fn now(&self) -> Time {
        Time(u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }
}

/// CPU time this thread has used so far.
pub fn thread_cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_lets_moments_be_read_on_the_machines_clock() {
        let clock = Monotonic::start();
        let anchor = clock.anchor();
        let (before, now, after) = (machine_ns(), clock.now(), machine_ns());
        let there = anchor.machine_ns(now);
        let (earliest, latest) = (before.saturating_sub(anchor.apart_ns), after + anchor.apart_ns);
        assert!((earliest..=latest).contains(&there), "{there} of {earliest} to {latest}");
    }
}
