//! A run without a scenario: one URL, with the `http` plugin.

use super::code;
use super::fault::{Fault, Faults};
use super::overrides::{self, Overrides, Surroundings};
use super::plan::Plan;
use super::reader::{Log, is_name};
use super::resolve::{self, Origin};
use super::source::{Sources, Span};
use super::tree::{Node, Table, Text, Value};
use crate::credentials::is_credential;

/// What the command line says of a run without a scenario. Nothing in it is expanded: the shell has done so.
#[derive(Clone, Debug, Default)]
pub struct QuickRun {
    /// `--url`: with the path and query to be asked for.
    pub url: String,
    /// `--rate`: arrivals per second.
    pub rate: f64,
    /// `--duration`, such as `30s`.
    pub duration: String,
    /// `-m`: the method; `GET` where absent, `POST` where there is a body.
    pub method: Option<String>,
    /// `-H`: each written as `Name: value`.
    pub fields: Vec<String>,
    /// `-d`: the body.
    pub body: Option<String>,
    /// `--expect`: statuses that are right, as the `http` plugin takes them: `204`, `2xx`, `200-299`. The plugin's own
    /// default where empty.
    pub expect: Vec<String>,
}

/// The time-out where nothing is said: a page that takes longer is down for whoever waits, and the default of scenarios
/// would ask for six times as many open files.
const TIMEOUT: &str = "10s";

/// What stands in a report for the value of a field that holds credentials.
const MASK: &str = "***";

/// The plan of a run without a scenario.
///
/// # Errors
/// Everything that is wrong with it, pointing at the options.
pub fn quick(run: &QuickRun, overrides: &Overrides, surroundings: &Surroundings) -> Result<Plan, Faults> {
    let (mut sources, log) = (Sources::default(), Log::default());
    let url = sources.add_option("--url", &run.url);
    let (origin, path) = split_url(&run.url);
    let mut quick = Quick { sources: &mut sources, log: &log, secrets: Vec::new() };
    let config = quick.config(run, path, url);
    let secrets = quick.secrets;
    let rate = sources.add_option("--rate", run.rate);
    let duration = sources.add_option("--duration", &run.duration);
    let workload = vec![
        ("name", Node::text("http", url)),
        ("share", Node { span: url, value: Value::Integer(1) }),
        ("config", config),
    ];
    let phase = vec![
        ("name", Node::text("load", duration)),
        ("rate", Node { span: rate, value: Value::Float(run.rate) }),
        ("duration", Node::text(&run.duration, duration)),
    ];
    // Nobody has said how many failures are fine, so none is: a run must not pass while its requests fail.
    let threshold = vec![
        ("workload", Node::text("http", url)),
        ("metric", Node::text("error_rate", url)),
        ("value", Node::text("0%", url)),
    ];
    let tables = vec![
        ("target", Node::table(vec![("url", Node::text(origin, url))], url)),
        ("limits", Node::table(vec![("timeout", Node::text(TIMEOUT, url))], url)),
        ("workload", Node::list_of_one(workload, url)),
        ("phase", Node::list_of_one(phase, rate)),
        ("threshold", Node::list_of_one(threshold, url)),
    ];
    resolve_made(Made { name: "quick", tables, whole: url, secrets }, overrides, surroundings, sources, log)
}

/// A scenario that stands in no file.
struct Made<'a> {
    name: &'a str,
    tables: Vec<(&'a str, Node)>,
    /// Where faults of the whole point.
    whole: Span,
    secrets: Vec<String>,
}

/// The plan of a made scenario, under the options of the command line. Nothing in it is expanded.
fn resolve_made(
    made: Made<'_>,
    overrides: &Overrides,
    surroundings: &Surroundings,
    mut sources: Sources,
    log: Log,
) -> Result<Plan, Faults> {
    let Made { name, tables, whole, secrets } = made;
    let mut root = Table::of(tables);
    overrides::apply_sets(&mut root, &overrides.set, Some(whole), &mut sources, &log);
    overrides::apply(&mut root, overrides, Some(whole), &mut sources, &log);
    let options = overrides::options(overrides, surroundings.cores, &mut sources, &log);
    resolve::resolve(&root, Origin { scenario: None, name: name.to_owned(), whole, options, secrets }, sources, log)
}

