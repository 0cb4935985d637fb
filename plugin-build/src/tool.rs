//! Programs of other toolchains: whether they are there, and running them.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Fault;

/// A program with what is always said to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tool(Vec<String>);

impl Tool {
    /// A program and its first arguments.
    pub(crate) fn new<S: AsRef<str>>(words: &[S]) -> Self {
        Self(words.iter().map(|word| word.as_ref().to_owned()).collect())
    }

    /// Whether it can be started in a folder and is content with these arguments.
    pub(crate) fn answers(&self, folder: &Path, arguments: &[&str]) -> bool {
        let mut command = self.command(folder);
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    /// As a person would write it.
    pub(crate) fn shown(&self) -> String {
        self.0.join(" ")
    }

    /// A command in a folder, without input. What it prints goes to stderr: stdout is for what the engine prints.
    pub(crate) fn command(&self, folder: &Path) -> Command {
        let mut words = self.0.iter();
        let mut command = Command::new(words.next().map_or("", String::as_str));
        command.args(words).current_dir(folder).stdin(Stdio::null()).stdout(io::stderr());
        command
    }

    /// Runs it, its words on stderr.
    ///
    /// # Errors
    /// Where it cannot be started, or fails; `help` says what to do where it is not there.
    pub(crate) fn run<S: AsRef<OsStr>>(
        &self,
        folder: &Path,
        arguments: &[S],
        what: &str,
        help: &str,
    ) -> Result<(), Fault> {
        let mut command = self.command(folder);
        command.args(arguments);
        run(&mut command, what, help)
    }
}

/// Runs a command, its words on stderr; `what` is what it does, for the error.
///
/// # Errors
/// As [`Tool::run`].
pub(crate) fn run(command: &mut Command, what: &str, help: &str) -> Result<(), Fault> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Fault::plugin(format!("{what} failed"), "mend what is said above")),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(Fault::call(format!("{program} is not installed, or not in PATH"), help))
        }
        Err(error) => Err(Fault::call(format!("{program} cannot be started: {error}"), help)),
    }
}
