//! From a tree to a plan: reads every table, then checks what only all of them together tell.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::code;
use super::fault::{Fault, Faults};
use super::keys;
use super::limits::{self, Limits};
use super::overrides::Options;
use super::phase::{self, Phase};
use super::plan::{Plan, Secrets};
use super::probe;
use super::reader::{Log, Reader, check_unique};
use super::source::{Sources, Span};
use super::target;
use super::threshold::{self, Known};
use super::tree::Table;
use super::workload::{self, Workload};
use crate::schedule::{Counts, Mix, Rate, Schedule, ScheduleError, Stretch, Whole};

/// The seed of a run that names none.
const DEFAULT_SEED: u64 = 42;

/// `--scale` shortens no phase below this.
const SHORTEST_SCALED: Duration = Duration::from_secs(2);

/// What a plan is made of beside its tree.
pub(super) struct Origin {
    /// The file it was read from.
    pub(super) scenario: Option<PathBuf>,
    /// The name of the run where none is given.
    pub(super) name: String,
    /// All of the file, or what stands for it.
    pub(super) whole: Span,
    pub(super) options: Options,
    pub(super) secrets: Vec<String>,
}

/// The plan of a tree, or everything that is wrong with it.
pub(super) fn resolve(root: &Table, origin: Origin, sources: Sources, log: Log) -> Result<Plan, Faults> {
    let sources = Arc::new(sources);
    let plan = read(root, origin, &sources, &log).filter(|_| !log.refuses());
    match plan {
        Some(plan) => Ok(Plan { warnings: log.into_faults(), ..plan }),
        None => Err(Faults::new(sources, log.into_faults())),
    }
}

fn read(root: &Table, origin: Origin, sources: &Arc<Sources>, log: &Log) -> Option<Plan> {
    let place = origin.whole;
    let folder = origin.scenario.as_deref().and_then(Path::parent).unwrap_or(Path::new("")).to_owned();
    let reader = Reader::new(&keys::ROOT, root, place, log);
    let run = read_run(reader.table("run"));
    let target = reader.table("target").and_then(|reader| target::read(reader, &folder));
    let limits = reader.table("limits").map(limits::read).unwrap_or_default();
    let setup = all(reader.tables("setup"), |reader| workload::read_setup(reader, &folder, log));
    let probes = reader.table("probes").map(probe::read).unwrap_or_default();
    let (workloads, phases, thresholds) =
        (reader.tables("workload"), reader.tables("phase"), reader.tables("threshold"));
    reader.finish();
    check_unique(&workloads, code::WORKLOAD_DUPLICATE, "workloads");
    check_unique(&phases, code::PHASE_DUPLICATE, "phases");
    let mut known = known(&workloads, &phases);
    let workloads = all(workloads, |reader| workload::read(reader, &limits.limits, &folder, log));
    let workloads = workloads.filter(|workloads| !workloads.is_empty());
    let drafts = all(phases, phase::read).filter(|drafts| !drafts.is_empty());
    let timeline = drafts.and_then(|drafts| {
        let parts = phase::parts(&drafts, place, |fault| log.note(fault))?;
        let phases = lay_out(drafts, origin.options.scale);
        Some((u16::try_from(parts.judged).ok()?, parts.recovery.and_then(|at| u16::try_from(at).ok()), phases))
    });
    known.judged = timeline.as_ref().map_or(0, |(judged, _, _)| *judged);
    let thresholds = all(thresholds, |reader| threshold::read(reader, &known));
    let (workloads, (judged, recovery, phases)) = (workloads?, timeline?);
    let seed = run.seed.unwrap_or(DEFAULT_SEED);
    let schedule = schedule(&workloads, &phases, seed, place, log)?;
    let (workers, limits) = settle(limits, &workloads, &schedule, &origin.options, log);
    let planned = schedule.counts();
    if schedule.closed_peak() == 0 {
        warn_of_unsent(&workloads, &planned, log);
    }
    Some(Plan {
        name: run.name.unwrap_or(origin.name),
        title: run.title,
        seed,
        topology: run.topology,
        scenario: origin.scenario,
        target: target?,
        workers,
        limits,
        setup: setup?,
        workloads,
        phases,
        judged,
        recovery,
        thresholds: thresholds?,
        probes,
        overrides: origin.options.shown,
        planned,
        schedule,
        secrets: Secrets(origin.secrets),
        warnings: Vec::new(),
        sources: Arc::clone(sources),
    })
}

