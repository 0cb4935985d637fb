//! The data set of a run, as `result.json` has it.
//!
//! Times carry their unit in the key. What has no samples is null, never 0. New keys may come within a format version;
//! a key that goes or changes its meaning makes a new one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Bucket, ProbeResult, Run, Summary, ValueSummary};
use crate::verdict::Judgement;

/// The format version written and read.
pub const VERSION: u32 = 1;

/// Marks a file as a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Format {
    /// The only format.
    #[serde(rename = "engine-result")]
    EngineResult,
}

/// All there is to know about a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunResult {
    /// Marks the file as a result.
    pub format: Format,
    /// Version of the format.
    pub version: u32,
    /// What was run.
    pub run: Run,
    /// What was offered against what was recorded, and how late it started.
    pub starts: Starts,
    /// Exchanges of setup and teardown. They belong to no phase and are in no other figure.
    pub setup: Vec<SetupExchange>,
    /// Name of the judged phase.
    pub judged_phase: String,
    /// Name of the recovery phase, where there is one.
    pub recovery_phase: Option<String>,
    /// Each phase in order.
    pub phases: Vec<Stretch>,
    /// All phases together.
    pub whole: Stretch,
    /// Each second of each workload.
    pub seconds: Vec<Seconds>,
    /// What probes read beside the load.
    #[serde(default)]
    pub probes: Vec<ProbeResult>,
    /// What calling each plugin cost.
    pub plugin_costs: Vec<PluginCostResult>,
    /// Traps and exceeded limits of plugins, once per distinct text.
    pub plugin_traps: Vec<PluginTrap>,
    /// What else there is to know.
    pub notes: Vec<String>,
    /// Validity, thresholds and verdict.
    pub judgement: Judgement,
}

/// What was offered against what was recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Starts {
    /// Arrivals of the schedule.
    pub planned: u64,
    /// Planned − not offered.
    pub offered: u64,
    /// The sum of all final states; planned, where nothing went unrecorded.
    pub recorded: u64,
    /// Started.
    pub started: u64,
    /// Never started.
    pub missed: u64,
    /// Started more than 1 ms late.
    pub late: u64,
    /// Start − due.
    pub lateness: Summary,
    /// The part of it spent waiting for a slot.
    pub slot_wait: Summary,
    /// The generator's own delay.
    pub generator_delay: Summary,
}

/// One exchange of setup or teardown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SetupExchange {
    /// `setup` or `teardown`.
    pub stage: String,
    /// The plugin.
    pub plugin: String,
    /// The named request.
    pub request: String,
    /// Status of the answer.
    pub status: Option<u16>,
    /// Why it failed.
    pub failure: Option<String>,
    /// End − asked.
    pub response_ms: Option<f64>,
}

/// The figures of a phase, or of all phases together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stretch {
    /// Name of the phase; null for the whole run.
    pub phase: Option<String>,
    /// Seconds for which it was offered: the denominator of its rates. The drain is part of none.
    pub length_s: f64,
    /// Each workload in the order of the scenario.
    pub workloads: Vec<WorkloadResult>,
}

/// The figures of a workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadResult {
    /// Its name.
    pub workload: String,
    /// Final states.
    pub states: States,
    /// (failed + abandoned) ÷ (started − lost); null where nothing is left to divide by.
    pub error_rate: Option<f64>,
    /// Iterations per second.
    pub rates: Rates,
    /// Failed iterations by reason.
    pub failures: Vec<Reason>,
    /// Failed exchanges by reason, whatever became of their iterations.
    pub exchange_failures: Vec<Reason>,
    /// Answers by status.
    pub statuses: Vec<StatusCount>,
    /// Exchanges and bytes.
    pub traffic: TrafficResult,
    /// The distributions of times.
    pub times: Times,
    /// Iteration times that were ok, in buckets with fixed bounds.
    pub histogram: Vec<Bucket>,
    /// Named requests.
    pub requests: Vec<RequestResult>,
    /// The plugin's own figures.
    pub metrics: Vec<MetricResult>,
    /// Figures of the plugin that were refused: out of range, or of no such metric.
    pub refused_metrics: u64,
}

/// Final states: planned = `not_offered` + `no_slot` + `generator_late` + started, started = ok + cancelled + failed +
/// abandoned + lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct States {
    /// Arrivals of the schedule.
    pub planned: u64,
    /// Due after the run was stopped.
    pub not_offered: u64,
    /// Missed: all slots were taken.
    pub no_slot: u64,
    /// Missed: the generator was late.
    pub generator_late: u64,
    /// Started.
    pub started: u64,
    /// Right in everything.
    pub ok: u64,
    /// Ended early by plan.
    pub cancelled: u64,
    /// Failed.
    pub failed: u64,
    /// In flight when the drain ended.
    pub abandoned: u64,
    /// Torn down by another iteration's trap.
    pub lost: u64,
}

/// Iterations per second; null where the stretch has no length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rates {
    /// Due.
    pub offered_per_s: Option<f64>,
    /// Started.
    pub sent_per_s: Option<f64>,
    /// Ended by themselves within the stretch.
    pub completed_per_s: Option<f64>,
}

