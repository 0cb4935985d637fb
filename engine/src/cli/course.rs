//! From what the workers gathered to the data set of the run.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use crate::credentials::is_credential;
use crate::record::Percentile;
use crate::report::{
    self, About, Engine, Mask, MixEntry, PhaseEntry, PluginFile, PluginTrap, ProbeResult, Run, RunResult, Setting,
};
use crate::scenario::{self, Limit, Metric, Plan, Scope, Series, Window};
use crate::schedule::Profile;
use crate::verdict::{self, ConnectionCap, Evidence, InFlightCap, Inputs, Measure, TimeSeries, Usage, WorkerCpu};
use crate::worker::Done;

use super::exit::{Exit, Failure};
use super::prepare::Plugins;
use super::{machine, setup};

/// What came of a run.
pub(super) struct Course {
    /// What each worker gave back.
    pub(super) done: Vec<Done>,
    /// What setup came to.
    pub(super) setup: setup::Done,
    /// The target, for people.
    pub(super) target: String,
    /// Start of the schedule, in nanoseconds since the Unix epoch.
    pub(super) wall_t0: u64,
    /// From the start of the schedule to the end of the drain.
    pub(super) took: Duration,
    /// When offering was stopped, where it was.
    pub(super) stopped_at: Option<Duration>,
    /// The most descriptors seen open, and how many there may be.
    pub(super) descriptors: (Option<u64>, u64),
    /// For how long the control group was held back.
    pub(super) throttled_ns: Option<u64>,
    /// What probes read.
    pub(super) probes: Vec<ProbeResult>,
    /// Masks every secret of the run.
    pub(super) mask: Mask,
}

/// Judges a run and puts its result together.
///
/// # Errors
/// Where no worker gave anything back, which cannot be.
pub(super) fn result(
    plan: &Plan,
    plugins: &Plugins,
    mut course: Course,
    interrupted: bool,
) -> Result<RunResult, Failure> {
    let mut recorders = course.done.iter().map(|done| &done.recorder);
    let first = recorders.next().ok_or_else(|| Failure::new(Exit::Internal, "internal fault: no worker"))?;
    let mut recorder = first.clone();
    recorders.for_each(|other| recorder.merge(other));
    for (workload, _) in plan.workloads.iter().enumerate() {
        for (phase, entry) in plan.phases.iter().enumerate() {
            let cell = phase * plan.workloads.len() + workload;
            let taken: u64 = course.done.iter().filter_map(|done| done.taken.get(cell)).sum();
            // Of a closed phase the plan is what came of it.
            let planned = if entry.closed().is_some() { taken } else { plan.planned.cell(phase, workload) };
            recorder.planned(workload, phase, planned);
            recorder.not_offered(workload, phase, planned.saturating_sub(taken));
        }
    }
    let names: Vec<String> = plan.workloads.iter().map(|workload| workload.name.clone()).collect();
    let phases: Vec<String> = plan.phases.iter().map(|phase| phase.name.clone()).collect();
    let hopeless = course.done.iter().any(|done| done.hopeless.is_some());
    let evidence = evidence(plan, &course);
    let thresholds = thresholds(plan);
    let run = run(plan, plugins, &course);
    let plugin_names: Vec<String> = run.plugins.iter().map(|plugin| plugin.name.clone()).collect();
    let inputs = Inputs {
        recorder: &recorder,
        workloads: &names,
        phases: &phases,
        plugins: &plugin_names,
        judged: usize::from(plan.judged),
        thresholds: &thresholds,
        in_flight: InFlightCap { cap: plan.limits.in_flight.into(), default: plan.limits.in_flight_default.into() },
        wake_gap: plan.limits.timer.wake_gap(),
        evidence: &evidence,
        interrupted,
        plugin_faults: hopeless,
    };
    let judgement = verdict::judge(&inputs);
    let about = About {
        run,
        recovery: plan.recovery.map(usize::from),
        plugin_traps: traps(plugins, &course.done),
        notes: notes(plan, &course),
        probes: std::mem::take(&mut course.probes),
        setup: course.setup.exchanges,
    };
    Ok(report::build(about, &inputs, judgement))
}

fn evidence(plan: &Plan, course: &Course) -> Evidence {
    let cpu = |(worker, done): (usize, &Done)| WorkerCpu {
        worker: u32::try_from(worker).unwrap_or(u32::MAX),
        seconds: done.cpu.iter().map(Duration::as_secs_f64).collect(),
    };
    let judged = &plan.phases[usize::from(plan.judged)];
    let open: u64 = course.done.iter().map(|done| done.usage.connects).sum();
    Evidence {
        cpu: Some(course.done.iter().enumerate().map(cpu).collect()),
        throttled_ns: course.throttled_ns,
        level_rate: Some(matches!(judged.profile, Profile::Constant { .. } | Profile::Closed { .. })),
        descriptors: course.descriptors.0.map(|peak| Usage { peak, limit: course.descriptors.1 }),
        // Each connection ever opened holds a port at most once at a time: an upper bound of the peak.
        ports: machine::ephemeral_ports()
            .map(|limit| Usage { peak: open.min(course.descriptors.0.unwrap_or(u64::MAX)), limit }),
        connection_cap: Some(
            plan.limits.connections.map_or(ConnectionCap::Unlimited, |cap| ConnectionCap::At(cap.into())),
        ),
    }
}

