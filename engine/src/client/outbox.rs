//! What is to be sent on a WebSocket: filled by the caller, emptied by the socket's task, bounded.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::task::Waker;

use crate::pieces::Message;

/// The most bytes of messages that may wait: a peer that does not read must not fill the generator's memory.
pub const MOST_WAITING_BYTES: usize = 16 * 1024 * 1024;
/// The most messages that may wait.
pub const MOST_WAITING: usize = 10_000;

/// What a socket's task takes from here.
pub(super) enum Outgoing {
    Message(Message),
    /// Start the close handshake with this code and text.
    Close(u16, String),
}

/// The queue of one socket.
pub(super) struct Outbox {
    queue: RefCell<VecDeque<Outgoing>>,
    bytes: Cell<usize>,
    closing: Cell<bool>,
    overflowed: Cell<bool>,
    waker: RefCell<Waker>,
}

impl Outbox {
    /// An empty one.
    pub(super) fn new() -> Self {
        Self {
            queue: RefCell::default(),
            bytes: Cell::new(0),
            closing: Cell::new(false),
            overflowed: Cell::new(false),
            waker: RefCell::new(Waker::noop().clone()),
        }
    }

    /// Names the waker that reaches the socket's task.
    pub(super) fn set_waker(&self, waker: &Waker) {
        self.waker.borrow_mut().clone_from(waker);
    }

    /// Puts a message at the end. One after `close` goes nowhere.
    pub(super) fn push(&self, message: Message) {
        if self.closing.get() {
            return;
        }
        let mut queue = self.queue.borrow_mut();
        let bytes = self.bytes.get() + message.len();
        if bytes > MOST_WAITING_BYTES || queue.len() >= MOST_WAITING {
            self.overflowed.set(true);
        } else {
            self.bytes.set(bytes);
            queue.push_back(Outgoing::Message(message));
        }
        self.waker.borrow().wake_by_ref();
    }

    /// Asks for the close handshake after what waits already. The first one counts.
    pub(super) fn close(&self, code: u16, reason: String) {
        if !self.closing.replace(true) {
            self.queue.borrow_mut().push_back(Outgoing::Close(code, reason));
            self.waker.borrow().wake_by_ref();
        }
    }

    /// The first that waits.
    pub(super) fn pop(&self) -> Option<Outgoing> {
        let first = self.queue.borrow_mut().pop_front();
        if let Some(Outgoing::Message(message)) = &first {
            self.bytes.set(self.bytes.get() - message.len());
        }
        first
    }

    /// Whether more was asked for than may wait.
    pub(super) fn has_overflowed(&self) -> bool {
        self.overflowed.get()
    }
}
