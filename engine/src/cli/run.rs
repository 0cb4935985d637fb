//! `engine run`: from the command line to the verdict.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, SystemTime};

use crate::books::Writer;
use crate::clock::{Clock as _, Monotonic, Time};
use crate::plugin::Host;
use crate::record::{Layout, Span};
use crate::report::{self, Mask, Prepared, RunResult};
use crate::scenario::{self, Overrides, Plan, QuickRun, Surroundings};
use crate::worker::{self, Control, Crew, NotReady, Stop};

use super::args::Run;
use super::course::{self, Course};
use super::exit::{Exit, Failure};
use super::prepare::{self, Plugins, Target};
use super::probes;
use super::progress::{Progress, Stage};
use super::repeat;
use super::requests;
use super::setup;
use super::signals::Signals;
use super::watch::Watch;
use super::{machine, output};

/// Rate where a run without a scenario names none.
const QUICK_RATE: f64 = 10.0;
/// Length where a run without a scenario names none.
const QUICK_DURATION: &str = "10s";
/// Seconds of load for which a worker has connections ready at the start.
const WARM_SECONDS: f64 = 0.05;
/// The most connections a worker opens before the start.
const WARM_MOST: usize = 16;

/// Runs a scenario and reports.
///
/// # Errors
/// Whatever keeps the run from beginning, or its results from being written.
pub(super) fn run(arguments: &Run) -> Result<Exit, Failure> {
    let plan = plan(arguments)?;
    let secrets = mask(plan.secrets())?;
    run_plan(arguments, &plan).map_err(|failure| failure.masked(&secrets))
}

fn run_plan(arguments: &Run, plan: &Plan) -> Result<Exit, Failure> {
    let warnings = plan.warnings();
    if !warnings.is_empty() {
        output::say(&format!("{}\n", warnings.render(super::colours_on_stderr())));
    }
    let host = Host::new(prepare::plugin_limits(plan), None)?;
    let plugins = prepare::plugins(&host, plan, &arguments.plugins)?;
    let descriptors = descriptors(plan)?;
    probes::selectors(plan)?;
    if arguments.dry {
        configure(plan, &plugins)?;
        return output::write(&course::outline(plan, &plugins)).map(|()| Exit::Passed);
    }
    if let Some(times) = arguments.repeat {
        return repeat::run(arguments, times, plan, &plugins, descriptors);
    }
    let concluded = once(arguments, plan, &plugins, descriptors, &arguments.results)?;
    output::print(&concluded.result, arguments.format)?;
    output::say(&format!("results in {}", concluded.folder.display()));
    Ok(concluded.exit)
}

/// What one run came to. Its results are written.
pub(super) struct Concluded {
    pub(super) exit: Exit,
    pub(super) result: RunResult,
    pub(super) folder: PathBuf,
}

/// Runs a plan once, with its results in a folder within `base`.
pub(super) fn once(
    arguments: &Run,
    plan: &Plan,
    plugins: &Plugins,
    descriptors: u64,
    base: &Path,
) -> Result<Concluded, Failure> {
    let prepared = report::prepare(base, &plan.name, SystemTime::now())
        .map_err(|error| Failure::new(Exit::ResultsNotWritten, format!("error: {error}")))?;
    match offer(arguments, plan, plugins, descriptors, &prepared) {
        Ok((course, signal)) => conclude(arguments, plan, plugins, &prepared, course, signal),
        Err(failure) => {
            prepared.discard();
            Err(failure)
        }
    }
}

/// Masks these secrets in whatever leaves the engine.
pub(super) fn mask(secrets: &[String]) -> Result<Mask, Failure> {
    Mask::new(secrets).map_err(|error| Failure::new(Exit::Internal, format!("internal fault: {error}")))
}

/// The plan of a scenario, or of a URL.
fn plan(arguments: &Run) -> Result<Plan, Failure> {
    let overrides = Overrides {
        set: arguments.set.clone(),
        seed: arguments.seed,
        workers: arguments.workers,
        connections: arguments.connections,
        scale: arguments.scale,
        rate: arguments.rate.filter(|_| arguments.scenario.is_some()),
        duration: arguments.duration.clone().filter(|_| arguments.scenario.is_some()),
        title: arguments.title.clone(),
        topology: arguments.topology.clone(),
    };
    if arguments.scenario.is_none() && arguments.url.is_none() {
        let text = "error: nothing says what to run\n  help: give a scenario (--scenario FILE) or a URL (--url URL); engine run --help shows all options";
        return Err(Failure::new(Exit::Usage, text));
    }
    let surroundings = Surroundings::of_process();
    let plan = match (&arguments.scenario, &arguments.url) {
        (Some(path), _) => scenario::load(path, &overrides, &surroundings),
        (None, url) => {
            let quick = QuickRun {
                url: url.clone().unwrap_or_default(),
                rate: arguments.rate.unwrap_or(QUICK_RATE),
                duration: arguments.duration.clone().unwrap_or_else(|| QUICK_DURATION.to_owned()),
                method: arguments.method.clone(),
                fields: arguments.headers.clone(),
                body: arguments.body.clone(),
                expect: arguments.expect.clone(),
            };
            scenario::quick(&quick, &overrides, &surroundings)
        }
    };
    plan.map_err(|faults| prepare::refused(&faults, Exit::Usage))
}

