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
}
