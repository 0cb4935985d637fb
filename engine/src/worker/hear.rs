//! What the client tells of an exchange, and what an alarm means, handed on to the iteration concerned.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Weak;

use crate::client::{self, Items, Sink, Timings, Token};
use crate::clock::Time;
use crate::plugin::Event;
use crate::record::{ConnectParts, NameId, Outcome};

use super::alarms::{Alarm, FlightKey};
use super::core::Core;
use super::flight::{Exchange, ExchangeEnd, Form, HANDSHAKE, Open, place};

/// Where the client's events go. Weak, since the core owns the client.
pub(super) struct Ears(pub(super) Weak<RefCell<Core>>);

impl Sink for Ears {
    fn deliver(&self, token: Token, event: client::Event) {
        if let Some(core) = self.0.upgrade() {
            core.borrow_mut().hear(token, &event);
        }
    }
}

impl Core {
    /// Hands an event of the client to the iteration whose exchange it is. Events of ended iterations find nobody.
    fn hear(&mut self, token: Token, event: &client::Event) {
        let (at, serial) = place(token);
        let Some(open) = self.exchanges.get_mut(at).filter(|open| open.serial == serial) else {
            if let Some(books) = &mut self.books {
                books.settled(token, event);
            }
            return;
        };
        let (key, exchange) = (open.flight, open.id);
        if let Some(listener) = &mut self.listener {
            listener.heard(exchange, event);
        }
        match event {
            client::Event::Head { at, status, fields } => {
                open.status = Some(*status);
                let wanted = open.wanted.take();
                let event = Event::Head { exchange, status: *status, fields, wanted: wanted.as_deref() };
                self.call(key, &event, *at);
            }
            client::Event::Opened { at: when, subprotocol, fields, timings } => {
                self.shake(at, timings);
                self.call(key, &Event::Opened { exchange, subprotocol, fields }, *when);
            }
            client::Event::Items { at, items } => {
                open.bytes_received += items.bytes();
                self.hand_over(key, exchange, items, *at);
            }
            client::Event::Response { status, fields, body, timings } => {
                let open = self.ended(at, Some(*status), timings, ExchangeEnd::Complete);
                let event = Event::Response {
                    exchange,
                    status: *status,
                    fields,
                    wanted: open.wanted.as_deref(),
                    body: if open.form == Form::Count { &[] } else { body },
                    size: timings.bytes_received,
                };
                self.call(key, &event, timings.end);
            }
            client::Event::End { status, timings } => {
                self.ended(at, Some(*status), timings, ExchangeEnd::Complete);
                self.call(key, &Event::Complete { exchange }, timings.end);
            }
            client::Event::Closed { code, reason, timings } => {
                self.ended(at, None, timings, ExchangeEnd::Complete);
                self.call(key, &Event::Closed { exchange, code: *code, reason }, timings.end);
            }
            client::Event::Failed { status, failure, timings } => {
                let reason = failure.reason.as_str();
                self.ended(at, *status, timings, ExchangeEnd::Failed(Cow::Borrowed(reason)));
                self.call(key, &Event::Failed { exchange, reason, detail: &failure.detail }, timings.end);
            }
            client::Event::Cancelled { timings } => {
                self.ended(at, None, timings, ExchangeEnd::Cancelled);
                self.call(key, &Event::Cancelled { exchange }, timings.end);
            }
        }
    }

    fn hand_over(&mut self, key: FlightKey, exchange: u32, items: &Items, at: Time) {
        let event = match items {
            Items::Events(events) => Event::Events { exchange, events },
            Items::Messages(messages) => Event::Messages { exchange, messages },
            Items::Lines(lines) => Event::Lines { exchange, lines },
            Items::Chunk(bytes) => Event::Chunk { exchange, bytes },
        };
        self.call(key, &event, at);
    }

