//! A file that another program makes, and that is gone once it has been read.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::Command;

use crate::{Fault, Running};

/// A program that makes a file.
pub(crate) struct Maker<'a> {
    /// What it does, for the error.
    pub(crate) what: &'a str,
    /// What to do where it is not there.
    pub(crate) help: &'a str,
    /// Through what it runs.
    pub(crate) running: &'a Running,
}

impl Maker<'_> {
    /// What a command writes to the path that it is made for, its words on stderr. Nothing of it is left in the plugin's folder,
    /// and nothing among temporary files.
    ///
    /// # Errors
    /// Where it cannot be started, fails or writes nothing.
    pub(crate) fn make(&self, folder: &Path, command: impl FnOnce(&Path) -> Command) -> Result<Vec<u8>, Fault> {
        let failed = |error: io::Error| {
            Fault::call(format!("no temporary file can be made: {error}"), "free some disk space, or set TMPDIR")
        };
        let place = tempfile::tempdir().map_err(failed)?;
        let out = place.path().join("plugin.wasm");
        // Temporary files of its own go with the folder, also where it is ended before it removes them.
        self.run(command(&out).env("TMPDIR", place.path()))?;
        // A pipe or a device would never end.
        let regular = fs::symlink_metadata(&out).is_ok_and(|metadata| metadata.is_file());
        let read = if regular { fs::read(&out) } else { Err(ErrorKind::NotFound.into()) };
        read.map_err(|error| {
            Fault::plugin(
                format!("the build in {} ended well and wrote nothing: {error}", folder.display()),
                "look at what it says above",
            )
        })
    }

    fn run(&self, command: &mut Command) -> Result<(), Fault> {
        let program = command.get_program().to_string_lossy().into_owned();
        match self.running.status(command) {
            Ok(status) if status.success() => Ok(()),
            Ok(_) => Err(Fault::plugin(format!("{} failed", self.what), "mend what is said above")),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(Fault::call(format!("{program} is not installed, or not in PATH"), self.help))
            }
            Err(error) => Err(Fault::call(format!("{program} cannot be started: {error}"), self.help)),
        }
    }
}
