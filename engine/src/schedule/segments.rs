//! Phases laid end to end: which arrivals belong to which, and when they are due.

use super::Stretch;
use super::rate::{Area, ONE_ARRIVAL};

/// One phase in its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    /// Its length and profile.
    pub(super) stretch: Stretch,
    /// Its start, in nanoseconds from the start of the run.
    pub(super) start_ns: u64,
    /// The integral over all phases before it.
    start_area: Area,
    /// The first arrival due after it; the same as of the segment before where none is due in it.
    pub(super) end: u64,
}

impl Segment {
    /// When arrival `k` is due, in nanoseconds from the start of the run. Only for arrivals of this segment; rounded
    /// down, so that it lies within the segment.
    #[inline]
    pub(super) fn due_ns(&self, k: u64) -> u64 {
        let within = (Area::from(k) * ONE_ARRIVAL).saturating_sub(self.start_area);
        self.start_ns + self.stretch.profile.reached(within)
    }
}

/// Lays the stretches end to end and gives their whole length in nanoseconds; `None` where a count overflows.
///
/// A segment holds the arrivals k with (integral before it) ≤ k < (integral after it): one that falls due exactly at a
/// boundary is the first of the next phase, and one that falls due in or before a pause is due after it.
pub(super) fn lay_out(stretches: &[Stretch]) -> Option<(Vec<Segment>, u64)> {
    let (mut start_ns, mut start_area) = (0_u64, 0);
    let mut segments = Vec::with_capacity(stretches.len());
    for &stretch in stretches {
        let end_area = stretch.profile.area(stretch.length_ns).checked_add(start_area)?;
        let end = u64::try_from(end_area.div_ceil(ONE_ARRIVAL)).ok().filter(|&end| end <= 1 << 63)?;
        segments.push(Segment { stretch, start_ns, start_area, end });
        (start_ns, start_area) = (start_ns.checked_add(stretch.length_ns)?, end_area);
    }
    Some((segments, start_ns))
}