/// Lets each plugin look at its configuration. What setup would share is not there yet, so that those of a scenario with
/// setup are left to the run.
fn configure(plan: &Plan, plugins: &Plugins) -> Result<(), Failure> {
    if !plan.setup.is_empty() {
        return Ok(());
    }
    for (position, workload) in prepare::workloads(plan, plugins).iter().enumerate() {
        workload.try_configure().map_err(|refused| not_configured(plan, position, &refused.to_string()))?;
    }
    Ok(())
}

/// A plugin's refusal of its configuration, pointing at it.
fn not_configured(plan: &Plan, workload: usize, refusal: &str) -> Failure {
    let workload = &plan.workloads[workload];
    let fault =
        scenario::Fault::new(scenario::code::PLUGIN_REFUSED, format!("workload `{}`: {refusal}", workload.name))
            .at(super::configs::place(&workload.config, refusal), "refused by its plugin");
    prepare::refused(&plan.faults(vec![fault]), Exit::PluginRefused)
}

/// Raises the limit on open files to what the run may need.
fn descriptors(plan: &Plan) -> Result<u64, Failure> {
    let needed = plan.limits.connections.unwrap_or(plan.limits.in_flight).min(plan.limits.in_flight);
    machine::raise_descriptors(u64::from(needed), plan.limits.in_flight == plan.limits.in_flight_default)
        .map_err(|text| Failure::new(Exit::Usage, format!("error: {text}")))
}

/// Everything from the stub's start to the last worker's end. Gives what came of it, and the signal that stopped it.
fn offer(
    arguments: &Run,
    plan: &Plan,
    plugins: &Plugins,
    descriptors: u64,
    prepared: &Prepared,
) -> Result<(Course, Option<Exit>), Failure> {
    super::block_on(async {
        // Before the stub is started, which a signal must not leave behind.
        let signals = Signals::listen().map_err(|error| Failure::new(Exit::Internal, format!("signals: {error}")))?;
        let target = prepare::target(plan)?;
        command(arguments, plan, plugins, &target, descriptors, prepared, signals).await
    })
}

/// Sets up, assembles the workers, starts them, and watches until they have ended.
async fn command(
    arguments: &Run,
    plan: &Plan,
    plugins: &Plugins,
    target: &Target,
    descriptors: u64,
    prepared: &Prepared,
    mut signals: Signals,
) -> Result<(Course, Option<Exit>), Failure> {
    let workers = plan.workers as usize;
    let control = Arc::new(Control::new(workers));
    let mut setup = tokio::select! {
        done = setup::run(plan, plugins, target, &control) => done?,
        signal = signals.next() => return Err(Failure::new(signal, "stopped during setup: nothing was offered")),
    };
    let mask = mask(&setup.secrets)?;
    let clock = Monotonic::start();
    let (notices, heard) = channel();
    let mut books = requests::open(arguments, plan, prepared, clock, &mask)?;
    let mut settings = settings(plan, plugins, target, setup.shared.as_deref());
    settings.books = books.as_ref().map(Writer::desk);
    let crew = tokio::select! {
        crew = Crew::assemble(settings, clock, &control, &notices) => crew,
        signal = signals.next() => return Err(Failure::new(signal, "stopped before the start: nothing was offered")),
    };
    drop(notices);
    let mut crew = crew.map_err(|error| not_ready(plan, target, &error))?;
    let probes = tokio::select! {
        probes = probes::start(plan, target, clock) => probes?,
        signal = signals.next() => return Err(Failure::new(signal, "stopped before the start: nothing was offered")),
    };
    let (t0, wall_t0) = crew.start();
    if let Some(books) = &mut books {
        books.begin(t0, wall_t0, plan.workers);
    }
    probes.started(t0);
    let progress = Progress::new(stages(plan), arguments.quiet);
    let watch = Watch { plan, clock, control: &control, progress: &progress, heard: &heard, mask: &mask, t0 };
    let watched = watch.until_ended(&mut crew, &mut signals).await;
    progress.finish();
    let done = crew.gather().map_err(|error| Failure::new(Exit::Internal, format!("internal fault: {error}")))?;
    let took = clock.now() - t0;
    if let Some(books) = books {
        setup.notes.push(requests::close(books));
    }
    let probes = probes.finish(plan).await;
    // Also after an interruption: what setup made in the target is taken away, unless nothing is to be waited for.
    if control.stopped() < Stop::Now {
        setup::tear_down(plan, plugins, target, &Arc::new(Control::new(1)), &mut setup).await;
    }
    let course = Course {
        done,
        setup,
        target: target.shown.clone(),
        wall_t0,
        took,
        stopped_at: watched.stopped_at,
        descriptors: (watched.descriptors, descriptors),
        throttled_ns: watched.throttled_ns(),
        probes,
        mask,
    };
    Ok((course, watched.signal))
}

