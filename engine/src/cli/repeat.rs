//! `engine run --repeat N`: one plan several times, and how far its figures lie apart.

use std::time::SystemTime;

use crate::report::{self, RunResult, Spread, spread_markdown};
use crate::scenario::Plan;

use super::args::Run;
use super::exit::{Exit, Failure};
use super::output;
use super::prepare::Plugins;
use super::run::{Concluded, once};

/// Runs the plan so many times, one after the other, in a folder of its own that in the end holds the spread.
///
/// # Errors
/// Whatever keeps a run from beginning, or results from being written; what earlier runs came to is there all the same.
pub(super) fn run(
    arguments: &Run,
    times: u32,
    plan: &Plan,
    plugins: &Plugins,
    descriptors: u64,
) -> Result<Exit, Failure> {
    let not_written = |error: report::ReportError| Failure::new(Exit::ResultsNotWritten, format!("error: {error}"));
    let folder = report::prepare(&arguments.results, &format!("{}-x{times}", plan.name), SystemTime::now());
    let folder = folder.map_err(not_written)?;
    let mut runs: Vec<(String, RunResult)> = Vec::new();
    let mut signal = None;
    let mut failure = None;
    for number in 1..=times {
        match once(arguments, plan, plugins, descriptors, folder.folder()) {
            Ok(Concluded { exit, result, folder }) => {
                let folder = folder.display().to_string();
                output::say(&format!("run {number} of {times}: {}; results in {folder}", result.judgement.verdict));
                runs.push((folder, result));
                if matches!(exit, Exit::Interrupted | Exit::Terminated) {
                    signal = Some(exit);
                    break;
                }
            }
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
    }
    let Some(spread) = Spread::of(times, &runs) else {
        folder.discard();
        return Err(failure.unwrap_or_else(|| Failure::new(Exit::Internal, "internal fault: no run")));
    };
    let written = report::write_spread(&folder, &spread);
    output::write_view(arguments.format, &spread, || Ok(spread_markdown(&spread)))?;
    written.map_err(not_written)?;
    output::say(&format!("spread in {}", folder.folder().display()));
    match failure {
        Some(failure) => Err(failure),
        None => Ok(Exit::of(spread.gravest(), signal)),
    }
}
