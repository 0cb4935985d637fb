//! Reading what was recorded, over any choice of workloads and phases.

use std::collections::{BTreeMap, BTreeSet};

use super::cell::{Cell, Counts, MetricData, Request, Series, Traffic};
use super::names::{MOST_NAMES, MOST_REASONS, OTHER, is_free_text};
use super::{Distribution, Recorder, Trail, TrailPart};

/// A choice of workloads and phases of one recorder.
#[derive(Clone, Debug)]
pub struct Selection<'a> {
    recorder: &'a Recorder,
    workloads: Vec<usize>,
    phases: Vec<usize>,
}

impl Recorder {
    /// Everything.
    pub fn all(&self) -> Selection<'_> {
        let workloads = (0..self.layout().workloads.len()).collect();
        Selection { recorder: self, workloads, phases: (0..self.layout().phases.len()).collect() }
    }
}

impl<'a> Selection<'a> {
    /// Of these, only that workload.
    #[must_use]
    pub fn workload(mut self, workload: usize) -> Self {
        self.workloads.retain(|&each| each == workload);
        self
    }

    /// Of these, only that phase.
    #[must_use]
    pub fn phase(mut self, phase: usize) -> Self {
        self.phases.retain(|&each| each == phase);
        self
    }

    fn cells(&self) -> impl Iterator<Item = (usize, &'a Cell)> {
        let recorder = self.recorder;
        self.workloads.iter().flat_map(move |&workload| {
            self.phases.iter().map(move |&phase| (workload, &recorder.workloads()[workload].cells[phase]))
        })
    }

