//! What a request costs: this engine, with a plugin in the loop, beside its floors and other load tools.
//!
//! A floor is the leanest client that does the same exchanges (`floors/`). A machine's speed swings, also within an hour,
//! so that no figure is compared with one of another sitting: every tool takes its turn in every round, and what counts is
//! the ratio to the floor of that sitting. `docs/performance.md` says how to read the tables.

mod child;
mod closed;
mod cores;
mod engine;
mod figures;
mod growth;
mod lateness;
mod load;
mod memory;
mod open;
mod programs;
mod section;
mod sitting;
mod start;
mod streams;
mod target;

use std::path::Path;

use anyhow::Result;
use clap::ValueEnum;

use cores::Cores;
use programs::Programs;
use sitting::Sitting;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Measure {
    /// CPU a request: 64 connections, each asking again at once
    Closed,
    /// CPU a request at 10,000/s
    Open,
    /// How late requests start at 1,000/s
    Lateness,
    /// CPU a token, and what a first token is later, with 200 and 1,000 streams
    Streams,
    /// Memory of a stream, and of ten times as many requests
    Memory,
    /// Engine ÷ floor with 100 and 10,000 requests in flight
    Growth,
    /// From the start of the program to its first request
    Start,
}

/// How it is measured.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Of `speed`: only these measures
    #[arg(long, value_delimiter = ',', value_name = "MEASURE")]
    only: Vec<Measure>,
    /// Of `speed`: the build profile of engine and floors, `release` or `dist`
    #[arg(long, value_name = "PROFILE", default_value = "release")]
    profile: String,
    /// Of `speed --only memory`: seconds at 2,500 and at 25,000 requests a second; 400 for one and ten million
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..))]
    memory_seconds: u32,
}

/// Takes all the measures that are asked for, each told as soon as it is there.
///
/// # Errors
/// Engine or floors are not built, or a tool that could do its work at first fails later.
pub(super) fn run(root: &Path, rounds: u32, options: &Options, mut tell: impl FnMut(&str)) -> Result<()> {
    let sitting = Sitting { programs: Programs::find(root, &options.profile)?, cores: Cores::find()?, rounds };
    tell(&head(&sitting, &options.profile));
    let all = Measure::value_variants();
    for measure in all.iter().filter(|measure| options.only.is_empty() || options.only.contains(measure)) {
        let section = match measure {
            Measure::Closed => closed::measure(&sitting),
            Measure::Open => open::measure(&sitting),
            Measure::Lateness => lateness::measure(&sitting),
            Measure::Streams => streams::measure(&sitting),
            Measure::Memory => memory::measure(&sitting, options.memory_seconds),
            Measure::Growth => growth::measure(&sitting),
            Measure::Start => start::measure(&sitting),
        };
        tell(&section?);
    }
    Ok(())
}

/// What the tables are of.
fn head(sitting: &Sitting, profile: &str) -> String {
    let beside = sitting.programs.versions();
    let beside = if beside.is_empty() { "no other tool".to_owned() } else { beside.join(", ") };
    format!(
        "Engine and floors of the profile `{profile}`; {}; medians of {} rounds, interleaved; beside {beside}.\n",
        sitting.cores.said(),
        sitting.rounds
    )
}
