//! The same rate throughout.

use super::{Area, Rate, Shape};

/// `rate` arrivals per second, evenly spaced.
pub(in super::super) struct Constant {
    /// The rate.
    pub(in super::super) rate: Rate,
}

impl Shape for Constant {
    fn area(&self, length_ns: u64) -> Area {
        self.rate.over(length_ns)
    }

    #[inline]
    fn reached(&self, area: Area) -> u64 {
        // A rate of 0 has no area below its own, so it is never asked.
        area.checked_div(Area::from(self.rate.millionths())).and_then(|ns| u64::try_from(ns).ok()).unwrap_or(0)
    }

    fn peak(&self) -> Rate {
        self.rate
    }
}
