//! Event streams with every event through the plugin: CPU a token, and what a first token is later than it was sent.

use anyhow::Result;
use serde_json::Value;

use super::load::{Load, Pace, Tool, Work};
use super::programs::Peer;
use super::section::{Bar, costs, section, shown};
use super::sitting::{Contender, Run, Sitting, Unit, cost_of};

/// How many streams at once, and what may be added to a first token, in microseconds.
const SIZES: [(u32, f64); 2] = [(200, 300.0), (1_000, 1_000.0)];

/// The target's answer: the first token after 200 ms, 49 more 20 ms apart.
const STREAM_MS: u32 = 200 + 49 * 20;

/// Seconds of the short and the long run.
const LENGTHS: (u32, u32) = (3, 12);

const FLOOR: &str = "floor, decodes events";

pub(super) fn measure(sitting: &Sitting) -> Result<String> {
    let mut text = String::new();
    for (streams, most_added) in SIZES {
        text.push_str(&with(sitting, streams, most_added)?);
        text.push('\n');
    }
    Ok(text)
}

fn with(sitting: &Sitting, streams: u32, most_added: f64) -> Result<String> {
    // Begun evenly over the length of one, so that not all tokens come at the same moment. Engine and floor do so; the
    // other tools begin all at once and have many tokens in one read of the event queue, which is cheaper.
    let rate = f64::from(streams) * 1e3 / f64::from(STREAM_MS);
    let pace = Pace::Rate { rate, connections: streams };
    let alike = Load { work: Work::Chat("cost_stream"), pace };
    let json = Load { work: Work::Chat("openai_chat"), pace };
    let at_once = Load { work: Work::Chat("openai_chat"), pace: Pace::Closed(streams) };
    let contenders = [
        Contender::new(FLOOR, floor(streams), &alike),
        Contender::new("wrk, blind", Tool::Peer(Peer::Wrk), &at_once),
        Contender::new("oha, blind", Tool::Peer(Peer::Oha), &at_once),
        Contender::new("k6, blind", Tool::Peer(Peer::K6), &at_once),
        Contender::new("engine, the same work", Tool::Engine(Vec::new()), &alike),
        Contender::new("engine, openai_chat", Tool::Engine(Vec::new()), &json),
    ];
    let outcomes = sitting.turns(&contenders, LENGTHS, Unit::Token, &[])?;
    let mut rows = costs(&outcomes, FLOOR);
    for (row, outcome) in rows.iter_mut().zip(&outcomes) {
        let most = outcome.median(|run| Some(run.count.streams_most as f64));
        row.splice(5..5, [shown(outcome.median(later)), shown(outcome.median(added)), shown(most)]);
    }
    let engine = &outcomes[outcomes.len() - 2];
    let bars = [
        Bar::new(
            "engine, the same work: 1.3 × the floor",
            engine.cost(),
            cost_of(&outcomes, FLOOR).map(|floor| floor * 1.3),
            "ms for 1,000 tokens",
        ),
        Bar::new("engine, the same work: a first token later, p50", engine.median(later), Some(most_added), "µs"),
    ];
    let headers = [
        "tool",
        "CPU ms for 1,000 tokens",
        "least",
        "most",
        "÷ floor",
        "first token later, p50 µs",
        "after `sent_ns`, p50 µs",
        "most at once",
        "",
    ];
    Ok(section(&format!("{streams} streams of 50 tokens, 20 ms apart"), &headers, rows, &bars))
}

/// The floor of streams that begin evenly.
fn floor(streams: u32) -> Tool {
    let (streams, spread) = (streams.to_string(), format!("{STREAM_MS}ms"));
    Tool::Floor(["streams", "--streams", &streams, "--spread", &spread].map(str::to_owned).into())
}

/// The difference of two medians: of the generator's time from due (or asking) to the first token's bytes, and of the
/// target's from the request to the moment it handed that token over. The way to the target is in it, and the target's
/// delay in taking the request: it is more than what the generator added.
fn later(run: &Run) -> Option<f64> {
    let generator = match &run.said {
        Some(said) => said.first_token_p50_us?,
        None => printed(run, "first_token")?,
    };
    Some(generator - run.count.first_token.p50_us?)
}

/// From the moment in the event itself to its bytes: what floors can tell, since they have a clock where they decode.
fn added(run: &Run) -> Option<f64> {
    if run.said.is_some() { None } else { printed(run, "added") }
}

/// The median of times that a floor printed.
fn printed(run: &Run, times: &str) -> Option<f64> {
    serde_json::from_str::<Value>(&run.used.stdout).ok()?[times]["p50_us"].as_f64()
}
