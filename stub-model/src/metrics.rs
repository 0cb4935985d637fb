//! Figures of a running stub, for Prometheus and for tests. All names stand here.

pub(crate) mod model;
pub(crate) mod platform;

use std::fmt;

use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue, LabelValueEncoder};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

/// The media type of [`Metrics::text`].
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Bounds of the time in the server, in seconds: from a bare answer to the longest wait that can be asked for.
const TIME_BOUNDS: [f64; 18] = [
    0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
    0.5, 1.0, 10.0, 600.0,
];

/// Bounds of the gap between two arrivals, in seconds.
const GAP_BOUNDS: [f64; 15] = [
    0.000_001, 0.000_005, 0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.1,
    1.0, 10.0,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    path: &'static str,
    status: Status,
}

/// A status as a label; `none` where the connection ended without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Status(Option<u16>);

impl EncodeLabelValue for Status {
    fn encode(&self, encoder: &mut LabelValueEncoder<'_>) -> Result<(), fmt::Error> {
        match self.0 {
            Some(status) => EncodeLabelValue::encode(&u64::from(status), encoder),
            None => EncodeLabelValue::encode(&"none", encoder),
        }
    }
}

/// Sums since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counters {
    /// Requests whose head has been parsed.
    pub arrivals: u64,
    /// Requests that have ended, with an answer or without.
    pub answered: u64,
    /// Connections accepted.
    pub connections_accepted: u64,
    /// Connections open now.
    pub connections_open: u64,
    /// Accepts that failed.
    pub accept_errors: u64,
    /// Bytes of request bodies, after transfer decoding.
    pub request_body_bytes: u64,
    /// Bytes of response bodies, before transfer coding.
    pub response_body_bytes: u64,
    /// Journal entries that no longer fitted.
    pub journal_dropped: u64,
}

/// The live figures. Requests to `/health`, `/metrics` and `/journal` are in none but those of connections.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    arrivals: Counter,
    answered: Counter,
    connections_accepted: Counter,
    connections_open: Gauge,
    accept_errors: Counter,
    request_body_bytes: Counter,
    response_body_bytes: Counter,
    journal_dropped: Counter,
    paused: Gauge,
    time_in_server: Histogram,
    arrival_gap: Histogram,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("stub"),
            requests: Family::default(),
            arrivals: Counter::default(),
            answered: Counter::default(),
            connections_accepted: Counter::default(),
            connections_open: Gauge::default(),
            accept_errors: Counter::default(),
            request_body_bytes: Counter::default(),
            response_body_bytes: Counter::default(),
            journal_dropped: Counter::default(),
            paused: Gauge::default(),
            time_in_server: Histogram::new(TIME_BOUNDS),
            arrival_gap: Histogram::new(GAP_BOUNDS),
        };
        metrics.register();
        metrics
    }
}

impl Metrics {
    fn register(&mut self) {
        let to = &mut self.registry;
        to.register("requests", "Requests ended, by path pattern and status", self.requests.clone());
        to.register("arrivals", "Requests whose head has been parsed", self.arrivals.clone());
        to.register("answered", "Requests ended, with an answer or without", self.answered.clone());
        to.register("connections_accepted", "Connections accepted", self.connections_accepted.clone());
        to.register("connections_open", "Connections open now", self.connections_open.clone());
        to.register("accept_errors", "Accepts that failed", self.accept_errors.clone());
        let help = "Bytes of request bodies, after transfer decoding";
        to.register_with_unit("request_body", help, Unit::Bytes, self.request_body_bytes.clone());
        let help = "Bytes of response bodies, before transfer coding";
        to.register_with_unit("response_body", help, Unit::Bytes, self.response_body_bytes.clone());
        to.register("journal_dropped", "Journal entries that no longer fitted", self.journal_dropped.clone());
        to.register("paused", "1 while nothing is answered, else 0", self.paused.clone());
        let help = "From the parsed head to the end of the answer";
        to.register_with_unit("time_in_server", help, Unit::Seconds, self.time_in_server.clone());
        let help = "Between one arrival and the next, over all connections";
        to.register_with_unit("arrival_gap", help, Unit::Seconds, self.arrival_gap.clone());
    }

    /// Where one stub adds its own figures to those that all have.
    pub(crate) fn registry(&mut self) -> &mut Registry {
        &mut self.registry
    }

    /// A request has arrived, this long after the one before; none for the first.
    pub fn arrived(&self, gap_ns: Option<u64>) {
        self.arrivals.inc();
        if let Some(gap) = gap_ns {
            self.arrival_gap.observe(seconds(gap));
        }
    }

    /// A request has ended, this long after its arrival; `status` is none where there was no answer.
    pub fn answered(&self, path: &'static str, status: Option<u16>, took_ns: u64) {
        self.answered.inc();
        self.requests.get_or_create(&RequestLabels { path, status: Status(status) }).inc();
        self.time_in_server.observe(seconds(took_ns));
    }

    /// A connection was accepted.
    pub fn connection_opened(&self) {
        self.connections_accepted.inc();
        self.connections_open.inc();
    }

    /// A connection has ended.
    pub fn connection_closed(&self) {
        self.connections_open.dec();
    }

    /// An accept failed.
    pub fn accept_failed(&self) {
        self.accept_errors.inc();
    }

    /// So many bytes of a request body were read.
    pub fn received(&self, bytes: usize) {
        self.request_body_bytes.inc_by(bytes as u64);
    }

    /// So many bytes of a response body were handed to the connection.
    pub fn sent(&self, bytes: usize) {
        self.response_body_bytes.inc_by(bytes as u64);
    }

    /// So many entries had no more room in the journal.
    pub fn journal_dropped(&self, entries: u64) {
        self.journal_dropped.inc_by(entries);
    }

    /// The stub is paused, or no longer.
    pub(crate) fn set_paused(&self, paused: bool) {
        self.paused.set(i64::from(paused));
    }

    /// The sums as they stand.
    pub fn counters(&self) -> Counters {
        Counters {
            arrivals: self.arrivals.get(),
            answered: self.answered.get(),
            connections_accepted: self.connections_accepted.get(),
            connections_open: u64::try_from(self.connections_open.get()).unwrap_or(0),
            accept_errors: self.accept_errors.get(),
            request_body_bytes: self.request_body_bytes.get(),
            response_body_bytes: self.response_body_bytes.get(),
            journal_dropped: self.journal_dropped.get(),
        }
    }

    /// Everything in the `OpenMetrics` text format.
    ///
    /// # Errors
    /// None in practice: a string takes every write.
    pub fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}
