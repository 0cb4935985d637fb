//! The plan: a scenario, checked and resolved.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::fault::{Fault, Faults};
use super::limits::Limits;
use super::phase::Phase;
use super::probe::PrometheusProbe;
use super::source::Sources;
use super::target::Target;
use super::threshold::Threshold;
use super::workload::{Setup, Workload};
use crate::schedule::{Counts, Schedule};

/// Everything that a run is to do. Never changed once it is made.
///
/// Serialized it holds no secret: where a value came from the environment, what is written in the scenario stands in
/// its place.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Plan {
    /// Names the folder of results: letters, digits, `-` and `_`.
    pub name: String,
    /// Heads the report.
    pub title: Option<String>,
    /// Seeds all randomness.
    pub seed: u64,
    /// How the parts were placed.
    pub topology: Option<String>,
    /// The file it was read from, as it was named; absent for a run without one.
    pub scenario: Option<PathBuf>,
    /// What is loaded.
    pub target: Target,
    /// Threads that drive the load, 1 to 256.
    pub workers: u32,
    /// Bounds on the run.
    pub limits: Limits,
    /// What is done once before the load, in order.
    pub setup: Vec<Setup>,
    /// What is sent; their positions are those of the schedule.
    pub workloads: Vec<Workload>,
    /// How much is sent, and when; their positions are those of the schedule.
    pub phases: Vec<Phase>,
    /// The phase that thresholds judge where they name none, by position. It has a rate.
    pub judged: u16,
    /// The phase shown as the recovery, by position. It has a rate.
    pub recovery: Option<u16>,
    /// What must hold.
    pub thresholds: Vec<Threshold>,
    /// What is read beside the load.
    pub probes: Vec<PrometheusProbe>,
    /// Options of the command line that changed the scenario, with `***` for credentials.
    pub overrides: Vec<String>,
    /// What is planned, by phase and workload.
    pub planned: Counts,
    #[serde(skip)]
    pub(super) schedule: Schedule,
    #[serde(skip)]
    pub(super) secrets: Secrets,
    #[serde(skip)]
    pub(super) warnings: Vec<Fault>,
    #[serde(skip)]
    pub(super) sources: Arc<Sources>,
}

/// Texts that must not be shown. Not even when printed for debugging.
#[derive(Clone, Default)]
pub(super) struct Secrets(pub(super) Vec<String>);

impl std::fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} secrets", self.0.len())
    }
}

impl Plan {
    /// When each arrival is due, and of which workload it is.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Values that must be masked wherever text leaves the engine: sorted, none of them empty.
    pub fn secrets(&self) -> &[String] {
        &self.secrets.0
    }

    /// What is likely a mistake but refused nothing.
    pub fn warnings(&self) -> Faults {
        self.faults(self.warnings.clone())
    }

    /// Faults found later, such as a plugin that is not there: to be shown with their place in the scenario.
    pub fn faults(&self, list: Vec<Fault>) -> Faults {
        Faults::new(Arc::clone(&self.sources), list)
    }

    /// The folder from which relative paths count; empty for the current one.
    pub fn folder(&self) -> &Path {
        self.scenario.as_deref().and_then(Path::parent).unwrap_or_else(|| Path::new(""))
    }

    /// How long the schedule lasts, without the drain.
    pub fn duration(&self) -> Duration {
        Duration::from_nanos(self.schedule.length_ns())
    }
}
