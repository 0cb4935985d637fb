//! The one clock of the journal and the metrics, and how it stands to the clock on the wall.

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// Readings of which the tightest is kept: one that was interrupted says little.
const READINGS: usize = 5;

/// Nanoseconds of `CLOCK_MONOTONIC`, which every process on the machine shares, so that a generator's own stamps can be
/// set beside the journal's.
pub fn monotonic_ns() -> u64 {
    nanoseconds(ClockId::Monotonic)
}

fn nanoseconds(clock: ClockId) -> u64 {
    let now = clock_gettime(clock);
    let part = |value: i64| u64::try_from(value).unwrap_or(0);
    part(now.tv_sec) * 1_000_000_000 + part(now.tv_nsec)
}

/// One moment on both clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// Nanoseconds of `CLOCK_MONOTONIC`.
    pub monotonic_ns: u64,
    /// Nanoseconds since 1970-01-01T00:00:00Z, as the machine's clock says.
    pub wall_ns: u64,
    /// The two were read at most this many nanoseconds apart.
    pub apart_ns: u64,
}

impl Moment {
    /// Reads both clocks.
    pub fn now() -> Self {
        let read = |_| {
            let before = monotonic_ns();
            let wall_ns = nanoseconds(ClockId::Realtime);
            let apart_ns = monotonic_ns() - before;
            Self { monotonic_ns: before + apart_ns / 2, wall_ns, apart_ns: apart_ns.div_ceil(2) }
        };
        (1..READINGS).map(read).fold(read(0), |best, one| if one.apart_ns < best.apart_ns { one } else { best })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_the_same_on_both_clocks() {
        let (before, moment, after) = (monotonic_ns(), Moment::now(), monotonic_ns());
        assert!((before..=after).contains(&moment.monotonic_ns));
        assert!(moment.apart_ns <= after - before);
        // After 2020.
        assert!(moment.wall_ns > 1_577_836_800_000_000_000);
    }
}
