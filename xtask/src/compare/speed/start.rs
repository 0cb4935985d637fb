//! From the start of the program to the first request that its target sees.

use anyhow::{Context, Result};

use super::figures::{ends, median};
use super::load::{Load, Pace, Tool, Work};
use super::section::{Bar, section, shown};
use super::sitting::{Contender, Sitting};

/// Runs of a round: each takes a second.
const RUNS: u32 = 5;

/// How long it may take, in milliseconds.
const MOST_MS: f64 = 150.0;

pub(super) fn measure(sitting: &Sitting) -> Result<String> {
    let pace = Pace::Rate { rate: 100.0, connections: 10 };
    let plugins = [("http", Work::Get("/small".to_owned())), ("openai_chat", Work::Chat("openai_chat"))];
    let (mut rows, mut bars) = (Vec::new(), Vec::new());
    for (plugin, work) in plugins {
        let contender = Contender::new(plugin, Tool::Engine(Vec::new()), &Load { work, pace });
        eprintln!("start with {plugin}: {} runs", sitting.rounds * RUNS);
        // Compiles the plugin where the cache does not have it.
        sitting.run(&contender, 1, &[])?;
        let mut took = Vec::new();
        for _ in 0..sitting.rounds * RUNS {
            let run = sitting.run(&contender, 1, &[])?;
            let arrived = run.count.first_arrival_ns.context("the target saw no request")?;
            took.push(arrived.saturating_sub(run.used.started_ns) as f64 / 1e6);
        }
        let (middle, (least, most)) = (median(&took), ends(&took));
        rows.push(vec![plugin.to_owned(), shown(middle), shown(least), shown(most), took.len().to_string()]);
        bars.push(Bar::new(format!("{plugin}: from exec to the first request"), middle, Some(MOST_MS), "ms"));
    }
    let headers = ["plugin", "ms to the first request", "least", "most", "runs"];
    Ok(section("Start from a warm cache", &headers, rows, &bars))
}
