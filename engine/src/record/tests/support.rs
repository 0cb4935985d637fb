//! A small run to record.

use std::sync::Arc;

use super::super::{
    ExchangeOutcome, ExchangeSample, Finished, Layout, Metric, MetricKind, NameId, Outcome, Recorder, Span,
};
use crate::clock::Time;

pub(super) const MS: u64 = 1_000_000;
pub(super) const SECOND: u64 = 1_000_000_000;

/// Two workloads; two phases of ten seconds; a metric of each kind for the first workload.
pub(super) fn layout() -> Arc<Layout> {
    let metric = |name: &str, kind| Metric { name: name.to_owned(), kind, unit: String::new() };
    Arc::new(Layout {
        t0: Time(0),
        workloads: vec![
            vec![
                metric("first_token", MetricKind::Mark),
                metric("tokens", MetricKind::Counter),
                metric("size", MetricKind::Observation),
                metric("complete", MetricKind::Check),
            ],
            vec![],
        ],
        phases: vec![Span { start: 0, end: 10 * SECOND }, Span { start: 10 * SECOND, end: 20 * SECOND }],
        plugins: 1,
    })
}

pub(super) fn recorder() -> Recorder {
    Recorder::new(layout(), 0)
}

/// An iteration of the first workload in the first phase that started when it was due.
pub(super) fn finished(due: u64, end: u64, outcome: Outcome<'_>) -> Finished<'_> {
    Finished {
        workload: 0,
        phase: 0,
        due: Time(due),
        start: Time(due),
        end: Time(end),
        outcome,
        exchanges: &[],
        marks: &[],
        counters: &[],
        observations: &[],
        checks: &[],
    }
}

/// An exchange asked for at `asked`, sent 1 ms later and complete at `end`.
pub(super) fn exchange(name: NameId, asked: u64, end: u64) -> ExchangeSample<'static> {
    ExchangeSample {
        name,
        asked: Time(asked),
        sent: Some(Time(asked + MS)),
        end: Time(end),
        outcome: ExchangeOutcome::Complete,
        status: Some(200),
        bytes_sent: 100,
        bytes_received: 1_000,
        queued: 0,
        connect: None,
        handshake: false,
        stale_resends: 0,
    }
}

/// Starts an iteration on time and finishes it.
pub(super) fn run(recorder: &mut Recorder, finished: &Finished<'_>) {
    recorder.started(finished.workload, finished.phase, finished.due, finished.start, 0);
    recorder.finished(finished);
}
