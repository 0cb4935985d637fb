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
    for (position, file) in arguments.journals.iter().enumerate() {
        let same = |other: &std::path::PathBuf| same_file(file, other);
        if arguments.journals[..position].iter().any(same) {
            let text =
                format!("error: the journal {} is given twice\n  help: give each stub's journal once", file.display());
            return Err(Failure::new(Exit::Usage, text));
        }
    }
    let journals: Result<Vec<_>, _> = arguments.journals.iter().map(|file| Journal::load(file)).collect();
    let verification = books::verify(&own, journals.map_err(refused)?, &result).map_err(refused)?;
    output::write_view(arguments.format, &verification, || Ok(books::text(&verification)))?;
    Ok(match verification.verdict {
        Verdict::Passed => Exit::Passed,
        Verdict::Failed => Exit::Failed,
        Verdict::NotChecked => Exit::NotMeasured,
    })
}

/// Whether two paths name one file, by whatever way.
fn same_file(one: &Path, other: &Path) -> bool {
    one.canonicalize().ok().is_some_and(|one| other.canonicalize().is_ok_and(|other| one == other))
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
