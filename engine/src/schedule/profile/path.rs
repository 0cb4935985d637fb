//! The rate over one phase: lines, one after the other.

use super::super::rate::{Area, Rate};
use super::line::Line;

/// The lines of one phase, with what each begins at.
#[derive(Clone, Debug)]
pub(in super::super) struct Path {
    /// By start; none without length.
    lines: Box<[(Area, Line)]>,
    /// The integral over all of them.
    area: Area,
}

impl Path {
    /// The path of these lines, which follow each other without a gap; `None` where they are too long for their integral
    /// to be counted.
    pub(in super::super) fn new(lines: impl IntoIterator<Item = Line>) -> Option<Self> {
        let mut area: Area = 0;
        let place = |line: Line| {
            let before = area;
            area = area.checked_add(line.area())?;
            line.can_be_solved().then_some((before, line))
        };
        let lines = lines.into_iter().filter(|line| line.length_ns > 0).map(place).collect::<Option<_>>()?;
        Some(Self { lines, area })
    }

    /// The integral of the rate over the phase.
    pub(in super::super) fn area(&self) -> Area {
        self.area
    }

    /// The last nanosecond, from the start of the phase, at whose begin the integral is at most `area`, for an `area` below
    /// that of the whole phase: the moment at which the integral goes beyond `area`, rounded down. Never decreases as
    /// `area` grows, and is below the length of the phase.
    ///
    /// Where the rate is 0 for a while just when the integral has reached `area`, that is the end of the while: what is due
    /// at the start of a pause is due after it, within a phase as between phases.
    #[inline]
    pub(in super::super) fn reached(&self, area: Area) -> u64 {
        let after = match &*self.lines {
            [_] => 1,
            lines => lines.partition_point(|&(before, _)| before <= area),
        };
        // There is one, since the first begins at 0; without any, the area is 0 and nothing is asked.
        let Some((before, line)) = after.checked_sub(1).and_then(|at| self.lines.get(at)) else { return 0 };
        line.start_ns + line.reached(area - before)
    }

    /// The highest rate at any moment of the phase.
    pub(in super::super) fn peak(&self) -> Rate {
        self.lines.iter().map(|(_, line)| line.from.max(line.to)).max().unwrap_or(Rate::ZERO)
    }
}
