//! `[[workload]]` and `[[setup]]`: what is sent, and by which plugin.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use super::code;
use super::config::Config;
use super::fault::Fault;
use super::limits::Limits;
use super::reader::{Field, Log, Reader};
use super::source::Span;
use super::tree::Text;
use super::units;
use crate::schedule::Weight;

/// How much longer than an exchange an iteration may take where nothing is said of it.
const ITERATION_EXTRA: Duration = Duration::from_secs(30);

/// One kind of what is sent.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Workload {
    /// Unique.
    pub name: String,
    /// Its part of the arrivals, in proportion to the other shares.
    pub share: f64,
    /// Which plugin it runs.
    pub plugin: PluginRef,
    /// The plugin's configuration.
    pub config: Config,
    /// The longest an exchange may take.
    #[serde(rename = "timeout_s", serialize_with = "units::seconds")]
    pub timeout: Duration,
    /// The longest an iteration may take, from when it was due.
    #[serde(rename = "iteration_timeout_s", serialize_with = "units::seconds")]
    pub iteration_timeout: Duration,
    /// Whether its iterations share instances of the plugin.
    pub isolation: Isolation,
    /// Why it is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Where it stands.
    #[serde(skip)]
    pub span: Span,
    /// How long it may hold its slot: what its part in the default cap and the default drain is.
    #[serde(skip)]
    pub(super) holds: Duration,
    /// Its share, exactly.
    #[serde(skip)]
    pub(super) weight: Weight,
}

/// Whether iterations share instances of their plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// Many iterations in one instance.
    Shared,
    /// An instance for each iteration.
    Iteration,
}

/// Which plugin is meant.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PluginRef {
    /// By name or by file.
    #[serde(flatten)]
    pub by: PluginBy,
    /// Where it is named.
    #[serde(skip)]
    pub span: Span,
}

/// How a plugin is named.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PluginBy {
    /// By the name it gives itself, or the stem of its file.
    Name(String),
    /// By its file: whatever has a `/` or ends in `.wasm`. Relative paths were taken from the scenario's folder.
    Path(PathBuf),
}

/// A plugin whose setup is run once before the load.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Setup {
    /// Which plugin.
    pub plugin: PluginRef,
    /// Its configuration.
    pub config: Config,
}

fn plugin_ref(field: Field<&Text>, folder: &Path) -> PluginRef {
    let text = &field.value.value;
    let is_file = text.contains('/') || Path::new(text).extension().is_some_and(|extension| extension == "wasm");
    let by = if is_file { PluginBy::Path(folder.join(text)) } else { PluginBy::Name(text.clone()) };
    PluginRef { by, span: field.span }
}

/// Reads one `[[setup]]`; `None` after noting what is wrong with it.
pub(super) fn read_setup(reader: Reader<'_>, folder: &Path, log: &Log) -> Option<Setup> {
    let plugin = reader.text("plugin").map(|plugin| plugin_ref(plugin, folder));
    let config = Config::of(reader.free("config"), reader.place(), log);
    reader.finish();
    Some(Setup { plugin: plugin?, config })
}

/// Reads one `[[workload]]`; `None` after noting what is wrong with it.
pub(super) fn read(reader: Reader<'_>, limits: &Limits, folder: &Path, log: &Log) -> Option<Workload> {
    let name = reader.name("name");
    let share = reader.number("share");
    let plugin = reader.text("plugin").map(|plugin| plugin_ref(plugin, folder));
    let config = Config::of(reader.free("config"), reader.place(), log);
    let timeout = reader.duration("timeout").map_or(limits.timeout, |timeout| timeout.value);
    let own = reader.duration("iteration_timeout").map(|timeout| timeout.value).or(limits.iteration_timeout);
    let isolation = match reader.choice("isolation").map(|choice| choice.value) {
        Some("iteration") => Isolation::Iteration,
        _ => Isolation::Shared,
    };
    let why = reader.text("why").map(|why| why.value.value.clone());
    let span = reader.place();
    let weight = share.and_then(|share| {
        let weight = Weight::new(share.value);
        if weight.is_none() {
            let fault = Fault::new(code::OUT_OF_RANGE, "`share` has at most six decimals, so that counts are exact");
            reader.note(fault.at(share.span, "too fine"));
        }
        weight
    });
    reader.finish();
    let (name, share) = (name?, share?.value);
    let plugin = plugin.unwrap_or_else(|| PluginRef { by: PluginBy::Name(name.value.clone()), span: name.span });
    Some(Workload {
        name: name.value,
        share,
        plugin,
        config,
        timeout,
        iteration_timeout: own.unwrap_or_else(|| timeout.saturating_add(ITERATION_EXTRA)),
        isolation,
        why,
        span,
        // The extra of the default is slack, not something that anybody asked to be held.
        holds: own.unwrap_or(timeout),
        weight: weight?,
    })
}
