//! A worker's loop: starts each arrival when it is due, fills the places of closed phases, rings alarms, drains at the end.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use crate::clock::{Clock, Time, thread_cpu};
use crate::record::Missed;
use crate::schedule::ClosedShare;

use super::control::{Control, Stop};
use super::core::Core;
use super::flight::Job;
use super::pace::Pacer;

/// How often those who wait for a slot look again.
const SLOT_RETRY: Duration = Duration::from_millis(1);
/// The loop wakes at least this often, to hear a stop.
const HEARTBEAT: Duration = Duration::from_millis(100);
/// Arrivals started in one go; then the connections have their turn.
const BATCH: usize = 64;

/// What a worker offers, and the rules for it.
pub(super) struct Offer<S> {
    /// The worker's share of the schedule, by due time.
    pub(super) source: S,
    /// Its part of closed phases; none where there are none, so that nothing is looked for in every pass.
    pub(super) closed: Option<ClosedShare>,
    /// The run's seed, for arrivals of closed phases.
    pub(super) seed: u64,
    /// When the schedule ends.
    pub(super) end: Time,
    /// How late an arrival may start.
    pub(super) tolerance: Duration,
    /// Above a rate of one in this long the loop wakes no more often and starts all that is due at once.
    pub(super) wake_gap: Duration,
    /// How long what is in flight is waited for after the end.
    pub(super) drain: Duration,
}

/// An arrival that is due and has not started.
struct Waiting {
    job: Job,
    /// When the loop first saw that it was due: lateness up to then is the generator's.
    seen: Time,
}

/// Drives a worker through its share of the schedule and the drain.
pub(super) struct Driver<S> {
    core: Rc<RefCell<Core>>,
    clock: Rc<dyn Clock>,
    pacer: Box<dyn Pacer>,
    control: Arc<Control>,
    worker: usize,
    offer: Offer<S>,
    next: Option<Job>,
    waiting: VecDeque<Waiting>,
    /// Whether the oldest of those waiting was denied a slot.
    denied: bool,
    /// Whether a place of a closed phase was denied a slot.
    closed_denied: bool,
    t0: Time,
    last_wake: Time,
    next_second: Time,
    /// CPU time of each second so far, and of the thread at the last one.
    cpu: Vec<Duration>,
    last_cpu: Duration,
    /// Arrivals taken from the source, by phase and workload (`phase × workloads + workload`).
    taken: Vec<u64>,
    workloads: usize,
}

/// What a worker's loop came to.
pub(super) struct Driven {
    /// CPU time of its thread in each second of the run.
    pub(super) cpu: Vec<Duration>,
    /// How many arrivals fell due before the end or a stop, by phase and workload (`phase × workloads + workload`). What is
    /// planned beyond them was not offered; counting those one by one would take as long as the schedule.
    pub(super) taken: Vec<u64>,
}

impl<S: Iterator<Item = Job>> Driver<S> {
    pub(super) fn new(
        core: Rc<RefCell<Core>>,
        pacer: Box<dyn Pacer>,
        control: Arc<Control>,
        worker: usize,
        mut offer: Offer<S>,
    ) -> Self {
        let (clock, t0, workloads, phases) = {
            let core = core.borrow();
            (Rc::clone(&core.clock), core.t0, core.workloads.len(), core.phases.len())
        };
        let next = offer.source.next();
        Self {
            core,
            pacer,
            control,
            worker,
            offer,
            next,
            waiting: VecDeque::new(),
            denied: false,
            closed_denied: false,
            t0,
            last_wake: clock.now(),
            next_second: t0 + Duration::from_secs(1),
            cpu: Vec::new(),
            last_cpu: thread_cpu(),
            taken: vec![0; workloads * phases],
            workloads,
            clock,
        }
    }

    /// Offers the whole share, or up to a stop, and drains. When it returns, nothing is in flight.
    pub(super) async fn run(mut self) -> Driven {
        self.offer_all().await;
        self.give_up_waiting();
        let mut now = self.clock.now();
        let deadline = now + self.offer.drain;
        while self.control.stopped() < Stop::Now && !self.core.borrow().flights.is_empty() {
            if now >= deadline {
                break;
            }
            self.ring(now);
            now = self.sleep(now, deadline).await;
        }
        let mut core = self.core.borrow_mut();
        core.abandon_all(now);
        core.recorder.close(now);
        self.control.tell(self.worker, core.recorder.take_live());
        drop(core);
        Driven { cpu: self.cpu, taken: self.taken }
    }

    /// Until the schedule has ended or a stop was asked for.
    async fn offer_all(&mut self) {
        let mut now = self.clock.now();
        loop {
            self.ring(now);
            if self.control.stopped() > Stop::No {
                self.core.borrow_mut().recorder.stop(now);
                return;
            }
            let more = self.start_due(now) | self.start_closed(now);
            if more {
                tokio::task::yield_now().await;
                now = self.clock.now();
                continue;
            }
            if self.next.is_none() && self.waiting.is_empty() && now >= self.offer.end {
                return;
            }
            let wake = match (&self.next, self.waiting.is_empty()) {
                (_, false) => now + SLOT_RETRY,
                (Some(next), true) => next.due.max(self.last_wake + self.offer.wake_gap),
                (None, true) => self.offer.end,
            };
            now = self.sleep(now, wake.min(self.closed_wake(now))).await;
        }
    }