/// What thresholds may name: also entries that are at fault themselves, so that one fault does not make another.
fn known(workloads: &[Reader<'_>], phases: &[Reader<'_>]) -> Known {
    let name = |reader: &Reader<'_>| reader.peek_name().map_or_else(String::new, |name| name.value.to_owned());
    let workloads = workloads.iter().map(name).collect();
    let phases = phases.iter().map(|reader| (name(reader), reader.peek_true("pause"))).collect();
    Known { workloads, phases, judged: 0 }
}

/// All of a list, each read so that each has its faults noted; `None` where one of them is at fault.
fn all<'a, T>(readers: Vec<Reader<'a>>, read: impl FnMut(Reader<'a>) -> Option<T>) -> Option<Vec<T>> {
    let read: Vec<_> = readers.into_iter().map(read).collect();
    read.into_iter().collect()
}

/// Notes workloads that are never sent: they may be meant for longer runs.
fn warn_of_unsent(workloads: &[Workload], planned: &Counts, log: &Log) {
    for (_, workload) in workloads.iter().enumerate().filter(|(at, _)| planned.workload(*at) == 0) {
        let message = format!("`{}` is not sent even once: its share is too small for so short a run", workload.name);
        let fault = Fault::warning(code::WORKLOAD_NOTHING, message).at(workload.span, "0 arrivals planned");
        log.note(fault.hint(format!("{} arrivals are planned in all", planned.total())));
    }
}

/// `[run]`, as read.
#[derive(Default)]
struct Run {
    name: Option<String>,
    title: Option<String>,
    seed: Option<u64>,
    topology: Option<String>,
}

fn read_run(reader: Option<Reader<'_>>) -> Run {
    let Some(reader) = reader else { return Run::default() };
    let run = Run {
        name: reader.name("name").map(|name| name.value),
        title: reader.text("title").map(|title| title.value.value.clone()),
        seed: reader.integer("seed").map(|seed| seed.value),
        topology: reader.text("topology").map(|topology| topology.value.value.clone()),
    };
    reader.finish();
    run
}

/// The phases end to end, shortened by `scale`.
fn lay_out(drafts: Vec<phase::Draft>, scale: f64) -> Vec<Phase> {
    let mut start = Duration::ZERO;
    let place = |draft: phase::Draft| {
        let duration = shorten(draft.duration, scale);
        let ns = |length: Duration| u64::try_from(length.as_nanos()).unwrap_or(u64::MAX);
        let phase = Phase {
            name: draft.name.value,
            profile: draft.profile.scaled(ns(draft.duration), ns(duration)),
            spacing: draft.spacing,
            max_arrivals: draft.max_arrivals,
            start,
            duration,
            why: draft.why,
            span: draft.place,
        };
        start = start.saturating_add(duration);
        phase
    };
    drafts.into_iter().map(place).collect()
}

/// A phase's length shortened by a factor: to 2 s at least, and never made longer.
fn shorten(duration: Duration, scale: f64) -> Duration {
    // A scale that is out of range has its own fault.
    let scaled = Duration::try_from_secs_f64(duration.as_secs_f64() * scale).unwrap_or(duration);
    scaled.max(SHORTEST_SCALED).min(duration)
}

