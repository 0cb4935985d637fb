//! From a file to a plugin that can be instantiated: read, identify, compile, link, describe.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::printable::printable;

use super::bindings::PluginPre;
use super::bindings::engine::workload::types as wit;
use super::host::{Host, Ticker};
use super::instance;
use super::limits::{DESCRIPTION_BYTES, FILE_BYTES, Limits};
use super::origin::Origin;
use super::room::Room;
use super::wasi;

/// The interface this engine speaks.
pub const INTERFACE: &str = "engine:workload@0.1.0";
/// What a plugin may import.
const IMPORTS: [&str; 2] = ["engine:workload/types@0.1.0", "engine:workload/actions@0.1.0"];
/// What a plugin must export.
const EXPORT: &str = "engine:workload/workload@0.1.0";
/// Bytes of a page of WebAssembly's memory, in which its sizes are counted.
const PAGE: u64 = 64 << 10;

/// A plugin that cannot be used, told so that its user or author can act.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("plugin {}: {what}\n  help: {help}", file.display())]
pub struct Refusal {
    /// The file.
    pub file: PathBuf,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub help: String,
}

/// What kind of figure a metric of a plugin is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MetricKind {
    /// A time.
    Mark,
    /// A sum.
    Counter,
    /// A distribution of values.
    Observation,
    /// Passed and failed.
    Check,
}

impl MetricKind {
    /// Its name for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mark => "mark",
            Self::Counter => "counter",
            Self::Observation => "observation",
            Self::Check => "check",
        }
    }
}

/// A figure of a plugin's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metric {
    /// Unique within the plugin.
    pub name: String,
    /// What kind it is.
    pub kind: MetricKind,
    /// Its unit for people.
    pub unit: String,
    /// One line for reports.
    pub summary: String,
}

/// What a plugin says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// The name by which scenarios call it.
    pub name: String,
    /// Its own version.
    pub version: String,
    /// One line for people.
    pub summary: String,
    /// Its metrics; actions name them by position.
    pub metrics: Vec<Metric>,
    /// JSON Schema of its configuration; empty where it has none.
    pub config_schema: String,
}

/// A key of a plugin's configuration, as its schema has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigKey {
    /// Its name.
    pub name: String,
    /// Whether it must be there.
    pub required: bool,
    /// What holds where it is not there, in JSON; none where nothing does.
    pub default: Option<String>,
    /// What it means, in one line.
    pub about: String,
}

impl Description {
    /// The schema of its configuration; none where it has none.
    pub fn config_schema_value(&self) -> Option<Value> {
        serde_json::from_str(&self.config_schema).ok()
    }

    /// The keys of its configuration; none where it has no schema, or one that is not that of a table.
    pub fn config_keys(&self) -> Option<Vec<ConfigKey>> {
        let schema = self.config_schema_value()?;
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let key = |(name, property): (&String, &Value)| ConfigKey {
            name: name.clone(),
            required: required.contains(&name.as_str()),
            default: Some(&property["default"]).filter(|default| !default.is_null()).map(Value::to_string),
            about: property["description"]
                .as_str()
                .unwrap_or_default()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" "),
        };
        Some(schema["properties"].as_object()?.iter().map(key).collect())
    }
}

/// A compiled and linked plugin. Cheap to share between threads.
pub struct Plugin {
    /// Where it was read from.
    pub file: PathBuf,
    /// SHA-256 of the file, in hex.
    pub sha256: String,
    /// Size of the file in bytes.
    pub size: usize,
    /// What it imports, as it names it.
    pub imports: Vec<String>,
    /// What it exports, as it names it.
    pub exports: Vec<String>,
    /// The interface that it was built against, such as `engine:workload@0.1.0`.
    pub interface: String,
    /// The memory that it has from the start, in bytes: the largest of its memories. None where it cannot be told.
    pub memory: Option<u64>,
    /// What its file says of where it comes from.
    pub origin: Origin,
    /// What it says of itself.
    pub description: Description,
    pub(super) engine: Engine,
    pub(super) pre: PluginPre<Room>,
    pub(super) limits: Arc<Limits>,
    /// Keeps the time of its calls for as long as it lives.
    _ticker: Arc<Ticker>,
}

impl Plugin {
    /// The limits it is held to.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }
}

impl Host {
    /// Reads, compiles and links the component in `file`, and asks it who it is.
    ///
    /// # Errors
    /// A refusal that says what is wrong with the file and what to do.
    pub fn load(&self, file: &Path) -> Result<Plugin, Refusal> {
        let bytes = read(file).map_err(|(what, help)| Refusal { file: file.to_owned(), what, help: help.into() })?;
        self.load_bytes(file, &bytes)
    }

