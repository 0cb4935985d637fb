//! A part of a phase in which the rate runs along a straight line.

use super::super::rate::{Area, Rate};
use super::super::wide::Wide;

/// A straight part of a profile, in its place within the phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Line {
    /// Its start, in nanoseconds from the start of the phase.
    pub(in super::super) start_ns: u64,
    /// How long it is, in nanoseconds.
    pub(in super::super) length_ns: u64,
    /// The rate at its start.
    pub(in super::super) from: Rate,
    /// The rate just before its end.
    pub(in super::super) to: Rate,
}

impl Line {
    /// The integral of the rate over the whole line.
    pub(in super::super) fn area(&self) -> Area {
        Area::from(self.from.millionths() + self.to.millionths()) * Area::from(self.length_ns)
    }

    /// Whether [`Line::reached`] can be asked: numbers stay below 2¹⁹² where the highest rate × the length is below 2⁹⁶,
    /// which is 79 million million arrivals. A level line has no such bound.
    pub(in super::super) fn can_be_solved(&self) -> bool {
        let highest = Area::from(self.from.max(self.to).millionths());
        self.from == self.to || highest * Area::from(self.length_ns) < 1 << (Wide::ROOT_BITS / 2)
    }

    /// The last nanosecond, from the start of the line, at whose begin the integral since the start of the line is at most
    /// `area`, for an `area` below that of the whole line. Exact.
    ///
    /// With rates f and t, d = t − f, length L and the integral in halves, as [`Area`] has it, A(x) = 2fx + dx²/L. Times dL
    /// and completed to a square, A(x) = a is (dx + fL)² = a·dL + (fL)². So x = (√(a·dL + (fL)²) − fL) ÷ d, and with all
    /// numbers whole, rounding the root and then the quotient down gives the largest x for which A(x) ≤ a. Where the rate
    /// falls, d is negative, and both are rounded the other way.
    #[inline]
    pub(in super::super) fn reached(&self, area: Area) -> u64 {
        let (from, to, length) =
            (Area::from(self.from.millionths()), Area::from(self.to.millionths()), Area::from(self.length_ns));
        let ns = if from == to {
            // A rate of 0 has no area below its own, so it is never asked.
            area.checked_div(2 * from).unwrap_or(0)
        } else {
            let begin = from * length;
            let square = Wide::product(begin, begin);
            if to > from {
                let slope = to - from;
                (square.plus(Wide::product(area, slope * length)).root() - begin) / slope
            } else {
                let slope = from - to;
                (begin - square.minus(Wide::product(area, slope * length)).root_up()) / slope
            }
        };
        u64::try_from(ns).unwrap_or(0)
    }
}
