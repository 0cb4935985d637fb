//! What is recorded of an iteration with one exchange and one mark that is right.

use std::sync::Arc;

use engine::clock::Time;
use engine::record::{
    EXACT_SAMPLES, ExchangeOutcome, ExchangeSample, Finished, Layout, MarkSample, Metric, MetricKind, NameId, Outcome,
    Recorder, Span,
};

/// Nanoseconds from one arrival to the next: 10,000 a second.
const APART: u64 = 100_000;
/// The length of the one phase, an hour in nanoseconds.
const LENGTH: u64 = 3_600_000_000_000;

/// A recorder, and iterations for it.
pub(crate) struct Records {
    recorder: Recorder,
    name: NameId,
    next: u64,
    random: fastrand::Rng,
}

impl Records {
    /// Of a run that has just begun: every sample is kept by itself.
    pub(crate) fn few() -> Self {
        let mark = Metric { name: "answered".to_owned(), kind: MetricKind::Mark, unit: String::new() };
        let layout = Layout {
            t0: Time(0),
            workloads: vec![vec![mark]],
            phases: vec![Span { start: 0, end: LENGTH }],
            plugins: 1,
        };
        let mut recorder = Recorder::new(Arc::new(layout), 0);
        let name = recorder.name(0, "cost");
        Self { recorder, name, next: 0, random: fastrand::Rng::with_seed(1) }
    }

    /// Of a run that has gone on for a while: the samples are in histograms, which have grown as far as they will.
    pub(crate) fn many() -> Self {
        let mut records = Self::few();
        for _ in 0..2 * EXACT_SAMPLES {
            records.make();
        }
        records
    }

    /// Records one more.
    pub(crate) fn make(&mut self) {
        let due = self.next * APART;
        self.next += 1;
        let start = due + self.random.u64(10_000..100_000);
        let sent = start + self.random.u64(10_000..50_000);
        let end = sent + self.random.u64(1_000_000..50_000_000);
        let call = self.random.u64(500..2_000);
        let recorder = &mut self.recorder;
        recorder.started(0, 0, Time(due), Time(start), 0);
        recorder.plugin_call(0, Some(0), "plan.start", call);
        recorder.plugin_call(0, Some(0), "plan.start", call);
        let exchange = ExchangeSample {
            name: self.name,
            asked: Time(due),
            sent: Some(Time(sent)),
            end: Time(end),
            outcome: ExchangeOutcome::Complete,
            status: Some(200),
            bytes_sent: 600,
            bytes_received: 2_300,
            queued: 0,
            connect: None,
            handshake: false,
            stale_resends: 0,
        };
        recorder.finished(&Finished {
            workload: 0,
            phase: 0,
            due: Time(due),
            start: Time(start),
            end: Time(end),
            outcome: Outcome::Ok,
            exchanges: &[exchange],
            marks: &[MarkSample { metric: 0, interval: end - due, weight: 1 }],
            counters: &[],
            observations: &[],
            checks: &[],
        });
    }
}
