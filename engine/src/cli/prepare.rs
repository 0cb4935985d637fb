//! From a plan to what workers need: plugins found and loaded, thresholds held against their metrics, the target reached.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::client::{self, AllowedHost, Identity, Timeouts, Tls, TlsFiles};
use crate::plugin::{self, Catalog, Host, MetricKind, NoPlugin, Plugin};
use crate::scenario::{self, Endpoint, Fault, Faults, Metric, Plan, PluginBy, PluginRef, Scope, Series, code};
use crate::worker::{Isolation, WorkloadSettings};

use super::exit::{Exit, Failure};
use super::stub::Stub;

/// Connections of a worker where the scenario sets no cap: as many as it has iterations in flight, and some for fans.
const UNCAPPED: usize = 1 << 20;

/// A scenario's faults, rendered.
pub(super) fn refused(faults: &Faults, exit: Exit) -> Failure {
    Failure::new(exit, faults.render(super::colours_on_stderr()))
}

/// The limits on plugins that a plan sets.
pub(super) fn plugin_limits(plan: &Plan) -> plugin::Limits {
    let limits = &plan.limits.plugin;
    plugin::Limits {
        call: limits.call,
        memory: usize::try_from(limits.memory).unwrap_or(usize::MAX),
        instances: limits.instances as usize,
        iterations: limits.iterations,
        list: limits.list as usize,
        string: usize::try_from(limits.string).unwrap_or(usize::MAX),
    }
}

/// The plugins of a plan.
pub(super) struct Plugins {
    /// Each once.
    pub(super) all: Vec<Arc<Plugin>>,
    /// Which of them each workload runs.
    pub(super) of_workload: Vec<usize>,
    /// Which each setup entry runs.
    pub(super) of_setup: Vec<usize>,
}

/// Finds and loads all plugins of a plan, and holds its thresholds against their metrics.
///
/// # Errors
/// All references that lead nowhere, files that are no plugins, thresholds on metrics that no plugin has.
pub(super) fn plugins(host: &Host, plan: &Plan, given: &[PathBuf]) -> Result<Plugins, Failure> {
    let refuse = |refused: NoPlugin| Failure::new(Exit::PluginRefused, format!("error: {refused}"));
    let mut catalog = Catalog::new(host, given, folders(plan.folder())).map_err(refuse)?;
    let mut found = Plugins { all: Vec::new(), of_workload: Vec::new(), of_setup: Vec::new() };
    let mut faults = Vec::new();
    let mut find = |reference: &PluginRef, all: &mut Vec<Arc<Plugin>>| {
        let plugin = match &reference.by {
            PluginBy::Name(name) => catalog.by_name(name),
            PluginBy::Path(path) => catalog.by_file(path),
        };
        match plugin {
            Ok(plugin) => all.iter().position(|known| Arc::ptr_eq(known, &plugin)).unwrap_or_else(|| {
                all.push(plugin);
                all.len() - 1
            }),
            Err(NoPlugin { what, help }) => {
                faults.push(Fault::new(code::PLUGIN_REFUSED, what).at(reference.span, "asked for here").hint(help));
                0
            }
        }
    };
    for setup in &plan.setup {
        let position = find(&setup.plugin, &mut found.all);
        found.of_setup.push(position);
    }
    for workload in &plan.workloads {
        let position = find(&workload.plugin, &mut found.all);
        found.of_workload.push(position);
    }
    if !faults.is_empty() {
        return Err(refused(&plan.faults(faults), Exit::PluginRefused));
    }
    let unused = catalog.unused();
    if !unused.is_empty() {
        let names: Vec<_> = plan.workloads.iter().map(|workload| reference_name(&workload.plugin)).collect();
        return Err(Failure::new(
            Exit::Usage,
            format!(
                "error: --plugin {}: no workload uses it; the scenario's plugins are: {}\n  help: give a plugin of one of these names, or name this one in the scenario",
                unused.join(", "),
                names.join(", ")
            ),
        ));
    }
    check_metrics(plan, &found)?;
    super::configs::check(plan, &found)?;
    Ok(found)
}

/// Where plain names are looked up.
fn folders(scenario: &Path) -> Vec<PathBuf> {
    let here = if scenario.as_os_str().is_empty() { Path::new(".") } else { scenario };
    [here.to_owned(), here.join("plugins"), here.join("../plugins/components"), PathBuf::from("plugins/components")]
        .into()
}

fn reference_name(reference: &PluginRef) -> String {
    match &reference.by {
        PluginBy::Name(name) => format!("`{name}`"),
        PluginBy::Path(path) => format!("`{}`", path.display()),
    }
}

