//! Profiles: how the rate runs over a phase. Each is a row of straight lines, with jumps where they do not meet; what is
//! known of lines is in `line.rs` and `path.rs`, so that a new profile has to give its lines and nothing else.

mod line;
mod path;
mod points;
mod spike;
mod steps;

use std::sync::Arc;

use super::rate::{Rate, RateChange};

pub(super) use line::Line;
pub(super) use path::Path;
pub use points::Point;

/// How the rate runs over a phase. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Profile {
    /// The same rate throughout.
    Constant {
        /// That rate.
        rate: Rate,
    },
    /// From one rate to another along a line. Offers (from + to) ÷ 2 × length.
    Ramp {
        /// The rate at the start.
        from: Rate,
        /// The rate at the end.
        to: Rate,
    },
    /// A staircase: steps of equal length, each of a constant rate.
    Steps {
        /// The rate of the first step.
        from: Rate,
        /// By how much each step is above the one before; negative where the stairs go down.
        by: RateChange,
        /// How many steps, 1 to 100.
        steps: u16,
    },
    /// A constant rate, but for a while another.
    Spike {
        /// The rate before and after.
        base: Rate,
        /// The rate of the spike; it may also be below `base`.
        peak: Rate,
        /// When the spike starts, in nanoseconds from the start of the phase.
        at_ns: u64,
        /// How long it lasts, in nanoseconds: longer than 0, and over before the phase ends.
        for_ns: u64,
    },
    /// Rates at given moments, by time, joined by lines; level before the first and after the last.
    Points(Arc<[Point]>),
    /// So many iterations at once, each started when another has ended: no arrival is due, and how many there are is up to
    /// the target. What an earlier phase has left of a fraction waits for the next one.
    Closed {
        /// How many, over all workers.
        concurrency: u32,
    },
    /// No arrivals: what an earlier phase has left of a fraction waits for the next one.
    Pause,
}

/// What is wrong with a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// A rate is below [`Rate::LOWEST`] where it may not be.
    #[error("a rate is below 0.1 arrivals per second")]
    RateTooLow,
    /// A rate is above [`Rate::HIGHEST`].
    #[error("a rate is above 100,000 arrivals per second")]
    RateTooHigh,
    /// There must be 1 to 100 steps.
    #[error("there must be 1 to 100 steps")]
    StepCount,
    /// A staircase goes down below 0.
    #[error("the last steps have rates below 0")]
    StepBelowZero,
    /// A spike has no length.
    #[error("a spike must be longer than 0")]
    SpikeEmpty,
    /// A spike lasts to the end of its phase or beyond.
    #[error("a spike must be over before its phase ends")]
    SpikeTooLong,
    /// There is no point.
    #[error("there must be at least one point")]
    NoPoints,
    /// A point is before the one before it.
    #[error("points must be in the order of their times")]
    PointsOutOfOrder,
    /// A point is after the end of the phase.
    #[error("a point is after the end of its phase")]
    PointOutside,
}

impl Profile {
    /// The lines of a phase of this length; some may be without length.
    ///
    /// # Errors
    /// Where there are none, or a rate cannot be held. Other rates outside the range are let through: see
    /// [`Profile::check`].
    pub(super) fn lines(&self, length_ns: u64) -> Result<Vec<Line>, ProfileError> {
        let whole = |from, to| vec![Line { start_ns: 0, length_ns, from, to }];
        Ok(match *self {
            Self::Constant { rate } => whole(rate, rate),
            Self::Ramp { from, to } => whole(from, to),
            Self::Steps { from, by, steps } => steps::lines(from, by, steps, length_ns)?,
            Self::Spike { base, peak, at_ns, for_ns } => spike::lines(base, peak, at_ns, for_ns, length_ns)?.into(),
            Self::Points(ref points) => points::lines(points, length_ns)?,
            Self::Closed { .. } | Self::Pause => whole(Rate::ZERO, Rate::ZERO),
        })
    }

    /// Whether a scenario may ask for this in a phase of this length.
    ///
    /// # Errors
    /// Where there is no such profile, a rate is above [`Rate::HIGHEST`], or the rate of a constant phase or the peak of a
    /// spike is below [`Rate::LOWEST`]. Rates that begin, end or pass at 0 may be as low as they like.
    pub fn check(&self, length_ns: u64) -> Result<(), ProfileError> {
        let lines = self.lines(length_ns)?;
        if lines.iter().any(|line| line.from.max(line.to) > Rate::HIGHEST) {
            return Err(ProfileError::RateTooHigh);
        }
        match *self {
            Self::Constant { rate } | Self::Spike { peak: rate, .. } if rate < Rate::LOWEST => {
                Err(ProfileError::RateTooLow)
            }
            _ => Ok(()),
        }
    }

    /// The same profile for a phase that was `from_ns` long and is now `to_ns`: moments within it move along with its end,
    /// rounded down; rates stay.
    #[must_use]
    pub fn scaled(&self, from_ns: u64, to_ns: u64) -> Self {
        let scale = |ns: u64| {
            let scaled = (u128::from(ns) * u128::from(to_ns)).checked_div(u128::from(from_ns));
            scaled.and_then(|ns| u64::try_from(ns).ok()).unwrap_or(ns)
        };
        match *self {
            Self::Spike { base, peak, at_ns, for_ns } => {
                // A spike that was there stays.
                let for_ns = scale(for_ns).max(u64::from(for_ns > 0));
                Self::Spike { base, peak, at_ns: scale(at_ns), for_ns }
            }
            Self::Points(ref points) => {
                Self::Points(points.iter().map(|point| Point { at_ns: scale(point.at_ns), ..*point }).collect())
            }
            ref other => other.clone(),
        }
    }
}
