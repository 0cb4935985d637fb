//! The executor: one future, polled when an event of its iteration is delivered.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context as TaskContext, Poll, Wake, Waker};

use crate::bindings::engine::workload::types::{Arrival, Item};
use crate::bindings::exports::engine::workload::workload::{End, Exchange, Failure, FieldsResult, GuestIteration};
use crate::bindings::exports::engine::workload::workload::{Response, Timer};
use crate::inbox::{Answer, Inbox};
use crate::workload::{Flow, Workload};
use crate::{Context, backend, verdict};

/// One running iteration: what the engine holds a handle to.
pub struct Iteration {
    inbox: Rc<Inbox>,
    /// Gone when the iteration has finished.
    future: RefCell<Option<Flow>>,
}

impl Iteration {
    /// Begins the iteration of an arrival.
    pub(crate) fn start<W: Workload>(plan: &Rc<W>, arrival: Arrival) -> Self {
        let inbox = Inbox::new(arrival);
        let plan = Rc::clone(plan);
        let ctx = Context::new(Rc::clone(&inbox));
        Self::run(inbox, Box::pin(async move { plan.iterate(ctx).await }))
    }

    /// Begins a flow that belongs to no arrival, where the plugin has one.
    pub(crate) fn once(flow: impl FnOnce(Context) -> Option<Flow>) -> Option<Self> {
        let inbox = Inbox::new(no_arrival());
        let flow = flow(Context::new(Rc::clone(&inbox)))?;
        Some(Self::run(inbox, flow))
    }

    fn run(inbox: Rc<Inbox>, future: Flow) -> Self {
        let iteration = Self { inbox, future: RefCell::new(Some(future)) };
        iteration.advance();
        iteration
    }

    /// Polls the future, finishes the iteration where it is ready.
    fn advance(&self) {
        // Taken out for the poll: what runs in it may do anything, and must find no borrow of ours.
        let Some(mut future) = self.future.take() else { return };
        match ROOT.with(|root| root.poll(future.as_mut())) {
            Poll::Ready(verdict) => {
                drop(future);
                backend::finish(verdict::lower(&verdict));
            }
            Poll::Pending => {
                self.future.replace(Some(future));
                self.inbox.settle();
            }
        }
    }
}

impl GuestIteration for Iteration {
    fn on_response(&self, exchange: Exchange, response: Response) {
        let waited = self.inbox.deliver(exchange, |slot| {
            slot.answer = Some(Answer::Whole(response));
            slot.end = Some(Ok(End::Complete));
        });
        if waited {
            self.advance();
        }
    }

    fn on_head(&self, exchange: Exchange, status: u16, fields: FieldsResult) {
        if self.inbox.deliver(exchange, |slot| slot.answer = Some(Answer::Head { status, fields })) {
            self.advance();
        }
    }

    fn on_open(&self, exchange: Exchange, subprotocol: String, fields: FieldsResult) {
        if self.inbox.deliver(exchange, |slot| slot.answer = Some(Answer::Open { subprotocol, fields })) {
            self.advance();
        }
    }

    fn on_items(&self, exchange: Exchange, items: Vec<Item>) {
        let waited = self.inbox.deliver(exchange, |slot| {
            if slot.items.is_empty() {
                slot.items = items.into(); // the usual case: nothing is copied
            } else {
                slot.items.extend(items);
            }
        });
        if waited {
            self.advance();
        }
    }

    fn on_end(&self, exchange: Exchange, end: End) {
        if self.inbox.deliver(exchange, |slot| slot.end = Some(Ok(end))) {
            self.advance();
        }
    }

    fn on_failure(&self, exchange: Exchange, failure: Failure) {
        if self.inbox.deliver(exchange, |slot| slot.end = Some(Err(failure))) {
            self.advance();
        }
    }

    fn on_timer(&self, timer: Timer) {
        if self.inbox.fire(timer) {
            self.advance();
        }
    }
}

/// What `ctx.arrival()` gives in setup and teardown.
fn no_arrival() -> Arrival {
    Arrival { sequence: 0, index: 0, seed: 0, client: 1, wall_time: 0, phase: String::new(), row: None }
}

thread_local! {
    /// One waker for every iteration of the instance: only one is polled at a time.
    static ROOT: Root = Root::new();
}

/// The waker of root futures. An event polls its iteration anyway, so that waking matters only during a poll: a future
/// that wakes itself and returns (as cooperative combinators do) is polled again at once.
struct Root {
    woken: Arc<Woken>,
    waker: Waker,
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Root {
    fn new() -> Self {
        let woken = Arc::new(Woken(AtomicBool::new(false)));
        Self { waker: Waker::from(Arc::clone(&woken)), woken }
    }

    fn poll<T>(&self, mut future: Pin<&mut (dyn Future<Output = T> + 'static)>) -> Poll<T> {
        let mut cx = TaskContext::from_waker(&self.waker);
        loop {
            self.woken.0.store(false, Ordering::Relaxed);
            let polled = future.as_mut().poll(&mut cx);
            if polled.is_ready() || !self.woken.0.load(Ordering::Relaxed) {
                return polled;
            }
        }
    }
}
