//! Figures of the model.

use std::rc::Rc;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

/// Bounds of a token's lateness, in seconds.
const LATE_BOUNDS: [f64; 9] = [0.000_25, 0.000_5, 0.001, 0.002, 0.005, 0.01, 0.025, 0.1, 1.0];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EncodeLabelSet)]
struct FaultLabels {
    kind: &'static str,
}

/// The figures that the model has beside those of every stub.
#[derive(Debug)]
pub(crate) struct ModelMetrics {
    faults: Family<FaultLabels, Counter>,
    tokens: Counter,
    streams_open: Gauge,
    late: Histogram,
}

impl ModelMetrics {
    /// Registers them under `stub_model_`.
    pub(crate) fn register(to: &mut Registry) -> Rc<Self> {
        let metrics = Self {
            faults: Family::default(),
            tokens: Counter::default(),
            streams_open: Gauge::default(),
            late: Histogram::new(LATE_BOUNDS),
        };
        // So that a series is there, at 0, before the first fault.
        for kind in ["error", "timeout"] {
            drop(metrics.faults.get_or_create(&FaultLabels { kind }));
        }
        let to = to.sub_registry_with_prefix("model");
        to.register("faults", "Requests that met a fault, by kind", metrics.faults.clone());
        to.register("tokens", "Tokens sent as events", metrics.tokens.clone());
        to.register("streams_open", "Answers being sent as events", metrics.streams_open.clone());
        let help = "From the moment a token was due until it was handed over";
        to.register_with_unit("token_late", help, Unit::Seconds, metrics.late.clone());
        Rc::new(metrics)
    }

    /// A request was answered with an error on purpose.
    pub(crate) fn failed(&self) {
        self.faults.get_or_create(&FaultLabels { kind: "error" }).inc();
    }

    /// A request is not answered on purpose.
    pub(crate) fn held(&self) {
        self.faults.get_or_create(&FaultLabels { kind: "timeout" }).inc();
    }

    /// A token was handed over, this long after it was due.
    pub(crate) fn token_sent(&self, late: Duration) {
        self.tokens.inc();
        self.late.observe(late.as_secs_f64());
    }

    /// An answer begins to be sent as events; it ends when what this gives is dropped.
    pub(crate) fn stream_opened(&self) -> OpenStream {
        self.streams_open.inc();
        OpenStream(self.streams_open.clone())
    }
}

/// Counts an answer as open while it lives.
#[derive(Debug)]
pub(crate) struct OpenStream(Gauge);

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.dec();
    }
}
