//! Profiles: how the rate runs over a phase. One file each; a new one gives its integral and the inverse of it.

mod constant;
mod pause;

pub(super) use constant::Constant;
pub(super) use pause::Pause;

use super::rate::{Area, Rate};

/// How the rate runs over a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// The same rate throughout.
    Constant {
        /// That rate.
        rate: Rate,
    },
    /// No arrivals.
    Pause,
}

/// What a profile must tell. Times are nanoseconds from the start of its phase.
pub(super) trait Shape {
    /// The integral of the rate from the start of the phase over its whole length.
    fn area(&self, length_ns: u64) -> Area;

    /// The last nanosecond at whose begin the integral is at most `area`, for an `area` below that of the whole phase:
    /// the moment at which the integral reaches `area`, rounded down. Never decreases as `area` grows, and is below the
    /// length of the phase.
    fn reached(&self, area: Area) -> u64;

    /// The highest rate at any moment.
    fn peak(&self) -> Rate;
}

impl Profile {
    /// The integral of the rate over a phase of this length.
    pub(super) fn area(&self, length_ns: u64) -> Area {
        match *self {
            Self::Constant { rate } => Constant { rate }.area(length_ns),
            Self::Pause => Pause.area(length_ns),
        }
    }

    /// When the integral reaches `area`, see [`Shape::reached`].
    #[inline]
    pub(super) fn reached(&self, area: Area) -> u64 {
        match *self {
            Self::Constant { rate } => Constant { rate }.reached(area),
            Self::Pause => Pause.reached(area),
        }
    }

    /// The highest rate at any moment.
    pub fn peak(&self) -> Rate {
        match *self {
            Self::Constant { rate } => Constant { rate }.peak(),
            Self::Pause => Pause.peak(),
        }
    }
}
