//! Conformance: a list of named checks on what any plugin must do, whatever comes.

mod bench;
mod course;
mod frees;
mod identity;
mod limits;
mod repeats;

use serde::Serialize;

use crate::plugin::{Plugin, Refused};
use crate::schedule::arrival_seed;

use super::cases::Answer;
use super::play::{Flavour, Target};
use super::rehearsal::Begin;
use bench::Bench;

/// What is checked.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The plugin.
    pub plugin: &'a Plugin,
    /// Its configuration as JSON.
    pub config: &'a str,
    /// What setup would have shared, as JSON.
    pub shared: Option<&'a str>,
    /// Seeds all arrivals.
    pub seed: u64,
    /// Hosts it may ask beside the target.
    pub hosts: &'a [String],
    /// What a case answers to each exchange, beside the plain answers; none where there is no case.
    pub script: &'a [Vec<Answer>],
}

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckVerdict {
    /// It holds.
    Ok,
    /// It does not.
    Failed,
    /// It could not be looked at.
    Skipped,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Its stable name.
    pub name: &'static str,
    /// How it came out.
    pub verdict: CheckVerdict,
    /// What was seen.
    pub seen: String,
    /// What to do; empty where nothing is.
    pub help: String,
    /// The events that led to what was seen, a line each.
    pub story: Vec<String>,
}

impl Check {
    fn ok(name: &'static str, seen: impl Into<String>) -> Self {
        Self { name, verdict: CheckVerdict::Ok, seen: seen.into(), help: String::new(), story: Vec::new() }
    }

    fn failed(name: &'static str, seen: impl Into<String>, help: impl Into<String>, story: Vec<String>) -> Self {
        Self { name, verdict: CheckVerdict::Failed, seen: seen.into(), help: help.into(), story }
    }

    fn skipped(name: &'static str, seen: impl Into<String>) -> Self {
        Self { name, verdict: CheckVerdict::Skipped, seen: seen.into(), help: String::new(), story: Vec::new() }
    }
}

/// Names of all checks, in their order.
pub const CHECKS: [&str; 9] = [
    "describes itself",
    "takes its configuration",
    "starts",
    "finishes",
    "survives failures",
    "asks for what can be sent",
    "frees its iterations",
    "stays within limits",
    "repeats itself",
];

/// Runs all checks.
///
/// # Errors
/// Where the plugin refuses the configuration, or traps on it: then nothing can be checked.
pub fn check(subject: &Subject<'_>) -> Result<Vec<Check>, Refused> {
    let mut bench = Bench::new(subject)?;
    let mut checks = vec![identity::describes(subject.plugin), identity::configures(subject)];
    let starts = course::starts(&mut bench);
    let goes = starts.verdict == CheckVerdict::Ok;
    checks.push(starts);
    if goes {
        let (finishes, paths) = course::finishes(&mut bench);
        checks.push(finishes);
        checks.push(course::survives(&mut bench, &paths));
        checks.push(course::sends(&bench));
        checks.push(frees::frees(&mut bench, &paths));
        checks.push(limits::stays_within(&bench));
        checks.push(repeats::repeats(&bench, &paths));
    } else {
        for name in &CHECKS[checks.len()..] {
            checks.push(if *name == limits::NAME {
                limits::stays_within(&bench)
            } else {
                Check::skipped(name, "it does not start")
            });
        }
    }
    Ok(checks)
}

impl Subject<'_> {
    /// A target that gives answers of this flavour, and nothing befalls.
    fn target(&self, flavour: Flavour) -> Target<'_> {
        Target { flavour, mishap: None, slow: false, hosts: self.hosts, script: self.script }
    }

    /// The iteration of an arrival of this position.
    fn arrival(&self, index: u64) -> Begin {
        // A moment like any other: 2023-11-14.
        const WALL_TIME: u64 = 1_700_000_000_000_000_000;
        Begin::Arrival {
            index,
            seed: arrival_seed(self.seed, index),
            phase: "rehearsal".to_owned(),
            wall_time: WALL_TIME + index * 1_000_000,
        }
    }
}