    /// Takes an exchange off the open ones and writes it among the iteration's ended ones.
    fn ended(&mut self, at: usize, status: Option<u16>, timings: &Timings, outcome: ExchangeEnd) -> Open {
        let open = self.exchanges.remove(at);
        let flight = &mut self.flights[open.flight.at as usize];
        flight.open.retain(|&place| place != at);
        flight.held -= open.held;
        // The answer of a socket's handshake has been written down by itself.
        let status = if open.form == Form::Socket { None } else { status.or(open.status) };
        if let Some(books) = &mut self.books {
            books.ended(&flight.job, &open, status, timings, &outcome);
        }
        let exchange = Exchange { status, ..Exchange::of(open.id, open.name, timings, outcome) };
        flight.notes.exchanges.push(exchange);
        open
    }

    /// Writes down the handshake of a WebSocket, a series of its own.
    fn shake(&mut self, at: usize, timings: &Timings) {
        let open = &mut self.exchanges[at];
        open.form = Form::Socket;
        open.shaken = Some(Box::new(*timings));
        let (key, name) = (open.flight, open.name);
        let workload = self.flights[key.at as usize].job.workload;
        let name = self.recorder.handshake_name(workload, name);
        let exchange = Exchange {
            status: Some(101),
            handshake: true,
            ..Exchange::of(HANDSHAKE, name, timings, ExchangeEnd::Complete)
        };
        self.flights[key.at as usize].notes.exchanges.push(exchange);
    }

    /// Rings the alarms that are due. Those set meanwhile wait for the next time, so that a plugin that sets one alarm
    /// after another holds nobody else up.
    pub(super) fn ring(&mut self, now: Time) {
        let mut due = std::mem::take(&mut self.ringing);
        while let Some(alarm) = self.alarms.take_due(now) {
            due.push(alarm);
        }
        for (at, key, alarm) in due.drain(..) {
            if !self.is_alive(key) {
                continue;
            }
            match alarm {
                Alarm::Timer(timer) => self.ring_timer(key, timer, at),
                Alarm::Impossible(place, serial) => self.fail_impossible(place as usize, serial, at),
                Alarm::TimeOut => self.end(key, at, Outcome::Failed("timeout_iteration")),
            }
        }
        self.ringing = due;
    }

    fn ring_timer(&mut self, key: FlightKey, timer: u32, at: Time) {
        let timers = &mut self.flights[key.at as usize].timers;
        if let Some(position) = timers.iter().position(|&running| running == timer) {
            timers.swap_remove(position);
            if let Some(listener) = &mut self.listener {
                listener.rang(timer);
            }
            self.call(key, &Event::Timer { timer }, at);
        }
    }

    /// An exchange that could not be made fails, or is cancelled where the plugin took it back.
    fn fail_impossible(&mut self, place: usize, serial: u32, at: Time) {
        let Some(open) = self.exchanges.get_mut(place).filter(|open| open.serial == serial) else { return };
        let (key, exchange, given_up) = (open.flight, open.id, open.given_up);
        let detail = open.impossible.take().unwrap_or_default();
        let timings = Timings { asked: open.asked, end: at, ..Timings::default() };
        if given_up {
            if let Some(listener) = &mut self.listener {
                listener.heard(exchange, &client::Event::Cancelled { timings });
            }
            self.ended(place, None, &timings, ExchangeEnd::Cancelled);
            return self.call(key, &Event::Cancelled { exchange }, at);
        }
        let failure = client::Failure { reason: client::Reason::Protocol, detail };
        let event = client::Event::Failed { status: None, failure, timings };
        self.hear(super::flight::token(place, serial), &event);
    }
}

impl Exchange {
    /// One that ended like this, without a status.
    pub(super) fn of(id: u32, name: NameId, timings: &Timings, outcome: ExchangeEnd) -> Self {
        Self {
            id,
            name,
            asked: timings.asked,
            sent: timings.sent,
            end: timings.end,
            status: None,
            outcome,
            bytes_sent: timings.bytes_sent,
            bytes_received: timings.wire_received,
            queued: nanoseconds(timings.queued),
            connect: timings.connect.map(|connect| ConnectParts {
                lookup: nanoseconds(timings.dns.unwrap_or_default()),
                connect: nanoseconds(connect),
                tls: timings.tls.map(nanoseconds),
            }),
            handshake: false,
            stale_resends: timings.attempts_stale,
        }
    }
}

fn nanoseconds(length: std::time::Duration) -> u64 {
    u64::try_from(length.as_nanos()).unwrap_or(u64::MAX)
}
