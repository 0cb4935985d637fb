//! A waker that a task can silence while it runs itself.
//!
//! hyper's connection and the exchange it serves talk over channels that wake each other's task. Here both live in one
//! task, so each such wake would only poll it a second time. While muted, a wake is noted instead; the task looks at
//! the note before it goes to sleep.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Wake, Waker};

const OPEN: u8 = 0;
const MUTED: u8 = 1;
const POKED: u8 = 2;

/// Stands between the wakers handed to a connection and its task.
pub(super) struct Relay {
    task: Waker,
    // One variable, so that a wake from another thread is either noted or passed on, never lost between the two.
    state: AtomicU8,
}

impl Relay {
    /// A relay to that task, open.
    pub(super) fn new(task: Waker) -> Arc<Self> {
        Arc::new(Self { task, state: AtomicU8::new(OPEN) })
    }

    /// Whether wakes reach that task.
    pub(super) fn leads_to(&self, task: &Waker) -> bool {
        self.task.will_wake(task)
    }

    /// Notes wakes from now on.
    pub(super) fn mute(&self) {
        self.state.store(MUTED, Ordering::Release);
    }

    /// Passes wakes on from now on. Whether one was noted before.
    pub(super) fn open(&self) -> bool {
        self.state.swap(OPEN, Ordering::AcqRel) == POKED
    }
}

impl Wake for Relay {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let noted = self.state.compare_exchange(MUTED, POKED, Ordering::AcqRel, Ordering::Acquire);
        if noted == Err(OPEN) {
            self.task.wake_by_ref();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_wake_is_passed_on_while_open_and_noted_while_muted() {
        let count = Arc::new(Count(AtomicUsize::new(0)));
        let relay = Relay::new(Waker::from(count.clone()));
        let waker = Waker::from(relay.clone());
        waker.wake_by_ref();
        assert_eq!(count.0.load(Ordering::Relaxed), 1);
        relay.mute();
        waker.wake_by_ref();
        waker.wake_by_ref();
        assert_eq!(count.0.load(Ordering::Relaxed), 1);
        assert!(relay.open());
        assert!(!relay.open());
        waker.wake_by_ref();
        assert_eq!(count.0.load(Ordering::Relaxed), 2);
    }
}
