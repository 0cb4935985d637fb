//! Criterion by the thread's CPU time: a neighbour on the core costs a figure nothing.

use std::time::Duration;

use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use engine::clock::thread_cpu;

/// CPU time of the measuring thread, shown as criterion shows times.
pub(crate) struct ThreadCpu;

impl Measurement for ThreadCpu {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        thread_cpu()
    }

    fn end(&self, start: Duration) -> Duration {
        thread_cpu().saturating_sub(start)
    }

    fn add(&self, one: &Duration, other: &Duration) -> Duration {
        *one + *other
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        WallTime.to_f64(value)
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}
