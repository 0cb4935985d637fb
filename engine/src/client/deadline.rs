//! One timer a connection, set again only when it fires before the deadline that then holds: a deadline that moves with
//! every request and every byte costs no timer operation.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::Context;
use std::time::Duration;

use tokio::time::{Instant, Sleep};

use crate::clock::{Clock, Time};

// A timer set further ahead fires once an hour for nothing, and no sum of durations can overflow.
const FURTHEST: Duration = Duration::from_hours(1);

/// The timer.
pub(super) struct Alarm {
    sleep: Option<Pin<Box<Sleep>>>,
    // The moment the timer is set to. Never later than the deadline it watches.
    set_to: Time,
}

impl Alarm {
    /// A timer that is not set.
    pub(super) fn new() -> Self {
        Self { sleep: None, set_to: Time(u64::MAX) }
    }

    /// Whether `deadline` has passed; if not, the task of `cx` is woken no later than shortly after it.
    pub(super) fn passed(&mut self, deadline: Time, clock: &dyn Clock, cx: &mut Context<'_>) -> bool {
        if let Some(sleep) = &self.sleep
            && self.set_to <= deadline
            && !sleep.is_elapsed()
        {
            return false;
        }
        let now = clock.now();
        if now >= deadline {
            return true;
        }
        let ahead = (deadline - now).min(FURTHEST);
        self.set_to = now + ahead;
        let at = Instant::now() + ahead;
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(at)));
        sleep.as_mut().reset(at);
        // Whether or not this task has used up its turn: else the timer would not know whom to wake.
        if pin!(tokio::task::unconstrained(sleep.as_mut())).poll(cx).is_ready() {
            // Less than a tick ahead: look again when the others have had their turn.
            cx.waker().wake_by_ref();
        }
        false
    }
}
