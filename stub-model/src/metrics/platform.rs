//! Figures of the platform.

use std::rc::Rc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

/// Ends of a call to the model.
const MODEL_OUTCOMES: [&str; 4] = ["ok", "error", "timeout", "dropped"];

/// Ends of a chat turn.
const TURN_OUTCOMES: [&str; 4] = ["complete", "stopped", "failed", "gone"];

/// Ends of an ingest job.
const JOB_OUTCOMES: [&str; 2] = ["ok", "failed"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

/// The figures that the platform has beside those of every stub.
#[derive(Debug)]
pub(crate) struct PlatformMetrics {
    /// Connections of the pool in use.
    pub(crate) pool_in_use: Gauge,
    /// Who waits for a connection.
    pub(crate) pool_waiting: Gauge,
    pool_waits: Counter,
    pool_wait: Counter<f64, AtomicU64>,
    pool_timeouts: Counter,
    model_calls: Family<OutcomeLabels, Counter>,
    turns: Family<OutcomeLabels, Counter>,
    jobs: Family<OutcomeLabels, Counter>,
}

impl PlatformMetrics {
    /// Registers them under `stub_platform_`, with the size of the pool and its overflow.
    pub(crate) fn register(to: &mut Registry, size: u32, overflow: u32) -> Rc<Self> {
        let metrics = Self {
            pool_in_use: Gauge::default(),
            pool_waiting: Gauge::default(),
            pool_waits: Counter::default(),
            pool_wait: Counter::default(),
            pool_timeouts: Counter::default(),
            model_calls: family(&MODEL_OUTCOMES),
            turns: family(&TURN_OUTCOMES),
            jobs: family(&JOB_OUTCOMES),
        };
        let to = to.sub_registry_with_prefix("platform");
        let fixed = |number: u32| {
            let gauge = Gauge::<i64>::default();
            gauge.set(number.into());
            gauge
        };
        to.register("pool_size", "Connections that the pool keeps", fixed(size));
        to.register("pool_overflow", "Connections that it opens beyond those at most", fixed(overflow));
        to.register("pool_in_use", "Connections in use", metrics.pool_in_use.clone());
        to.register("pool_waiting", "Requests that wait for a connection", metrics.pool_waiting.clone());
        to.register("pool_waits", "Waits for a connection that have ended", metrics.pool_waits.clone());
        let help = "Time spent in waits that have ended";
        to.register_with_unit("pool_wait", help, Unit::Seconds, metrics.pool_wait.clone());
        to.register("pool_timeouts", "Waits that ended without a connection", metrics.pool_timeouts.clone());
        to.register("model_calls", "Calls to the model that have ended, by outcome", metrics.model_calls.clone());
        to.register("chat_turns", "Chat turns that have ended, by outcome", metrics.turns.clone());
        to.register("ingest_jobs", "Ingest jobs that have ended, by outcome", metrics.jobs.clone());
        Rc::new(metrics)
    }

    /// A wait for a connection has ended, with one or without.
    pub(crate) fn waited(&self, time: Duration, timed_out: bool) {
        self.pool_waits.inc();
        self.pool_wait.inc_by(time.as_secs_f64());
        self.pool_timeouts.inc_by(timed_out.into());
    }

    /// A call to the model has ended.
    pub(crate) fn model_called(&self, outcome: &'static str) {
        self.model_calls.get_or_create(&OutcomeLabels { outcome }).inc();
    }

    /// A chat turn has ended.
    pub(crate) fn turn_ended(&self, outcome: &'static str) {
        self.turns.get_or_create(&OutcomeLabels { outcome }).inc();
    }

    /// An ingest job has ended.
    pub(crate) fn job_ended(&self, outcome: &'static str) {
        self.jobs.get_or_create(&OutcomeLabels { outcome }).inc();
    }
}

/// A family whose series are there from the start, at 0.
fn family(outcomes: &[&'static str]) -> Family<OutcomeLabels, Counter> {
    let family = Family::<OutcomeLabels, Counter>::default();
    for outcome in outcomes {
        drop(family.get_or_create(&OutcomeLabels { outcome }));
    }
    family
}
