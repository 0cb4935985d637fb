//! Whether the engine's distance to its floor grows with what is in flight.

use anyhow::Result;

use super::load::{Load, Pace, Tool, Work};
use super::open;
use super::section::{Bar, costs, section, shown};
use super::sitting::{Contender, Outcome, Sitting, Unit, cost_of};

const RATE: u32 = 2_000;

/// How long answers take, in milliseconds, and how many requests that keeps in flight.
const SIZES: [(u32, u32); 2] = [(50, 100), (5_000, 10_000)];

/// By how much the ratio may grow.
const GROWS: f64 = 1.15;

/// Seconds of the short and the long run: after the short one all connections are open, which both pay.
const LENGTHS: (u32, u32) = (7, 17);

const FLOOR: &str = "floor, tick 250 µs";

pub(super) fn measure(sitting: &Sitting) -> Result<String> {
    let mut text = String::new();
    let mut ratios = Vec::new();
    for (milliseconds, in_flight) in SIZES {
        let pace = Pace::Rate { rate: RATE.into(), connections: in_flight };
        let load = Load { work: Work::Get(format!("/slow?ms={milliseconds}")), pace };
        let contenders = [
            Contender::new(FLOOR, open::floor(RATE, "250us", in_flight), &load),
            Contender::new("engine", Tool::Engine(Vec::new()), &load),
        ];
        let outcomes = sitting.turns(&contenders, LENGTHS, Unit::Request, &[])?;
        ratios.push(ratio(&outcomes));
        let headers = ["tool", "CPU µs a request", "least", "most", "÷ floor", ""];
        let title = format!("{in_flight} requests in flight, {RATE}/s, answers after {milliseconds} ms");
        text.push_str(&section(&title, &headers, costs(&outcomes, FLOOR), &[]));
        text.push('\n');
    }
    let bar =
        Bar::new("engine ÷ floor at 10,000: 1.15 × that at 100", ratios[1], ratios[0].map(|few| few * GROWS), "×");
    let rows = SIZES.iter().zip(&ratios).map(|((_, in_flight), ratio)| vec![in_flight.to_string(), shown(*ratio)]);
    text.push_str(&section("Growth with what is in flight", &["in flight", "engine ÷ floor"], rows.collect(), &[bar]));
    Ok(text)
}

/// Engine ÷ floor.
fn ratio(outcomes: &[Outcome]) -> Option<f64> {
    let (engine, floor) = cost_of(outcomes, "engine").zip(cost_of(outcomes, FLOOR))?;
    Some(engine / floor)
}
