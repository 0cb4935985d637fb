//! How late requests start, by the generator's own clock.

use anyhow::Result;
use serde_json::Value;

use super::load::{Load, Pace, Tool, Work};
use super::open;
use super::section::{Bar, section, shown};
use super::sitting::{Contender, Outcome, Run, Sitting, Unit};

/// Requests a second, and the connections of tools with a fixed number of them.
const PACE: Pace = Pace::Rate { rate: 1_000.0, connections: 100 };

/// Seconds of the short and the long run; of the long one the lateness is told.
const LENGTHS: (u32, u32) = (1, 8);

pub(super) fn measure(sitting: &Sitting) -> Result<String> {
    let load = Load { work: Work::Get("/small".to_owned()), pace: PACE };
    let floor = |tick| Contender::new(open::floor_name(tick), open::floor(1_000, tick, 100), &load);
    let contenders = [floor("0s"), floor("250us"), Contender::new("engine", Tool::Engine(Vec::new()), &load)];
    let outcomes = sitting.turns(&contenders, LENGTHS, Unit::Request, &[])?;
    let rows = outcomes.iter().map(|outcome| {
        let (p50, p99) = (late(outcome, "p50_us"), late(outcome, "p99_us"));
        vec![outcome.name.clone(), shown(p50), shown(p99), shown(outcome.cost())]
    });
    let engine = &outcomes[outcomes.len() - 1];
    let bars = [
        Bar::new("engine: p50", late(engine, "p50_us"), Some(100.0), "µs"),
        Bar::new("engine: p99", late(engine, "p99_us"), Some(500.0), "µs"),
    ];
    let headers = ["tool", "lateness p50 µs", "lateness p99 µs", "CPU µs a request"];
    Ok(section("Lateness at 1,000/s, default setting", &headers, rows.collect(), &bars))
}

/// The median over the rounds of a percentile of the lateness, of tools that tell it.
pub(super) fn late(outcome: &Outcome, percentile: &str) -> Option<f64> {
    outcome.median(|run| late_of(run, percentile))
}

fn late_of(run: &Run, percentile: &str) -> Option<f64> {
    match &run.said {
        Some(said) if percentile == "p50_us" => said.lateness_p50_us,
        Some(said) => said.lateness_p99_us,
        None => serde_json::from_str::<Value>(&run.used.stdout).ok()?["lateness"][percentile].as_f64(),
    }
}
