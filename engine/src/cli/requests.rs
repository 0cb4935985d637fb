//! `engine run --requests`: the run's own books beside its result.

use crate::books::{Names, REQUESTS_FILE, Writer};
use crate::clock::Monotonic;
use crate::report::{Mask, Prepared};
use crate::scenario::Plan;

use super::args::Run;
use super::exit::{Exit, Failure};

/// Makes the file, where it was asked for.
///
/// # Errors
/// Where it cannot be made: before the load, so that no run is lost to it.
pub(super) fn open(
    arguments: &Run,
    plan: &Plan,
    prepared: &Prepared,
    clock: Monotonic,
    mask: &Mask,
) -> Result<Option<Writer>, Failure> {
    if !arguments.requests {
        return Ok(None);
    }
    let path = prepared.folder().join(REQUESTS_FILE);
    let names = Names {
        workloads: plan.workloads.iter().map(|workload| workload.name.clone()).collect(),
        phases: plan.phases.iter().map(|phase| phase.name.clone()).collect(),
    };
    Writer::create(&path, names, clock.anchor(), mask.clone()).map(Some).map_err(|error| {
        let text = format!(
            "error: cannot write {}: {error}\n  help: make the folder writable, free some space, or run without --requests",
            path.display()
        );
        Failure::new(Exit::ResultsNotWritten, text)
    })
}

/// Writes the rest of the file, and says for the report what is in it, or missing.
pub(super) fn close(books: Writer) -> String {
    let run = books.run().as_str().to_owned();
    let closed = books.close();
    let lost = closed.end.lost;
    match closed.problem {
        Some(error) => {
            format!("{REQUESTS_FILE} is not whole and cannot be verified: it could not be written: {error}")
        }
        None if lost > 0 => format!(
            "{REQUESTS_FILE} lacks {lost} lines, since the disk could not keep up, and cannot be verified: choose a \
             faster one with --results"
        ),
        None => format!(
            "each request carried the field x-request-id, of run {run} where its plugin gave it none, and is in \
             {REQUESTS_FILE} with its arrival ({} exchanges)",
            closed.end.requests
        ),
    }
}
