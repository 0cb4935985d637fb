//! Resident memory: what one more stream takes, and whether ten times as many requests take more.

use anyhow::Result;

use super::figures::{Cost, marginal, median};
use super::load::{Load, Pace, Tool, Work};
use super::section::{Bar, section, shown};
use super::sitting::{Contender, Run, Sitting};

/// Streams of the two runs whose difference is told.
const STREAMS: (u32, u32) = (1_000, 5_000);

/// No stream begins later. All are open by then, and none has ended.
const SECONDS: u32 = 3;

/// Slow streams, so that one core is enough for 5,000: 2 s to the first token, then 15 tokens half a second apart.
const SLOW: [&str; 6] = ["--first-token-ms", "2000", "--tokens", "16", "--token-ms", "500"];

/// Requests a second of the two runs whose end is compared.
const RATES: (u32, u32) = (2_500, 25_000);

/// What the greater one may have more, in bytes.
const MOST_MORE: f64 = 5e6;

const KIB: f64 = 1_024.0;

pub(super) fn measure(sitting: &Sitting, seconds: u32) -> Result<String> {
    Ok(format!("{}\n{}", streams(sitting)?, requests(sitting, seconds)?))
}

/// What one more stream takes.
fn streams(sitting: &Sitting) -> Result<String> {
    let target = SLOW.map(str::to_owned);
    let floor = |streams: u32| {
        let streams = streams.to_string();
        Tool::Floor(["streams", "--streams", &streams, "--spread", "2s"].map(str::to_owned).into())
    };
    let mut rows = Vec::new();
    let mut medians = Vec::new();
    for name in ["floor", "engine"] {
        let (mut more, mut peaks) = (Vec::new(), Vec::new());
        for round in 1..=sitting.rounds {
            let run = |streams: u32| {
                eprintln!("round {round} of {}: {name}, {streams} streams", sitting.rounds);
                let tool = if name == "floor" { floor(streams) } else { Tool::Engine(Vec::new()) };
                let load = Load { work: Work::Chat("openai_chat"), pace: Pace::Closed(streams) };
                sitting.run(&Contender::new(name, tool, &load), SECONDS, &target)
            };
            let (few, many) = (run(STREAMS.0)?, run(STREAMS.1)?);
            more.extend(marginal(peak(&few), peak(&many)));
            peaks.push((few.used.peak_bytes, many.used.peak_bytes, many.count.streams_most));
        }
        let of = |values: Vec<Option<u64>>| {
            shown(median(&values.into_iter().flatten().map(|bytes| bytes as f64 / 1e6).collect::<Vec<_>>()))
        };
        let more = median(&more).map(|bytes| bytes / KIB);
        rows.push(vec![
            name.to_owned(),
            of(peaks.iter().map(|(few, ..)| *few).collect()),
            of(peaks.iter().map(|(_, many, _)| *many).collect()),
            shown(more),
            peaks.iter().map(|(.., most)| *most).min().unwrap_or_default().to_string(),
        ]);
        medians.push(more);
    }
    let bars = [Bar::new("engine: 1.2 × the floor", medians[1], medians[0].map(|floor| floor * 1.2), "KiB a stream")];
    let headers = ["tool", "peak MB at 1,000", "peak MB at 5,000", "KiB for one more", "open at once, at least"];
    Ok(section("Memory of a stream", &headers, rows, &bars))
}

/// The most memory of a run, for the streams that were open at once.
fn peak(run: &Run) -> Cost {
    Cost { used: run.used.peak_bytes.unwrap_or_default() as f64, count: run.count.streams_most }
}

/// What ten times as many requests in the same time leave behind.
fn requests(sitting: &Sitting, seconds: u32) -> Result<String> {
    let run = |rate: u32| {
        let load =
            Load { work: Work::Get("/small".to_owned()), pace: Pace::Rate { rate: f64::from(rate), connections: 100 } };
        // So few connections that a moment's delay at the greater rate opens no more of them than the lesser one has:
        // each takes memory, and they are not what is asked here.
        let tool = Tool::Engine(vec!["in_flight = 100".to_owned()]);
        eprintln!("engine, {rate}/s for {seconds} s");
        sitting.run(&Contender::new("engine", tool, &load), seconds, &[])
    };
    let (few, many) = (run(RATES.0)?, run(RATES.1)?);
    let mb = |run: &Run| run.used.peak_bytes.map(|bytes| bytes as f64 / 1e6);
    let row = |run: &Run| {
        let missed = run.said.as_ref().map_or(0, |said| said.missed);
        vec![run.count.requests.to_string(), shown(mb(run)), missed.to_string()]
    };
    let more = mb(&many).zip(mb(&few)).map(|(many, few)| many - few);
    let bars = [Bar::new("engine: ten times as many requests, more", more, Some(MOST_MORE / 1e6), "MB")];
    let title = format!("Memory of ten times as many requests, {seconds} s each, one run each");
    Ok(section(&title, &["requests", "peak MB", "missed"], vec![row(&few), row(&many)], &bars))
}
