//! Closed stretches: so many iterations at once, each started when another has ended. Nothing is due in them, so that
//! they are no part of the integral; what is pure about them is how workers share them and how their starts are numbered.

use std::sync::Arc;

use super::arrivals::Arrival;
use super::{Inner, Profile, Stretch};

/// Sets the mixes of workers apart, so that they do not all begin with the same workload.
const APART: u64 = 1 << 20;

/// A closed stretch of the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Closed {
    phase: u16,
    start_ns: u64,
    end_ns: u64,
    concurrency: u32,
    max_arrivals: Option<u64>,
}

/// The closed stretches among these, which lie end to end.
pub(super) fn closed_of(stretches: &[Stretch]) -> Vec<Closed> {
    let mut start_ns = 0_u64;
    let mut closed = Vec::new();
    for (phase, stretch) in (0_u16..).zip(stretches) {
        let end_ns = start_ns.saturating_add(stretch.length_ns);
        if let Profile::Closed { concurrency } = stretch.profile {
            closed.push(Closed { phase, start_ns, end_ns, concurrency, max_arrivals: stretch.max_arrivals });
        }
        start_ns = end_ns;
    }
    closed
}

impl Closed {
    pub(super) fn concurrency(&self) -> u32 {
        self.concurrency
    }
}

/// One worker's part of the closed stretches of a run.
///
/// Its starts are numbered after all arrivals that are due: each number and each index within a workload is given once
/// over all workers, but not all of them are given.
#[derive(Clone, Debug)]
pub struct ClosedShare {
    schedule: Arc<Inner>,
    parts: Vec<Part>,
    worker: u64,
    of: u64,
    /// How many were started.
    started: u64,
    /// How many of each workload were started.
    lanes: Vec<u64>,
    /// How many of each workload are due by the schedule.
    due: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Part {
    phase: u16,
    start_ns: u64,
    end_ns: u64,
    places: u32,
    /// How many more may be started.
    left: u64,
}

impl ClosedShare {
    /// That of worker `worker` (from 0) of `of` workers; the shares of all of them are the whole, exactly.
    pub(super) fn new(schedule: Arc<Inner>, worker: u32, of: u32) -> Self {
        let part = |closed: &Closed| {
            let (before, until) = places(closed.concurrency, worker, of);
            // In proportion to the places, so that who has none has no arrival to start either.
            let left = |most: u64| up_to(most, until, closed.concurrency) - up_to(most, before, closed.concurrency);
            Part {
                phase: closed.phase,
                start_ns: closed.start_ns,
                end_ns: closed.end_ns,
                places: until - before,
                left: closed.max_arrivals.map_or(u64::MAX, left),
            }
        };
        let parts: Vec<_> = schedule.closed.iter().map(part).collect();
        let workloads = schedule.mix.workloads();
        let due = schedule.mix.counts_before(schedule.planned);
        Self { parts, worker: worker.into(), of: of.into(), started: 0, lanes: vec![0; workloads], due, schedule }
    }

    /// How many of this worker's may be at once at that moment, in nanoseconds from the start of the run; 0 where no
    /// closed stretch is on, or it has started as many as it may.
    pub fn places_at(&self, at_ns: u64) -> usize {
        self.part_at(at_ns).map_or(0, |part| self.parts[part].places as usize)
    }

    /// When the next closed stretch begins, at that moment or later; `None` where there is none.
    pub fn next_ns(&self, from_ns: u64) -> Option<u64> {
        self.parts.iter().map(|part| part.start_ns).find(|&start_ns| start_ns >= from_ns)
    }

    /// What is to be started now: an arrival that is due at this moment. `None` where [`Self::places_at`] is 0.
    pub fn start(&mut self, at_ns: u64) -> Option<Arrival> {
        let part = self.part_at(at_ns)?;
        let part = &mut self.parts[part];
        part.left -= 1;
        let phase = part.phase;
        let workload = self.schedule.mix.pick(self.started.wrapping_add(self.worker * APART));
        let lane = &mut self.lanes[usize::from(workload)];
        let index = self.due[usize::from(workload)] + *lane * self.of + self.worker;
        *lane += 1;
        let sequence = self.schedule.planned + self.started * self.of + self.worker;
        self.started += 1;
        Some(Arrival { sequence, index, workload, phase, due_ns: at_ns })
    }

    fn part_at(&self, at_ns: u64) -> Option<usize> {
        let is_on = |part: &Part| (part.start_ns..part.end_ns).contains(&at_ns) && part.places > 0 && part.left > 0;
        self.parts.iter().position(is_on)
    }
}

/// From which place to which (not included) of so many are worker `worker`'s among `of`: as equally as can be, and all of
/// them exactly once; none for one that does not exist.
fn places(concurrency: u32, worker: u32, of: u32) -> (u32, u32) {
    let before = |worker: u32| u32::try_from(up_to(concurrency.into(), worker, of)).unwrap_or(concurrency);
    if worker < of { (before(worker), before(worker + 1)) } else { (0, 0) }
}

/// What the first `part` of `parts` equal parts of `whole` come to, rounded down.
fn up_to(whole: u64, part: u32, parts: u32) -> u64 {
    let share = (u128::from(whole) * u128::from(part)).checked_div(u128::from(parts));
    share.and_then(|share| u64::try_from(share).ok()).unwrap_or(0)
}