/// The plan's thresholds as the verdict takes them: one that is for each workload becomes one for each.
fn thresholds(plan: &Plan) -> Vec<verdict::Threshold> {
    let mut all = Vec::new();
    for threshold in &plan.thresholds {
        let workloads: Vec<usize> = match threshold.workload {
            Scope::Workload(workload) => vec![usize::from(workload)],
            Scope::Each => (0..plan.workloads.len()).collect(),
        };
        for workload in workloads {
            all.push(verdict::Threshold {
                workload: Some(workload),
                scope: match threshold.phase {
                    Window::Phase(phase) => verdict::Scope::Phase(usize::from(phase)),
                    Window::Run => verdict::Scope::Run,
                },
                measure: measure(&threshold.metric, threshold.value),
                op: match threshold.op {
                    scenario::Op::Below => verdict::Op::Below,
                    scenario::Op::AtMost => verdict::Op::AtMost,
                    scenario::Op::Above => verdict::Op::Above,
                    scenario::Op::AtLeast => verdict::Op::AtLeast,
                },
                limit: match threshold.value {
                    Limit::Time(time) => time.as_secs_f64() * 1e3,
                    Limit::Part(millionths) => millionths as f64 / 1e6,
                    Limit::Count(count) => count as f64,
                },
                least: Some(threshold.least),
                why: threshold.why.clone(),
            });
        }
    }
    all
}

fn measure(metric: &Metric, limit: Limit) -> Measure {
    match metric {
        Metric::ErrorRate => Measure::ErrorRate,
        Metric::Missed if matches!(limit, Limit::Count(_)) => Measure::MissedCount,
        Metric::Missed => Measure::Missed,
        Metric::Statistic(statistic, series) => {
            let series = match series {
                Series::Iteration => TimeSeries::Iteration,
                Series::Response(None) => TimeSeries::Response,
                Series::Response(Some(name)) => TimeSeries::ResponseOf(name.clone()),
                Series::Service => TimeSeries::Service,
                Series::Plugin(name) => TimeSeries::Mark(name.clone()),
            };
            let statistic = match statistic {
                scenario::Statistic::Percentile(percentile) => verdict::Statistic::Percentile(
                    Percentile::from_thousandths(percentile.thousandths()).unwrap_or(Percentile::MAX),
                ),
                scenario::Statistic::Mean => verdict::Statistic::Mean,
                scenario::Statistic::Min => verdict::Statistic::Min,
                scenario::Statistic::Max => verdict::Statistic::Max,
            };
            Measure::Time(series, statistic)
        }
    }
}

/// What was run.
fn run(plan: &Plan, plugins: &Plugins, course: &Course) -> Run {
    let shares: f64 = plan.workloads.iter().map(|workload| workload.share).sum();
    let started = jiff::Timestamp::from_nanosecond(i128::from(course.wall_t0)).unwrap_or_default();
    Run {
        name: plan.name.clone(),
        title: plan.title.clone(),
        started_at: format!("{started:.3}"),
        schedule_s: plan.duration().as_secs_f64(),
        took_s: course.took.as_secs_f64(),
        stopped_at_s: course.stopped_at.map(|at| at.as_secs_f64()),
        seed: plan.seed,
        workers: plan.workers,
        topology: plan.topology.clone(),
        target: course.target.clone(),
        engine: Engine { version: env!("CARGO_PKG_VERSION").to_owned(), revision: None },
        machine: machine::describe(),
        plugins: plugin_files(plugins),
        mix: plan
            .workloads
            .iter()
            .zip(&plugins.of_workload)
            .map(|(workload, &plugin)| MixEntry {
                workload: workload.name.clone(),
                plugin: plugins.all[plugin].description.name.clone(),
                share: workload.share / shares,
                timeout_s: Some(workload.timeout.as_secs_f64()),
                iteration_timeout_s: Some(workload.iteration_timeout.as_secs_f64()),
                config: masked(workload.config.shown()),
                why: workload.why.clone(),
            })
            .collect(),
        phases: plan.phases.iter().map(phase).collect(),
        overrides: plan.overrides.clone(),
        settings: settings(plan),
    }
}

/// A configuration as reports show it: without credentials that the scenario itself holds.
fn masked(config: &serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match config {
        Value::Object(entries) => {
            let entry = |(key, value): (&String, &Value)| match value {
                // What came from the environment is shown by its name.
                Value::String(text) if is_credential(key) && !text.contains("${") => (key.clone(), "***".into()),
                value => (key.clone(), masked(value)),
            };
            Value::Object(entries.iter().map(entry).collect())
        }
        Value::Array(values) => Value::Array(values.iter().map(masked).collect()),
        other => other.clone(),
    }
}

