//! A staircase.

use super::{Line, ProfileError, Rate, RateChange};

/// The most steps of a staircase.
pub(super) const MOST: u16 = 100;

/// The lines of a staircase of `steps` steps of equal length, the first at `from` and each `by` above the one before.
///
/// Step i is from ⌊i × length ÷ steps⌋ to ⌊(i + 1) × length ÷ steps⌋.
///
/// # Errors
/// Where there are no steps or too many, or one is below 0 or too high.
pub(super) fn lines(from: Rate, by: RateChange, steps: u16, length_ns: u64) -> Result<Vec<Line>, ProfileError> {
    if !(1..=MOST).contains(&steps) {
        return Err(ProfileError::StepCount);
    }
    let bound = |step: u16| {
        let ns = u128::from(length_ns) * u128::from(step) / u128::from(steps);
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
