//! The stub as a target, and what it saw.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, ensure};
use serde_json::Value;

use super::listening::Listening;

/// A request as the target saw it, in nanoseconds of the monotonic clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// When it arrived.
    pub(super) arrived_ns: u64,
    /// When the last byte of its answer was handed to the socket; none where it never was.
    pub(super) finished_ns: Option<u64>,
}

/// A stub that runs until [`Target::stop`], or until this is dropped.
pub(super) struct Target {
    stub: Listening,
    folder: tempfile::TempDir,
}

impl Target {
    /// Starts one, which stalls from and to then, counted from its first request.
    pub(super) fn start(root: &Path, stall: Option<&str>) -> Result<Self> {
        let program = root.join("target/release/stub-model");
        ensure!(program.exists(), "{} is not there: cargo build --release -p stub-model", program.display());
        let folder = tempfile::tempdir()?;
        let mut command = Command::new(program);
        command.args(["small", "--listen", "127.0.0.1:0", "--die-with-parent", "--journal"]);
        command.arg(folder.path().join("journal"));
        if let Some(stall) = stall {
            command.args(["--stall", stall]);
        }
        let stub = Listening::of(command.stdout(Stdio::piped()).spawn()?)?;
        Ok(Self { stub, folder })
    }

    pub(super) fn url(&self) -> &str {
        &self.stub.url
    }

    /// Stops it. What its journal has.
    pub(super) fn stop(mut self) -> Result<Vec<Seen>> {
        let stopped = Command::new("kill").arg(self.stub.process.id().to_string()).status()?;
        ensure!(stopped.success(), "the stub could not be stopped");
        let status = self.stub.process.wait()?;
        ensure!(status.success(), "the stub ended with {status}");
        let journal = std::fs::read_to_string(self.folder.path().join("journal"))?;
        let mut seen = Vec::new();
        for line in journal.lines() {
            let line: Value = serde_json::from_str(line)?;
            // The head and the last line are of no request.
            if let Some(arrived_ns) = line["arrived_ns"].as_u64() {
                seen.push(Seen { arrived_ns, finished_ns: line["finished_ns"].as_u64() });
            }
        }
        Ok(seen)
    }
}
