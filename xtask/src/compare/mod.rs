//! This engine beside other load tools, from the outside: what each says, against what its target saw.
//!
//! Every tool that is installed takes its turn, one at a time. For accuracy each has a stub of its own whose journal tells
//! what arrived when; nothing is judged, and `docs/accuracy.md` holds a table of one sitting with its machine. What it all
//! costs is measured against the floors.

mod arrivals;
mod listening;
mod said;
mod speed;
mod target;
mod tools;

use std::path::Path;

use anyhow::Result;
use clap::ValueEnum;
use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table};

use target::{Seen, Target};

pub use speed::{Measure, Options};

/// What to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Subject {
    /// The target stalls from 4 s to 6 s of 10 s at 1,000/s
    Stall,
    /// When requests arrive that are asked for at 1,000/s
    Arrivals,
    /// What a request, a token and a stream cost, held against the bars that the project has set itself
    Speed,
}

/// Requests a second, and for how many seconds.
const RATE: u32 = 1_000;
const SECONDS: u32 = 10;

/// Runs every installed tool so many times and tells the tables.
///
/// # Errors
/// Where the engine, the stub or the floors are not built, or a tool fails.
pub fn run(root: &Path, subject: Subject, rounds: u32, options: &Options, mut tell: impl FnMut(&str)) -> Result<()> {
    if subject == Subject::Speed {
        return speed::run(root, rounds, options, tell);
    }
    tell(&accuracy(root, subject, rounds)?);
    Ok(())
}

/// The table of a subject that is told by what the target saw.
fn accuracy(root: &Path, subject: Subject, rounds: u32) -> Result<String> {
    let tools = tools::installed(root)?;
    let mut rows = Vec::new();
    for round in 1..=rounds {
        // What has no rate has no precision at one.
        for tool in tools.iter().filter(|tool| subject == Subject::Stall || tool.has_rate()) {
            eprintln!("round {round} of {rounds}: {}", tool.name);
            let stall = (subject == Subject::Stall).then_some("4s..6s");
            let target = Target::start(root, stall)?;
            let said = tool.run(target.url())?;
            let seen = target.stop()?;
            if subject == Subject::Stall {
                rows.extend(said.iter().map(|said| stalled(round, tool.name, said, &seen)));
            } else {
                rows.push(paced(round, tool.name, &seen));
            }
        }
    }
    // Tool by tool, each with its rounds.
    rows.sort_by_key(|row: &Vec<String>| tools.iter().position(|tool| tool.name == row[0]));
    let headers: &[&str] = if subject == Subject::Stall {
        &["tool", "round", "which time", "arrived", "p50 ms", "p90 ms", "p99 ms", "max ms", "target's p90 ms"]
    } else {
        &["tool", "round", "arrived", "off p50 µs", "off p90 µs", "off p99 µs", "off max µs"]
    };
    Ok(table(headers, rows))
}

fn stalled(round: u32, tool: &str, said: &said::Said, seen: &[Seen]) -> Vec<String> {
    let ms = |value: Option<f64>| value.map_or_else(|| "n/a".to_owned(), |value| format!("{value:.1}"));
    // From the arrival to the end of the answer, by the journal: of an even 10 s a fifth waits, from 2 s down to 0, so that
    // above 90 % lies 1 s, and what it takes the target to answer those who have waited.
    let mut held: Vec<f64> =
        seen.iter().filter_map(|seen| Some(seen.finished_ns?.saturating_sub(seen.arrived_ns) as f64 / 1e6)).collect();
    held.sort_by(f64::total_cmp);
    vec![
        tool.to_owned(),
        round.to_string(),
        said.which.to_owned(),
        seen.len().to_string(),
        ms(said.p50_ms),
        ms(said.p90_ms),
        ms(said.p99_ms),
        ms(said.max_ms),
        ms(arrivals::quantile(&held, 0.9)),
    ]
}

fn paced(round: u32, tool: &str, seen: &[Seen]) -> Vec<String> {
    let arrived: Vec<u64> = seen.iter().map(|seen| seen.arrived_ns).collect();
    let off = arrivals::off(&arrived, RATE);
    let us =
        |share: f64| arrivals::quantile(&off, share).map_or_else(|| "n/a".to_owned(), |ns| format!("{:.0}", ns / 1e3));
    vec![tool.to_owned(), round.to_string(), arrived.len().to_string(), us(0.5), us(0.9), us(0.99), us(1.0)]
}

fn table(headers: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_preset(ASCII_MARKDOWN).set_header(headers).add_rows(rows);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.to_string()
}
