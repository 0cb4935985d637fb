//! What a worker notes in the run's books, where they are kept: each exchange as the client tells its end, each arrival
//! as it reaches its final state.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use crate::books::{ArrivalEntry, Entry, Id, Pen, RequestEntry, State};
use crate::client::{self, Timings, Token};
use crate::clock::Time;
use crate::record::{Missed, Outcome};

use super::core::Core;
use super::flight::{ExchangeEnd, Job, Kind, Open, token};

/// How long the client may take, after the run, to tell the end of what was given up.
const SETTLE: Duration = Duration::from_millis(100);

/// One worker's part of the books.
pub(super) struct Books {
    pen: Pen,
    worker: u32,
    /// Given up when their iteration ended; how often they were sent, the client is still to tell.
    given_up: HashMap<u64, Box<RequestEntry>>,
}

impl Books {
    /// With nothing in them.
    pub(super) fn new(pen: Pen, worker: u32) -> Self {
        Self { pen, worker, given_up: HashMap::new() }
    }

    /// Gives a request of an arrival its id.
    pub(super) fn label(&self, job: &Job, exchange: u32, fields: &mut Vec<(String, String)>) -> Id {
        Id::label(self.pen.run(), job.sequence, exchange, fields)
    }

    /// An exchange has ended, as the client says.
    pub(super) fn ended(
        &mut self,
        job: &Job,
        open: &Open,
        status: Option<u16>,
        timings: &Timings,
        outcome: &ExchangeEnd,
    ) {
        let mut entry = self.entry(job, open, timings);
        entry.status = if open.shaken.is_some() { Some(101) } else { status };
        match outcome {
            ExchangeEnd::Complete => {}
            ExchangeEnd::Cancelled => entry.cancelled = true,
            ExchangeEnd::Failed(reason) => entry.failed = Some((&**reason).into()),
        }
        self.note(job, entry);
    }

    /// An exchange was open when its iteration ended.
    pub(super) fn given_up(&mut self, job: &Job, place: usize, open: &Open, at: Time) {
        let timings = match &open.shaken {
            Some(timings) => **timings,
            None => Timings { asked: open.asked, ..Timings::default() },
        };
        let mut entry = self.entry(job, open, &timings);
        (entry.end, entry.bytes_sent, entry.bytes_received) = (at, open.bytes_sent, open.bytes_received);
        entry.given_up = true;
        (entry.status, entry.cancelled) = (if entry.socket { Some(101) } else { open.status }, true);
        if open.impossible.is_some() {
            return self.note(job, entry);
        }
        // Of a socket that was open all is known, should no more come.
        entry.unsettled = !entry.socket;
        self.given_up.insert(token(place, open.serial).0, entry);
    }

    /// The client tells of an exchange whose iteration has ended.
    pub(super) fn settled(&mut self, token: Token, event: &client::Event) {
        let timings = match event {
            client::Event::Response { timings, .. }
            | client::Event::End { timings, .. }
            | client::Event::Closed { timings, .. }
            | client::Event::Failed { timings, .. }
            | client::Event::Cancelled { timings } => timings,
            client::Event::Head { .. } | client::Event::Opened { .. } | client::Event::Items { .. } => return,
        };
        let Some(mut entry) = self.given_up.remove(&token.0) else { return };
        let socket = entry.socket;
        entry.take(timings);
        if !socket {
            entry.unsettled = false;
        }
        self.pen.push(Entry::Request(entry));
    }

    /// An iteration has ended.
    pub(super) fn arrival(&mut self, job: &Job, start: Time, end: Time, outcome: Outcome<'_>, exchanges: usize) {
        let (state, reason) = match outcome {
            Outcome::Ok => (State::Ok, None),
            Outcome::Cancelled => (State::Cancelled, None),
            Outcome::Failed(reason) => (State::Failed, Some(reason.into())),
            Outcome::Abandoned => (State::Abandoned, None),
            Outcome::Lost => (State::Lost, None),
        };
        self.note_arrival(job, Some((start, end)), state, reason, exchanges as u64);
    }

    /// An arrival is not started.
    pub(super) fn missed(&mut self, job: &Job, cause: Missed) {
        let state = match cause {
            Missed::NoSlot => State::NoSlot,
            Missed::GeneratorLate => State::GeneratorLate,
        };
        self.note_arrival(job, None, state, None, 0);
    }

    /// Hands over what has been noted: once a second, so that little is lost with a crash.
    pub(super) fn hand_over(&mut self) {
        self.pen.hand_over();
    }

    fn note_arrival(
        &mut self,
        job: &Job,
        ran: Option<(Time, Time)>,
        state: State,
        reason: Option<Box<str>>,
        exchanges: u64,
    ) {
        let (workload, phase, sequence, due) = (job.workload, job.phase, job.sequence, job.due);
        self.pen.push(Entry::Arrival(ArrivalEntry { workload, phase, sequence, due, ran, state, reason, exchanges }));
    }

    fn note(&mut self, job: &Job, entry: Box<RequestEntry>) {
        if job.kind == Kind::Arrival {
            self.pen.push(Entry::Request(entry));
        }
    }

    fn entry(&self, job: &Job, open: &Open, timings: &Timings) -> Box<RequestEntry> {
        let mut entry = Box::new(RequestEntry {
            id: open.request_id.clone(),
            worker: self.worker,
            workload: job.workload,
            phase: job.phase,
            sequence: job.sequence,
            exchange: open.id,
            due: job.due,
            asked: timings.asked,
            sent: None,
            first_sent: None,
            first_byte: None,
            end: Time(0),
            status: None,
            failed: None,
            cancelled: false,
            opened: false,
            socket: open.shaken.is_some(),
            given_up: false,
            unsettled: false,
            sends: 0,
            stale_resends: 0,
            redirects: 0,
            bytes_sent: 0,
            bytes_received: 0,
        });
        entry.take(timings);
        entry
    }
}

impl RequestEntry {
    /// Takes over what the client has measured.
    fn take(&mut self, timings: &Timings) {
        (self.sent, self.first_sent) = (timings.sent, timings.first_sent);
        (self.first_byte, self.end) = (timings.first_byte, timings.end);
        self.opened = timings.connect.is_some();
        (self.sends, self.stale_resends) = (timings.sends, timings.attempts_stale);
        self.redirects = timings.redirects;
        (self.bytes_sent, self.bytes_received) = (timings.bytes_sent, timings.bytes_received);
    }
}

/// Closes a worker's part of the books, after its last iteration: the client's tasks have a moment to tell how often
/// they had sent what was given up.
pub(super) async fn finish(core: &Rc<RefCell<Core>>) {
    let clock = Rc::clone(&core.borrow().clock);
    let until = clock.now() + SETTLE;
    loop {
        {
            let core = core.borrow();
            let Some(books) = &core.books else { return };
            if !books.given_up.values().any(|entry| entry.unsettled) || clock.now() >= until {
                break;
            }
        }
        // Not only a yield: on virtual time nothing would ever pass.
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let books = core.borrow_mut().books.take();
    if let Some(books) = books {
        let Books { mut pen, given_up, .. } = *books;
        for entry in given_up.into_values() {
            pen.push(Entry::Request(entry));
        }
        pen.finish();
    }
}
