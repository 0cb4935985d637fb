//! `engine report`: an earlier run's report, rendered again.

use super::args::Report;
use super::exit::{Exit, Failure};
use super::output;

/// Renders the report of a result.
///
/// # Errors
/// Where there is no result, or it cannot be read.
pub(super) fn run(arguments: &Report) -> Result<Exit, Failure> {
    let result =
        crate::report::load(&arguments.result).map_err(|error| Failure::new(Exit::Usage, format!("error: {error}")))?;
    output::print(&result, arguments.format)?;
    Ok(Exit::Passed)
}
