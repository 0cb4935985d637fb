//! What the schedule promises.

mod closed;
mod even;
mod exact;
mod limits;
mod poisson;
mod profiles;
mod properties;
mod random;

use super::{Mix, Point, Profile, Rate, RateChange, Schedule, Spacing, Stretch, Weight, Whole};

const SECOND: u64 = 1_000_000_000;
const MS: u64 = 1_000_000;
const WORKERS: [u32; 8] = [1, 2, 3, 4, 5, 8, 13, 21];

fn rate(per_second: f64) -> Rate {
    Rate::per_second(per_second).expect("a rate")
}

fn change(per_second: f64) -> RateChange {
    RateChange::per_second(per_second).expect("a change")
}

fn constant(per_second: f64, length_ns: u64) -> Stretch {
    Stretch::new(length_ns, Profile::Constant { rate: rate(per_second) })
}

fn pause(length_ns: u64) -> Stretch {
    Stretch::new(length_ns, Profile::Pause)
}

fn ramp(from: f64, to: f64, length_ns: u64) -> Stretch {
    Stretch::new(length_ns, Profile::Ramp { from: rate(from), to: rate(to) })
}

fn steps(from: f64, by: f64, steps: u16, length_ns: u64) -> Stretch {
    Stretch::new(length_ns, Profile::Steps { from: rate(from), by: change(by), steps })
}

fn spike(base: f64, peak: f64, at_ns: u64, for_ns: u64, length_ns: u64) -> Stretch {
    Stretch::new(length_ns, Profile::Spike { base: rate(base), peak: rate(peak), at_ns, for_ns })
}

/// Moments in milliseconds.
fn points(points: &[(u64, f64)], length_ns: u64) -> Stretch {
    let point = |&(at_ms, per_second): &(u64, f64)| Point { at_ns: at_ms * MS, rate: rate(per_second) };
    Stretch::new(length_ns, Profile::Points(points.iter().map(point).collect()))
}

fn at_random(stretch: Stretch) -> Stretch {
    Stretch { spacing: Spacing::Random, ..stretch }
}

fn at_most(most: u64, stretch: Stretch) -> Stretch {
    Stretch { max_arrivals: Some(most), ..stretch }
}

fn mix(weights: &[f64]) -> Mix {
    let weights: Vec<_> = weights.iter().map(|&weight| Weight::new(weight).expect("a weight")).collect();
    Mix::new(&weights).expect("a mix")
}

fn schedule(stretches: &[Stretch], weights: &[f64]) -> Schedule {
    Schedule::new(stretches, mix(weights), &Whole::default()).expect("a schedule")
}

fn seeded(stretches: &[Stretch], seed: u64) -> Schedule {
    Schedule::new(stretches, mix(&[1.0]), &Whole { seed, max_arrivals: None }).expect("a schedule")
}

fn due_times(schedule: &Schedule) -> Vec<u64> {
    schedule.all().map(|arrival| arrival.due_ns).collect()
}

/// By phase.
fn counts(schedule: &Schedule, phases: usize) -> Vec<u64> {
    let counts = schedule.counts();
    (0..phases).map(|phase| counts.phase(phase)).collect()
}