/// The plan of trying one plugin: its name, the target's base URL and the plugin's configuration.
///
/// # Errors
/// Everything that is wrong with it, pointing at the options.
pub fn of_plugin(
    plugin: &str,
    url: &str,
    config: &serde_json::Value,
    overrides: &Overrides,
    surroundings: &Surroundings,
) -> Result<Plan, Faults> {
    let (mut sources, log) = (Sources::default(), Log::default());
    let place = sources.add_option("--url", url);
    let given = sources.add_option("--config", config);
    let config = Node::json(config, given).unwrap_or_else(|| Node::table(Vec::new(), given));
    let name = if is_name(plugin, true) { plugin } else { "plugin" };
    let workload = vec![
        ("name", Node::text(name, place)),
        ("plugin", Node::text(plugin, place)),
        ("share", Node { span: place, value: Value::Integer(1) }),
        ("config", config),
    ];
    let phase = vec![
        ("name", Node::text("try", place)),
        ("rate", Node { span: place, value: Value::Integer(1) }),
        ("duration", Node::text("1s", place)),
    ];
    let tables = vec![
        ("target", Node::table(vec![("url", Node::text(url, place))], place)),
        ("workload", Node::list_of_one(workload, place)),
        ("phase", Node::list_of_one(phase, place)),
    ];
    resolve_made(Made { name: "try", tables, whole: place, secrets: Vec::new() }, overrides, surroundings, sources, log)
}

/// The origin of a URL, and the path and query to be asked for. What is no URL is left to the check of `target.url`.
fn split_url(text: &str) -> (String, String) {
    let Ok(mut url) = url::Url::parse(text) else { return (text.to_owned(), "/".to_owned()) };
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let path = format!("{}{query}", url.path());
    // A fragment is never sent.
    url.set_fragment(None);
    url.set_query(None);
    url.set_path("");
    (url.into(), path)
}

struct Quick<'a> {
    sources: &'a mut Sources,
    log: &'a Log,
    secrets: Vec<String>,
}

impl Quick<'_> {
    fn config(&mut self, run: &QuickRun, path: String, url: Span) -> Node {
        let mut entries = vec![("method", self.method(run)), ("path", Node::text(path, url))];
        let fields: Vec<_> = run.fields.iter().filter_map(|field| self.field(field)).collect();
        if !fields.is_empty() {
            entries.push(("fields", Node { span: url, value: Value::Array(fields) }));
        }
        if let Some(body) = &run.body {
            entries.push(("body", Node::text(body, url)));
        }
        if !run.expect.is_empty() {
            let status = |text: &String| {
                text.parse()
                    .map_or_else(|_| Node::text(text, url), |status| Node { span: url, value: Value::Integer(status) })
            };
            entries.push(("expect", Node { span: url, value: Value::Array(run.expect.iter().map(status).collect()) }));
        }
        Node::table(entries, url)
    }

    fn method(&mut self, run: &QuickRun) -> Node {
        let method = run.method.as_deref().unwrap_or(if run.body.is_some() { "POST" } else { "GET" });
        let span = self.sources.add_option("-m", method);
        if http::Method::from_bytes(method.as_bytes()).is_err() {
            let fault = Fault::new(code::QUICK_BAD_METHOD, format!("`{method}` is not a method"));
            self.log.note(fault.at(span, "not one").hint("for example: -m POST"));
        }
        Node::text(method, span)
    }

    /// One field as a pair of name and value; `None` after noting that it is none.
    fn field(&mut self, written: &str) -> Option<Node> {
        let parsed = written.split_once(':').map(|(name, value)| (name.trim(), value.trim()));
        let Some((name, value)) = parsed.filter(|(name, _)| http::HeaderName::try_from(*name).is_ok()) else {
            let span = self.sources.add_option("-H", written);
            let fault = Fault::new(code::QUICK_BAD_FIELD, "a field is written as `Name: value`").at(span, "not one");
            self.log.note(fault.hint("for example: -H \"accept: application/json\""));
            return None;
        };
        let secret = is_credential(name);
        // The text that faults point into must not show it either.
        let shown = if secret { MASK } else { value };
        let span = self.sources.add_option("-H", format!("{name}: {shown}"));
        if secret && !value.is_empty() {
            self.secrets.push(value.to_owned());
            // `Bearer xyz`: the second word alone is as secret.
            self.secrets.extend(value.split_once(' ').map(|(_, credential)| credential.trim().to_owned()));
            self.secrets.sort_unstable();
            self.secrets.dedup();
        }
        let value = Text { raw: shown.to_owned(), value: value.to_owned() };
        Some(Node { span, value: Value::Array(vec![Node::text(name, span), Node { span, value: Value::Text(value) }]) })
    }
}
