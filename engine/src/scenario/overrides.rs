//! What the command line says of a scenario, and what the surroundings do.

use super::code;
use super::fault::Fault;
use super::reader::Log;
use super::set;
use super::source::{Sources, Span};
use super::tree::{Node, Table, Value};
use crate::credentials::is_credential;

/// What the command line says. It goes before the file: first each `--set`, in order, then the options of their own.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `--set table.key=value`.
    pub set: Vec<String>,
    /// `--seed`.
    pub seed: Option<u64>,
    /// `--workers`, 1 to 256.
    pub workers: Option<u32>,
    /// `--connections`.
    pub connections: Option<u32>,
    /// `--scale`, above 0 and up to 1: shortens each phase, to 2 s at least, and changes no rate.
    pub scale: Option<f64>,
    /// `--rate`, for scenarios of one phase.
    pub rate: Option<f64>,
    /// `--duration`, for scenarios of one phase.
    pub duration: Option<String>,
    /// `--title`.
    pub title: Option<String>,
    /// `--topology`.
    pub topology: Option<String>,
}

/// Looks up a variable of the environment; `None` where it is not set.
pub type Variable = Box<dyn Fn(&str) -> Option<String>>;

/// What a scenario depends on beside its text.
pub struct Surroundings {
    /// Variables of the environment.
    pub variable: Variable,
    /// Cores that this process may use.
    pub cores: usize,
}

impl Surroundings {
    /// Those of this process. A variable that is not Unicode counts as not set.
    pub fn of_process() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { variable: Box::new(|name| std::env::var(name).ok()), cores }
    }
}

/// Options that have no key in the file, checked.
pub(super) struct Options {
    pub(super) workers: u32,
    /// Whether `workers` was asked for.
    pub(super) workers_set: bool,
    pub(super) scale: f64,
    /// What was changed, as it may be shown.
    pub(super) shown: Vec<String>,
}

impl Overrides {
    /// The options that change what is run, with `***` for credentials.
    fn shown(&self) -> Vec<String> {
        let set = |text: &String| match text.split_once('=') {
            Some((key, _)) if is_credential(key) => format!("--set {key}=***"),
            _ => format!("--set {text}"),
        };
        let numbers = [
            ("--seed", self.seed.map(|seed| seed.to_string())),
            ("--workers", self.workers.map(|workers| workers.to_string())),
            ("--connections", self.connections.map(|connections| connections.to_string())),
            ("--scale", self.scale.map(|scale| scale.to_string())),
            ("--rate", self.rate.map(|rate| rate.to_string())),
            ("--duration", self.duration.clone()),
        ];
        let options = numbers.into_iter().filter_map(|(option, value)| Some(format!("{option} {}", value?)));
        self.set.iter().map(set).chain(options).collect()
    }
}

/// Workers where nothing is said: one a core, up to this many.
const MOST_DEFAULT_WORKERS: u32 = 8;
/// The most workers that can be asked for.
const MOST_WORKERS: u32 = 256;

/// Applies what has a key in the file to the tree, after `${…}` was expanded: these are taken as they are.
pub(super) fn apply(root: &mut Table, overrides: &Overrides, file: Option<Span>, sources: &mut Sources, log: &Log) {
    let integer = |value: u64, span| Node { span, value: Value::Integer(i128::from(value)) };
    let put = |root: &mut Table, path: &[&str], node| {
        set::put_at(root, path, node, file).unwrap_or_else(|fault| log.note(fault));
    };
    if let Some(seed) = overrides.seed {
        put(root, &["run", "seed"], integer(seed, sources.add_option("--seed", seed)));
    }
    if let Some(connections) = overrides.connections {
        let span = sources.add_option("--connections", connections);
        put(root, &["limits", "connections"], integer(u64::from(connections), span));
    }
    if let Some(title) = &overrides.title {
        put(root, &["run", "title"], Node::text(title, sources.add_option("--title", title)));
    }
    if let Some(topology) = &overrides.topology {
        put(root, &["run", "topology"], Node::text(topology, sources.add_option("--topology", topology)));
    }
    if let Some(rate) = overrides.rate {
        let span = sources.add_option("--rate", rate);
        if one_phase(root, "--rate", "rate", span, log) {
            put(root, &["phase", "0", "rate"], Node { span, value: Value::Float(rate) });
        }
    }
    if let Some(duration) = &overrides.duration {
        let span = sources.add_option("--duration", duration);
        if one_phase(root, "--duration", "duration", span, log) {
            put(root, &["phase", "0", "duration"], Node::text(duration, span));
        }
    }
}

/// Whether the scenario has one phase; notes a fault where it has several. One without any has a fault of its own.
fn one_phase(root: &Table, option: &str, key: &str, span: Span, log: &Log) -> bool {
    let Some(Value::Array(phases)) = root.get("phase").map(|entry| &entry.node.value) else { return false };
    if phases.len() > 1 {
        let message = format!("`{option}` is for scenarios of one phase, and this one has {}", phases.len());
        let fault = Fault::new(code::OVERRIDE_ONE_PHASE, message).at(span, "for which of them?");
        log.note(fault.hint(format!("name the phase: --set phase.NAME.{key}=…")));
    }
    phases.len() == 1
}

/// Checks what has no key in the file.
pub(super) fn options(overrides: &Overrides, cores: usize, sources: &mut Sources, log: &Log) -> Options {
    let default = u32::try_from(cores).unwrap_or(u32::MAX).clamp(1, MOST_DEFAULT_WORKERS);
    let mut options =
        Options { workers: default, workers_set: overrides.workers.is_some(), scale: 1.0, shown: overrides.shown() };
    if let Some(workers) = overrides.workers {
        let span = sources.add_option("--workers", workers);
        options.workers = workers;
        if !(1..=MOST_WORKERS).contains(&workers) {
            let message = format!("`--workers` must be from 1 to {MOST_WORKERS}, not {workers}");
            log.note(Fault::new(code::OVERRIDE_RANGE, message).at(span, "out of range"));
        }
    }
    if let Some(scale) = overrides.scale {
        let span = sources.add_option("--scale", scale);
        options.scale = scale;
        if !(scale > 0.0 && scale <= 1.0) {
            let message = format!("`--scale` must be above 0 and at most 1, not {scale}");
            let fault = Fault::new(code::OVERRIDE_RANGE, message).at(span, "out of range");
            log.note(fault.hint("it only shortens phases, each to 2 s at least, and changes no rate"));
        }
    }
    options
}

/// Applies each `--set` to the tree, before `${…}` is expanded.
pub(super) fn apply_sets(root: &mut Table, sets: &[String], file: Option<Span>, sources: &mut Sources, log: &Log) {
    for text in sets {
        set::apply(root, text, file, sources).unwrap_or_else(|fault| log.note(fault));
    }
}
