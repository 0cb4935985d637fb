//! Rates at given moments, joined by lines.

use super::{Line, ProfileError, Rate};

/// The rate at a moment of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The moment, in nanoseconds from the start of the phase.
    pub at_ns: u64,
    /// The rate there. Of two points at one moment the first is where the line before ends, the second where the next
    /// begins: a jump.
    pub rate: Rate,
}

/// The lines through these points. Before the first point the rate is that of the first, after the last that of the last.
///
/// # Errors
/// Where there are none, they go back in time, or one is after the end of the phase.
pub(super) fn lines(points: &[Point], length_ns: u64) -> Result<Vec<Line>, ProfileError> {
    let (Some(&first), Some(&last)) = (points.first(), points.last()) else { return Err(ProfileError::NoPoints) };
    if !points.is_sorted_by_key(|point| point.at_ns) {
        return Err(ProfileError::PointsOutOfOrder);
    }
    if last.at_ns > length_ns {
        return Err(ProfileError::PointOutside);
    }
    let start = Point { at_ns: 0, rate: first.rate };
    let end = Point { at_ns: length_ns, rate: last.rate };
    let ends = points.iter().copied().chain([end]);
    let line = |(from, to): (Point, Point)| Line {
        start_ns: from.at_ns,
        length_ns: to.at_ns - from.at_ns,
        from: from.rate,
        to: to.rate,
    };
    Ok([start].into_iter().chain(points.iter().copied()).zip(ends).map(line).collect())
}
