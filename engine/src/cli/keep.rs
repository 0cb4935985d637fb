//! `engine try --record`: appends what happened to a file of cases, and looks whether the case repeats.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::author::Begin;
use crate::author::cases::{self, Case, Recording, Scrub};
use crate::plugin::{Metric, Plugin};
use crate::worker::Trace;

use super::exit::{Exit, Failure};
use super::{output, prepare};

/// What a new file begins with.
const HEAD: &str = "# Cases of a plugin (docs/cases.md):  engine plugin test PLUGIN.wasm --script THIS-FILE\n";

/// A file of cases that one more is going to be appended to.
pub(super) struct Keeper {
    file: PathBuf,
    names: Vec<String>,
}

/// What was seen of an iteration.
pub(super) struct Seen<'a> {
    pub(super) workload: &'a str,
    pub(super) config: &'a Value,
    pub(super) shared: Option<&'a Value>,
    pub(super) index: u64,
    pub(super) phase: &'a str,
    pub(super) trace: &'a Trace,
    /// Values of secrets that the scenario and setup know.
    pub(super) secrets: &'a [String],
}

impl Keeper {
    /// Looks at the file as it is.
    ///
    /// # Errors
    /// Where it is there and is no file of cases for a plugin with these metrics.
    pub(super) fn open(file: &Path, metrics: &[Metric]) -> Result<Self, Failure> {
        let known = std::fs::metadata(file);
        if known.as_ref().is_ok_and(|known| !known.is_file()) {
            return Err(Failure::new(
                Exit::Usage,
                format!("error: {} is no file that cases can be appended to\n  help: name a file", file.display()),
            ));
        }
        let is_new = known.map_or(true, |known| known.len() == 0);
        let cases = if is_new { Ok(Vec::new()) } else { cases::load(file, metrics) };
        let cases = cases.map_err(|faults| prepare::refused(&faults, Exit::Usage))?;
        Ok(Self { file: file.to_owned(), names: cases.into_iter().map(|case| case.name).collect() })
    }

    /// Appends the case, and says where it does not come out the same without network.
    ///
    /// # Errors
    /// Where it cannot be made or written.
    pub(super) fn keep(self, plugin: &Plugin, seen: &Seen<'_>) -> Result<(), Failure> {
        let shown = self.file.display();
        let metrics = &plugin.description.metrics;
        let outcome = seen.trace.outcome.as_deref().unwrap_or_default();
        let begin = Begin::Arrival {
            index: seen.index,
            seed: seen.trace.seed,
            phase: seen.phase.to_owned(),
            wall_time: seen.trace.wall_time,
        };
        let name = self.name(seen, outcome);
        let recording = Recording {
            name: &name,
            config: seen.config,
            shared: seen.shared,
            begin: &begin,
            tape: &seen.trace.tape,
            outcome,
            metrics,
        };
        let internal = |text: String| Failure::new(Exit::Internal, format!("internal fault: {text}"));
        let mask = recording.mask(seen.secrets).map_err(|error| internal(error.to_string()))?;
        let case = cases::record(&recording, Scrub { mask: &mask }).map_err(|why| {
            Failure::new(
                Exit::Failed,
                format!("error: nothing is recorded: {why}\n  help: record one that ends by itself"),
            )
        })?;
        let text = cases::write(&case);
        // What cannot be read back would take the file's other cases with it.
        let again = cases::read(&shown.to_string(), &text, metrics).map_err(|faults| internal(faults.to_string()))?;
        self.append(&text).map_err(|error| {
            Failure::new(
                Exit::ResultsNotWritten,
                format!("error: {shown} cannot be written: {error}\n  help: check the path and its permissions"),
            )
        })?;
        output::say(&format!("recorded case `{name}` in {shown}"));
        for result in again.iter().map(|case: &Case| cases::run(plugin, case)) {
            if !result.differences.is_empty() {
                let differences = cases::show(&shown.to_string(), &result, false);
                output::say(&format!(
                    "warning: the case does not come out the same without the target; lines count from its own first\n{}  help: what depends on a secret must be written by hand, such as \"***\" for any value",
                    output::printable(&differences)
                ));
            }
        }
        Ok(())
    }

    /// A name that no case of the file has.
    fn name(&self, seen: &Seen<'_>, outcome: &str) -> String {
        let name = format!("{}, arrival {}: {outcome}", seen.workload, seen.index);
        let mut numbered = std::iter::once(name.clone()).chain((2_u32..).map(|n| format!("{name} ({n})")));
        numbered.find(|name| !self.names.contains(name)).unwrap_or(name)
    }

    /// Appends a text, or leaves the file as it was.
    fn append(&self, text: &str) -> std::io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(&self.file)?;
        let length = file.metadata()?.len();
        let head = if length == 0 { HEAD } else { "" };
        let written = file.write_all(format!("{head}\n{text}").as_bytes()).and_then(|()| file.sync_all());
        if written.is_err() {
            // Half a case would make all of them unreadable.
            file.set_len(length)?;
        }
        written
    }
}
