//! Waiting for moments: all streams share one wheel with a tick of a millisecond, since a timer of the runtime for each
//! token costs twice as much.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::wheel::Wheel;

/// The wheel's tick.
const TICK: Duration = Duration::from_millis(1);

/// The wheel and what turns it. It turns while somebody waits.
#[derive(Debug)]
pub(super) struct Pacer {
    epoch: Instant,
    wheel: RefCell<Wheel<Rc<Seat>>>,
    turning: Cell<bool>,
}

/// One stream's place on the wheel.
#[derive(Debug, Default)]
struct Seat {
    waker: RefCell<Option<Waker>>,
    /// The tick for which it is on the wheel.
    due: Cell<u64>,
}

impl Pacer {
    /// A wheel that stands still.
    pub(super) fn new() -> Rc<Self> {
        let epoch = Instant::now();
        Rc::new(Self { epoch, wheel: RefCell::new(Wheel::new(0)), turning: Cell::new(false) })
    }

    /// A place for one stream, which waits for one moment at a time.
    pub(super) fn pace(self: &Rc<Self>) -> Pace {
        Pace { pacer: Rc::clone(self), seat: Rc::default() }
    }

    /// Whole ticks since the epoch.
    fn tick(&self, at: Instant) -> u64 {
        u64::try_from(at.saturating_duration_since(self.epoch).as_millis()).unwrap_or(u64::MAX)
    }

    /// The first tick that is not before a moment.
    fn tick_from(&self, at: Instant) -> u64 {
        let ticks = at.saturating_duration_since(self.epoch).as_nanos().div_ceil(TICK.as_nanos());
        u64::try_from(ticks).unwrap_or(u64::MAX)
    }

    /// Turns the wheel until it is empty.
    async fn turn(self: Rc<Self>) {
        let next = u32::try_from(self.tick(Instant::now()) + 1).ok().map(|tick| self.epoch + TICK * tick);
        let mut ticks = interval_at(next.unwrap_or_else(|| Instant::now() + TICK), TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut fired = Vec::new();
        loop {
            ticks.tick().await;
            self.wheel.borrow_mut().advance(self.tick(Instant::now()), &mut fired);
            for seat in fired.drain(..) {
                seat.due.set(0);
                // None where the stream has ended.
                if let Some(waker) = seat.waker.take() {
                    waker.wake();
                }
            }
            if self.wheel.borrow().is_empty() {
                self.turning.set(false);
                return;
            }
        }
    }
}

/// One stream's way to wait.
#[derive(Debug)]
pub(super) struct Pace {
    pacer: Rc<Pacer>,
    seat: Rc<Seat>,
}

impl Pace {
    /// Ready from a moment on, at the first tick that is not before it. Must be called within a local task set.
    pub(super) fn poll_until(&self, cx: &mut Context<'_>, due: Instant) -> Poll<()> {
        if Instant::now() >= due {
            return Poll::Ready(());
        }
        let pacer = &self.pacer;
        let tick = pacer.tick_from(due);
        let mut waker = self.seat.waker.borrow_mut();
        match waker.as_mut() {
            Some(known) => known.clone_from(cx.waker()),
            None => *waker = Some(cx.waker().clone()),
        }
        if self.seat.due.replace(tick) != tick {
            pacer.wheel.borrow_mut().insert(tick, Rc::clone(&self.seat));
            if !pacer.turning.replace(true) {
                tokio::task::spawn_local(Rc::clone(pacer).turn());
            }
        }
        Poll::Pending
    }

    /// Waits for a moment.
    pub(super) async fn until(&self, due: Instant) {
        poll_fn(|cx| self.poll_until(cx, due)).await;
    }
}

impl Drop for Pace {
    fn drop(&mut self) {
        self.seat.waker.take();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::task::LocalSet;

    #[tokio::test(start_paused = true)]
    async fn nobody_is_called_early_or_more_than_a_tick_late() {
        let work = async {
            let pacer = Pacer::new();
            // The wheel's tick is not the caller's.
            tokio::time::advance(Duration::from_micros(300)).await;
            let start = Instant::now();
            let waits = (0..200_u64).map(|k| {
                let pace = pacer.pace();
                tokio::task::spawn_local(async move {
                    let mut due = start;
                    for _ in 0..20 {
                        due += Duration::from_micros(137 * (k + 1));
                        pace.until(due).await;
                        let late = Instant::now().checked_duration_since(due);
                        // Paused time moves in whole milliseconds, so that the runtime's own rounding adds one.
                        assert!(late.is_some_and(|late| late <= 2 * TICK), "{late:?} for {k}");
                    }
                })
            });
            for wait in waits.collect::<Vec<_>>() {
                wait.await.unwrap();
            }
        };
        LocalSet::new().run_until(work).await;
    }

    #[tokio::test(start_paused = true)]
    async fn the_wheel_stands_still_while_nobody_waits_and_turns_again() {
        let work = async {
            let pacer = Pacer::new();
            let pace = pacer.pace();
            for _ in 0..3 {
                pace.until(Instant::now() + Duration::from_millis(5)).await;
                tokio::time::sleep(Duration::from_secs(3)).await;
                assert!(!pacer.turning.get());
            }
        };
        LocalSet::new().run_until(work).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_that_ends_leaves_nothing_behind() {
        let work = async {
            let pacer = Pacer::new();
            let pace = pacer.pace();
            let seat = Rc::downgrade(&pace.seat);
            let wait =
                tokio::time::timeout(Duration::from_millis(3), pace.until(Instant::now() + Duration::from_secs(2)));
            wait.await.unwrap_err();
            drop(pace);
            tokio::time::sleep(Duration::from_secs(3)).await;
            assert!(seat.upgrade().is_none() && !pacer.turning.get());
        };
        LocalSet::new().run_until(work).await;
    }
}
