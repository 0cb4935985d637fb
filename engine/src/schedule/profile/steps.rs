//! A staircase.

use super::{Line, ProfileError, Rate, RateChange};

/// The most steps of a staircase.
pub(super) const MOST: u16 = 100;

/// The lines of a staircase of `steps` steps of equal length, the first at `from` and each `by` above the one before.
///
/// Step i begins at i × length ÷ steps, in whole nanoseconds: rounded up where the stairs rise and down where they fall, so
/// that no higher rate lasts longer than its part. Otherwise 1 s of 10, 20 and 30/s would be a hair more than 20 arrivals, and
/// offer 21.
///
/// # Errors
/// Where there are no steps or too many, or one is below 0 or too high.
pub(super) fn lines(from: Rate, by: RateChange, steps: u16, length_ns: u64) -> Result<Vec<Line>, ProfileError> {
    if !(1..=MOST).contains(&steps) {
        return Err(ProfileError::StepCount);
    }
    let bound = |step: u16| {
        let (whole, parts) = (u128::from(length_ns) * u128::from(step), u128::from(steps));
        let ns = if by.millionths() > 0 { whole.div_ceil(parts) } else { whole / parts };
        // At most `length_ns`, since `step` is at most `steps`.
        u64::try_from(ns).unwrap_or(length_ns)
    };
    let line = |step: u16| {
        let start_ns = bound(step);
        let fault = if by.millionths() < 0 { ProfileError::StepBelowZero } else { ProfileError::RateTooHigh };
        let rate = from.changed(by, u32::from(step)).ok_or(fault)?;
        Ok(Line { start_ns, length_ns: bound(step + 1) - start_ns, from: rate, to: rate })
    };
    (0..steps).map(line).collect()
}
