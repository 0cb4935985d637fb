//! What goes to stdout and stderr.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use super::args::Format;
use super::exit::{Exit, Failure};
use crate::report::{RunResult, coloured, markdown};

pub(super) use crate::printable::printable;

/// Prints a result, with colours on a terminal only.
///
/// # Errors
/// Where it cannot be rendered or written.
pub(super) fn print(result: &RunResult, format: Format) -> Result<(), Failure> {
    let text = || markdown(result).map_err(|error| Failure::new(Exit::Internal, error.to_string()));
    write_view(format, result, text)
}

/// Prints a data set, or its text with colours on a terminal only.
///
/// # Errors
/// As [`print`].
pub(super) fn write_view(
    format: Format,
    data: &impl Serialize,
    text: impl FnOnce() -> Result<String, Failure>,
) -> Result<(), Failure> {
    let text = match format {
        Format::Text => {
            let text = text()?;
            let colours = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            if colours { coloured(&text) } else { text }
        }
        Format::Json => {
            let json = serde_json::to_string_pretty(data);
            json.map_err(|error| Failure::new(Exit::Internal, format!("no JSON of the result: {error}")))? + "\n"
        }
    };
    write(&text)
}

/// Writes a line to stderr. What is said there is for people: where it cannot be written, nobody is there to read it, and
/// the run goes on.
pub(super) fn say(line: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(line.as_bytes()).and_then(|()| stderr.write_all(b"\n"));
}

/// Writes a text to stdout. A reader that has gone away is no error.
///
/// # Errors
/// Where stdout cannot be written to.
pub(super) fn write(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(Exit::ResultsNotWritten, format!("stdout cannot be written to: {error}")))
        }
        _ => Ok(()),
    }
}
