//! What happened in each second of a run.

use crate::clock::Time;

/// The longest run whose seconds are told apart: seven days. What comes later counts in the last of them.
const MOST_WINDOWS: usize = 7 * 24 * 3_600;

/// One second of one workload. Arrivals count in the second they were due, starts in that of the start, the rest in
/// that of the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Arrivals due that were started or missed.
    pub offered: u64,
    /// Iterations started.
    pub sent: u64,
    /// Iterations that ended by themselves: ok, cancelled or failed.
    pub completed: u64,
    /// Of these, those that were ok.
    pub ok: u64,
    /// Of these, those that failed.
    pub failed: u64,
    /// Arrivals due that were missed.
    pub missed: u64,
    /// The sum of the iteration times of those that were ok, in nanoseconds.
    pub ok_time_sum: u64,
    /// The longest of them, in nanoseconds.
    pub ok_time_max: u64,
    /// Bytes sent by the iterations that ended.
    pub bytes_sent: u64,
    /// Bytes received by them.
    pub bytes_received: u64,
}

impl Window {
    /// Adds another's counts.
    pub fn merge(&mut self, other: &Self) {
        self.offered += other.offered;
        self.sent += other.sent;
        self.completed += other.completed;
        self.ok += other.ok;
        self.failed += other.failed;
        self.missed += other.missed;
        self.ok_time_sum = self.ok_time_sum.saturating_add(other.ok_time_sum);
        self.ok_time_max = self.ok_time_max.max(other.ok_time_max);
        self.bytes_sent += other.bytes_sent;
        self.bytes_received += other.bytes_received;
    }

    /// The mean iteration time of those that were ok, in nanoseconds.
    pub fn ok_time_mean(&self) -> Option<f64> {
        (self.ok > 0).then(|| self.ok_time_sum as f64 / self.ok as f64)
    }
}

/// The seconds of a run, from the start of its schedule.
#[derive(Clone, Debug, Default)]
pub(super) struct Windows(Vec<Window>);

impl Windows {
    /// The second in which a moment lies.
    pub(super) fn at(&mut self, t0: Time, at: Time) -> &mut Window {
        let second = usize::try_from(at.since(t0) / 1_000_000_000).unwrap_or(usize::MAX).min(MOST_WINDOWS - 1);
        if second >= self.0.len() {
            self.0.resize(second + 1, Window::default());
        }
        &mut self.0[second]
    }

    /// All seconds up to the last in which something happened.
    pub(super) fn all(&self) -> &[Window] {
        &self.0
    }

    pub(super) fn merge(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), Window::default());
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            mine.merge(theirs);
        }
    }
}
