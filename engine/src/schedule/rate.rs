//! Rates and their integrals, in integers.

use serde::{Serialize, Serializer};

/// Arrivals per second, exact to a millionth.
///
/// A rate written with up to six decimals is held without rounding, so that sums over any length never drift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

/// An integral of a rate over time, in units of half of 10⁻¹⁵ arrivals: half a millionth of an arrival per second, for
/// one nanosecond. Half, because a rate that rises along a line has an area of (from + to) × length ÷ 2.
pub type Area = u128;

/// The [`Area`] of one arrival.
pub(super) const ONE_ARRIVAL: Area = 2_000_000_000_000_000;

const MILLION: f64 = 1_000_000.0;

impl Rate {
    /// No arrivals.
    pub const ZERO: Self = Self(0);

    /// The highest rate that can be held: a thousand million arrivals per second.
    pub const MAX: Self = Self(1_000_000_000_000_000);

    /// The highest rate that a profile may ask for: 100,000 arrivals per second.
    pub const HIGHEST: Self = Self(100_000_000_000);

    /// The lowest rate that a profile may ask for where it may not be 0: an arrival in ten seconds.
    pub const LOWEST: Self = Self(100_000);

    /// This many millionths of an arrival per second; `None` above [`Rate::MAX`].
    pub const fn from_millionths(millionths: u64) -> Option<Self> {
        if millionths <= Self::MAX.0 { Some(Self(millionths)) } else { None }
    }

    /// The rate of which `per_second` is the nearest `f64`; `None` where that is negative, above [`Rate::MAX`], not a
    /// number, or has more than six decimals.
    pub fn per_second(per_second: f64) -> Option<Self> {
        millionths(per_second).and_then(Self::from_millionths)
    }

    /// Millionths of an arrival per second.
    pub const fn millionths(self) -> u64 {
        self.0
    }

    /// Arrivals per second, as a number for people.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / MILLION
    }

    /// This rate changed so many times over; `None` below 0 and above [`Rate::MAX`].
    pub fn changed(self, by: RateChange, times: u32) -> Option<Self> {
        let whole = by.0.checked_mul(i64::from(times))?;
        self.0.checked_add_signed(whole).and_then(Self::from_millionths)
    }
}

impl Serialize for Rate {
    /// As arrivals per second.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.as_f64())
    }
}

/// A difference between two rates, exact to a millionth of an arrival per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RateChange(i64);

impl RateChange {
    /// The change of which `per_second` is the nearest `f64`, negative where the rate falls; `None` where it is beyond
    /// [`Rate::MAX`] either way, not a number, or has more than six decimals.
    pub fn per_second(per_second: f64) -> Option<Self> {
        let size = i64::try_from(millionths(per_second.abs())?).ok()?;
        Some(Self(if per_second < 0.0 { -size } else { size }))
    }

    /// Millionths of an arrival per second.
    pub const fn millionths(self) -> i64 {
        self.0
    }

    /// Arrivals per second, as a number for people.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / MILLION
    }
}

/// The number of millionths of which `value` is the nearest `f64`, so that decimal text with up to six places comes out
/// exactly; `None` for anything finer, negative, above 10⁹, or not a number.
pub(super) fn millionths(value: f64) -> Option<u64> {
    if !(0.0..=1_000_000_000.0).contains(&value) {
        return None;
    }
    let rounded = (value * MILLION).round();
    // Division is correctly rounded, and so is reading a decimal: both give the same f64 for the same decimal.
    #[expect(clippy::float_cmp, reason = "the question is whether they are the same number")]
    let exact = rounded / MILLION == value;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, and within 0..=10^15")]
    exact.then_some(rounded as u64)
}
