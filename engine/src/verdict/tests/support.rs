//! Runs to judge.

use std::sync::Arc;
use std::time::Duration;

use super::super::{
    Check, Evidence, InFlightCap, Inputs, Judgement, Measure, Op, Scope, Statistic, Threshold, ThresholdResult,
    TimeSeries, judge,
};
use crate::clock::Time;
use crate::record::{Finished, Layout, Outcome, Percentile, Recorder, Span};

pub(super) const MS: u64 = 1_000_000;
pub(super) const SECOND: u64 = 1_000_000_000;

/// A run of two workloads and two phases of ten seconds, the second one judged, with all evidence in order.
pub(super) struct Case {
    pub(super) recorder: Recorder,
    pub(super) thresholds: Vec<Threshold>,
    pub(super) in_flight: InFlightCap,
    pub(super) wake_gap: Duration,
    pub(super) evidence: Evidence,
    pub(super) interrupted: bool,
    pub(super) plugin_faults: bool,
}

impl Case {
    pub(super) fn new() -> Self {
        let layout = Layout {
            t0: Time(0),
            workloads: vec![vec![], vec![]],
            phases: vec![Span { start: 0, end: 10 * SECOND }, Span { start: 10 * SECOND, end: 20 * SECOND }],
            plugins: 1,
        };
        Self {
            recorder: Recorder::new(Arc::new(layout), 0),
            thresholds: Vec::new(),
            in_flight: InFlightCap { cap: 100, default: 100 },
            wake_gap: Duration::from_micros(250),
            evidence: Evidence::default(),
            interrupted: false,
            plugin_faults: false,
        }
    }

    /// `n` iterations of the first workload in the judged phase, all started on time and ended after `time`.
    pub(super) fn add(&mut self, n: u64, time: u64, outcome: Outcome<'_>) -> &mut Self {
        self.add_late(n, time, outcome, 0, 0)
    }

    /// The same, started late by so much, of which some was waiting for a slot.
    pub(super) fn add_late(&mut self, n: u64, time: u64, outcome: Outcome<'_>, late: u64, waited: u64) -> &mut Self {
        self.recorder.planned(0, 1, n);
        for k in 0..n {
            let due = Time(10 * SECOND + k * SECOND / 1_000);
            let start = Time(due.0 + late);
            self.recorder.started(0, 1, due, start, waited);
            self.recorder.finished(&Finished {
                workload: 0,
                phase: 1,
                due,
                start,
                end: Time(due.0 + time),
                outcome,
                exchanges: &[],
                marks: &[],
                counters: &[],
                observations: &[],
                checks: &[],
            });
        }
        self
    }

    pub(super) fn judge(&mut self) -> Judgement {
        self.recorder.close(Time(60 * SECOND));
        judge(&Inputs {
            recorder: &self.recorder,
            workloads: &["small".to_owned(), "large".to_owned()],
            phases: &["warm-up".to_owned(), "steady".to_owned()],
            plugins: &["tea_python".to_owned()],
            judged: 1,
            thresholds: &self.thresholds,
            in_flight: self.in_flight,
            wake_gap: self.wake_gap,
            evidence: &self.evidence,
            interrupted: self.interrupted,
            plugin_faults: self.plugin_faults,
        })
    }

    /// Judges one threshold.
    pub(super) fn against(&mut self, threshold: Threshold) -> ThresholdResult {
        self.thresholds = vec![threshold];
        self.judge().thresholds.pop().expect("the threshold comes last")
    }

    /// Makes one check.
    pub(super) fn check(&mut self, name: &str) -> Check {
        let checks = self.judge().checks;
        checks.into_iter().find(|check| check.name == name).expect("a check of that name")
    }
}

pub(super) fn threshold(measure: Measure, op: Op, limit: f64) -> Threshold {
    Threshold { workload: Some(0), scope: Scope::Judged, measure, op, limit, least: None, why: None }
}

/// The p95 of iterations is at most that many milliseconds.
pub(super) fn p95_at_most(limit: f64) -> Threshold {
    time(Statistic::Percentile(Percentile::P95), limit)
}

pub(super) fn time(statistic: Statistic, limit: f64) -> Threshold {
    threshold(Measure::Time(TimeSeries::Iteration, statistic), Op::AtMost, limit)
}
