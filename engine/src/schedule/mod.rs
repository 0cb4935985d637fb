//! The schedule: which workload is due when, for every arrival of a run.
//!
//! Pure: no clock, no I/O, nothing but integer arithmetic, so that two runs, any number of workers and any machine agree
//! on every arrival. A [`Schedule`] is made of phases, each with a [`Profile`], and a [`Mix`] of workloads. Nothing is
//! stored per arrival: a [`Share`] computes what one worker is to start as it goes.
//!
//! Arrival k, from 0, is due when the integral of the rate over all phases so far reaches k. So the first is due at once,
//! the count is the integral, and a fraction left over by one phase carries into the next. Where arrivals are random, the
//! integral is the mean of their number instead, and the number, drawn from the seed, is what the phase adds.

mod arrivals;
mod closed;
mod counts;
mod mix;
mod poisson;
mod profile;
mod random;
mod rate;
mod seed;
mod segments;
#[cfg(test)]
mod tests;
mod wide;

use std::sync::Arc;

pub use arrivals::{Arrival, Share};
pub use closed::ClosedShare;
pub use counts::Counts;
pub use mix::{Mix, MixError, Weight};
pub use profile::{Point, Profile, ProfileError};
pub use rate::{Area, Rate, RateChange};
pub use seed::arrival_seed;

use closed::Closed;
use random::Window;
use segments::Segment;

/// One stretch of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// How long it lasts, in nanoseconds.
    pub length_ns: u64,
    /// How the rate runs over it.
    pub profile: Profile,
    /// Where its arrivals are, given the rate.
    pub spacing: Spacing,
    /// How many arrivals it offers at most: nothing more until it is over.
    pub max_arrivals: Option<u64>,
}

impl Stretch {
    /// A stretch of this length, evenly spaced and without a limit.
    pub fn new(length_ns: u64, profile: Profile) -> Self {
        Self { length_ns, profile, spacing: Spacing::Even, max_arrivals: None }
    }
}

/// Where the arrivals of a stretch are, given its rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spacing {
    /// Each is due when the integral of the rate reaches its number.
    #[default]
    Even,
    /// A Poisson process from the run's seed and the position of the stretch: arrivals know nothing of each other, and
    /// their number is random, with the integral of the rate as its mean and variance.
    Random,
}

/// What holds for a schedule as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Whole {
    /// The run's seed, for stretches of random arrivals.
    pub seed: u64,
    /// How many arrivals there are at most: nothing more is offered after that many. Phases keep their lengths.
    pub max_arrivals: Option<u64>,
}

/// All arrivals of a run. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Schedule {
    inner: Arc<Inner>,
}

/// What all shares of a schedule have in common.
#[derive(Debug)]
struct Inner {
    segments: Vec<Segment>,
    mix: Mix,
    planned: u64,
    length_ns: u64,
    closed: Vec<Closed>,
}

/// Why there is no schedule of these stretches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// Phases are numbered in 16 bits.
    #[error("more than 65,535 phases")]
    TooManyPhases,
    /// Together they last longer than 2^64 nanoseconds, or plan more than 2^63 arrivals; or a phase with a rising or falling
    /// rate could hold more than 2^96 × 10^-15 of them, 79 million million.
    #[error("the phases are too long to be counted")]
    TooLong,
    /// More than 2^38 arrivals are expected in a phase of random arrivals, or too many in all of them together: 1,000
    /// million are few enough, however they are divided.
    #[error("too many random arrivals")]
    TooManyRandom,
    /// A profile is wrong.
    #[error("{error}")]
    Profile {
        /// Position of its stretch.
        phase: usize,
        /// What is wrong with it.
        error: ProfileError,
    },
}

