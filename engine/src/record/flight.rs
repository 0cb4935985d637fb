//! Time spent in flight, for the book-keeping check.

use crate::clock::Time;

/// The integral of the number of iterations in flight over time, kept from the starts and ends alone. The check sets it
/// against the times in the distributions, which come by another way: throughput × mean time must be the mean in flight
/// (Little's law).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flight {
    open: i64,
    /// Iteration-nanoseconds. A start counts minus its time and an end plus its time, so that events may come in any
    /// order.
    area: i128,
    closed: Option<Time>,
}

impl Flight {
    /// An iteration started.
    pub fn start(&mut self, at: Time) {
        self.open += 1;
        self.area -= i128::from(at.0);
    }

    /// An iteration ended.
    pub fn end(&mut self, at: Time) {
        self.open -= 1;
        self.area += i128::from(at.0);
    }

    /// The run has ended, with its drain: what is still in flight was so until now. Only the first call counts.
    pub fn close(&mut self, at: Time) {
        if self.closed.is_none() {
            self.closed = Some(at);
            self.area += i128::from(self.open) * i128::from(at.0);
        }
    }

    /// How many iterations are in flight; below 0 where one ended twice.
    pub fn in_flight(&self) -> i64 {
        self.open
    }

    /// Iteration-nanoseconds in flight up to [`Self::close`].
    pub fn area(&self) -> i128 {
        self.area
    }

    /// When the run ended; the latest where recorders were merged.
    pub fn closed(&self) -> Option<Time> {
        self.closed
    }

    /// Adds another recorder's.
    pub fn merge(&mut self, other: &Self) {
        self.open += other.open;
        self.area += other.area;
        self.closed = self.closed.max(other.closed);
    }
}
