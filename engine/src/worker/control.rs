//! How a run is told to stop, and how workers tell how far they are.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::record::Live;

/// How far a run is asked to go on. Only ever raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Stop {
    /// To the end of the schedule.
    No = 0,
    /// Offer nothing more, wait for what is in flight.
    Drain = 1,
    /// Wait for nothing.
    Now = 2,
}

/// What the commander of a run and its workers share besides the slots.
#[derive(Debug)]
pub struct Control {
    stop: AtomicU8,
    /// What each worker saw since it was last asked; filled once a second.
    live: Vec<Mutex<Live>>,
}

impl Control {
    /// For so many workers.
    pub fn new(workers: usize) -> Self {
        Self { stop: AtomicU8::new(0), live: (0..workers).map(|_| Mutex::default()).collect() }
    }

    /// Asks the workers to stop, at least so far.
    pub fn stop(&self, stop: Stop) {
        self.stop.fetch_max(stop as u8, Ordering::Relaxed);
    }

    /// How far the workers are asked to stop.
    pub fn stopped(&self) -> Stop {
        match self.stop.load(Ordering::Relaxed) {
            0 => Stop::No,
            1 => Stop::Drain,
            _ => Stop::Now,
        }
    }

    /// A worker tells what it saw. Totals replace those told before, what is recent adds up until somebody looks.
    pub(super) fn tell(&self, worker: usize, live: Live) {
        let Some(place) = self.live.get(worker) else { return };
        let mut place = place.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let unread = std::mem::take(&mut *place);
        let total = live.total;
        *place = live;
        place.merge(&unread);
        place.total = total;
    }

    /// What all workers saw; what is recent counts from the last time somebody looked.
    pub fn look(&self) -> Live {
        let mut all = Live::default();
        for place in &self.live {
            let mut place = place.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            all.merge(&place);
            let total = place.total;
            *place = Live { total, ..Live::default() };
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Tally;

    #[test]
    fn a_stop_is_never_taken_back() {
        let control = Control::new(1);
        control.stop(Stop::Now);
        control.stop(Stop::Drain);
        assert_eq!(control.stopped(), Stop::Now);
    }

    #[test]
    fn totals_replace_and_what_is_recent_adds_up_until_looked_at() {
        let live = |total, recent| Live {
            total: Tally { ok: total, ..Tally::default() },
            recent: Tally { ok: recent, ..Tally::default() },
            ..Live::default()
        };
        let control = Control::new(2);
        control.tell(0, live(10, 10));
        control.tell(0, live(15, 5));
        control.tell(1, live(7, 7));
        let seen = control.look();
        assert_eq!((seen.total.ok, seen.recent.ok), (22, 22));
        control.tell(1, live(8, 1));
        let seen = control.look();
        assert_eq!((seen.total.ok, seen.recent.ok), (23, 1));
    }
}