impl Schedule {
    /// The schedule of these stretches, one after the other, for this mix. Takes microseconds, and for random arrivals some
    /// milliseconds for a million.
    ///
    /// # Errors
    /// Where there are more stretches, nanoseconds or arrivals than can be numbered, or a profile is wrong. Rates outside the
    /// range for scenarios are let through: see [`Profile::check`].
    pub fn new(stretches: &[Stretch], mix: Mix, whole: &Whole) -> Result<Self, ScheduleError> {
        if stretches.len() > usize::from(u16::MAX) {
            return Err(ScheduleError::TooManyPhases);
        }
        let (segments, length_ns) = segments::lay_out(stretches, whole)?;
        let planned = segments.last().map_or(0, |segment| segment.end);
        Ok(Self { inner: Arc::new(Inner { segments, mix, planned, length_ns, closed: closed::closed_of(stretches) }) })
    }

    /// The number of arrivals that are due in the whole run; what closed stretches start comes on top of it.
    pub fn planned(&self) -> u64 {
        self.inner.planned
    }

    /// The length of all phases together, in nanoseconds: the moment at which the schedule ends.
    pub fn length_ns(&self) -> u64 {
        self.inner.length_ns
    }

    /// When the last arrival is due, in nanoseconds from the start of the run; `None` where there are none. Where the number
    /// of arrivals is limited, nothing is offered from then on until [`Schedule::length_ns`].
    pub fn last_due_ns(&self) -> Option<u64> {
        let last = self.inner.planned.checked_sub(1)?;
        let phase = self.inner.segments.partition_point(|segment| segment.end <= last);
        let (segment, phase) = (self.inner.segments.get(phase)?, u16::try_from(phase).ok()?);
        Some(segment.due_ns(last, phase, &mut Window::default()))
    }

    /// The mix of workloads.
    pub fn mix(&self) -> &Mix {
        &self.inner.mix
    }

    /// Start and end of a phase in nanoseconds from the start of the run; `None` where there is no such phase.
    pub fn phase_bounds_ns(&self, phase: usize) -> Option<(u64, u64)> {
        self.inner.segments.get(phase).map(|segment| (segment.start_ns, segment.start_ns + segment.length_ns))
    }

    /// The highest rate at any moment of the run. Where arrivals are random they come closer together for moments; where
    /// their number is limited, the rate counts all the same.
    pub fn peak(&self) -> Rate {
        self.inner.segments.iter().map(Segment::peak).max().unwrap_or(Rate::ZERO)
    }

    /// What worker `worker` (from 0) of `of` workers is to start, by due time.
    ///
    /// A worker takes every `of`-th arrival *of each workload*, so that its mix is that of the run for any number of
    /// workers; which one it begins with is shifted from workload to workload, so that the first worker does not get the
    /// first of each. Taking every `of`-th arrival of all would be badly balanced where `of` is a Fibonacci number, since
    /// the mix is drawn by multiples of the golden ratio. The shares of all workers together are the whole schedule.
    ///
    /// The share of a worker that does not exist (`worker` ≥ `of`) is empty.
    pub fn share(&self, worker: u32, of: u32) -> Share {
        Share::new(Arc::clone(&self.inner), worker, of)
    }

    /// What worker `worker` (from 0) of `of` workers is to start in closed stretches, and when; `None` where none is closed.
    pub fn closed_share(&self, worker: u32, of: u32) -> Option<ClosedShare> {
        (!self.inner.closed.is_empty()).then(|| ClosedShare::new(Arc::clone(&self.inner), worker, of))
    }

    /// The most iterations that a closed stretch holds at once, over all workers; 0 where none is closed.
    pub fn closed_peak(&self) -> u32 {
        self.inner.closed.iter().map(Closed::concurrency).max().unwrap_or(0)
    }

    /// Every arrival of the run, by due time.
    pub fn all(&self) -> Share {
        self.share(0, 1)
    }

    /// How many arrivals are planned, by phase and workload. Takes microseconds, however long the run.
    pub fn counts(&self) -> Counts {
        Counts::of(&self.inner.segments, &self.inner.mix)
    }
}
