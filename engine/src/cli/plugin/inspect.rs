//! `engine plugin inspect`: what a plugin is, and what it says of itself.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use serde_json::Value;

use crate::plugin::{Description, Host, INTERFACE, Limits, Metric, Plugin};

use crate::cli::args::Format;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output;

/// `engine plugin inspect`.
#[derive(Debug, Args)]
pub(in crate::cli) struct Inspect {
    /// Plugin file (.wasm)
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// In which form
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// A plugin, for machines.
#[derive(Serialize)]
struct Sheet<'a> {
    file: String,
    name: &'a str,
    version: &'a str,
    summary: &'a str,
    interface: &'a str,
    bytes: usize,
    sha256: &'a str,
    imports: &'a [String],
    exports: &'a [String],
    metrics: &'a [Metric],
    /// The JSON Schema of its configuration; null where it has none.
    config_schema: Value,
}

/// Shows a plugin.
///
/// # Errors
/// A file that is no plugin, or that this engine cannot use.
pub(super) fn run(arguments: &Inspect) -> Result<Exit, Failure> {
    let host = Host::new(Limits::default(), None)?;
    let plugin =
        host.load(&arguments.file).map_err(|refusal| Failure::new(Exit::PluginRefused, format!("error: {refusal}")))?;
    let description = &plugin.description;
    let sheet = Sheet {
        file: plugin.file.display().to_string(),
        name: &description.name,
        version: &description.version,
        summary: &description.summary,
        interface: INTERFACE,
        bytes: plugin.size,
        sha256: &plugin.sha256,
        imports: &plugin.imports,
        exports: &plugin.exports,
        metrics: &description.metrics,
        config_schema: serde_json::from_str(&description.config_schema).unwrap_or_default(),
    };
    let text = match arguments.format {
        Format::Text => text(&sheet, &plugin),
        Format::Json => {
            let json = serde_json::to_string_pretty(&sheet);
            json.map_err(|error| Failure::new(Exit::Internal, format!("no JSON of the plugin: {error}")))? + "\n"
        }
    };
    output::write(&text).map(|()| Exit::Passed)
}

fn text(sheet: &Sheet<'_>, plugin: &Plugin) -> String {
    let mut text = format!("{} {}: {}\n", sheet.name, sheet.version, sheet.summary);
    let _ = writeln!(text, "  file       {}, {} bytes", sheet.file, sheet.bytes);
    let _ = writeln!(text, "  SHA-256    {}", sheet.sha256);
    let _ = writeln!(text, "  interface  {}", sheet.interface);
    let _ = writeln!(text, "  imports    {}", sheet.imports.join(", "));
    if !sheet.metrics.is_empty() {
        text.push_str("\nmetrics\n");
    }
    for metric in sheet.metrics {
        let unit = if metric.unit.is_empty() { String::new() } else { format!(" ({})", metric.unit) };
        let _ = writeln!(text, "  {:<22} {:<12} {}{unit}", metric.name, metric.kind.as_str(), metric.summary);
    }
    text.push_str(&config(&plugin.description));
    text
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
