//! `engine verify`: a run's own books, held against a stub's journal.

use std::path::Path;

use super::args::Verify;
use super::exit::{Exit, Failure};
use super::output;
use crate::books::{self, Books, BooksError, Journal, Verdict};

/// Joins both sides of a run and shows how they compare.
///
/// # Errors
/// Where a file is missing, cut short, something else, or of another run.
pub(super) fn run(arguments: &Verify) -> Result<Exit, Failure> {
    let refused = |error: BooksError| Failure::new(Exit::Usage, format!("error: {error}"));
    let result =
        crate::report::load(&arguments.result).map_err(|error| Failure::new(Exit::Usage, format!("error: {error}")))?;
    let folder = folder(&arguments.result);
    let own = Books::load(folder).map_err(refused)?;
    let journals: Result<Vec<_>, _> = arguments.journals.iter().map(|file| Journal::load(file)).collect();
    let verification = books::verify(&own, journals.map_err(refused)?, &result).map_err(refused)?;
    output::write_view(arguments.format, &verification, || Ok(books::text(&verification)))?;
    Ok(match verification.verdict {
        Verdict::Passed => Exit::Passed,
        Verdict::Failed => Exit::Failed,
        Verdict::NotChecked => Exit::NotMeasured,
    })
}

/// The folder of a result that is given as such, or by its `result.json`.
fn folder(result: &Path) -> &Path {
    let is_file = !result.is_dir();
    let parent = result.parent().filter(|_| is_file);
    match parent {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => result,
    }
}
