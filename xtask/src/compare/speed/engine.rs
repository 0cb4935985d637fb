//! This engine: the scenario that a load is, and what its result says.

use std::fmt::Write;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::child::Used;
use super::load::{Load, Pace, Work};

/// Exit statuses of a run that offered its load, whatever its verdict: on a busy machine a threshold may fail, and the
/// generator may find itself late. The tables say how often it did.
const RAN: [i32; 4] = [0, 10, 11, 12];

/// Slots where nothing is said. The engine's own default is the rate times the longest time-out: more open files than this
/// process may have, at these rates.
const IN_FLIGHT: u32 = 2_000;

/// A scenario whose plugin builds each request and looks at the status and one field of its answer. `limits` are further
/// lines under `[limits]`.
pub(super) fn scenario(load: &Load, limits: &[String], target: &str, seconds: u32) -> String {
    let mut text = format!("[target]\nurl = \"{target}\"\n\n[limits]\ntimeout = \"30s\"\n");
    let slots = match load.pace {
        Pace::Rate { connections, .. } if !limits.iter().any(|line| line.starts_with("in_flight")) => {
            Some(format!("in_flight = {}", IN_FLIGHT.max(connections + connections / 5)))
        }
        _ => None,
    };
    for line in limits.iter().chain(&slots) {
        text.push_str(line);
        text.push('\n');
    }
    let workload = match &load.work {
        Work::Get(path) => format!(
            "plugin = \"http\"\nconfig = {{ path = \"{path}\", expect = [200], expect_body_contains = '\"ok\":true' }}\n"
        ),
        // The other one has its request built in.
        Work::Chat("openai_chat") => {
            "plugin = \"openai_chat\"\nconfig = { model = \"floor\", max_tokens = 50 }\n".to_owned()
        }
        Work::Chat(plugin) => format!("plugin = \"{plugin}\"\n"),
    };
    let pace = match load.pace {
        Pace::Closed(at_once) => format!("closed = {at_once}"),
        Pace::Rate { rate, .. } => format!("rate = {rate:.6}"),
    };
    // A string takes every write.
    let _ = write!(text, "\n[[workload]]\nname = \"load\"\nshare = 1\n{workload}");
    let _ = write!(text, "\n[[phase]]\nname = \"load\"\nduration = \"{seconds}s\"\n{pace}\n");
    text
}

/// What the engine says of a run.
#[derive(Debug, PartialEq)]
pub(super) struct Said {
    /// Whether it says itself that its numbers are the generator's and not the target's.
    pub(super) invalid: bool,
    /// Arrivals that were never started.
    pub(super) missed: u64,
    /// From due to start, in microseconds; none in a closed phase.
    pub(super) lateness_p50_us: Option<f64>,
    pub(super) lateness_p99_us: Option<f64>,
    /// From due to the first token's bytes, in microseconds.
    pub(super) first_token_p50_us: Option<f64>,
}

/// Reads it.
///
/// # Errors
/// The run did not take place, or an iteration failed: then its figures are of something else.
pub(super) fn read(used: &Used) -> Result<Said> {
    let ran = used.status.code().is_some_and(|status| RAN.contains(&status));
    ensure!(ran, "the engine: {}: {}", used.status, used.stderr.trim());
    said(&serde_json::from_str(&used.stdout)?)
}

fn said(result: &Value) -> Result<Said> {
    let workload = &result["whole"]["workloads"][0];
    let states = &workload["states"];
    let count = |state: &str| states[state].as_u64().with_context(|| format!("no state {state} in the result"));
    let failed = count("failed")? + count("abandoned")? + count("lost")?;
    ensure!(failed == 0, "{failed} iterations of the engine failed: {}", workload["failures"]);
    let us = |ms: &Value| ms.as_f64().map(|ms| ms * 1e3);
    let lateness = &result["starts"]["lateness"];
    let metrics = workload["metrics"].as_array().map(Vec::as_slice).unwrap_or_default();
    let first_token = metrics.iter().find(|metric| metric["metric"] == "first_token");
    Ok(Said {
        invalid: result["judgement"]["verdict"] == "invalid",
        missed: count("no_slot")? + count("generator_late")?,
        lateness_p50_us: us(&lateness["p50_ms"]),
        lateness_p99_us: us(&lateness["p99_ms"]),
        first_token_p50_us: first_token.and_then(|metric| us(&metric["mark"]["p50_ms"])),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_load_is_a_scenario() {
        let load =
            Load { work: Work::Get("/slow?ms=50".to_owned()), pace: Pace::Rate { rate: 2_000.0, connections: 1 } };
        let text = scenario(&load, &["in_flight = 100".to_owned()], "http://127.0.0.1:1", 8);
        let table: toml::Table = text.parse().unwrap();
        assert_eq!(table["limits"]["in_flight"].as_integer(), Some(100));
        let table: toml::Table = scenario(&load, &[], "http://127.0.0.1:1", 8).parse().unwrap();
        assert_eq!(table["limits"]["in_flight"].as_integer(), Some(2_000));
        assert_eq!(table["workload"][0]["config"]["path"].as_str(), Some("/slow?ms=50"));
        assert_eq!(table["workload"][0]["config"]["expect_body_contains"].as_str(), Some("\"ok\":true"));
        assert_eq!(table["phase"][0]["rate"].as_float(), Some(2_000.0));
        let chat = Load { work: Work::Chat("openai_chat"), pace: Pace::Closed(64) };
        let table: toml::Table = scenario(&chat, &[], "http://127.0.0.1:1", 8).parse().unwrap();
        assert_eq!(table["phase"][0]["closed"].as_integer(), Some(64));
    }

    #[test]
    fn a_result_is_read_and_one_with_failures_is_none() {
        let mut result = json!({
            "starts": {"lateness": {"p50_ms": 0.05, "p99_ms": 0.4}},
            "judgement": {"verdict": "invalid"},
            "whole": {"workloads": [{
                "states": {"failed": 0, "abandoned": 0, "lost": 0, "no_slot": 1, "generator_late": 2},
                "failures": [],
                "metrics": [{"metric": "head", "mark": null}, {"metric": "first_token", "mark": {"p50_ms": 201.5}}],
            }]},
        });
        let read = said(&result).unwrap();
        assert_eq!((read.invalid, read.missed, read.first_token_p50_us), (true, 3, Some(201_500.0)));
        assert_eq!((read.lateness_p50_us, read.lateness_p99_us), (Some(50.0), Some(400.0)));
        result["whole"]["workloads"][0]["states"]["failed"] = 1.into();
        assert!(said(&result).is_err());
        assert!(said(&json!({})).is_err());
    }
}
