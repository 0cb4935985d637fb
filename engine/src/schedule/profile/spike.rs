//! A rate that is another one for a while.

use super::{Line, ProfileError, Rate};

/// The lines of `base` arrivals per second, but `peak` of them from `at_ns` for `for_ns`.
///
/// # Errors
/// Where the spike has no length or is not over before the phase ends.
pub(super) fn lines(
    base: Rate,
    peak: Rate,
    at_ns: u64,
    for_ns: u64,
    length_ns: u64,
) -> Result<[Line; 3], ProfileError> {
    if for_ns == 0 {
        return Err(ProfileError::SpikeEmpty);
    }
    let over_ns = at_ns.checked_add(for_ns).filter(|&over| over < length_ns).ok_or(ProfileError::SpikeTooLong)?;
    let level = |start_ns, end_ns, rate| Line { start_ns, length_ns: end_ns - start_ns, from: rate, to: rate };
    Ok([level(0, at_ns, base), level(at_ns, over_ns, peak), level(over_ns, length_ns, base)])
}