/// Every metric that a threshold names must be one of its workload's plugin.
fn check_metrics(plan: &Plan, plugins: &Plugins) -> Result<(), Failure> {
    let mut faults = Vec::new();
    for threshold in &plan.thresholds {
        let Metric::Statistic(_, Series::Plugin(name)) = &threshold.metric else { continue };
        let of: Vec<usize> = match threshold.workload {
            Scope::Workload(workload) => vec![usize::from(workload)],
            Scope::Each => (0..plan.workloads.len()).collect(),
        };
        for workload in of {
            let metrics = &plugins.all[plugins.of_workload[workload]].description.metrics;
            let known = metrics.iter().any(|metric| metric.name == *name && metric.kind == MetricKind::Mark);
            if !known {
                let marks: Vec<_> = metrics.iter().filter(|metric| metric.kind == MetricKind::Mark).collect();
                let marks: Vec<_> = marks.iter().map(|metric| format!("`{}`", metric.name)).collect();
                let marks = if marks.is_empty() { "none".to_owned() } else { marks.join(", ") };
                let message =
                    format!("the plugin of workload `{}` has no mark `{name}`", plan.workloads[workload].name);
                let fault = Fault::new(code::THRESHOLD_METRIC, message).at(threshold.metric_span, "unknown");
                faults.push(fault.hint(format!("its marks are: {marks}")));
            }
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(refused(&plan.faults(faults), Exit::Usage)) }
}

/// What workers need of each workload.
pub(super) fn workloads(plan: &Plan, plugins: &Plugins) -> Vec<WorkloadSettings> {
    let one = |workload: &scenario::Workload, position: usize| WorkloadSettings {
        plugin: Arc::clone(&plugins.all[position]),
        plugin_position: position,
        config: workload.config.value().to_string().into(),
        timeouts: timeouts(plan, workload.timeout),
        iteration_timeout: workload.iteration_timeout,
        redirects: plan.limits.redirects,
        isolation: match workload.isolation {
            scenario::Isolation::Shared => Isolation::Shared,
            scenario::Isolation::Iteration => Isolation::Iteration,
        },
        instances: plan.limits.plugin.instances as usize,
        iterations: plan.limits.plugin.iterations,
    };
    plan.workloads.iter().zip(&plugins.of_workload).map(|(workload, &position)| one(workload, position)).collect()
}

/// What a setup flow needs.
pub(super) fn setup(plan: &Plan, plugins: &Plugins, entry: usize) -> WorkloadSettings {
    let position = plugins.of_setup[entry];
    WorkloadSettings {
        plugin: Arc::clone(&plugins.all[position]),
        plugin_position: position,
        config: plan.setup[entry].config.value().to_string().into(),
        timeouts: timeouts(plan, plan.limits.timeout),
        iteration_timeout: plan.limits.iteration_timeout.unwrap_or(plan.limits.timeout * 2),
        redirects: plan.limits.redirects,
        isolation: Isolation::Shared,
        instances: 1,
        iterations: plan.limits.plugin.iterations,
    }
}

fn timeouts(plan: &Plan, total: Duration) -> Timeouts {
    Timeouts {
        total,
        connect: plan.limits.connect_timeout,
        first_byte: plan.limits.first_byte_timeout.unwrap_or(total),
        idle: plan.limits.idle_timeout,
    }
}

/// The target, with the stub behind it where there is one.
pub(super) struct Target {
    /// Ends when dropped.
    pub(super) _stub: Option<Stub>,
    /// Its base URL, for people.
    pub(super) shown: String,
    /// The client's settings of each worker.
    pub(super) clients: Vec<Arc<client::Settings>>,
}

/// Starts the stub where the plan has one, reads certificates, and shares the cap on connections out.
///
/// # Errors
/// Where the stub does not start, or a file cannot be used.
pub(super) fn target(plan: &Plan) -> Result<Target, Failure> {
    let refuse = |text: String| Failure::new(Exit::SetupRefused, format!("error: {text}"));
    let (stub, url) = match &plan.target.endpoint {
        Endpoint::Url(url) => (None, url.to_string()),
        Endpoint::Stub(command) => {
            let stub = Stub::start(command.words(), &super::run::mask(plan.secrets())?).map_err(refuse)?;
            let url = stub.url.clone();
            (Some(stub), url)
        }
    };
    let shown = match &plan.target.endpoint {
        Endpoint::Url(_) => url.clone(),
        Endpoint::Stub(command) => format!("stub `{}` at {url}", command.shown()),
    };
    let files = TlsFiles {
        ca: plan.target.ca.iter().cloned().collect(),
        identity: plan
            .target
            .client
            .as_ref()
            .map(|client| Identity { certificate: client.certificate.clone(), key: client.key.clone() }),
        server_name: plan.target.server_name.clone(),
    };
    let tls = Tls::load(&files).map_err(|error| Failure::new(Exit::Usage, format!("error: {error}")))?;
    let parsed = url.parse::<client::Target>().map_err(|error| refuse(error.to_string()))?;
    let base = client::Settings {
        idle_age: plan.limits.connection_idle,
        resolve: plan
            .target
            .resolve
            .map(|address| client::DialAddress { ip: address.ip(), port: Some(address.port()) }),
        allowed_hosts: allowed_hosts(plan).map_err(refuse)?,
        warm_up_timeout: plan.limits.connect_timeout,
        ..client::Settings::new(parsed, tls)
    };
    let workers = plan.workers as usize;
    let clients = (0..workers).map(|worker| {
        let connections = plan.limits.connections.map_or(UNCAPPED, |cap| part(cap as usize, worker, workers));
        Arc::new(client::Settings { connections, ..base.clone() })
    });
    Ok(Target { clients: clients.collect(), _stub: stub, shown })
}

fn allowed_hosts(plan: &Plan) -> Result<Vec<AllowedHost>, String> {
    let parse = |host: &scenario::AllowedHost| {
        let text = host.port.map_or_else(|| host.host.clone(), |port| format!("{}:{port}", host.host));
        text.parse().map_err(|error| format!("limits.allowed_hosts: {text}: {error}"))
    };
    plan.limits.allowed_hosts.iter().map(parse).collect()
}

/// A worker's part of a whole that is shared out exactly.
fn part(whole: usize, worker: usize, workers: usize) -> usize {
    whole / workers + usize::from(worker < whole % workers)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Case S7: a cap sliced per worker and rounded up is no cap.
    #[test]
    fn the_parts_of_a_cap_add_up_to_it() {
        for whole in [1, 2, 7, 45, 1_000] {
            for workers in 1..=whole.min(13) {
                let parts: Vec<usize> = (0..workers).map(|worker| part(whole, worker, workers)).collect();
                assert_eq!(parts.iter().sum::<usize>(), whole);
                assert!(parts.iter().all(|&part| part >= 1));
            }
        }
    }
}
