//! Which exchange gets which connection: idle ones first (the last used first), new ones up to the cap, then a queue in
//! order of asking.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::hash::BuildHasherDefault;
use std::rc::Rc;
use std::sync::Arc;

use tokio::sync::{Notify, mpsc};

use super::connect::Connect;
use super::connection::{self, Purpose};
use super::exchange::Exchange;
use super::failure::{Failure, Reason};
use super::hash::NumberHasher;
use super::origin::{Origin, Origins};
use super::outbox::Outbox;
use super::request::Request;
use super::seat::{Closing, Seat};
use super::settings::Settings;
use super::timings::Timings;
use super::usage::{Counts, Usage, bump};
use super::{Event, Sink, Token};
use crate::clock::{Clock, Time};

/// A connection's place under the cap; given back when dropped, however its task ends.
pub(super) struct Lease {
    pub(super) pool: Rc<Pool>,
    pub(super) seat: Rc<Seat>,
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.pool.leave_idle(&self.seat);
        self.pool.seats.borrow_mut().remove(&self.seat.id);
        if !self.pool.waiting.borrow().is_empty() {
            self.pool.keeper.notify_one();
        }
    }
}

/// Where an open exchange is.
enum Place {
    Waiting(u64),
    Seat(Rc<Seat>),
}

/// What a connection that has served its exchange does next.
pub(super) enum Next {
    /// Serves the first of those who wait.
    Serve(Box<Exchange>),
    /// Makes room for a connection to another origin, which the first of those who wait needs.
    Replace(Box<Exchange>),
    Idle,
    Close,
}

/// All connections of a client.
pub(super) struct Pool {
    pub(super) settings: Arc<Settings>,
    pub(super) clock: Rc<dyn Clock>,
    pub(super) network: Rc<dyn Connect>,
    pub(super) origins: Origins,
    pub(super) counts: Counts,
    sink: Rc<dyn Sink>,
    open: RefCell<HashMap<Token, Place, BuildHasherDefault<NumberHasher>>>,
    /// What is to be sent on sockets that have not ended.
    outboxes: RefCell<HashMap<Token, Rc<Outbox>, BuildHasherDefault<NumberHasher>>>,
    seats: RefCell<HashMap<u64, Rc<Seat>>>,
    seat_ids: Cell<u64>,
    /// In order of asking.
    waiting: RefCell<BTreeMap<u64, Box<Exchange>>>,
    waiting_ids: Cell<u64>,
    /// The same in order of deadline.
    expiries: RefCell<BTreeSet<(Time, u64)>>,
    /// Final events of exchanges that no connection ever had.
    posted: RefCell<VecDeque<(Token, Event)>>,
    pub(super) keeper: Notify,
    keeper_runs: Cell<bool>,
    closed: Cell<bool>,
    aborted: Cell<bool>,
}

impl Pool {
    pub(super) fn new(
        settings: Arc<Settings>,
        clock: Rc<dyn Clock>,
        sink: Rc<dyn Sink>,
        network: Rc<dyn Connect>,
    ) -> Rc<Self> {
        Rc::new(Self {
            origins: Origins::new(Arc::clone(&settings)),
            settings,
            clock,
            network,
            counts: Counts::default(),
            sink,
            open: RefCell::default(),
            outboxes: RefCell::default(),
            seats: RefCell::default(),
            seat_ids: Cell::new(0),
            waiting: RefCell::default(),
            waiting_ids: Cell::new(0),
            expiries: RefCell::default(),
            posted: RefCell::default(),
            keeper: Notify::new(),
            keeper_runs: Cell::new(false),
            closed: Cell::new(false),
            aborted: Cell::new(false),
        })
    }

    pub(super) fn send(self: &Rc<Self>, token: Token, request: Request) {
        let asked = request.asked;
        let accepted = if self.closed.get() {
            Err(Failure::new(Reason::Other, "the client is closed"))
        } else {
            Exchange::new(token, request, &self.origins)
        };
        match accepted {
            Ok(exchange) => {
                if let Some(outbox) = &exchange.outbox {
                    self.outboxes.borrow_mut().insert(token, Rc::clone(outbox));
                }
                self.place(exchange);
            }
            Err(failure) => {
                let timings = Timings { asked, end: self.clock.now(), ..Timings::default() };
                self.post(token, Event::Failed { status: None, failure, timings });
            }
        }
    }

    /// Finds a connection for an exchange, or lets it wait for one.
    pub(super) fn place(self: &Rc<Self>, exchange: Box<Exchange>) {
        // A socket begins on a connection of its own, as with all who open one: whoever comes next would find one less.
        if exchange.outbox.is_none()
            && let Some(seat) = self.take_idle(&exchange.origin)
        {
            self.put(&seat, exchange.token);
            seat.give(exchange);
            return;
        }
        if self.has_room() && self.waiting.borrow().is_empty() {
            self.connect(exchange);
            return;
        }
        let id = self.waiting_ids.replace(self.waiting_ids.get() + 1);
        bump(&self.counts.waited);
        let earliest = self.expiries.borrow().first().copied();
        let expiry = (exchange.deadline(), id);
        self.expiries.borrow_mut().insert(expiry);
        self.open.borrow_mut().insert(exchange.token, Place::Waiting(id));
        self.waiting.borrow_mut().insert(id, exchange);
        if earliest.is_none_or(|first| expiry < first) {
            self.wake_keeper();
        }
        // A connection that idles for another origin takes up the place of one that would serve this exchange.
        self.evict_one();
    }