fn schedule(workloads: &[Workload], phases: &[Phase], seed: u64, place: Span, log: &Log) -> Option<Schedule> {
    let weights: Vec<_> = workloads.iter().map(|workload| workload.weight).collect();
    let stretch = |phase: &Phase| {
        let length_ns = u64::try_from(phase.duration.as_nanos()).map_err(|_| ScheduleError::TooLong)?;
        let even = Stretch::new(length_ns, phase.profile.clone());
        Ok(Stretch { spacing: phase.spacing, max_arrivals: phase.max_arrivals, ..even })
    };
    let stretches: Result<Vec<_>, _> = phases.iter().map(stretch).collect();
    let made = stretches.and_then(|stretches| Ok((stretches, Mix::new(&weights).map_err(|_| ScheduleError::TooLong)?)));
    match made.and_then(|(stretches, mix)| Schedule::new(&stretches, mix, &Whole { seed, max_arrivals: None })) {
        Ok(schedule) if schedule.planned() == 0 && schedule.closed_peak() == 0 => {
            let fault = Fault::new(code::PROFILE_NOTHING, "the phases add up to no arrival, so nothing would be sent");
            let place = phases.first().map_or(place, |phase| phase.span);
            log.note(fault.at(place, "from here on").hint("give a phase a rate above 0 for longer"));
            None
        }
        Ok(schedule) => Some(schedule),
        Err(error) => {
            let last = phases.last().map_or(place, |phase| phase.span);
            let (code, place, label) = match error {
                ScheduleError::Profile { phase, .. } => {
                    (code::OUT_OF_RANGE, phases.get(phase).map_or(last, |phase| phase.span), "in this phase")
                }
                ScheduleError::TooManyRandom => (code::PROFILE_TOO_MANY, last, "up to here"),
                _ => (code::PHASE_TOO_LONG, last, "up to here"),
            };
            log.note(Fault::new(code, error.to_string()).at(place, label));
            None
        }
    }
}

/// Settles the workers and the limits that depend on the mix.
fn settle(
    draft: limits::Draft,
    workloads: &[Workload],
    schedule: &Schedule,
    options: &Options,
    log: &Log,
) -> (u32, Limits) {
    let longest = workloads.iter().map(|workload| workload.holds).max().unwrap_or(draft.limits.timeout);
    // What a closed phase has started may still be in flight in the next one.
    let open = if schedule.planned() > 0 { at_once(schedule.peak(), longest) } else { 0 };
    let in_flight_default = open.saturating_add(schedule.closed_peak()).max(1);
    if let Some(in_flight) = draft.in_flight.filter(|cap| cap.value < u64::from(schedule.closed_peak())) {
        let message =
            format!("{} in flight are too few for a closed phase of {}", in_flight.value, schedule.closed_peak());
        let fault = Fault::new(code::LIMITS_IN_FLIGHT, message).at(in_flight.span, "binds below it");
        log.note(fault.hint("raise it, leave it out, or ask for a smaller `closed`"));
    }
    let mut workers = options.workers;
    if let Some(connections) = draft.connections.filter(|connections| connections.value < u64::from(workers)) {
        if options.workers_set {
            let message = format!("{} connections are too few for {workers} workers", connections.value);
            let fault =
                Fault::new(code::LIMITS_CONNECTIONS, message).at(connections.span, "each worker needs one at least");
            log.note(fault.hint("allow more connections, or ask for fewer --workers"));
        } else {
            workers = u32::try_from(connections.value).unwrap_or(workers);
        }
    }
    let limits = Limits {
        in_flight: draft.in_flight.map_or(in_flight_default, |cap| limits::narrow(cap.value)),
        in_flight_default,
        drain: draft.drain.unwrap_or(longest),
        ..draft.limits
    };
    (workers, limits)
}

/// How many are in flight at once at this rate where each takes this long: their product, rounded up, at least 1.
fn at_once(rate: Rate, each: Duration) -> u32 {
    let femto = u128::from(rate.millionths()).saturating_mul(each.as_nanos());
    u32::try_from(femto.div_ceil(1_000_000_000_000_000)).unwrap_or(u32::MAX).max(1)
}
