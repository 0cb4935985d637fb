//! The shape of a run, shared by all its recorders.

use crate::clock::Time;

/// What there is to record: how many workloads with which metrics, and when each phase is.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The start of the schedule. Moments before it count as this moment.
    pub t0: Time,
    /// The metrics of each workload's plugin, in the order of its metric ids.
    pub workloads: Vec<Vec<Metric>>,
    /// The phases in order.
    pub phases: Vec<Span>,
    /// How many plugins there are, for their costs.
    pub plugins: usize,
}

/// When a phase is, in nanoseconds from the start of the schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Its first moment.
    pub start: u64,
    /// The first moment after it.
    pub end: u64,
}

impl Span {
    /// Its length in nanoseconds.
    pub fn length(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Its length in seconds.
    pub fn seconds(self) -> f64 {
        self.length() as f64 / 1e9
    }
}

/// A figure of a plugin's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name, unique within the plugin.
    pub name: String,
    /// What kind of figure it is.
    pub kind: MetricKind,
    /// Its unit for people; empty for marks, which are times.
    pub unit: String,
}

/// The kinds of figures a plugin may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// A time.
    Mark,
    /// A sum.
    Counter,
    /// A distribution of values.
    Observation,
    /// Passed and failed.
    Check,
}

impl Layout {
    /// Nanoseconds from the start of the schedule, 0 before it.
    pub fn offset(&self, at: Time) -> u64 {
        at.since(self.t0)
    }

    /// The length of the whole schedule in nanoseconds: the end of the last phase. The drain is not part of it.
    pub fn length(&self) -> u64 {
        self.phases.iter().map(|phase| phase.end).max().unwrap_or(0)
    }

    /// The phase in which a moment lies; none in the drain.
    pub fn phase_at(&self, at: Time) -> Option<usize> {
        let offset = self.offset(at);
        self.phases.iter().position(|phase| (phase.start..phase.end).contains(&offset))
    }
}
