//! `engine plugin test`: runs the cases of a file against a plugin, without network, and shows what differs.

use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::author::cases::{self, Case, CaseResult};

use crate::cli::args::Format;
use crate::cli::exit::{Exit, Failure};
use crate::cli::{output, prepare};

/// `engine plugin test`.
#[derive(Debug, Args)]
pub(in crate::cli) struct Test {
    /// Plugin file (.wasm)
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Cases (TOML, docs/cases.md); `engine try --record` writes them
    #[arg(long, value_name = "CASES")]
    script: PathBuf,

    /// Only the case of this name (repeatable)
    #[arg(long = "case", value_name = "NAME")]
    cases: Vec<String>,

    /// In which form
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// All results, for machines.
#[derive(Serialize)]
struct Sheet<'a> {
    file: String,
    plugin: &'a str,
    version: &'a str,
    script: String,
    passed: usize,
    failed: usize,
    cases: Vec<Row<'a>>,
}

/// A case, for machines.
#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    line: usize,
    passed: bool,
    differences: Vec<Unlike<'a>>,
    story: &'a [String],
}

/// What is not as expected, for machines.
#[derive(Serialize)]
struct Unlike<'a> {
    line: usize,
    part: &'a str,
    expected: &'a str,
    got: &'a str,
}

/// Runs cases. Ends with the status of what failed where one did.
///
/// # Errors
/// A file that is no plugin, cases that cannot be read, a name that no case has.
pub(super) fn run(arguments: &Test) -> Result<Exit, Failure> {
    let plugin = super::load(&arguments.file)?;
    let cases = cases::load(&arguments.script, &plugin.description.metrics)
        .map_err(|faults| prepare::refused(&faults, Exit::Usage))?;
    let chosen = chosen(arguments, &cases)?;
    let results: Vec<CaseResult> = chosen.into_iter().map(|case| cases::run(&plugin, case)).collect();
    let failed = results.iter().filter(|result| !result.differences.is_empty()).count();
    let script = arguments.script.display().to_string();
    let description = &plugin.description;
    // Colours of our own come after what others wrote was made harmless.
    let text = match arguments.format {
        Format::Text => {
            let coloured = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            let mut text = format!("{} {}: {script}\n", description.name, description.version);
            for result in &results {
                text.push_str(&cases::show(&script, &printable(result), coloured));
            }
            let _ = writeln!(text, "\nverdict: {} of {} cases passed", results.len() - failed, results.len());
            text
        }
        Format::Json => {
            let sheet = Sheet {
                file: plugin.file.display().to_string(),
                plugin: &description.name,
                version: &description.version,
                script,
                passed: results.len() - failed,
                failed,
                cases: results.iter().map(row).collect(),
            };
            let json = serde_json::to_string_pretty(&sheet);
            json.map_err(|error| Failure::new(Exit::Internal, format!("no JSON of the results: {error}")))? + "\n"
        }
    };
    output::write(&text)?;
    Ok(if failed == 0 { Exit::Passed } else { Exit::Failed })
}

/// The cases that are named; all where none is.
fn chosen<'a>(arguments: &Test, cases: &'a [Case]) -> Result<Vec<&'a Case>, Failure> {
    if let Some(name) = arguments.cases.iter().find(|name| !cases.iter().any(|case| case.name == **name)) {
        let known: Vec<_> = cases.iter().map(|case| format!("`{}`", case.name)).collect();
        return Err(Failure::new(
            Exit::Usage,
            format!(
                "error: there is no case `{name}` in {}\n  help: it has {}",
                arguments.script.display(),
                known.join(", ")
            ),
        ));
    }
    let named = |case: &&Case| arguments.cases.is_empty() || arguments.cases.contains(&case.name);
    Ok(cases.iter().filter(named).collect())
}

/// A result without what a terminal would obey.
fn printable(result: &CaseResult) -> CaseResult {
    let plain = |text: &str| output::printable(text).into_owned();
    let mut result = result.clone();
    result.name = plain(&result.name);
    for difference in &mut result.differences {
        difference.expected = plain(&difference.expected);
        difference.got = plain(&difference.got);
    }
    result.story = result.story.iter().map(|line| plain(line)).collect();
    result
}

fn row(result: &CaseResult) -> Row<'_> {
    Row {
        name: &result.name,
        line: result.line,
        passed: result.differences.is_empty(),
        differences: result
            .differences
            .iter()
            .map(|difference| Unlike {
                line: difference.line,
                part: &difference.part,
                expected: &difference.expected,
                got: &difference.got,
            })
            .collect(),
        story: &result.story,
    }
}
