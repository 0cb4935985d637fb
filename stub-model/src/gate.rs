//! Pause and resume: a gate that every byte of an answer goes through.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// Open, or closed while the stub is paused. Shared by all connections of a server.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    closed: AtomicBool,
    /// Who waits, by the number of the connection: one task serves one.
    waiting: Mutex<BTreeMap<u64, Waker>>,
}

impl Gate {
    /// An open one.
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self::default())
    }

    /// Nothing more goes through.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    /// Lets through what has been waiting and whatever comes.
    pub(crate) fn open(&self) {
        self.closed.store(false, Ordering::Release);
        let waiting = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        waiting.into_values().for_each(Waker::wake);
    }

    /// Ready while it is open. Otherwise the task of this connection is woken when it opens.
    pub(crate) fn poll(&self, connection: u64, cx: &mut Context<'_>) -> Poll<()> {
        if !self.closed.load(Ordering::Acquire) {
            return Poll::Ready(());
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.insert(connection, cx.waker().clone());
        Poll::Pending
    }

    /// Waits until it is open. True where that took any waiting.
    pub(crate) async fn opened(&self, connection: u64) -> bool {
        let mut waited = false;
        let wait = |cx: &mut Context<'_>| {
            let polled = self.poll(connection, cx);
            waited |= polled.is_pending();
            polled
        };
        poll_fn(wait).await;
        waited
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::{Duration, sleep, timeout};

    #[tokio::test(start_paused = true)]
    async fn a_closed_gate_holds_everybody_until_it_opens() {
        let gate = Gate::new();
        assert!(!gate.opened(0).await);
        gate.close();
        assert!(timeout(Duration::from_hours(1), gate.opened(0)).await.is_err());
        let opening = async {
            sleep(Duration::from_secs(1)).await;
            gate.open();
        };
        assert_eq!(tokio::join!(gate.opened(1), gate.opened(2), opening), (true, true, ()));
    }
}
