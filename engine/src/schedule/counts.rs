//! How many arrivals are planned.

use serde::Serialize;

use super::mix::Mix;
use super::segments::Segment;

/// The planned arrivals by phase and workload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Counts {
    /// By phase, then by workload.
    cells: Vec<Vec<u64>>,
}

impl Counts {
    /// The counts of these segments.
    pub(super) fn of(segments: &[Segment], mix: &Mix) -> Self {
        let mut before = mix.counts_before(0);
        let cells = segments
            .iter()
            .map(|segment| {
                let after = mix.counts_before(segment.end);
                let cell = after.iter().zip(&before).map(|(after, before)| after - before).collect();
                before = after;
                cell
            })
            .collect();
        Self { cells }
    }

    /// Of all workloads in all phases.
    pub fn total(&self) -> u64 {
        self.cells.iter().flatten().sum()
    }

    /// Of one workload in all phases; 0 where there is no such workload.
    pub fn workload(&self, workload: usize) -> u64 {
        self.cells.iter().filter_map(|cell| cell.get(workload)).sum()
    }

    /// Of all workloads in one phase; 0 where there is no such phase.
    pub fn phase(&self, phase: usize) -> u64 {
        self.cells.get(phase).map_or(0, |cell| cell.iter().sum())
    }

    /// Of one workload in one phase; 0 where there is none such.
    pub fn cell(&self, phase: usize, workload: usize) -> u64 {
        self.cells.get(phase).and_then(|cell| cell.get(workload)).copied().unwrap_or(0)
    }
}
