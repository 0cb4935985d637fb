//! No arrivals.

use super::{Area, Rate, Shape};

/// A stretch in which nothing is offered: what an earlier phase has left of a fraction waits for the next one.
pub(in super::super) struct Pause;

impl Shape for Pause {
    fn area(&self, _length_ns: u64) -> Area {
        0
    }

    fn reached(&self, _area: Area) -> u64 {
        0
    }

    fn peak(&self) -> Rate {
        Rate::ZERO
    }
}
