//! Judging a run: thresholds on the target, checks on the generator, and the verdict.
//!
//! Pure: what was recorded and what the engine noticed about itself go in, sentences and verdicts come out. The words
//! and limits are those of `docs/terminology.md`.

mod binomial;
mod checks;
mod evaluate;
mod evidence;
mod judge;
mod number;
mod resources;
mod rules;
mod steady;
mod threshold;

pub use binomial::{RankInterval, least_count, rank_interval};
pub use checks::{Check, CheckVerdict};
pub use evidence::{ConnectionCap, Evidence, InFlightCap, Usage, WorkerCpu};
pub use judge::{Inputs, Judgement, RunVerdict, judge};
pub use number::{Quantity, Unit, grouped, percent, significant};
pub use threshold::{
    Interval, Measure, Op, Scope, Statistic, Threshold, ThresholdResult, ThresholdVerdict, TimeSeries,
};

#[cfg(test)]
mod tests;
