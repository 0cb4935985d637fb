//! What goes to stdout and stderr.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use super::args::Format;
use super::exit::{Exit, Failure};
use crate::report::{RunResult, coloured, markdown};

/// Prints a result, with colours on a terminal only.
///
/// # Errors
/// Where it cannot be rendered or written.
pub(super) fn print(result: &RunResult, format: Format) -> Result<(), Failure> {
    let text = match format {
        Format::Text => {
            let text = markdown(result).map_err(|error| Failure::new(Exit::Internal, error.to_string()))?;
            let colours = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            if colours { coloured(&text) } else { text }
        }
        Format::Json => {
            let json = serde_json::to_string_pretty(result);
            json.map_err(|error| Failure::new(Exit::Internal, format!("no JSON of the result: {error}")))? + "\n"
        }
    };
    write(&text)
}

/// A text of others' making without what a terminal would obey: control characters but line ends and tabs are escaped.
pub(super) fn printable(text: &str) -> Cow<'_, str> {
    let obeyed = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(obeyed) {
        return Cow::Borrowed(text);
    }
    let escaped = text.chars().map(|c| if obeyed(c) { c.escape_default().to_string() } else { c.to_string() });
    Cow::Owned(escaped.collect())
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
