//! What was run, as `result.json` has it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// Name of the scenario.
    pub name: String,
    /// Title of this run, where it was given one.
    pub title: Option<String>,
    /// When the schedule started: RFC 3339, UTC.
    pub started_at: String,
    /// Length of the schedule in seconds.
    pub schedule_s: f64,
    /// Length of the run with its drain, in seconds.
    pub took_s: f64,
    /// Seconds after the start at which offering was stopped; null where the schedule was offered to its end.
    pub stopped_at_s: Option<f64>,
    /// The seed.
    pub seed: u64,
    /// How many workers there were.
    pub workers: u32,
    /// Where engine and target ran, in the user's words.
    pub topology: Option<String>,
    /// The target.
    pub target: String,
    /// The engine.
    pub engine: Engine,
    /// The machine it ran on.
    pub machine: Machine,
    /// The plugins.
    pub plugins: Vec<PluginFile>,
    /// The mix.
    pub mix: Vec<MixEntry>,
    /// The schedule.
    pub phases: Vec<PhaseEntry>,
    /// Options of the command line that changed the scenario, without secrets.
    #[serde(default)]
    pub overrides: Vec<String>,
    /// The settings that held, without secrets.
    pub settings: Vec<Setting>,
}

/// The engine that ran it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Engine {
    /// Its version.
    pub version: String,
    /// The revision it was built from, where known.
    pub revision: Option<String>,
}

/// The machine it ran on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// Model of the processor.
    pub cpu: String,
    /// Cores available.
    pub cores: u32,
    /// Memory in bytes; null where it is not known.
    pub memory_bytes: Option<u64>,
    /// Name and version of the kernel.
    pub kernel: String,
}

/// A plugin that took part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PluginFile {
    /// Its name.
    pub name: String,
    /// Its own version.
    pub version: String,
    /// Its file.
    pub file: String,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
}

/// A workload of the mix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MixEntry {
    /// Its name.
    pub workload: String,
    /// Its plugin.
    pub plugin: String,
    /// Its part of all arrivals, 0 to 1.
    pub share: f64,
    /// The longest an exchange may take, in seconds.
    #[serde(default)]
    pub timeout_s: Option<f64>,
    /// The longest an iteration may take, in seconds.
    #[serde(default)]
    pub iteration_timeout_s: Option<f64>,
    /// The plugin's configuration as the scenario has it: `${NAME}` in the place of what came from the environment, `***`
    /// in that of credentials.
    #[serde(default)]
    pub config: serde_json::Value,
    /// Why it is there.
    pub why: Option<String>,
}

/// A phase of the schedule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseEntry {
    /// Its name.
    pub name: String,
    /// Its start, in seconds after that of the schedule.
    pub start_s: f64,
    /// Its length in seconds.
    pub length_s: f64,
    /// Its profile, for people.
    pub profile: String,
    /// Why it is there.
    pub why: Option<String>,
}

/// A setting that held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Setting {
    /// Its name, such as `limits.in_flight`.
    pub key: String,
    /// Its value, for people.
    pub value: String,
}
