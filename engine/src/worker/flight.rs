//! An iteration in flight, and what is written down of it.

use std::borrow::Cow;
use std::time::Duration;

use crate::books::Id;
use crate::client::{Timings, Token};
use crate::clock::Time;
use crate::plugin::Flow;
use crate::record::{
    CheckSample, ConnectParts, CountSample, ExchangeOutcome, ExchangeSample, MarkSample, NameId, ObservationSample,
    Outcome,
};
use crate::schedule::{Arrival, arrival_seed};

use super::alarms::FlightKey;

/// Which flow of a plugin an iteration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An arrival's.
    Arrival,
    /// The one before the load.
    Setup,
    /// The one after the load.
    Teardown,
}

/// An arrival with all that its iteration needs to know.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    pub(super) kind: Kind,
    pub(super) workload: usize,
    pub(super) phase: usize,
    pub(super) sequence: u64,
    pub(super) index: u64,
    pub(super) seed: u64,
    /// When it is due, on the run's clock.
    pub(super) due: Time,
    /// Whether it is of a closed phase: then nothing was due, and it is only said to have been when it started.
    pub(super) closed: bool,
}

impl Job {
    /// An arrival of a run with this seed whose schedule starts at `t0`.
    pub(super) fn of(arrival: &Arrival, seed: u64, t0: Time) -> Self {
        Self {
            kind: Kind::Arrival,
            workload: usize::from(arrival.workload),
            phase: usize::from(arrival.phase),
            sequence: arrival.sequence,
            index: arrival.index,
            seed: arrival_seed(seed, arrival.sequence),
            due: t0 + Duration::from_nanos(arrival.due_ns),
            closed: false,
        }
    }
}

/// An exchange that has ended, or was open when its iteration ended.
#[derive(Clone, Debug)]
pub(super) struct Exchange {
    /// The plugin's name for it.
    pub(super) id: u32,
    /// The series it belongs to.
    pub(super) name: NameId,
    pub(super) asked: Time,
    pub(super) sent: Option<Time>,
    pub(super) end: Time,
    pub(super) status: Option<u16>,
    pub(super) outcome: ExchangeEnd,
    pub(super) bytes_sent: u64,
    pub(super) bytes_received: u64,
    /// Nanoseconds of waiting for a connection under the cap.
    pub(super) queued: u64,
    /// What opening its connection took; none on a kept one.
    pub(super) connect: Option<ConnectParts>,
    /// Whether it is the handshake of a socket.
    pub(super) handshake: bool,
    /// Re-sent because a kept connection had gone stale.
    pub(super) stale_resends: u32,
}

/// The id under which handshakes are written down: no plugin can name it, since ids rise from 0.
pub(super) const HANDSHAKE: u32 = u32::MAX;

/// How an exchange ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ExchangeEnd {
    Complete,
    Cancelled,
    Failed(Cow<'static, str>),
}

impl Exchange {
    /// As the recorder takes it.
    pub(super) fn sample(&self) -> ExchangeSample<'_> {
        ExchangeSample {
            name: self.name,
            asked: self.asked,
            sent: self.sent,
            end: self.end,
            outcome: match &self.outcome {
                ExchangeEnd::Complete => ExchangeOutcome::Complete,
                ExchangeEnd::Cancelled => ExchangeOutcome::Cancelled,
                ExchangeEnd::Failed(reason) => ExchangeOutcome::Failed(reason),
            },
            status: self.status,
            bytes_sent: self.bytes_sent,
            bytes_received: self.bytes_received,
            queued: self.queued,
            connect: self.connect,
            handshake: self.handshake,
            stale_resends: self.stale_resends,
        }
    }
}

impl Exchange {
    /// An exchange that was open when its iteration ended.
    pub(super) fn given_up(open: &Open, at: Time, outcome: Outcome<'_>) -> Self {
        if let Some(timings) = &open.shaken {
            // A conversation lasts until its plugin has ended it.
            let ended = match outcome {
                Outcome::Ok | Outcome::Cancelled => ExchangeEnd::Complete,
                _ => ExchangeEnd::Cancelled,
            };
            let conversation = Self::of(open.id, open.name, timings, ended);
            let (bytes_sent, bytes_received) = (open.bytes_sent, open.bytes_received);
            return Self { end: at, bytes_sent, bytes_received, ..conversation };
        }
        Self {
            id: open.id,
            name: open.name,
            asked: open.asked,
            sent: None,
            end: at,
            status: open.status,
            outcome: ExchangeEnd::Cancelled,
            bytes_sent: open.bytes_sent,
            bytes_received: open.bytes_received,
            queued: 0,
            connect: None,
            handshake: false,
            stale_resends: 0,
        }
    }