    /// As [`Self::load`], from bytes that `file` only names.
    ///
    /// # Errors
    /// A refusal that says what is wrong with them and what to do.
    pub fn load_bytes(&self, file: &Path, bytes: &[u8]) -> Result<Plugin, Refusal> {
        let refuse = |what: String, help: &str| Refusal { file: file.to_owned(), what, help: help.to_owned() };
        identify(bytes).map_err(|(what, help)| refuse(what, help))?;
        let component = Component::new(&self.engine, bytes).map_err(|error| {
            refuse(
                format!("is not a component that this engine can compile: {error:#}"),
                "rebuild it; if it uses newer features of WebAssembly (async, threads, GC), turn them off",
            )
        })?;
        let (imports, exports) = self.items(&component);
        check_items(&imports, &exports).map_err(|(what, help)| refuse(what, &help))?;
        let with_wasi = wasi::linker(&self.linker, &self.engine, &component);
        let pre = with_wasi.and_then(|linker| linker.as_ref().unwrap_or(&self.linker).instantiate_pre(&component));
        let pre = pre.and_then(PluginPre::new).map_err(|error| {
            refuse(
                format!("does not fit the interface {INTERFACE}: {error:#}"),
                "rebuild it against the interface of this engine version (folder wit/)",
            )
        })?;
        let wit = instance::describe(&self.engine, &pre, &self.limits).map_err(|fault| {
            refuse(
                format!("failed when asked to describe itself: {fault}"),
                "mend what runs when the plugin is loaded and asked for its description (`describe`)",
            )
        })?;
        let description = describe(wit, &self.limits).map_err(|what| {
            refuse(
                format!("describes itself wrongly: {what}"),
                "mend the plugin's name, version, metrics or schema, which its source or its manifest declares",
            )
        })?;
        Ok(Plugin {
            file: file.to_owned(),
            sha256: hex(&Sha256::digest(bytes)),
            size: bytes.len(),
            interface: interface_of(&exports),
            memory: component.resources_required().and_then(|needs| needs.max_initial_memory_size).map(|n| n * PAGE),
            origin: Origin::of(bytes),
            imports,
            exports,
            description,
            engine: self.engine.clone(),
            pre,
            limits: Arc::clone(&self.limits),
            _ticker: Arc::clone(&self.ticker),
        })
    }

    /// Names of the imports and of the exports of a component.
    fn items(&self, component: &Component) -> (Vec<String>, Vec<String>) {
        let kind = component.component_type();
        let imports = kind.imports(&self.engine).map(|(name, _)| name.to_owned()).collect();
        (imports, kind.exports(&self.engine).map(|(name, _)| name.to_owned()).collect())
    }
}

/// Looks at imports and exports by name, before linking: the linker's own error names types, not what to do.
fn check_items(imports: &[String], exports: &[String]) -> Result<(), (String, String)> {
    let known = |name: &str| wasi::offers(name) || IMPORTS.iter().any(|known| fits(name, known));
    let foreign: Vec<&str> = imports.iter().map(String::as_str).filter(|name| !known(name)).collect();
    for name in foreign.iter().copied().chain(exports.iter().map(String::as_str)) {
        if name.starts_with("engine:workload/") && !IMPORTS.iter().chain([&EXPORT]).any(|known| fits(name, known)) {
            return Err((
                    format!("was built against `{name}`, and this engine speaks {INTERFACE}"),
                    "rebuild the plugin against this engine's interface (folder wit/), or use the engine version it was built for".into(),
                ));
        }
    }
    if !exports.iter().any(|name| fits(name, EXPORT)) {
        let exports = if exports.is_empty() { "nothing".to_owned() } else { format!("`{}`", exports.join("`, `")) };
        return Err((
            format!("is a component, but not a workload plugin: it exports {exports}, not `{EXPORT}`"),
            "build it for the world `engine:workload/plugin`; in Rust, `engine_sdk::plugin!` in lib.rs does (docs/plugins.md)"
                .into(),
        ));
    }
    if !foreign.is_empty() {
        let wasi = foreign.iter().any(|name| name.starts_with("wasi:"));
        let mut help = String::from("plugins are pure: they have no files, sockets, clocks or environment");
        if wasi {
            help += "; build without WASI (Rust: target wasm32-unknown-unknown)";
        }
        return Err((
            format!("imports `{}`, which is not offered; offered: `{}`", foreign.join("`, `"), IMPORTS.join("`, `")),
            help,
        ));
    }
    Ok(())
}

/// Whether an item's name means the known item: the same, or a compatible version of it (`0.1.x`).
fn fits(name: &str, known: &str) -> bool {
    name == known
        || known.rsplit_once('.').is_some_and(|(series, _)| {
            name.strip_prefix(series).is_some_and(|rest| rest.starts_with('.') && rest[1..].parse::<u32>().is_ok())
        })
}

/// The interface that the exported workload belongs to: its name without the part between `/` and `@`.
fn interface_of(exports: &[String]) -> String {
    let export = exports.iter().find(|name| fits(name, EXPORT)).map_or(EXPORT, String::as_str);
    match (export.split_once('/'), export.rsplit_once('@')) {
        (Some((package, _)), Some((_, version))) => format!("{package}@{version}"),
        _ => export.to_owned(),
    }
}