    /// Starts what is due and has a slot, oldest first. True where more could be started at once.
    fn start_due(&mut self, now: Time) -> bool {
        while let Some(job) = self.next.filter(|job| job.due <= now) {
            self.waiting.push_back(Waiting { job, seen: now });
            self.count(&job);
            self.next = self.offer.source.next();
        }
        let mut core = self.core.borrow_mut();
        for _ in 0..BATCH {
            let Some(oldest) = self.waiting.front() else { return false };
            let now = self.clock.now();
            let (job, seen) = (oldest.job, oldest.seen);
            if now - job.due > self.offer.tolerance {
                // Never sent late: a request that leaves after its time would measure another schedule.
                let cause = if self.denied { Missed::NoSlot } else { Missed::GeneratorLate };
                core.miss(&job, cause);
            } else if core.slots.try_take() {
                let slot_wait = if self.denied { now.since(seen) } else { 0 };
                core.launch(job, now, slot_wait);
            } else {
                self.denied = true;
                return false;
            }
            self.waiting.pop_front();
            // Those behind waited for the same slot as long as they had been seen by then.
            self.denied = self.denied && self.waiting.front().is_some_and(|next| next.seen < now);
        }
        true
    }

    /// Fills the vacant places of the closed phase that is on, if one is. True where more could be filled at once.
    fn start_closed(&mut self, now: Time) -> bool {
        self.closed_denied = false;
        if now < self.t0 || self.offer.closed.is_none() {
            return false;
        }
        let core = Rc::clone(&self.core);
        let mut core = core.borrow_mut();
        let at_ns = now.since(self.t0);
        for _ in 0..BATCH {
            let Some(closed) = &mut self.offer.closed else { return false };
            if core.closed_open >= closed.places_at(at_ns) || now < core.closed_hold {
                return false;
            }
            if !core.slots.try_take() {
                self.closed_denied = true;
                return false;
            }
            // There is a place, so there is one to start.
            let Some(arrival) = closed.start(at_ns) else { return false };
            let job = Job { closed: true, ..Job::of(&arrival, self.offer.seed, self.t0) };
            self.count(&job);
            core.launch(job, self.clock.now(), 0);
        }
        true
    }

    /// When there is something to do for closed phases, unless one of their iterations ends before.
    fn closed_wake(&self, now: Time) -> Time {
        let Some(closed) = &self.offer.closed else { return Time(u64::MAX) };
        if self.closed_denied {
            return now + SLOT_RETRY;
        }
        let hold = self.core.borrow().closed_hold;
        if now < hold {
            return hold;
        }
        let from_ns = if now < self.t0 { 0 } else { now.since(self.t0) + 1 };
        closed.next_ns(from_ns).map_or(Time(u64::MAX), |ns| self.t0 + Duration::from_nanos(ns))
    }

    fn count(&mut self, job: &Job) {
        if let Some(taken) = self.taken.get_mut(job.phase * self.workloads + job.workload) {
            *taken += 1;
        }
    }

    /// Those still waiting when the offering ends were due, so they are missed.
    fn give_up_waiting(&mut self) {
        let mut core = self.core.borrow_mut();
        for Waiting { job, .. } in self.waiting.drain(..) {
            let cause = if self.denied { Missed::NoSlot } else { Missed::GeneratorLate };
            core.miss(&job, cause);
        }
    }

    /// Rings alarms, and once a second tells how things are.
    fn ring(&mut self, now: Time) {
        let mut core = self.core.borrow_mut();
        core.ring(now);
        if now >= self.next_second {
            while self.next_second <= now {
                self.next_second = self.next_second + Duration::from_secs(1);
            }
            let cpu = thread_cpu();
            self.cpu.push(cpu.saturating_sub(self.last_cpu));
            self.last_cpu = cpu;
            self.control.tell(self.worker, core.recorder.take_live());
            if let Some(books) = &mut core.books {
                books.hand_over();
            }
            if core.hopeless().is_some() {
                self.control.stop(Stop::Drain);
            }
        }
    }

    /// Sleeps until `wake`, an alarm, or the heartbeat, whichever comes first; `now` is of this pass of the loop. The
    /// moment of waking.
    async fn sleep(&mut self, now: Time, wake: Time) -> Time {
        let alarm = self.core.borrow().alarms.next().unwrap_or(Time(u64::MAX));
        let wake = wake.min(alarm).min(now + HEARTBEAT).min(self.next_second.max(now));
        self.core.borrow_mut().armed = wake;
        self.pacer.arm(wake);
        let (core, pacer) = (&self.core, &mut self.pacer);
        poll_fn(|context| {
            if pacer.poll_wake(context).is_ready() {
                return Poll::Ready(());
            }
            let mut core = core.borrow_mut();
            if core.vacated || core.alarms.next().is_some_and(|alarm| alarm < core.armed) {
                return Poll::Ready(());
            }
            core.waker = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
        self.last_wake = self.clock.now();
        let mut core = self.core.borrow_mut();
        core.waker = None;
        core.vacated = false;
        if self.last_wake >= wake {
            core.recorder.stalled(self.last_wake.since(wake));
        }
        self.last_wake
    }
}