    fn has_room(&self) -> bool {
        let full = self.seats.borrow().len() >= self.settings.connections.max(1);
        if full {
            self.counts.cap_was_full.set(true);
        }
        !full
    }

    fn put(&self, seat: &Rc<Seat>, token: Token) {
        self.open.borrow_mut().insert(token, Place::Seat(Rc::clone(seat)));
    }

    fn take_idle(&self, origin: &Origin) -> Option<Rc<Seat>> {
        let mut idle = origin.idle.borrow_mut();
        while let Some(seat) = idle.pop() {
            if self.leave_idle(&seat) {
                return Some(seat);
            }
        }
        None
    }

    /// Takes a connection off the idle ones. Whether it was among them.
    pub(super) fn leave_idle(&self, seat: &Seat) -> bool {
        let was_idle = seat.idle.replace(false);
        if was_idle {
            self.counts.idle.set(self.counts.idle.get() - 1);
        }
        was_idle
    }

    fn evict_one(&self) {
        if self.counts.idle.get() == 0 {
            return;
        }
        self.origins.for_each(|origin| {
            let found = origin.idle.borrow().iter().find(|seat| seat.idle.get()).map(Rc::clone);
            found.is_some_and(|seat| {
                self.leave_idle(&seat);
                seat.close(Closing::WhenIdle);
                true
            })
        });
    }

    /// Opens a connection for an exchange.
    pub(super) fn connect(self: &Rc<Self>, exchange: Box<Exchange>) {
        let seat = self.new_seat(&exchange.origin);
        self.put(&seat, exchange.token);
        self.spawn(seat, Purpose::Exchange(exchange));
    }

    fn new_seat(&self, origin: &Rc<Origin>) -> Rc<Seat> {
        let id = self.seat_ids.replace(self.seat_ids.get() + 1);
        let seat = Rc::new(Seat::new(id, Rc::clone(origin)));
        if self.closed.get() {
            seat.close(Closing::WhenIdle);
        }
        self.seats.borrow_mut().insert(id, Rc::clone(&seat));
        seat
    }

    fn spawn(self: &Rc<Self>, seat: Rc<Seat>, purpose: Purpose) {
        let lease = Lease { pool: Rc::clone(self), seat };
        tokio::task::spawn_local(connection::run(lease, purpose));
    }

    /// Opens connections for those who wait, as far as there is room.
    pub(super) fn pump(self: &Rc<Self>) {
        while !self.waiting.borrow().is_empty() && self.has_room() {
            if let Some(exchange) = self.next_waiting() {
                self.connect(exchange);
            }
        }
    }

    /// The first of those who wait whose time is not over; the keeper tells the others.
    fn next_waiting(&self) -> Option<Box<Exchange>> {
        loop {
            let (id, mut exchange) = self.waiting.borrow_mut().pop_first()?;
            let now = self.clock.now();
            self.expiries.borrow_mut().remove(&(exchange.deadline(), id));
            exchange.timings.queued = now - exchange.request.asked;
            if exchange.deadline() > now {
                return Some(exchange);
            }
            self.open.borrow_mut().remove(&exchange.token);
            let event = expired(&mut exchange, now);
            self.posted.borrow_mut().push_back((exchange.token, event));
            self.keeper.notify_one();
        }
    }

    /// What a usable connection does now that its exchange has ended.
    pub(super) fn release(&self, seat: &Rc<Seat>) -> Next {
        if seat.is_closing() {
            return Next::Close;
        }
        match self.next_waiting() {
            Some(exchange) if Rc::ptr_eq(&exchange.origin, &seat.origin) && exchange.outbox.is_none() => {
                self.put(seat, exchange.token);
                Next::Serve(exchange)
            }
            // First come, first served: this place goes to a connection to the other origin, or to a socket's.
            Some(exchange) => Next::Replace(exchange),
            None => {
                seat.idle.set(true);
                self.counts.idle.set(self.counts.idle.get() + 1);
                seat.origin.idle.borrow_mut().push(Rc::clone(seat));
                Next::Idle
            }
        }
    }

    /// An exchange has ended on a connection; its event is still to be delivered.
    pub(super) fn forget(&self, seat: &Seat, token: Token) {
        self.open.borrow_mut().remove(&token);
        seat.clear_cancel();
    }

    /// Hands an event over. No borrow of the pool may be held.
    pub(super) fn deliver(&self, token: Token, event: Event) {
        if let Event::Failed { failure, .. } = &event
            && failure.reason.is_timeout()
        {
            bump(&self.counts.timeouts);
        }
        if event.is_final() && !self.outboxes.borrow().is_empty() {
            self.outboxes.borrow_mut().remove(&token);
        }
        self.sink.deliver(token, event);
    }

