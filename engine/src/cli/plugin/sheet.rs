//! A plugin's sheet: what it is, where it comes from and what it says of itself, for people and for machines.

use std::fmt::Write as _;

use bytesize::ByteSize;
use serde::Serialize;
use serde_json::Value;

use crate::cli::args::Format;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output;
use crate::plugin::{Description, INTERFACE, Metric, Origin, Plugin, Tool};

/// A plugin, for machines.
#[derive(Serialize)]
struct Sheet<'a> {
    file: String,
    name: &'a str,
    version: &'a str,
    summary: &'a str,
    /// The interface the file was built against, and the one this engine speaks.
    interface: &'a str,
    engine_interface: &'a str,
    bytes: usize,
    sha256: &'a str,
    /// Bytes of memory it has from the start; null where that cannot be told.
    memory: Option<u64>,
    origin: &'a Origin,
    imports: &'a [String],
    exports: &'a [String],
    metrics: &'a [Metric],
    /// The JSON Schema of its configuration; null where it has none.
    config_schema: Value,
}

/// Prints a plugin's sheet.
///
/// # Errors
/// Where stdout cannot be written to.
pub(super) fn print(plugin: &Plugin, format: Format) -> Result<Exit, Failure> {
    let text = match format {
        Format::Text => text(plugin),
        Format::Json => json(plugin)?,
    };
    output::write(&output::printable(&text)).map(|()| Exit::Passed)
}

fn json(plugin: &Plugin) -> Result<String, Failure> {
    let description = &plugin.description;
    let sheet = Sheet {
        file: plugin.file.display().to_string(),
        name: &description.name,
        version: &description.version,
        summary: &description.summary,
        interface: &plugin.interface,
        engine_interface: INTERFACE,
        bytes: plugin.size,
        sha256: &plugin.sha256,
        memory: plugin.memory,
        origin: &plugin.origin,
        imports: &plugin.imports,
        exports: &plugin.exports,
        metrics: &description.metrics,
        config_schema: serde_json::from_str(&description.config_schema).unwrap_or_default(),
    };
    let json = serde_json::to_string_pretty(&sheet);
    Ok(json.map_err(|error| Failure::new(Exit::Internal, format!("no JSON of the plugin: {error}")))? + "\n")
}

fn text(plugin: &Plugin) -> String {
    let Description { name, version, summary, metrics, .. } = &plugin.description;
    let mut text = format!("{name} {version}: {summary}\n");
    let mut line = |key: &str, value: &str| {
        let _ = writeln!(text, "  {key:<9}  {value}");
    };
    line("file", &format!("{}, {} bytes", plugin.file.display(), plugin.size));
    line("SHA-256", &plugin.sha256);
    let other = if plugin.interface == INTERFACE { String::new() } else { format!(" (this engine: {INTERFACE})") };
    line("interface", &format!("{}{other}", plugin.interface));
    line("imports", &plugin.imports.join(", "));
    if let Some(bytes) = plugin.memory {
        line("memory", &format!("{} from the start", ByteSize(bytes)));
    }
    let Origin { authors, licence, source, revision, homepage, tools, .. } = &plugin.origin;
    let said = [
        ("authors", authors),
        ("licence", licence),
        ("source", source),
        ("revision", revision),
        ("homepage", homepage),
    ];
    for (key, value) in said {
        if let Some(value) = value {
            line(key, value);
        }
    }
    if !tools.is_empty() {
        line("tools", &tools.iter().map(tool).collect::<Vec<_>>().join(", "));
    }
    if !metrics.is_empty() {
        text.push_str("\nmetrics\n");
    }
    for metric in metrics {
        let unit = if metric.unit.is_empty() { String::new() } else { format!(" ({})", metric.unit) };
        let _ = writeln!(text, "  {:<22} {:<12} {}{unit}", metric.name, metric.kind.as_str(), metric.summary);
    }
    text.push_str(&config(&plugin.description));
    text
}

/// A tool with its version, without what stands behind that in brackets.
fn tool(tool: &Tool) -> String {
    let version = tool.version.split(" (").next().unwrap_or_default();
    format!("{} {version}", tool.name).trim_end().to_owned()
}

/// The keys of a configuration, as far as its schema is that of a table.
fn config(description: &Description) -> String {
    let Some(keys) = description.config_keys() else {
        return if description.config_schema.is_empty() {
            String::new()
        } else {
            "\nconfig\n  described by a schema: --format json shows it\n".to_owned()
        };
    };
    let mut text = "\nconfig\n".to_owned();
    for key in keys {
        let default = if key.required { "required".to_owned() } else { key.default.unwrap_or_default() };
        let _ = writeln!(text, "  {:<22} {default:<12} {}", key.name, key.about);
    }
    text
}
