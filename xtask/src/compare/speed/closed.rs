//! CPU a request of a closed loop.

use anyhow::Result;

use super::load::{Load, Pace, Tool, Work};
use super::programs::Peer;
use super::section::{Bar, costs, section};
use super::sitting::{Contender, Sitting, Unit, cost_of};

const CONNECTIONS: u32 = 64;

/// Seconds of the short and the long run.
const LENGTHS: (u32, u32) = (2, 8);

const FLOOR: &str = "floor, hyper";

pub(super) fn measure(sitting: &Sitting) -> Result<String> {
    let load = Load { work: Work::Get("/small".to_owned()), pace: Pace::Closed(CONNECTIONS) };
    let floor = |on: &str| {
        let connections = CONNECTIONS.to_string();
        Tool::Floor(["closed", "--connections", &connections, "--on", on].map(str::to_owned).into())
    };
    let contenders = [
        ("floor, raw", floor("raw")),
        (FLOOR, floor("hyper")),
        ("floor, pooled", floor("pooled")),
        ("wrk", Tool::Peer(Peer::Wrk)),
        ("oha", Tool::Peer(Peer::Oha)),
        ("k6", Tool::Peer(Peer::K6)),
        ("engine", Tool::Engine(Vec::new())),
    ];
    let contenders = contenders.map(|(name, tool)| Contender::new(name, tool, &load));
    let outcomes = sitting.turns(&contenders, LENGTHS, Unit::Request, &[])?;
    let (engine, floor, oha) = (cost_of(&outcomes, "engine"), cost_of(&outcomes, FLOOR), cost_of(&outcomes, "oha"));
    let bars = [
        Bar::new("engine: bare hyper + 3.5 µs", engine, floor.map(|floor| floor + 3.5), "µs"),
        Bar::new("aim: 0.9 × oha", engine, oha.map(|oha| oha * 0.9), "µs"),
    ];
    let headers = ["tool", "CPU µs a request", "least", "most", "÷ bare hyper", ""];
    Ok(section("Closed loop: GET 100 B, 64 connections", &headers, costs(&outcomes, FLOOR), &bars))
}