fn plugin_files(plugins: &Plugins) -> Vec<PluginFile> {
    let file = |plugin: &Arc<crate::plugin::Plugin>| PluginFile {
        name: plugin.description.name.clone(),
        version: plugin.description.version.clone(),
        file: plugin.file.display().to_string(),
        sha256: plugin.sha256.clone(),
    };
    plugins.all.iter().map(file).collect()
}

fn phase(phase: &scenario::Phase) -> PhaseEntry {
    PhaseEntry {
        name: phase.name.clone(),
        start_s: phase.start.as_secs_f64(),
        length_s: phase.duration.as_secs_f64(),
        profile: phase.shown(),
        why: phase.why.clone(),
    }
}

/// The settings that held.
fn settings(plan: &Plan) -> Vec<Setting> {
    let limits = &plan.limits;
    let time = |length: Duration| humantime::format_duration(length).to_string();
    let cap = if limits.in_flight == limits.in_flight_default { " (default)" } else { "" };
    let list: Vec<(&str, String)> = vec![
        ("limits.in_flight", format!("{}{cap}", limits.in_flight)),
        ("limits.tolerance", time(limits.tolerance)),
        ("limits.timer", limits.timer.name().into()),
        ("limits.timeout", time(limits.timeout)),
        ("limits.connect_timeout", time(limits.connect_timeout)),
        ("limits.first_byte_timeout", limits.first_byte_timeout.map_or_else(|| "none".into(), time)),
        ("limits.idle_timeout", time(limits.idle_timeout)),
        ("limits.drain", time(limits.drain)),
        ("limits.connections", limits.connections.map_or_else(|| "no cap".into(), |cap| cap.to_string())),
        ("limits.redirects", limits.redirects.to_string()),
        ("limits.plugin.call", time(limits.plugin.call)),
        ("limits.plugin.memory", format!("{} MiB", limits.plugin.memory >> 20)),
        ("limits.plugin.instances", limits.plugin.instances.to_string()),
        ("limits.plugin.iterations", limits.plugin.iterations.to_string()),
    ];
    list.into_iter().map(|(key, value)| Setting { key: key.to_owned(), value }).collect()
}

/// What plugins' faults said, over all workers.
fn traps(plugins: &Plugins, done: &[Done]) -> Vec<PluginTrap> {
    let mut all = std::collections::BTreeMap::new();
    for ((workload, reason, text), count) in done.iter().flat_map(|done| &done.faults) {
        *all.entry((*workload, *reason, text.clone())).or_insert(0u64) += count;
    }
    all.into_iter()
        .map(|((workload, reason, text), count)| PluginTrap {
            plugin: plugins.all[plugins.of_workload[workload]].description.name.clone(),
            reason: reason.to_owned(),
            text,
            count,
        })
        .collect()
}

fn notes(plan: &Plan, course: &Course) -> Vec<String> {
    let mut notes = course.setup.notes.clone();
    for (phase, at_once) in plan.phases.iter().filter_map(|phase| Some((&phase.name, phase.closed()?))) {
        notes.push(format!(
            "`{phase}` is closed: {at_once} iterations at once, each started when another had ended. It shows how much the \
             target can take and hides how long it keeps people waiting: nothing was due, times count from the start, and \
             while the target stalled it was asked for nothing"
        ));
    }
    let dropped: u64 = course.done.iter().map(|done| done.log_dropped).sum();
    if dropped > 0 {
        notes.push(format!("{dropped} log lines of plugins were not shown: more than 10 a second of a worker"));
    }
    let failed: u64 = course.done.iter().map(|done| done.usage.connects_failed).sum();
    if failed > 0 {
        notes.push(format!("{failed} attempts to open a connection failed"));
    }
    if course.mask.too_short() > 0 {
        notes.push(format!(
            "{} secrets are shorter than 4 characters and are not masked: they would mask too much",
            course.mask.too_short()
        ));
    }
    notes
}

/// What a run would do, for `--dry-run`.
pub(super) fn outline(plan: &Plan, plugins: &Plugins) -> String {
    let mut text = format!(
        "{}: {} arrivals{} in {}\n",
        plan.name,
        plan.planned.total(),
        if plan.schedule().closed_peak() > 0 { ", and those of closed phases," } else { "" },
        humantime::format_duration(plan.duration())
    );
    for (position, workload) in plan.workloads.iter().enumerate() {
        let plugin = &plugins.all[plugins.of_workload[position]];
        let _ = writeln!(
            text,
            "  workload {:<20} {:>8} arrivals  plugin {} {} ({})",
            workload.name,
            plan.planned.workload(position),
            plugin.description.name,
            plugin.description.version,
            plugin.file.display()
        );
    }
    for (position, entry) in plan.phases.iter().enumerate() {
        let judged = if position == usize::from(plan.judged) { "  judged" } else { "" };
        let profile = phase(entry).profile;
        let length = humantime::format_duration(entry.duration).to_string();
        let planned =
            if entry.closed().is_some() { "any".to_owned() } else { plan.planned.phase(position).to_string() };
        let _ = writeln!(text, "  phase    {:<20} {planned:>8} arrivals  {profile} for {length}{judged}", entry.name);
    }
    let _ = writeln!(text, "  at most {} in flight, {} workers", plan.limits.in_flight, plan.workers);
    text
}
