//! Figures while the run goes on.

use super::Distribution;

/// Arrivals by what has become of them so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Due and decided: started or missed.
    pub offered: u64,
    /// Started.
    pub started: u64,
    /// Ended ok.
    pub ok: u64,
    /// Cancelled because the plan said so.
    pub cancelled: u64,
    /// Failed.
    pub failed: u64,
    /// Never started.
    pub missed: u64,
    /// Abandoned or lost.
    pub unfinished: u64,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.offered += other.offered;
        self.started += other.started;
        self.ok += other.ok;
        self.cancelled += other.cancelled;
        self.failed += other.failed;
        self.missed += other.missed;
        self.unfinished += other.unfinished;
    }

    /// Iterations started that have not ended.
    pub fn in_flight(&self) -> u64 {
        self.started.saturating_sub(self.ok + self.cancelled + self.failed + self.unfinished)
    }
}

/// What one recorder, or several merged, saw: in all, and since it was last asked.
#[derive(Clone, Debug, Default)]
pub struct Live {
    /// Since the start of the run.
    pub total: Tally,
    /// Since the last [`super::Recorder::take_live`].
    pub recent: Tally,
    /// Iteration times of those that ended ok since then.
    pub recent_times: Distribution,
}

impl Live {
    /// Adds another worker's.
    pub fn merge(&mut self, other: &Self) {
        self.total.add(&other.total);
        self.recent.add(&other.recent);
        self.recent_times.merge(&other.recent_times);
    }

    /// Counts in both tallies.
    pub(super) fn tally(&mut self, count: impl Fn(&mut Tally)) {
        count(&mut self.total);
        count(&mut self.recent);
    }
}
