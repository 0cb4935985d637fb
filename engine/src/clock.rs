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
    origin: std::time::Instant,
}

impl Monotonic {
    /// A clock whose origin is now.
    pub fn start() -> Self {
        Self { origin: std::time::Instant::now() }
    }
}

impl Clock for Monotonic {
    fn now(&self) -> Time {
        Time(u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX))
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
