//! `engine plugin check`: what any plugin must do, whatever comes, as a list of checks.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use serde_json::Value;

use crate::author::cases::{self, Case};
use crate::author::conform::{self, CheckVerdict, Subject};
use crate::plugin::{Plugin, Refused};

use crate::cli::args::Format;
use crate::cli::exit::{Exit, Failure};
use crate::cli::{output, prepare};

/// Lines of a story that are shown: the last ones.
const STORY: usize = 16;

/// `engine plugin check`.
#[derive(Debug, Args)]
pub(in crate::cli) struct Check {
    /// Plugin file (.wasm)
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Cases (TOML, docs/cases.md) of which one is taken for its configuration and its answers, beside plain answers
    #[arg(long, value_name = "CASES")]
    script: Option<PathBuf>,

    /// Which case of --script; the first where absent
    #[arg(long, value_name = "NAME", requires = "script")]
    case: Option<String>,

    /// Configuration as a JSON object; that of the case, else an empty one where absent
    #[arg(long, value_name = "JSON")]
    config: Option<String>,

    /// What setup would have shared, as a JSON object
    #[arg(long, value_name = "JSON")]
    shared: Option<String>,

    /// Seed of all randomness
    #[arg(long, value_name = "N", default_value_t = 42)]
    seed: u64,

    /// Host, as HOST or HOST:PORT, that it may ask beside the target (repeatable)
    #[arg(long = "allow-host", value_name = "HOST")]
    hosts: Vec<String>,

    /// In which form
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// All checks, for machines.
#[derive(Serialize)]
struct Sheet<'a> {
    file: String,
    plugin: &'a str,
    version: &'a str,
    seed: u64,
    passed: bool,
    checks: &'a [conform::Check],
}

/// Checks a plugin. Ends with the status of a plugin's faults where a check failed.
///
/// # Errors
/// A file that is no plugin, a configuration that is none, or that the plugin refuses.
pub(super) fn run(arguments: &Check) -> Result<Exit, Failure> {
    let config = object("--config", arguments.config.as_deref())?;
    let shared = object("--shared", arguments.shared.as_deref())?;
    let plugin = super::load(&arguments.file)?;
    let case =
        arguments.script.as_deref().map(|script| case(script, arguments.case.as_deref(), &plugin)).transpose()?;
    let config = config.or(case.as_ref().map(|case| case.config.to_string())).unwrap_or_else(|| "{}".to_owned());
    let shared = shared.or(case.as_ref().and_then(|case| Some(case.shared.as_ref()?.to_string())));
    let script = case.as_ref().map(cases::answers_of).unwrap_or_default();
    let subject = Subject {
        plugin: &plugin,
        config: &config,
        shared: shared.as_deref(),
        seed: arguments.seed,
        hosts: &arguments.hosts,
        script: &script,
    };
    let checks = conform::check(&subject).map_err(|refused| refusal(arguments, &plugin, &refused))?;
    let passed = checks.iter().all(|check| check.verdict != CheckVerdict::Failed);
    let text = match arguments.format {
        Format::Text => text(&plugin, &checks, passed),
        Format::Json => {
            let sheet = Sheet {
                file: plugin.file.display().to_string(),
                plugin: &plugin.description.name,
                version: &plugin.description.version,
                seed: arguments.seed,
                passed,
                checks: &checks,
            };
            let json = serde_json::to_string_pretty(&sheet);
            json.map_err(|error| Failure::new(Exit::Internal, format!("no JSON of the checks: {error}")))? + "\n"
        }
    };
    output::write(&output::printable(&text))?;
    Ok(if passed { Exit::Passed } else { Exit::PluginFaults })
}

/// A case of a file: the one of that name, else the first.
///
/// # Errors
/// Where the file cannot be read, or has no such case.
fn case(script: &Path, name: Option<&str>, plugin: &Plugin) -> Result<Case, Failure> {
    let cases =
        cases::load(script, &plugin.description.metrics).map_err(|faults| prepare::refused(&faults, Exit::Usage))?;
    let known: Vec<_> = cases.iter().map(|case| format!("`{}`", case.name)).collect();
    let known = known.join(", ");
    cases.into_iter().find(|case| name.is_none_or(|name| case.name == name)).ok_or_else(|| {
        let name = name.unwrap_or_default();
        Failure::new(
            Exit::Usage,
            format!("error: there is no case `{name}` in {}\n  help: it has {known}", script.display()),
        )
    })
}

/// The JSON object an option gives.
///
/// # Errors
/// Where it is none.
pub(super) fn object(option: &str, text: Option<&str>) -> Result<Option<String>, Failure> {
    let Some(text) = text else { return Ok(None) };
    let what = match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(_)) => return Ok(Some(text.to_owned())),
        Ok(_) => "is not a JSON object".to_owned(),
        Err(error) => format!("is not JSON: {error}"),
    };
    Err(Failure::new(
        Exit::Usage,
        format!("error: {option} {what}\n  help: for example {option} '{{\"path\": \"/\"}}'"),
    ))
}

/// A plugin that takes no configuration cannot be checked. Without one of the user's that is a usage error, which says
/// what the plugin needs.
fn refusal(arguments: &Check, plugin: &Plugin, refused: &Refused) -> Failure {
    let name = &plugin.description.name;
    if arguments.config.is_some() || arguments.script.is_some() || matches!(refused, Refused::Fault(_)) {
        let help = "give another with --config; `engine plugin inspect` lists its keys";
        return Failure::new(
            Exit::PluginRefused,
            format!("error: plugin `{name}` does not take the configuration: {refused}\n  help: {help}"),
        );
    }
    let keys = plugin.description.config_keys().unwrap_or_default();
    let required: Vec<_> = keys.iter().filter(|key| key.required).map(|key| format!("`{}`", key.name)).collect();
    let help = if required.is_empty() {
        let all: Vec<_> = keys.iter().map(|key| format!("`{}`", key.name)).collect();
        format!(
            "give one with --config JSON, or --shared JSON with what its setup shares; its keys are {}",
            all.join(", ")
        )
    } else {
        format!("give one with --config JSON; it requires {}", required.join(", "))
    };
    Failure::new(
        Exit::Usage,
        format!("error: plugin `{name}` does not take an empty configuration: {refused}\n  help: {help}"),
    )
}

fn text(plugin: &Plugin, checks: &[conform::Check], passed: bool) -> String {
    let mut text = format!("{} {}: {}\n", plugin.description.name, plugin.description.version, plugin.file.display());
    for check in checks {
        let verdict = match check.verdict {
            CheckVerdict::Ok => "ok",
            CheckVerdict::Failed => "FAILED",
            CheckVerdict::Skipped => "skipped",
        };
        let _ = writeln!(text, "  {verdict:<8} {:<26} {}", check.name, check.seen.replace('\n', "\n             "));
        if !check.help.is_empty() {
            let _ = writeln!(text, "           help: {}", check.help);
        }
        let left_out = check.story.len().saturating_sub(STORY);
        if left_out > 0 {
            let _ = writeln!(text, "             | … {left_out} earlier lines (--format json has more)");
        }
        for line in &check.story[left_out..] {
            let _ = writeln!(text, "             | {line}");
        }
    }
    let failed = checks.iter().filter(|check| check.verdict == CheckVerdict::Failed).count();
    let verdict = if passed { "passed".to_owned() } else { format!("{failed} of {} checks failed", checks.len()) };
    let _ = writeln!(text, "\nverdict: {verdict}");
    text
}
