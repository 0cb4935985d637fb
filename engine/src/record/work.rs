//! What the generator itself spends.

use super::Distribution;

/// What one worker's loop was like.
#[derive(Clone, Debug, Default)]
pub struct WorkerLoad {
    /// The number of the worker.
    pub worker: u32,
    /// How much longer than asked its loop was away, in nanoseconds.
    pub stall: Distribution,
    /// Nanoseconds spent in plugins, by the phase of the iteration.
    pub plugin_ns: Vec<u64>,
}

impl WorkerLoad {
    pub(super) fn merge(&mut self, other: &Self) {
        self.stall.merge(&other.stall);
        for (mine, theirs) in self.plugin_ns.iter_mut().zip(&other.plugin_ns) {
            *mine = mine.saturating_add(*theirs);
        }
    }
}

/// What calling one plugin cost.
#[derive(Clone, Debug, Default)]
pub struct PluginCost {
    /// Nanoseconds per call; count and sum are those of all calls.
    pub calls: Distribution,
    /// The longest of them.
    pub longest: Option<LongestCall>,
    /// Instances made of it, over all workers.
    pub instances: u64,
    /// Bytes of memory that the largest of them had grown to.
    pub largest: u64,
}

/// A call that took longer than every other of its plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongestCall {
    /// Nanoseconds.
    pub nanoseconds: u64,
    /// What was called, such as `iteration.on-items`.
    pub function: &'static str,
}

impl PluginCost {
    pub(super) fn called(&mut self, call: LongestCall) {
        if self.longest.is_none_or(|longest| longest.nanoseconds < call.nanoseconds) {
            self.longest = Some(call);
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.calls.merge(&other.calls);
        other.longest.into_iter().for_each(|call| self.called(call));
        self.instances = self.instances.saturating_add(other.instances);
        self.largest = self.largest.max(other.largest);
    }
}