fn settings(plan: &Plan, plugins: &Plugins, target: &Target, shared: Option<&str>) -> worker::Settings {
    let rate = plan.schedule().peak().as_f64() / f64::from(plan.workers);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let warm = (rate * WARM_SECONDS).ceil().clamp(1.0, WARM_MOST as f64) as usize;
    let closed = plan.schedule().closed_peak().div_ceil(plan.workers) as usize;
    let warm = warm.max(closed.min(WARM_MOST));
    worker::Settings {
        workers: plan.workers as usize,
        workloads: prepare::workloads(plan, plugins),
        phases: plan.phases.iter().map(|phase| phase.name.clone()).collect(),
        schedule: Arc::new(plan.schedule().clone()),
        seed: plan.seed,
        layout: layout(plan, plugins),
        warm_connections: target.clients.iter().map(|client| client.connections).min().unwrap_or(1).min(warm),
        clients: target.clients.clone(),
        in_flight: plan.limits.in_flight as usize,
        tolerance: plan.limits.tolerance,
        wake_gap: plan.limits.timer.wake_gap(),
        drain: plan.limits.drain,
        shared: shared.map(Arc::from),
        books: None,
    }
}

/// The shape of what is recorded; the start is set when it comes.
fn layout(plan: &Plan, plugins: &Plugins) -> Layout {
    let nanoseconds = |length: Duration| u64::try_from(length.as_nanos()).unwrap_or(u64::MAX);
    let span = |phase: &scenario::Phase| Span { start: nanoseconds(phase.start), end: nanoseconds(phase.end()) };
    Layout {
        t0: Time(0),
        workloads: plugins.of_workload.iter().map(|&plugin| worker::metrics_of(&plugins.all[plugin])).collect(),
        phases: plan.phases.iter().map(span).collect(),
        plugins: plugins.all.len(),
    }
}

fn stages(plan: &Plan) -> Vec<Stage> {
    plan.phases.iter().map(|phase| Stage { name: phase.name.clone(), end: phase.end() }).collect()
}

/// Why the workers could not be made ready, for people.
fn not_ready(plan: &Plan, target: &Target, error: &NotReady) -> Failure {
    match error {
        NotReady::Target(_) => Failure::new(
            Exit::SetupRefused,
            format!(
                "error: the target {} cannot be reached: {error}\n  help: start it, or correct `target.url`; nothing was offered",
                target.shown
            ),
        ),
        NotReady::Plugin { workload, .. } => not_configured(plan, *workload, &error.to_string()),
        NotReady::System(_) => Failure::new(Exit::Internal, format!("error: {error}")),
    }
}

/// Merges, judges and writes.
fn conclude(
    arguments: &Run,
    plan: &Plan,
    plugins: &Plugins,
    prepared: &Prepared,
    course: Course,
    signal: Option<Exit>,
) -> Result<Concluded, Failure> {
    let mask = course.mask.clone();
    let result = course::result(plan, plugins, course, signal.is_some())?;
    let result = mask
        .apply_to_result(&result)
        .map_err(|error| Failure::new(Exit::Internal, format!("internal fault: {error}")))?;
    if let Err(error) = report::write(prepared, &result) {
        // Better on a screen than nowhere; of several runs there is the spread.
        if arguments.repeat.is_none() {
            output::print(&result, arguments.format)?;
        }
        return Err(Failure::new(Exit::ResultsNotWritten, format!("error: {error}")));
    }
    let exit = Exit::of(result.judgement.verdict, signal);
    Ok(Concluded { exit, result, folder: prepared.folder().to_owned() })
}
