//! Probes: figures of the target's own, read beside the load so that they stand beside the failures.
//!
//! A probe has a connection and a time limit of its own, and runs on the thread that watches the run, never on a worker.
//! It can be wrong or away: what could not be read is named, and the run goes on.

mod exposition;
mod fetch;
mod prometheus;
mod readings;
mod watch;

pub use prometheus::{BadSelector, Selector};
pub use readings::{Readings, Sample, SeriesReadings};
pub use watch::{Probe, Watching, watch};
