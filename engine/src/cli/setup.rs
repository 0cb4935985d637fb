//! `[[setup]]`: flows run once before the load, in order.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::report::SetupExchange;
use crate::scenario::Plan;
use crate::worker::{self, Control, NotReady, Solo, SoloFlow, Trace};

use super::exit::{Exit, Failure};
use super::prepare::{self, Plugins, Target};
use super::run::mask;

/// What setup came to.
pub(super) struct Done {
    /// What the flows shared, merged, as JSON; absent where nothing was.
    pub(super) shared: Option<String>,
    /// Their exchanges, for the report.
    pub(super) exchanges: Vec<SetupExchange>,
    /// The scenario's secrets and every text that was shared.
    pub(super) secrets: Vec<String>,
    /// What teardown ran into.
    pub(super) notes: Vec<String>,
}

/// Runs all setup flows.
///
/// # Errors
/// The first flow that refuses, with what it logged; or what its plugin shared that is no JSON object.
pub(super) async fn run(
    plan: &Plan,
    plugins: &Plugins,
    target: &Target,
    control: &Arc<Control>,
) -> Result<Done, Failure> {
    let mut merged = Map::new();
    let mut done = Done { shared: None, exchanges: Vec::new(), secrets: plan.secrets().to_vec(), notes: Vec::new() };
    for entry in 0..plan.setup.len() {
        let workload = prepare::setup(plan, plugins, entry);
        let name = workload.plugin.description.name.clone();
        let client = target.clients.first().cloned();
        let client = client.ok_or_else(|| Failure::new(Exit::Internal, "internal fault: no client for setup"))?;
        let solo = Solo {
            workload,
            client,
            shared: done.shared.as_deref().map(Arc::from),
            flow: SoloFlow::Setup,
            phase: String::new(),
            control: Arc::clone(control),
            record: false,
        };
        let trace = match worker::run_solo(solo).await {
            Ok(trace) => trace,
            Err(error @ NotReady::Plugin { .. }) => {
                let text = format!("error: setup `{name}`: {error}");
                return Err(Failure::new(Exit::PluginRefused, masked(&done.secrets, &text)?));
            }
            Err(error) => return Err(Failure::new(Exit::Internal, format!("error: setup `{name}`: {error}"))),
        };
        for json in &trace.shared {
            let Ok(Value::Object(object)) = serde_json::from_str(json) else {
                let text = format!("error: setup `{name}` shared something that is no JSON object");
                return Err(Failure::new(Exit::PluginRefused, text));
            };
            object.values().for_each(|value| collect_texts(value, &mut done.secrets));
            merged.extend(object);
        }
        done.exchanges.extend(exchanges("setup", &name, &trace));
        if !trace.is_ok() {
            return Err(Failure::new(Exit::SetupRefused, masked(&done.secrets, &refusal(&name, &trace))?));
        }
        if !merged.is_empty() {
            done.shared = Some(Value::Object(merged.clone()).to_string());
        }
    }
    Ok(done)
}

/// Runs the teardown flows of the same plugins, after the load. What they run into is added to `done`, and a note for
/// each that did not end well: the run is over, so nothing is refused any more.
pub(super) async fn tear_down(
    plan: &Plan,
    plugins: &Plugins,
    target: &Target,
    control: &Arc<Control>,
    done: &mut Done,
) {
    for entry in 0..plan.setup.len() {
        let workload = prepare::setup(plan, plugins, entry);
        let name = workload.plugin.description.name.clone();
        let Some(client) = target.clients.first().cloned() else { return };
        let shared = done.shared.as_deref().map(Arc::from);
        let flow = SoloFlow::Teardown;
        let solo =
            Solo { workload, client, shared, flow, phase: String::new(), control: Arc::clone(control), record: false };
        match worker::run_solo(solo).await {
            Ok(trace) => {
                done.exchanges.extend(exchanges("teardown", &name, &trace));
                if !trace.is_ok() {
                    let outcome = trace.outcome.as_deref().unwrap_or_default();
                    done.notes.push(format!("teardown `{name}` ended as {outcome}"));
                }
            }
            Err(error) => done.notes.push(format!("teardown `{name}`: {error}")),
        }
    }
}

fn masked(secrets: &[String], text: &str) -> Result<String, Failure> {
    Ok(mask(secrets)?.apply(text).into_owned())
}

/// Every text in a shared value is masked from now on.
fn collect_texts(value: &Value, secrets: &mut Vec<String>) {
    match value {
        Value::String(text) => secrets.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, secrets)),
        Value::Object(entries) => entries.values().for_each(|item| collect_texts(item, secrets)),
        _ => {}
    }
}

fn exchanges(stage: &str, plugin: &str, trace: &Trace) -> Vec<SetupExchange> {
    let one = |exchange: &worker::TracedExchange| SetupExchange {
        stage: stage.to_owned(),
        plugin: plugin.to_owned(),
        request: exchange.name.clone(),
        status: exchange.status,
        failure: exchange.failure.as_ref().map(|(reason, _)| reason.clone()),
        response_ms: exchange.timings.map(|timings| timings.response_time().as_secs_f64() * 1e3),
    };
    trace.exchanges.iter().map(one).collect()
}

/// Why a flow refused the run, with all that helps to see why.
fn refusal(name: &str, trace: &Trace) -> String {
    use std::fmt::Write as _;
    let mut text =
        format!("error: setup `{name}` refused the run: {}", trace.outcome.as_deref().unwrap_or("no verdict"));
    for exchange in &trace.exchanges {
        let came = match (&exchange.failure, exchange.status) {
            (Some((reason, detail)), _) => format!("{reason}: {detail}"),
            (None, Some(status)) => format!("status {status}"),
            (None, None) => "no answer".to_owned(),
        };
        let _ = write!(text, "\n  {} {}: {came}", exchange.request.method, exchange.request.path_with_query);
    }
    for line in &trace.log {
        let _ = write!(text, "\n  {}: {}", line.level, line.text);
    }
    for fault in &trace.faults {
        let _ = write!(text, "\n  {fault}");
    }
    let away = trace.exchanges.iter().any(|exchange| {
        exchange
            .failure
            .as_ref()
            .is_some_and(|(reason, _)| ["refused", "dns", "timeout_connect"].contains(&reason.as_str()))
    });
    text.push_str(if away {
        "\n  help: start the target, or correct `target.url`; nothing was offered"
    } else {
        "\n  help: correct what it names, or the configuration under [[setup]]; nothing was offered"
    });
    text
}
