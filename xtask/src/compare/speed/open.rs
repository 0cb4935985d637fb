//! CPU a request of an open schedule, at each fineness of the timer.

use anyhow::Result;

use super::lateness;
use super::load::{Load, Pace, Tool, Work};
use super::programs::Peer;
use super::section::{Bar, costs, section, shown};
use super::sitting::{Contender, Sitting, Unit, cost_of};

/// Requests a second, and the connections of tools with a fixed number of them.
const PACE: Pace = Pace::Rate { rate: 10_000.0, connections: 100 };

/// Seconds of the short and the long run.
const LENGTHS: (u32, u32) = (2, 8);

/// Each setting of the engine's timer, the tick of the floor it is held against, and what it may cost: so many times the
/// floor, and so many microseconds.
const TIMERS: [(&str, &str, f64, f64); 3] =
    [("coarse", "1ms", 1.0, 4.0), ("balanced", "250us", 1.15, 2.0), ("precise", "0s", 1.15, 2.0)];

pub(super) fn measure(sitting: &Sitting) -> Result<String> {
    let load = Load { work: Work::Get("/small".to_owned()), pace: PACE };
    let mut contenders = Vec::new();
    for (_, tick, ..) in TIMERS {
        contenders.push(Contender::new(floor_name(tick), floor(10_000, tick, 100), &load));
    }
    contenders.push(Contender::new("oha", Tool::Peer(Peer::Oha), &load));
    contenders.push(Contender::new("k6", Tool::Peer(Peer::K6), &load));
    for (timer, ..) in TIMERS {
        let limits = vec![format!("timer = \"{timer}\"")];
        contenders.push(Contender::new(format!("engine, {timer}"), Tool::Engine(limits), &load));
    }
    let outcomes = sitting.turns(&contenders, LENGTHS, Unit::Request, &[])?;
    let mut bars = Vec::new();
    for (timer, tick, times, more) in TIMERS {
        let engine = cost_of(&outcomes, &format!("engine, {timer}"));
        let limit = cost_of(&outcomes, &floor_name(tick)).map(|floor| floor * times + more);
        bars.push(Bar::new(format!("engine, {timer}: {times} × its floor + {more} µs"), engine, limit, "µs"));
    }
    bars.push(Bar::new("aim: coarse as oha", cost_of(&outcomes, "engine, coarse"), cost_of(&outcomes, "oha"), "µs"));
    let mut rows = costs(&outcomes, &floor_name("250us"));
    for (row, outcome) in rows.iter_mut().zip(&outcomes) {
        row.insert(5, shown(lateness::late(outcome, "p50_us")));
    }
    let headers = ["tool", "CPU µs a request", "least", "most", "÷ floor at 250 µs", "lateness p50 µs", ""];
    Ok(section("Open schedule: GET 100 B, 10,000/s", &headers, rows, &bars))
}

/// The floor of an open schedule.
pub(super) fn floor(rate: u32, tick: &str, connections: u32) -> Tool {
    let (rate, connections) = (rate.to_string(), connections.to_string());
    Tool::Floor(["open", "--rate", &rate, "--tick", tick, "--connections", &connections].map(str::to_owned).into())
}

/// Its name in the tables.
pub(super) fn floor_name(tick: &str) -> String {
    match tick {
        "0s" => "floor, no tick".to_owned(),
        "250us" => "floor, tick 250 µs".to_owned(),
        other => format!("floor, tick {other}"),
    }
}
