//! What the pool and the task of a connection know of each other.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::Waker;

use super::exchange::Exchange;
use super::origin::Origin;

/// The connection of one task, as the pool sees it.
pub(super) struct Seat {
    pub(super) id: u64,
    pub(super) origin: Rc<Origin>,
    /// Whether it lies among the idle ones and may be given an exchange.
    pub(super) idle: Cell<bool>,
    waker: RefCell<Waker>,
    job: Cell<Option<Box<Exchange>>>,
    cancelled: Cell<bool>,
    closing: Cell<Closing>,
}

/// Whether a connection is to be closed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Closing {
    No,
    WhenIdle,
    Now,
}

impl Seat {
    /// The seat of a connection still to be opened.
    pub(super) fn new(id: u64, origin: Rc<Origin>) -> Self {
        Self {
            id,
            origin,
            idle: Cell::new(false),
            waker: RefCell::new(Waker::noop().clone()),
            job: Cell::new(None),
            cancelled: Cell::new(false),
            closing: Cell::new(Closing::No),
        }
    }

    /// Names the waker that reaches the task.
    pub(super) fn set_waker(&self, waker: Waker) {
        *self.waker.borrow_mut() = waker;
    }

    /// Puts an exchange here for the task to serve.
    pub(super) fn give(&self, exchange: Box<Exchange>) {
        self.job.set(Some(exchange));
        self.wake();
    }

    /// The exchange the pool has put here.
    pub(super) fn take_job(&self) -> Option<Box<Exchange>> {
        self.job.take()
    }

    /// Tells the task to give its exchange up.
    pub(super) fn cancel(&self) {
        self.cancelled.set(true);
        self.wake();
    }

    /// The exchange has ended, given up or not.
    pub(super) fn clear_cancel(&self) {
        self.cancelled.set(false);
    }

    /// Whether the exchange it serves was given up.
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.get()
    }

    /// Tells the task to close the connection.
    pub(super) fn close(&self, how: Closing) {
        if self.closing.get() != Closing::Now {
            self.closing.set(how);
        }
        self.wake();
    }

    /// Whether it should not wait for further exchanges.
    pub(super) fn is_closing(&self) -> bool {
        self.closing.get() != Closing::No
    }

    /// Whether the client is gone.
    pub(super) fn is_aborted(&self) -> bool {
        self.closing.get() == Closing::Now
    }

    fn wake(&self) {
        self.waker.borrow().wake_by_ref();
    }
}