/// A reason with its count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// The reason.
    pub reason: String,
    /// How many.
    pub count: u64,
}

/// A status with its count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatusCount {
    /// The status.
    pub status: u16,
    /// How many answers.
    pub count: u64,
}

/// Exchanges and what they moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrafficResult {
    /// Exchanges asked for.
    pub exchanges: u64,
    /// Bytes handed to sockets.
    pub bytes_sent: u64,
    /// Bytes that came off the wire, heads and framing included, before decompression and after decryption; of an exchange
    /// that was given up, what had been handed to its plugin.
    pub bytes_received: u64,
    /// Exchanges that opened a connection.
    pub connects: u64,
    /// Exchanges sent over a connection that was open.
    pub reused: u64,
    /// Sent again because an idle connection turned out to be closed.
    pub stale_resends: u64,
}

/// The distributions of times of a workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Times {
    /// From due to the event that finished it, of iterations that were ok.
    pub iteration: Summary,
    /// End − asked of their exchanges.
    pub response: Summary,
    /// End − sent of their exchanges.
    pub service: Summary,
    /// Sent − asked of their exchanges.
    pub connection_wait: Summary,
    /// The part of it spent waiting at the cap on connections, of all exchanges.
    pub queue: Summary,
    /// The part of it spent looking up names, of exchanges that opened a connection.
    pub lookup: Summary,
    /// The part of it spent in the transport's handshake.
    pub connect: Summary,
    /// The part of it spent in the TLS handshake.
    pub tls: Summary,
    /// From due to the end of iterations that failed.
    pub failed: Summary,
    /// From due to the end of iterations that were cancelled.
    pub cancelled: Summary,
    /// Start − due of everything started.
    pub lateness: Summary,
    /// The part of it spent waiting for a slot.
    pub slot_wait: Summary,
    /// The generator's own delay.
    pub generator_delay: Summary,
}

/// A named request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RequestResult {
    /// Its name.
    pub request: String,
    /// Exchanges under it.
    pub exchanges: u64,
    /// Of these, those that failed.
    pub failed: u64,
    /// End − asked, of iterations that were ok.
    pub response: Summary,
}

/// A figure of the plugin's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MetricResult {
    /// Its name.
    pub metric: String,
    /// Its unit; empty for marks.
    pub unit: String,
    /// Its data: one of these is not null.
    pub mark: Option<Summary>,
    /// The sum of a counter.
    pub counter: Option<u64>,
    /// That sum ÷ the length of the stretch, where it is a counter: tokens per second, say.
    #[serde(default)]
    pub counter_per_s: Option<f64>,
    /// Values observed.
    pub observation: Option<ValueSummary>,
    /// Checks made.
    pub check: Option<CheckCounts>,
}

/// Checks made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckCounts {
    /// Passed.
    pub passed: u64,
    /// Failed.
    pub failed: u64,
}

/// The seconds of a workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Seconds {
    /// The workload.
    pub workload: String,
    /// Each second from the start of the schedule to the last in which something happened.
    pub windows: Vec<Second>,
}

/// One second of a workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Second {
    /// Arrivals due.
    pub offered: u64,
    /// Iterations started.
    pub sent: u64,
    /// Iterations that ended by themselves.
    pub completed: u64,
    /// Of these, ok.
    pub ok: u64,
    /// Of these, failed.
    pub failed: u64,
    /// Arrivals due that were missed.
    pub missed: u64,
    /// Mean iteration time of those that were ok.
    pub ok_mean_ms: Option<f64>,
    /// The longest of them.
    pub ok_max_ms: Option<f64>,
    /// Bytes sent by iterations that ended.
    pub bytes_sent: u64,
    /// Bytes received by them.
    pub bytes_received: u64,
}

/// What calling a plugin cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PluginCostResult {
    /// The plugin.
    pub plugin: String,
    /// Calls made.
    pub calls: u64,
    /// All calls together.
    pub total_ms: f64,
    /// Mean of a call.
    pub mean_ms: Option<f64>,
    /// 99th percentile of a call.
    pub p99_ms: Option<f64>,
    /// The longest call of the whole run, whichever worker made it.
    pub longest_ms: Option<f64>,
    /// What was called then, such as `iteration.on-items`.
    pub longest_in: Option<String>,
    /// Instances made of it, over all workers.
    pub instances: u64,
    /// Bytes of memory that the largest of them had grown to.
    pub largest_instance: u64,
    /// The time of its calls by the CPU time of all workers, 0 and up. Calls are timed by the clock: where workers waited for
    /// a core it is an upper bound, and may be above 1. Null where CPU time was not sampled.
    pub share_of_cpu: Option<f64>,
}

/// A trap or an exceeded limit of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PluginTrap {
    /// The plugin.
    pub plugin: String,
    /// The failure reason it counts under, such as `plugin_trap`.
    pub reason: String,
    /// How often.
    pub count: u64,
    /// Its text, with the names of functions.
    pub text: String,
}