    /// What is to be sent on that WebSocket; none where it has ended or is none.
    pub(super) fn outbox(&self, token: Token) -> Option<Rc<Outbox>> {
        self.outboxes.borrow().get(&token).map(Rc::clone)
    }

    pub(super) fn cancel(self: &Rc<Self>, token: Token) {
        let waiting = match self.open.borrow().get(&token) {
            Some(Place::Seat(seat)) => {
                seat.cancel();
                return;
            }
            Some(Place::Waiting(id)) => Some(*id),
            None => None,
        };
        let removed = waiting.and_then(|id| Some((id, self.waiting.borrow_mut().remove(&id)?)));
        if let Some((id, mut exchange)) = removed {
            self.expiries.borrow_mut().remove(&(exchange.deadline(), id));
            self.open.borrow_mut().remove(&token);
            let event = exchange.cancelled(self.clock.now());
            self.post(token, event);
            return;
        }
        // Refused, but not told yet.
        let mut posted = self.posted.borrow_mut();
        if let Some((_, event)) = posted.iter_mut().find(|(of, _)| *of == token)
            && let Event::Failed { timings, .. } = *event
        {
            *event = Event::Cancelled { timings };
        }
    }

    /// Puts an event aside, for the keeper to deliver.
    fn post(self: &Rc<Self>, token: Token, event: Event) {
        self.posted.borrow_mut().push_back((token, event));
        self.wake_keeper();
    }

    fn wake_keeper(self: &Rc<Self>) {
        if !self.keeper_runs.replace(true) {
            tokio::task::spawn_local(super::keeper::run(Rc::clone(self)));
        }
        self.keeper.notify_one();
    }

    /// The oldest event put aside.
    pub(super) fn next_posted(&self) -> Option<(Token, Event)> {
        self.posted.borrow_mut().pop_front()
    }

    /// The earliest deadline of those who wait.
    pub(super) fn next_expiry(&self) -> Option<Time> {
        self.expiries.borrow().first().map(|(at, _)| *at)
    }

    /// One of those who wait whose deadline is not after `now`, with its final event.
    pub(super) fn next_expired(&self, now: Time) -> Option<(Token, Event)> {
        let id = {
            let mut expiries = self.expiries.borrow_mut();
            let (_, id) = *expiries.first().filter(|(at, _)| *at <= now)?;
            expiries.pop_first();
            id
        };
        let mut exchange = self.waiting.borrow_mut().remove(&id)?;
        exchange.timings.queued = now - exchange.request.asked;
        self.open.borrow_mut().remove(&exchange.token);
        Some((exchange.token, expired(&mut exchange, now)))
    }

    /// Whether the client is gone.
    pub(super) fn is_aborted(&self) -> bool {
        self.aborted.get()
    }

    pub(super) fn usage(&self) -> Usage {
        let counts = &self.counts;
        Usage {
            open: self.seats.borrow().len(),
            idle: counts.idle.get(),
            waiting: self.waiting.borrow().len(),
            connects: counts.connects.get(),
            connects_failed: counts.connects_failed.get(),
            reused: counts.reused.get(),
            stale_resent: counts.stale_resent.get(),
            timeouts: counts.timeouts.get(),
            waited: counts.waited.get(),
            cap_was_full: counts.cap_was_full.get(),
        }
    }

    /// How many more connections the cap allows; none after `close`.
    pub(super) fn room(&self) -> usize {
        if self.closed.get() {
            return 0;
        }
        self.settings.connections.max(1).saturating_sub(self.seats.borrow().len())
    }

    /// Opens a connection to the target that lies ready.
    pub(super) fn connect_idle(self: &Rc<Self>, outcome: mpsc::UnboundedSender<Result<(), Failure>>) {
        let seat = self.new_seat(self.origins.target());
        self.spawn(seat, Purpose::Idle(outcome));
    }

    pub(super) fn close(&self) {
        self.closed.set(true);
        self.close_all(Closing::WhenIdle);
    }

    /// The client is gone: ends all tasks.
    pub(super) fn abort(&self) {
        self.closed.set(true);
        self.aborted.set(true);
        self.close_all(Closing::Now);
        self.waiting.borrow_mut().clear();
        self.expiries.borrow_mut().clear();
        self.open.borrow_mut().clear();
        self.outboxes.borrow_mut().clear();
        self.posted.borrow_mut().clear();
        // Origins and their connections hold each other.
        self.origins.for_each(|origin| {
            origin.idle.borrow_mut().clear();
            false
        });
        self.keeper.notify_one();
    }

    fn close_all(&self, how: Closing) {
        for seat in self.seats.borrow().values() {
            self.leave_idle(seat);
            seat.close(how);
        }
    }
}

/// The final event of an exchange whose time was over before it had a connection.
fn expired(exchange: &mut Exchange, now: Time) -> Event {
    exchange.failed(None, Failure::new(Reason::TimeoutTotal, "while waiting for a connection"), now)
}
