//! `engine/benches/counts.toml`: what was counted when it was last accepted.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::{ACCEPT, CASES, FILE};

/// Instructions by case, and the compiler they were counted with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The version of the compiler, such as `1.95.0`: another one makes other code.
    pub rustc: String,
    /// The processor's architecture, as Rust names it.
    pub architecture: String,
    /// How much a count may grow before it is a fault, in per cent.
    pub room_percent: u64,
    /// Instructions of one turn, by case.
    pub instructions: BTreeMap<String, u64>,
}

/// The room that is written into the file: two counts of one program differ by a hundredth of it, those on another C library by more.
const ROOM_PERCENT: u64 = 2;

impl Limits {
    /// No counts yet, of the compiler and the processor that are used here.
    ///
    /// # Errors
    /// Where there is no compiler.
    pub fn of_this_compiler() -> anyhow::Result<Self> {
        let said = Command::new("rustc").arg("--version").output().context("starting rustc")?;
        let said = String::from_utf8_lossy(&said.stdout);
        let rustc = said.split(' ').nth(1).context("rustc does not say its version")?.to_owned();
        let architecture = std::env::consts::ARCH.to_owned();
        Ok(Self { rustc, architecture, room_percent: ROOM_PERCENT, instructions: BTreeMap::new() })
    }

    /// Reads the committed counts.
    ///
    /// # Errors
    /// Where they cannot be read, or are not of this processor's architecture.
    pub fn read(root: &Path) -> anyhow::Result<Self> {
        let text = fs::read_to_string(root.join(FILE)).with_context(|| format!("reading {FILE}"))?;
        let limits: Self = toml::from_str(&text).with_context(|| format!("reading {FILE}"))?;
        let here = std::env::consts::ARCH;
        anyhow::ensure!(limits.architecture == here, "{FILE} is of {}, and this is {here}", limits.architecture);
        Ok(limits)
    }

    /// Writes these counts as the committed ones.
    ///
    /// # Errors
    /// Where they cannot be written.
    pub fn write(&self, root: &Path) -> anyhow::Result<()> {
        let body = toml::to_string(self).context("writing the counts")?;
        let text = format!("# Instructions of one turn of each case of counts.rs. Written by `{ACCEPT}`.\n{body}");
        fs::write(root.join(FILE), text).with_context(|| format!("writing {FILE}"))
    }

    /// What has grown beyond its room since these were accepted.
    pub fn faults(&self, counts: &Self) -> Vec<String> {
        let mut faults = Vec::new();
        for (case, what) in CASES {
            let Some(&now) = counts.instructions.get(case) else {
                faults.push(format!("{case}: was not counted"));
                continue;
            };
            let Some(&before) = self.instructions.get(case) else {
                faults.push(format!("{case}: {FILE} has no count of it; run `{ACCEPT}` and commit the file"));
                continue;
            };
            if now * 100 > before * (100 + self.room_percent) {
                faults.push(format!(
                    "{case}: {what} grew from {before} to {now} instructions, by {:.1} % where {} % are allowed; \
                     `callgrind_annotate target/counts/{case}.out` says where they are; if it must be so, run `{ACCEPT}`, \
                     commit {FILE} and say why{}",
                    change(before, now),
                    self.room_percent,
                    self.other_compiler(counts),
                ));
            }
        }
        faults
    }

    fn other_compiler(&self, counts: &Self) -> String {
        if self.rustc == counts.rustc {
            return String::new();
        }
        format!(" (the counts are of rustc {}, this is {}: that alone may be the cause)", self.rustc, counts.rustc)
    }
}

/// The counts as a table; those that fell by more than the room say so, for they are worth keeping.
pub fn remarks(limits: &Limits, counts: &Limits) -> Vec<String> {
    let line = |(case, what): (&str, &str)| {
        let now = counts.instructions.get(case)?;
        let before = limits.instructions.get(case).unwrap_or(now);
        let fell = now * (100 + limits.room_percent) < before * 100;
        let hint = if fell { format!("; keep it with `{ACCEPT}`") } else { String::new() };
        Some(format!("{case:<12} {now:>8} {:>+6.1} %  {what}{hint}", change(*before, *now)))
    };
    CASES.into_iter().filter_map(line).collect()
}

/// In per cent.
fn change(before: u64, now: u64) -> f64 {
    (now as f64 / before as f64 - 1.0) * 100.0
}
