//! `engine try`: one iteration with every exchange of it, the first thing a plugin's author runs.

use std::path::Path;
use std::sync::Arc;

use crate::plugin::Host;
use crate::scenario::{self, Overrides, Plan, Surroundings};
use crate::worker::{self, Control, NotReady, Solo, SoloFlow, Stop, Trace};

use super::args::Try;
use super::exit::{Exit, Failure};
use super::prepare::{self, Plugins};
use super::signals::Signals;
use super::{keep, output, setup, trace};

/// Runs one iteration and shows it. Ends with the status of a failed threshold where the iteration did not end well.
///
/// # Errors
/// Whatever keeps the iteration from beginning.
pub(super) fn run(arguments: &Try) -> Result<Exit, Failure> {
    let (plan, given) = plan(arguments)?;
    let secrets = super::run::mask(plan.secrets())?;
    try_plan(arguments, &plan, &given).map_err(|failure| failure.masked(&secrets))
}

fn try_plan(arguments: &Try, plan: &Plan, given: &[std::path::PathBuf]) -> Result<Exit, Failure> {
    let chosen = chosen(arguments, plan)?;
    let host = Host::new(prepare::plugin_limits(plan), None)?;
    let plugins = prepare::plugins(&host, plan, given)?;
    super::block_on(async {
        // Before the stub is started, which a signal must not leave behind.
        let mut signals =
            Signals::listen().map_err(|error| Failure::new(Exit::Internal, format!("signals: {error}")))?;
        let target = prepare::target(plan)?;
        let control = Arc::new(Control::new(1));
        let flow = once(arguments, plan, &plugins, &target, chosen, &control);
        tokio::pin!(flow);
        tokio::select! {
            done = &mut flow => done,
            signal = signals.next() => {
                control.stop(Stop::Now);
                // What was stopped is interrupted, whatever else it did not come to.
                if let Err(failure) = flow.await {
                    output::say(&failure.text);
                }
                Ok(signal)
            }
        }
    })
}

/// The plan of a scenario, or one made for a plugin and a URL; and the plugins given.
fn plan(arguments: &Try) -> Result<(Plan, Vec<std::path::PathBuf>), Failure> {
    let overrides =
        Overrides { set: arguments.set.clone(), seed: arguments.seed, workers: Some(1), ..Overrides::default() };
    if !is_plugin(&arguments.file)
        && let Some(option) = arguments.url.as_ref().map(|_| "--url").or(arguments.config.as_ref().map(|_| "--config"))
    {
        return Err(Failure::new(
            Exit::Usage,
            format!(
                "error: {option} is for plugins, and {} is a scenario\n  help: change a value of the scenario with --set, such as --set target.url=URL",
                arguments.file.display()
            ),
        ));
    }
    let surroundings = Surroundings::of_process();
    let mut given = arguments.plugins.clone();
    let plan = if is_plugin(&arguments.file) {
        let Some(url) = &arguments.url else {
            return Err(Failure::new(
                Exit::Usage,
                format!(
                    "error: {} is a plugin, and nothing says where to send\n  help: add --url URL, or give a scenario",
                    arguments.file.display()
                ),
            ));
        };
        let config: serde_json::Value = serde_json::from_str(arguments.config.as_deref().unwrap_or("{}"))
            .map_err(|error| Failure::new(Exit::Usage, format!("error: --config is not JSON: {error}")))?;
        given.push(arguments.file.clone());
        let stem = arguments.file.file_stem().unwrap_or_default().to_string_lossy();
        scenario::of_plugin(&stem, url, &config, &overrides, &surroundings)
    } else {
        scenario::load(&arguments.file, &overrides, &surroundings)
    };
    plan.map(|plan| (plan, given)).map_err(|faults| prepare::refused(&faults, Exit::Usage))
}

/// A file that says of itself, by name or by its first bytes, that it is WebAssembly.
fn is_plugin(file: &Path) -> bool {
    use std::io::Read as _;
    let mut start = [0; 4];
    file.extension().is_some_and(|extension| extension == "wasm")
        || std::fs::File::open(file).is_ok_and(|mut file| file.read_exact(&mut start).is_ok() && start == *b"\0asm")
}

/// The position of the workload to try.
fn chosen(arguments: &Try, plan: &Plan) -> Result<usize, Failure> {
    let Some(name) = &arguments.workload else { return Ok(0) };
    plan.workloads.iter().position(|workload| workload.name == *name).ok_or_else(|| {
        let known: Vec<_> = plan.workloads.iter().map(|workload| format!("`{}`", workload.name)).collect();
        Failure::new(
            Exit::Usage,
            format!("error: there is no workload `{name}`\n  help: the scenario has {}", known.join(", ")),
        )
    })
}

async fn once(
    arguments: &Try,
    plan: &Plan,
    plugins: &Plugins,
    target: &prepare::Target,
    chosen: usize,
    control: &Arc<Control>,
) -> Result<Exit, Failure> {
    let setup = setup::run(plan, plugins, target, control).await?;
    let mask = super::run::mask(&setup.secrets)?;
    let workload = prepare::workloads(plan, plugins).swap_remove(chosen);
    let plugin = Arc::clone(&workload.plugin);
    let metrics = &plugin.description.metrics;
    // Before anything is sent: what cannot be appended to is refused.
    let keeper = arguments.record.as_deref().map(|file| keep::Keeper::open(file, metrics)).transpose()?;
    let judged = &plan.phases[usize::from(plan.judged)];
    let solo = Solo {
        workload,
        client: Arc::clone(&target.clients[0]),
        shared: setup.shared.as_deref().map(Arc::from),
        flow: SoloFlow::Arrival { index: arguments.index, seed: plan.seed },
        phase: judged.name.clone(),
        control: Arc::clone(control),
        record: keeper.is_some(),
    };
    let trace = worker::run_solo(solo).await.map_err(|error| match &error {
        NotReady::Plugin { .. } => {
            let text = format!("error: workload `{}`: {error}", plan.workloads[chosen].name);
            Failure::new(Exit::PluginRefused, mask.apply(&text).into_owned())
        }
        _ => Failure::new(Exit::Internal, format!("error: {error}")),
    })?;
    let host = &target.clients[0].target;
    let text = trace::render(&plan.workloads[chosen].name, &target.shown, host, &trace, metrics);
    output::write(&output::printable(&mask.apply(&text)))?;
    if let Some(keeper) = keeper {
        let workload = &plan.workloads[chosen];
        let shared = setup.shared.as_deref().and_then(|json| serde_json::from_str(json).ok());
        let seen = keep::Seen {
            workload: &workload.name,
            config: workload.config.value(),
            shared: shared.as_ref(),
            index: arguments.index,
            phase: &judged.name,
            trace: &trace,
            secrets: &setup.secrets,
        };
        keeper.keep(&plugin, &seen)?;
    }
    Ok(exit(&trace))
}

/// A flow that its plugin judges wrong ends as a failed threshold does; one that trapped, as a plugin's fault.
fn exit(trace: &Trace) -> Exit {
    match trace.outcome.as_deref() {
        None | Some("ok" | "cancelled") => Exit::Passed,
        Some(reason) if reason.starts_with("plugin_") => Exit::PluginFaults,
        Some(_) => Exit::Failed,
    }
}
