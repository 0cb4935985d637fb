//! What has arrived for one iteration and was not yet taken by its futures.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use crate::bindings::engine::workload::types::{Arrival, End, Failure, FieldsResult as Fields, Item, Response};
use crate::{Exchange, backend};

/// The state that an iteration's futures share with the events delivered to it.
pub(crate) struct Inbox {
    pub(crate) arrival: Arrival,
    /// Open exchanges, rising: ids are given out so, hence a push keeps the order and a search is binary. A deque, so that
    /// letting go of thousands from either end does not move all the others each time.
    exchanges: RefCell<VecDeque<Slot>>,
    /// Running timers, rising as well.
    timers: RefCell<VecDeque<TimerSlot>>,
    /// What was dropped before its end. Only told to the engine after a poll that leaves the iteration running: a
    /// finished iteration has its exchanges cancelled anyway, and a destructor must not act.
    given_up: RefCell<Vec<GivenUp>>,
}

/// One exchange as far as it has come.
pub(crate) struct Slot {
    exchange: Exchange,
    waker: Option<Waker>,
    pub(crate) answer: Option<Answer>,
    pub(crate) items: VecDeque<Item>,
    pub(crate) end: Option<Result<End, Failure>>,
}

/// How an exchange was answered.
pub(crate) enum Answer {
    Whole(Response),
    Head { status: u16, fields: Fields },
    Open { subprotocol: String, fields: Fields },
}

struct TimerSlot {
    timer: u32,
    waker: Option<Waker>,
    fired: bool,
}

enum GivenUp {
    Exchange(Exchange),
    Timer(u32),
}

impl Inbox {
    pub(crate) fn new(arrival: Arrival) -> Rc<Self> {
        Rc::new(Self {
            arrival,
            exchanges: RefCell::default(),
            timers: RefCell::default(),
            given_up: RefCell::default(),
        })
    }

    /// Makes room for an exchange just asked for. Dropping the lease gives it up.
    pub(crate) fn lease(self: &Rc<Self>, exchange: Exchange) -> Lease {
        self.exchanges.borrow_mut().push_back(Slot {
            exchange,
            waker: None,
            answer: None,
            items: VecDeque::new(),
            end: None,
        });
        Lease { inbox: Rc::clone(self), exchange }
    }

    /// Puts what an event brought into its slot. False where nobody waits for it any more.
    pub(crate) fn deliver(&self, exchange: Exchange, put: impl FnOnce(&mut Slot)) -> bool {
        let mut exchanges = self.exchanges.borrow_mut();
        let Ok(at) = exchanges.binary_search_by_key(&exchange, |slot| slot.exchange) else { return false };
        put(&mut exchanges[at]);
        let waker = exchanges[at].waker.take();
        drop(exchanges);
        wake(waker);
        true
    }

    /// A timer has fired. False where nobody waits for it any more.
    pub(crate) fn fire(&self, timer: u32) -> bool {
        let mut timers = self.timers.borrow_mut();
        let Ok(at) = timers.binary_search_by_key(&timer, |slot| slot.timer) else { return false };
        timers[at].fired = true;
        let waker = timers[at].waker.take();
        drop(timers);
        wake(waker);
        true
    }

    /// Tells the engine what was dropped during the poll.
    pub(crate) fn settle(&self) {
        for given_up in self.given_up.borrow_mut().drain(..) {
            match given_up {
                GivenUp::Exchange(exchange) => backend::cancel(exchange),
                GivenUp::Timer(timer) => backend::clear(timer),
            }
        }
    }
}

/// Wakes outside of every borrow: a waker of another crate may run code.
fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// Remembers who waits, without a clone where it is the same one as before.
fn remember(slot: &mut Option<Waker>, cx: &Context<'_>) {
    match slot {
        Some(waker) => waker.clone_from(cx.waker()),
        None => *slot = Some(cx.waker().clone()),
    }
}

/// The hold of a future, stream or socket on its exchange.
pub(crate) struct Lease {
    inbox: Rc<Inbox>,
    pub(crate) exchange: Exchange,
}

impl Lease {
    /// Ready when `take` finds in the slot what is waited for.
    pub(crate) fn poll<T>(&self, cx: &Context<'_>, take: impl FnOnce(&mut Slot) -> Option<T>) -> Poll<T> {
        let mut exchanges = self.inbox.exchanges.borrow_mut();
        let Ok(at) = exchanges.binary_search_by_key(&self.exchange, |slot| slot.exchange) else {
            return Poll::Pending;
        };
        let slot = &mut exchanges[at];
        if let Some(taken) = take(slot) {
            return Poll::Ready(taken);
        }
        remember(&mut slot.waker, cx);
        Poll::Pending
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut exchanges = self.inbox.exchanges.borrow_mut();
        let Ok(at) = exchanges.binary_search_by_key(&self.exchange, |slot| slot.exchange) else { return };
        if exchanges.remove(at).is_some_and(|slot| slot.end.is_none()) {
            self.inbox.given_up.borrow_mut().push(GivenUp::Exchange(self.exchange));
        }
    }
}

/// The hold of a future on its timer.
pub(crate) struct TimerLease {
    inbox: Rc<Inbox>,
    timer: u32,
}

impl TimerLease {
    pub(crate) fn new(inbox: &Rc<Inbox>, timer: u32) -> Self {
        inbox.timers.borrow_mut().push_back(TimerSlot { timer, waker: None, fired: false });
        Self { inbox: Rc::clone(inbox), timer }
    }

    pub(crate) fn poll(&self, cx: &Context<'_>) -> Poll<()> {
        let mut timers = self.inbox.timers.borrow_mut();
        let Ok(at) = timers.binary_search_by_key(&self.timer, |slot| slot.timer) else { return Poll::Pending };
        if timers[at].fired {
            return Poll::Ready(());
        }
        remember(&mut timers[at].waker, cx);
        Poll::Pending
    }
}

impl Drop for TimerLease {
    fn drop(&mut self) {
        let mut timers = self.inbox.timers.borrow_mut();
        let Ok(at) = timers.binary_search_by_key(&self.timer, |slot| slot.timer) else { return };
        if timers.remove(at).is_some_and(|slot| !slot.fired) {
            self.inbox.given_up.borrow_mut().push(GivenUp::Timer(self.timer));
        }
    }
}
