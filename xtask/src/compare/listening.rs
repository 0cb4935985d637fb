//! A target's process, from the line in which it says where it listens to its end.

use std::io::{BufRead, BufReader};
use std::process::Child;

use anyhow::{Context, Result};

/// A target that runs until this is dropped.
#[derive(Debug)]
pub(super) struct Listening {
    pub(super) process: Child,
    pub(super) url: String,
}

impl Listening {
    /// A process just started, its stdout piped, once it has said that it listens.
    pub(super) fn of(process: Child) -> Result<Self> {
        let mut target = Self { process, url: String::new() };
        let mut line = String::new();
        BufReader::new(target.process.stdout.take().context("piped")?).read_line(&mut line)?;
        line.trim().strip_prefix("listening on ").context("the target does not listen")?.clone_into(&mut target.url);
        Ok(target)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // Already gone where it was stopped or has failed.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
