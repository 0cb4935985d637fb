//! Programs of other toolchains, and whether they are there.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Running;

/// A program with what is always said to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tool(Vec<String>);

impl Tool {
    /// A program and its first arguments.
    pub(crate) fn new<S: AsRef<str>>(words: &[S]) -> Self {
        Self(words.iter().map(|word| word.as_ref().to_owned()).collect())
    }

    /// Whether it can be started in a folder and is content with these arguments.
    pub(crate) fn answers(&self, folder: &Path, arguments: &[&str], running: &Running) -> bool {
        let mut command = self.command(folder);
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        running.status(&mut command).is_ok_and(|status| status.success())
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
}
