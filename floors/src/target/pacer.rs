//! Waiting for the same time again and again, to the millisecond.
//!
//! All who wait here wait equally long, so that they come due in the order in which they came: a queue and one timer do
//! for all, where a timer each costs twice as much.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::task::{Context, Waker};
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval};

const TICK: Duration = Duration::from_millis(1);

/// A queue of those who wait for one time.
#[derive(Debug)]
pub(super) struct Pacer {
    wait: Duration,
    queue: RefCell<VecDeque<(Instant, Waker)>>,
    turning: Cell<bool>,
}

impl Pacer {
    /// A queue for this time.
    pub(super) fn start(wait: Duration) -> Rc<Self> {
        Rc::new(Self { wait, queue: RefCell::default(), turning: Cell::new(false) })
    }

    /// Has the task woken a while after now. Whether it has waited long enough is for [`Pacer::due`] to say. Must be
    /// called within a local task set.
    pub(super) fn wake_later(self: &Rc<Self>, from: Instant, cx: &Context<'_>) {
        self.queue.borrow_mut().push_back((from + self.wait, cx.waker().clone()));
        if !self.turning.replace(true) {
            tokio::task::spawn_local(Rc::clone(self).turn());
        }
    }

    /// When one who began to wait then has waited long enough.
    pub(super) fn due(&self, from: Instant) -> Instant {
        from + self.wait
    }

    /// Wakes who is due, each millisecond, until nobody waits.
    async fn turn(self: Rc<Self>) {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            ticks.tick().await;
            let now = Instant::now();
            let mut queue = self.queue.borrow_mut();
            while queue.front().is_some_and(|(due, _)| *due <= now) {
                if let Some((_, waker)) = queue.pop_front() {
                    waker.wake();
                }
            }
            if queue.is_empty() {
                self.turning.set(false);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::task::Poll;

    use tokio::task::LocalSet;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn all_who_wait_are_woken_and_none_early() {
        let work = async {
            let pacer = Pacer::start(Duration::from_millis(20));
            let waits: Vec<_> = (0..50_u64)
                .map(|k| {
                    let pacer = Rc::clone(&pacer);
                    tokio::task::spawn_local(async move {
                        tokio::time::sleep(Duration::from_millis(k)).await;
                        let (from, mut asked) = (Instant::now(), false);
                        poll_fn(|cx| {
                            if Instant::now() >= pacer.due(from) {
                                return Poll::Ready(());
                            }
                            assert!(!std::mem::replace(&mut asked, true), "woken early");
                            pacer.wake_later(from, cx);
                            Poll::Pending
                        })
                        .await;
                        assert!(Instant::now() - from <= Duration::from_millis(22));
                    })
                })
                .collect();
            for wait in waits {
                wait.await.unwrap();
            }
            assert!(pacer.queue.borrow().is_empty() && !pacer.turning.get());
        };
        LocalSet::new().run_until(work).await;
    }
}
