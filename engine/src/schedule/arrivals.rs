//! Walking a worker's share of the schedule.

use std::sync::Arc;

use super::Inner;
use super::random::Window;

/// One scheduled start of one workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Its number over the whole run, from 0.
    pub sequence: u64,
    /// Its number within its workload, from 0.
    pub index: u64,
    /// Its workload, by position in the mix.
    pub workload: u16,
    /// The phase in which it is due, by position.
    pub phase: u16,
    /// When it is due, in nanoseconds from the start of the run.
    pub due_ns: u64,
}

/// The arrivals of one worker, by due time; computed as it is walked, in memory that does not grow with the run.
///
/// A step over an arrival of another worker costs a few nanoseconds: when it is due is not computed.
#[derive(Clone, Debug)]
pub struct Share {
    schedule: Arc<Inner>,
    lanes: Vec<Lane>,
    of: u32,
    next: u64,
    phase: u16,
    window: Window,
}

/// Where a share stands within one workload.
#[derive(Clone, Copy, Debug)]
struct Lane {
    /// The index of the workload's next arrival.
    index: u64,
    /// How many arrivals of other workers come before the next of ours.
    others: u32,
}

impl Share {
    pub(super) fn new(schedule: Arc<Inner>, worker: u32, of: u32) -> Self {
        let lanes = (0..schedule.mix.workloads())
            .map(|workload| {
                // Index i of workload j is for the worker w with (i + j) mod `of` = w.
                let shift = u32::try_from(workload).unwrap_or(0).checked_rem(of).unwrap_or(0);
                Lane { index: 0, others: if shift <= worker { worker - shift } else { worker + of - shift } }
            })
            .collect();
        let next = if worker < of { 0 } else { schedule.planned };
        Self { schedule, lanes, of, next, phase: 0, window: Window::default() }
    }
}

impl Iterator for Share {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        loop {
            let sequence = self.next;
            let mut segment = self.schedule.segments.get(usize::from(self.phase))?;
            while sequence >= segment.end {
                // Stay on the last one, so that a share that has ended stays so.
                segment = self.schedule.segments.get(usize::from(self.phase) + 1)?;
                self.phase += 1;
            }
            self.next += 1;
            let workload = self.schedule.mix.pick(sequence);
            let lane = self.lanes.get_mut(usize::from(workload))?;
            let index = lane.index;
            lane.index += 1;
            if lane.others > 0 {
                lane.others -= 1;
                continue;
            }
            lane.others = self.of - 1;
            let due_ns = segment.due_ns(sequence, self.phase, &mut self.window);
            return Some(Arrival { sequence, index, workload, phase: self.phase, due_ns });
        }
    }
}

impl std::iter::FusedIterator for Share {}