/// Tells a component from what else may lie in a file.
fn identify(bytes: &[u8]) -> Result<(), (String, &'static str)> {
    const BUILD: &str = "plugins are WebAssembly components: see docs/plugins.md";
    match bytes {
        [] => Err(("the file is empty".into(), BUILD)),
        [0, b'a', b's', b'm', _, _, 1, 0, ..] => Ok(()),
        [0, b'a', b's', b'm', 1, 0, 0, 0, ..] => Err((
            "is a core WebAssembly module, not a component".into(),
            "make it a component: `engine plugin build` does (docs/plugins.md)",
        )),
        [0, b'a', b's', b'm', ..] => Err(("is WebAssembly of a version this engine does not know".into(), BUILD)),
        _ => Err(("is not WebAssembly".into(), BUILD)),
    }
}

/// Checks the bounds of a description and takes it over.
fn describe(wit: wit::Description, limits: &Limits) -> Result<Description, String> {
    const METRICS: usize = 64;
    let of_metrics = wit.metrics.iter().map(|metric| metric.name.len() + metric.unit.len() + metric.summary.len());
    let texts = wit.name.len() + wit.version.len() + wit.summary.len() + wit.config_schema.len();
    let bytes = texts + of_metrics.sum::<usize>();
    if bytes > DESCRIPTION_BYTES {
        return Err(format!("{bytes} bytes of texts where {DESCRIPTION_BYTES} are allowed"));
    }
    check_name("name", &wit.name)?;
    if wit.metrics.len() > METRICS.min(limits.list) {
        return Err(format!("{} metrics where {METRICS} are allowed", wit.metrics.len()));
    }
    let mut metrics: Vec<Metric> = Vec::with_capacity(wit.metrics.len());
    for metric in wit.metrics {
        check_name("metric", &metric.name)?;
        if metrics.iter().any(|other| other.name == metric.name) {
            return Err(format!("metric `{}` stands twice", metric.name));
        }
        let kind = match metric.kind {
            wit::MetricKind::Mark => MetricKind::Mark,
            wit::MetricKind::Counter => MetricKind::Counter,
            wit::MetricKind::Observation => MetricKind::Observation,
            wit::MetricKind::Check => MetricKind::Check,
        };
        let (unit, summary) = (one_line(&metric.unit), one_line(&metric.summary));
        metrics.push(Metric { name: metric.name, kind, unit, summary });
    }
    if !wit.config_schema.is_empty()
        && let Err(error) = serde_json::from_str::<Value>(&wit.config_schema)
    {
        return Err(format!("the schema of its configuration is no JSON: {error}"));
    }
    Ok(Description {
        name: wit.name,
        version: one_line(&wit.version),
        summary: one_line(&wit.summary),
        metrics,
        config_schema: wit.config_schema,
    })
}

/// Reads a file of a bounded size; a pipe or a device that never ends is cut off there.
fn read(file: &Path) -> Result<Vec<u8>, (String, &'static str)> {
    let fail = |error: std::io::Error| (format!("cannot be read: {error}"), "check the path and its permissions");
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(file).map_err(fail)?;
    opened.take(FILE_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > FILE_BYTES {
        return Err((
            format!("has more than {} MiB, the most that is compiled", FILE_BYTES >> 20),
            "leave out debug information (`strip`), or split the plugin",
        ));
    }
    Ok(bytes)
}

/// What a plugin says of itself, as it may stand in a line.
fn one_line(text: &str) -> String {
    printable(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Names are what scenarios and thresholds write, so they are plain.
fn check_name(what: &str, name: &str) -> Result<(), String> {
    const LONGEST: usize = 64;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.is_empty() || name.len() > LONGEST || !name.chars().all(plain) {
        let shown: String = name.chars().take(LONGEST).collect();
        return Err(format!("{what} {shown:?}: 1 to {LONGEST} lower-case letters, digits and `_`"));
    }
    Ok(())
}

/// Lower-case hex.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compatible_version_fits_and_another_does_not() {
        assert!(fits("engine:workload/workload@0.1.0", EXPORT));
        assert!(fits("engine:workload/workload@0.1.3", EXPORT));
        assert!(!fits("engine:workload/workload@0.2.0", EXPORT));
        assert!(!fits("engine:workload/workload@0.10.0", EXPORT));
        assert!(!fits("engine:workload/workload", EXPORT));
    }

    #[test]
    fn the_interface_of_a_file_is_that_of_its_export() {
        let of = |export: &str| interface_of(&["other:package/x@1.0.0".to_owned(), export.to_owned()]);
        assert_eq!(of(EXPORT), INTERFACE);
        assert_eq!(of("engine:workload/workload@0.1.7"), "engine:workload@0.1.7");
    }

    #[test]
    fn files_that_are_no_components_are_told_apart() {
        let what = |bytes: &[u8]| identify(bytes).unwrap_err().0;
        assert_eq!(what(b""), "the file is empty");
        assert_eq!(what(b"#!/bin/sh"), "is not WebAssembly");
        assert_eq!(what(b"\0asm\x01\0\0\0"), "is a core WebAssembly module, not a component");
        assert_eq!(what(b"\0asm\x09\0\0\0"), "is WebAssembly of a version this engine does not know");
        assert!(identify(b"\0asm\x0d\0\x01\0").is_ok());
    }
}
