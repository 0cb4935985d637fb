//! Telling all connections at once to end after what they are doing.

use std::cell::Cell;

use tokio::sync::Notify;

/// Whether a server is stopping.
#[derive(Debug, Default)]
pub struct Stop {
    stopping: Cell<bool>,
    notify: Notify,
}

impl Stop {
    /// Tells everybody.
    pub fn now(&self) {
        self.stopping.set(true);
        self.notify.notify_waiters();
    }

    /// Waits until it is told; returns at once where it was already.
    pub async fn told(&self) {
        if !self.stopping.get() {
            self.notify.notified().await;
        }
    }
}
