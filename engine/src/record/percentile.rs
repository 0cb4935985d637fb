//! Percentiles and their ranks.

use std::fmt;

/// Thousandths of a percent in the whole.
const WHOLE: u64 = 100_000;

/// A percentile above 0 and up to 100, kept in thousandths of a percent so that ranks are computed in integers: as
/// floats, 99.9 % of 1,000 would come out one rank too high.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Percentile(u64);

impl Percentile {
    /// The median.
    pub const P50: Self = Self(50_000);
    /// The 90th percentile.
    pub const P90: Self = Self(90_000);
    /// The 95th percentile.
    pub const P95: Self = Self(95_000);
    /// The 99th percentile.
    pub const P99: Self = Self(99_000);
    /// The largest value.
    pub const MAX: Self = Self(WHOLE);

    /// The percentile nearest to `percent` at a resolution of 0.001; none where that is not above 0 and at most 100.
    pub fn new(percent: f64) -> Option<Self> {
        if !(0.0..=100.0).contains(&percent) {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 100,000")]
        let thousandths = (percent * 1_000.0).round() as u64;
        (thousandths > 0).then_some(Self(thousandths))
    }

    /// The percentile of that many thousandths of a percent; none where that is not above 0 and at most 100,000.
    pub fn from_thousandths(thousandths: u32) -> Option<Self> {
        (1..=WHOLE).contains(&u64::from(thousandths)).then_some(Self(thousandths.into()))
    }

    /// The nearest rank among `count` values in rising order, from 1: ceil(p/100 × count). 0 where `count` is 0.
    pub fn rank(self, count: u64) -> u64 {
        let rank = (u128::from(self.0) * u128::from(count)).div_ceil(u128::from(WHOLE));
        u64::try_from(rank).unwrap_or(u64::MAX)
    }

    /// The share of values at or below the percentile, above 0 and at most 1.
    pub fn share(self) -> f64 {
        self.0 as f64 / WHOLE as f64
    }

    /// Whether `part` of `whole` is more than the share above this percentile, 1 − p. Exact, in integers.
    pub fn is_within_upper(self, part: u64, whole: u64) -> bool {
        u128::from(part) * u128::from(WHOLE) > u128::from(whole) * u128::from(WHOLE - self.0)
    }
}

impl fmt::Display for Percentile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p{}", self.0 as f64 / 1_000.0)
    }
}