    /// Final states.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for (_, cell) in self.cells() {
            counts.merge(&cell.counts);
        }
        counts
    }

    /// Exchanges and bytes.
    pub fn traffic(&self) -> Traffic {
        let mut traffic = Traffic::default();
        for (_, cell) in self.cells() {
            traffic.merge(&cell.traffic);
        }
        traffic
    }

    /// Figures of plugins that the recorder refused.
    pub fn refused(&self) -> u64 {
        self.cells().map(|(_, cell)| cell.refused).sum()
    }

    /// One of the distributions, merged.
    pub fn times(&self, series: Series) -> Distribution {
        let mut merged = Distribution::default();
        for (_, cell) in self.cells() {
            merged.merge(cell.times(series));
        }
        merged
    }

    /// How iteration times ran over the chosen phases. Parts of phases of different lengths do not go together: choose one.
    pub fn trail(&self) -> Vec<TrailPart> {
        let mut merged = Trail::default();
        for (_, cell) in self.cells() {
            merged.merge(&cell.trail);
        }
        merged.parts().to_vec()
    }

    /// Answers by status.
    pub fn statuses(&self) -> BTreeMap<u16, u64> {
        let mut statuses = BTreeMap::new();
        for (_, cell) in self.cells() {
            for (&status, &count) in &cell.statuses {
                *statuses.entry(status).or_default() += count;
            }
        }
        statuses
    }

    /// Failed iterations by reason, the most frequent first. At most [`MOST_REASONS`] different ones per workload of
    /// the run, the rest as [`OTHER`]: reasons of the engine's own list before free texts, then the more frequent ones.
    pub fn failures(&self) -> Vec<(String, u64)> {
        self.reasons(|cell| &cell.failures)
    }

    /// Failed exchanges by reason, likewise.
    pub fn exchange_failures(&self) -> Vec<(String, u64)> {
        self.reasons(|cell| &cell.exchange_failures)
    }

    /// How many iterations or exchanges failed by this reason of the engine's own list. An exchange's failure that
    /// became its iteration's counts once.
    pub fn failed_by(&self, reason: &str) -> u64 {
        self.cells()
            .map(|(_, cell)| {
                let of = |counts: &BTreeMap<Box<str>, u64>| counts.get(reason).copied().unwrap_or(0);
                of(&cell.failures).max(of(&cell.exchange_failures))
            })
            .sum()
    }

    fn reasons(&self, of: impl Fn(&Cell) -> &BTreeMap<Box<str>, u64>) -> Vec<(String, u64)> {
        let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
        for &workload in &self.workloads {
            // Which ones are kept is decided over all phases, so that every phase shows the same.
            let cells = &self.recorder.workloads()[workload].cells;
            let mut totals: BTreeMap<&str, u64> = BTreeMap::new();
            for (reason, &count) in cells.iter().flat_map(&of) {
                *totals.entry(reason).or_default() += count;
            }
            totals.remove(OTHER);
            let mut order: Vec<_> = totals.into_iter().collect();
            order.sort_by_key(|&(reason, count)| (is_free_text(reason), std::cmp::Reverse(count), reason));
            let kept: BTreeSet<&str> = order.into_iter().take(MOST_REASONS).map(|(reason, _)| reason).collect();
            for &phase in &self.phases {
                for (reason, &count) in of(&cells[phase]) {
                    let shown = kept.get(&**reason).copied().unwrap_or(OTHER);
                    *sums.entry(shown).or_default() += count;
                }
            }
        }
        let mut reasons: Vec<_> = sums.into_iter().map(|(reason, count)| (reason.to_owned(), count)).collect();
        reasons.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        reasons
    }

    /// Named requests, by name. At most [`MOST_NAMES`] per workload, those with the most exchanges in the whole run;
    /// the rest as [`OTHER`].
    pub fn requests(&self) -> BTreeMap<String, Request> {
        let mut requests: BTreeMap<String, Request> = BTreeMap::new();
        for &index in &self.workloads {
            let workload = &self.recorder.workloads()[index];
            let names = workload.names.all();
            let exchanges = |id: usize| -> u64 {
                workload.cells.iter().filter_map(|cell| cell.requests.get(id)).map(|request| request.exchanges).sum()
            };
            let mut order: Vec<usize> = (0..names.len()).filter(|&id| &*names[id] != OTHER).collect();
            order.sort_by_key(|&id| (std::cmp::Reverse(exchanges(id)), &names[id]));
            let kept: BTreeSet<usize> = order.into_iter().take(MOST_NAMES).collect();
            for &phase in &self.phases {
                for (id, request) in workload.cells[phase].requests.iter().enumerate() {
                    if request.exchanges > 0 {
                        let name = if kept.contains(&id) { &*names[id] } else { OTHER };
                        requests.entry(name.to_owned()).or_default().merge(request);
                    }
                }
            }
        }
        requests
    }

    /// The response times of one named request; without samples where there is none of that name.
    pub fn response_of(&self, name: &str) -> Distribution {
        let mut merged = Distribution::default();
        for (workload, cell) in self.cells() {
            let names = self.recorder.workloads()[workload].names.all();
            let id = names.iter().position(|each| &**each == name);
            if let Some(request) = id.and_then(|id| cell.requests.get(id)) {
                merged.merge(&request.response);
            }
        }
        merged
    }

    /// The times of one mark; without samples where there is none of that name.
    pub fn mark(&self, name: &str) -> Distribution {
        let mut merged = Distribution::default();
        for (workload, cell) in self.cells() {
            let metrics = &self.recorder.layout().workloads[workload];
            for (metric, data) in metrics.iter().zip(&cell.metrics) {
                if let (true, MetricData::Mark(times)) = (metric.name == name, data) {
                    merged.merge(times);
                }
            }
        }
        merged
    }

    /// What was recorded of each metric of one workload's plugin over the chosen phases, in the order of its metrics.
    pub fn metrics(&self, workload: usize) -> Vec<MetricData> {
        let mut merged: Vec<MetricData> =
            self.recorder.layout().workloads[workload].iter().map(|metric| MetricData::new(metric.kind)).collect();
        for &phase in &self.phases {
            let cell = &self.recorder.workloads()[workload].cells[phase];
            for (mine, theirs) in merged.iter_mut().zip(&cell.metrics) {
                mine.merge(theirs);
            }
        }
        merged
    }
}