    /// The reason by which an iteration fails that its plugin fails by this exchange; none where it was complete without
    /// a status, or given up.
    pub(super) fn reason(&self) -> Option<Cow<'static, str>> {
        match (&self.outcome, self.status) {
            (ExchangeEnd::Failed(reason), _) => Some(reason.clone()),
            (_, Some(status)) => Some(http_reason(status)),
            _ => None,
        }
    }
}

/// The failure reason of a status.
pub(super) fn http_reason(status: u16) -> Cow<'static, str> {
    Cow::Owned(format!("http_{status}"))
}

/// An exchange that has not ended.
pub(super) struct Open {
    /// Tells a reused place from its earlier holder.
    pub(super) serial: u32,
    pub(super) flight: FlightKey,
    pub(super) id: u32,
    pub(super) name: NameId,
    pub(super) asked: Time,
    pub(super) status: Option<u16>,
    /// Names of the fields the plugin wants to see.
    pub(super) wanted: Option<Vec<String>>,
    /// Why it was never sent; it fails with this as soon as the call that asked for it has returned.
    pub(super) impossible: Option<String>,
    /// The plugin took an impossible one back before it failed.
    pub(super) given_up: bool,
    pub(super) form: Form,
    /// Moments of its handshake, where it is an open socket.
    pub(super) shaken: Option<Box<Timings>>,
    /// Payload bytes of messages and other items so far: all that is known of one that never ends.
    pub(super) bytes_sent: u64,
    pub(super) bytes_received: u64,
    /// Bytes of its request, held until it has ended.
    pub(super) held: usize,
    /// By which id its request goes, where that is noted.
    pub(super) request_id: Id,
}

/// What an open exchange is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A request whose answer is handed over.
    Answer,
    /// A request whose answer's body is only counted.
    Count,
    /// A WebSocket that is being opened.
    Opening,
    /// A WebSocket that is open. Its handshake has been written down by itself.
    Socket,
}

/// The client's token of an exchange: its place and its serial.
pub(super) fn token(at: usize, serial: u32) -> Token {
    Token((u64::from(serial) << 32) | u64::try_from(at).unwrap_or(u64::MAX) & 0xffff_ffff)
}

/// The place and serial in a token.
pub(super) fn place(token: Token) -> (usize, u32) {
    ((token.0 & 0xffff_ffff) as usize, (token.0 >> 32) as u32)
}

/// Elements for which an ended iteration's lists keep their room.
const MOST_KEPT: usize = 10_000;

/// What an iteration recorded; written down when it has ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    pub(super) exchanges: Vec<Exchange>,
    pub(super) marks: Vec<MarkSample>,
    /// The time of the last mark of each metric.
    pub(super) laps: Vec<(u32, Time)>,
    pub(super) counters: Vec<CountSample>,
    pub(super) observations: Vec<ObservationSample>,
    pub(super) checks: Vec<CheckSample>,
}

impl Notes {
    /// Whether their room is worth keeping: one iteration that recorded very much must not hold it for ever.
    fn is_small(&self) -> bool {
        let lists = [
            self.exchanges.capacity(),
            self.marks.capacity(),
            self.counters.capacity(),
            self.observations.capacity(),
            self.checks.capacity(),
        ];
        lists.into_iter().sum::<usize>() <= MOST_KEPT
    }

    /// Empties all lists and keeps their room for the next iteration.
    pub(super) fn clear(&mut self) {
        self.exchanges.clear();
        self.marks.clear();
        self.laps.clear();
        self.counters.clear();
        self.observations.clear();
        self.checks.clear();
    }
}

/// An iteration in flight.
pub(super) struct Flight {
    pub(super) serial: u32,
    pub(super) job: Job,
    pub(super) start: Time,
    /// The instance it runs on.
    pub(super) instance: usize,
    /// The plugin's side; taken while the iteration is being ended.
    pub(super) flow: Option<Flow>,
    /// Places of its open exchanges.
    pub(super) open: Vec<usize>,
    /// Bytes of their requests.
    pub(super) held: usize,
    /// Timers that have not fired.
    pub(super) timers: Vec<u32>,
    pub(super) notes: Notes,
}

impl Flight {
    /// An empty one, to be reset.
    pub(super) fn new(job: Job) -> Self {
        Self {
            serial: 0,
            job,
            start: Time(0),
            instance: 0,
            flow: None,
            open: Vec::new(),
            held: 0,
            timers: Vec::new(),
            notes: Notes::default(),
        }
    }

    /// Makes it the iteration of `job`, keeping its lists' room.
    pub(super) fn reset(&mut self, job: Job, serial: u32, start: Time, instance: usize) {
        self.serial = serial;
        self.job = job;
        self.start = start;
        self.instance = instance;
        self.flow = None;
        self.open.clear();
        self.held = 0;
        self.timers.clear();
        self.notes.clear();
    }

    /// Whether it is worth keeping for a later iteration.
    pub(super) fn is_small(&self) -> bool {
        self.notes.is_small() && self.open.capacity() + self.timers.capacity() <= MOST_KEPT
    }
}
