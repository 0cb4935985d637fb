//! What a worker must wake for besides its schedule: plugin timers and iteration time-outs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::clock::Time;

/// Names an iteration in flight; the serial tells a reused place from its earlier holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct FlightKey {
    pub(super) at: u32,
    pub(super) serial: u32,
}

/// Why an iteration is woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Alarm {
    /// A timer of the plugin.
    Timer(u32),
    /// An exchange that could not be made fails: its place and serial.
    Impossible(u32, u32),
    /// The iteration has run for as long as it may.
    TimeOut,
}

/// Alarms by time. Those of ended iterations are left in place and swept when they outnumber the living, so that memory
/// follows what is in flight and not what has been.
#[derive(Debug, Default)]
pub(super) struct Alarms {
    heap: BinaryHeap<Reverse<(Time, FlightKey, Alarm)>>,
    /// Sweep when the heap is this long.
    sweep_at: usize,
}

/// Below this length a sweep is not worth its while.
const SWEEP_MIN: usize = 1024;

impl Alarms {
    /// Adds an alarm. `alive` says which iterations are still in flight.
    pub(super) fn set(&mut self, at: Time, flight: FlightKey, alarm: Alarm, alive: impl Fn(FlightKey) -> bool) {
        self.heap.push(Reverse((at, flight, alarm)));
        if self.heap.len() > self.sweep_at.max(SWEEP_MIN) {
            self.heap.retain(|Reverse((_, flight, _))| alive(*flight));
            self.sweep_at = self.heap.len() * 2;
        }
    }

    /// When the next alarm is, of an ended iteration perhaps.
    pub(super) fn next(&self) -> Option<Time> {
        self.heap.peek().map(|Reverse((at, _, _))| *at)
    }

    /// Takes the next alarm that is due.
    pub(super) fn take_due(&mut self, now: Time) -> Option<(Time, FlightKey, Alarm)> {
        if self.next()? > now {
            return None;
        }
        self.heap.pop().map(|Reverse(alarm)| alarm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(at: u32) -> FlightKey {
        FlightKey { at, serial: 0 }
    }

    #[test]
    fn alarms_come_in_order_and_only_when_due() {
        let mut alarms = Alarms::default();
        for at in [30, 10, 20] {
            alarms.set(Time(at), key(0), Alarm::TimeOut, |_| true);
        }
        assert_eq!(alarms.next(), Some(Time(10)));
        assert_eq!(alarms.take_due(Time(9)), None);
        let due: Vec<u64> = std::iter::from_fn(|| alarms.take_due(Time(25))).map(|(at, _, _)| at.0).collect();
        assert_eq!(due, [10, 20]);
    }

    #[test]
    fn alarms_of_ended_iterations_do_not_pile_up() {
        let mut alarms = Alarms::default();
        for n in 0..1_000_000 {
            // Ten are alive at any time, as with a short iteration and a long time-out.
            alarms.set(Time(u64::from(n) + 60_000), key(n), Alarm::TimeOut, |flight| flight.at + 10 > n);
        }
        assert!(alarms.heap.len() <= 2 * SWEEP_MIN, "{} alarms for 10 iterations", alarms.heap.len());
    }
}
