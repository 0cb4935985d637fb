//! Plays the target: answers what a plugin asks for, one event at a time, with plain answers or with a mishap.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};

use crate::pieces::{Message, ServerSentEvent};
use crate::plugin::{Action, ReadMode};

use super::Piece;
use super::cases::{Answer, pieces_of};
use super::mishap::Mishap;
use super::open::Open;
use super::rehearsal::{Begin, Rehearsal, TakeId};

/// Events after which an iteration is held to be one that never ends.
pub const MOST_EVENTS: usize = 1_000;

/// What plain answers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// An empty JSON object.
    Object,
    /// What was sent, again.
    Echo,
    /// An empty JSON array.
    Array,
    /// What a case answers, exchange by exchange; an empty JSON object beyond.
    Case,
}

impl Flavour {
    /// Those that need no case.
    pub const ALL: [Self; 3] = [Self::Object, Self::Echo, Self::Array];

    /// For people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Object => "an empty JSON object",
            Self::Echo => "what was sent, again",
            Self::Array => "an empty JSON array",
            Self::Case => "what the case says",
        }
    }

    fn body(self, open: &Open) -> Vec<u8> {
        match self {
            Self::Object | Self::Case => b"{}".to_vec(),
            Self::Array => b"[]".to_vec(),
            Self::Echo => open.request.body.to_vec(),
        }
    }
}

/// What comes next to an exchange.
#[derive(Clone, Debug)]
pub(super) enum Move {
    /// This.
    Piece(Piece),
    /// The plugin's last message again, where it wrote one.
    Echo,
}

/// Who answers.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// What plain answers say.
    pub flavour: Flavour,
    /// What befalls the exchange of this position, counted from 0 in the iteration; also all later ones where `for_good`.
    pub mishap: Option<(usize, Mishap, bool)>,
    /// Timers fire before answers come.
    pub slow: bool,
    /// Hosts beside the target's own.
    pub hosts: &'a [String],
    /// What a case answers to each exchange.
    pub script: &'a [Vec<Answer>],
}

/// What is on its way to the exchanges of one iteration.
#[derive(Debug, Default)]
pub struct Way {
    queues: BTreeMap<u32, VecDeque<Move>>,
    asked: usize,
    /// Whether a mishap has come to pass.
    pub befell: bool,
    /// Read modes of the exchanges, in the order they were answered.
    pub reads: Vec<ReadMode>,
}

/// How a play came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The iteration ended by itself.
    Ended,
    /// It went on after [`MOST_EVENTS`] events.
    Endless,
}

impl Target<'_> {
    /// Plays one iteration to its end. None where the plugin has no such flow.
    pub fn play(&self, rehearsal: &mut Rehearsal, begin: &Begin) -> Option<(TakeId, Outcome, Way)> {
        let take = rehearsal.begin(begin)?;
        let mut way = Way::default();
        while self.step(rehearsal, take, &mut way) {
            if rehearsal.take(take).events >= MOST_EVENTS {
                return Some((take, Outcome::Endless, way));
            }
        }
        Some((take, Outcome::Ended, way))
    }

    /// Lets one event come; false where the iteration has ended.
    pub fn step(&self, rehearsal: &mut Rehearsal, id: TakeId, way: &mut Way) -> bool {
        let take = rehearsal.take(id);
        if take.ending().is_some() {
            return false;
        }
        let timer = take.timers().first().copied();
        let first = take.open().first().map(|open| open.id);
        let fires = timer.filter(|_| self.slow || first.is_none());
        if let Some(timer) = fires {
            return rehearsal.fire(id, timer.id).is_ok();
        }
        // In turn, so that several that are open get their answers among one another. What cannot come any more, since the
        // plugin has done something else meanwhile, is passed over; the end of every way can.
        loop {
            let take = rehearsal.take(id);
            let open = take.open();
            let Some(open) = open.get(take.events % open.len().max(1)) else { return false };
            let exchange = open.id;
            let piece = self.next(open, way, &take.acts);
            if rehearsal.deliver(id, exchange, &piece).is_ok() {
                return true;
            }
        }
    }

    /// What comes to an exchange that nothing befalls.
    fn ordinary(&self, open: &Open) -> Vec<Move> {
        match self.script.get(open.id as usize) {
            Some(answers) if self.flavour == Flavour::Case => {
                pieces_of(answers, open).into_iter().map(Move::Piece).collect()
            }
            _ => plain(self.flavour, open),
        }
    }

    /// What comes next to an exchange: what the engine itself would say of it, else what was on its way.
    fn next(&self, open: &Open, way: &mut Way, acts: &[Action]) -> Piece {
        if open.is_given_up() {
            return Piece::Cancelled;
        }
        if let Some(why) = &open.impossible {
            return failed("protocol", why);
        }
        if let Some(host) = open.request.authority.as_ref().filter(|host| !self.hosts.contains(host)) {
            return failed("host_not_allowed", &format!("{host} is not the target"));
        }
        let queue = way.queues.entry(open.id).or_insert_with(|| {
            let position = way.asked;
            way.asked += 1;
            way.reads.push(open.request.read);
            match self.mishap {
                Some((at, mishap, for_good)) if position == at || for_good && position > at => {
                    way.befell = true;
                    mishap.moves(open)
                }
                _ => self.ordinary(open),
            }
            .into()
        });
        if let (Some((code, reason)), true) = (&open.closing, open.is_open_socket()) {
            return Piece::Closed { code: *code, reason: reason.clone() };
        }
        loop {
            match queue.pop_front() {
                Some(Move::Piece(piece)) => return piece,
                Some(Move::Echo) => {
                    if let Some(message) = last_written(acts, open.id) {
                        return Piece::Messages(vec![message]);
                    }
                }
                // Nothing is left only where a plugin waits after the end, which cannot be.
                None => return failed("timeout_total", "nothing more came"),
            }
        }
    }
}

/// What the plugin wrote last on a socket.
fn last_written(acts: &[Action], socket: u32) -> Option<Message> {
    acts.iter().rev().find_map(|action| match action {
        Action::Write { exchange, message } if *exchange == socket => Some(message.clone()),
        _ => None,
    })
}

/// A failure.
pub(super) fn failed(reason: &str, detail: &str) -> Piece {
    Piece::Failed { reason: reason.to_owned(), detail: detail.to_owned() }
}

/// Fields with this content type.
pub(super) fn fields(content_type: &'static str) -> HeaderMap {
    let mut fields = HeaderMap::new();
    if !content_type.is_empty() {
        fields.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    }
    fields
}

/// An event as a stream has it.
pub(super) fn event(data: &str) -> ServerSentEvent {
    ServerSentEvent::new(String::new(), data.to_owned(), Rc::from(""))
}

/// The answer that opens a WebSocket: with the first subprotocol offered.
pub(super) fn opened(open: &Open) -> Piece {
    let subprotocol = open.subprotocols().first().copied().unwrap_or_default().to_owned();
    Piece::Opened { subprotocol, fields: HeaderMap::new() }
}

/// An answer of status 200 with a body, as the exchange's read mode hands it over.
pub(super) fn whole(open: &Open, status: u16, content_type: &'static str, body: Vec<u8>) -> Vec<Piece> {
    let fields = fields(content_type);
    match open.request.read {
        ReadMode::Whole(most) if body.len() > most as usize => {
            vec![failed("body_too_large", "more than the plugin wants")]
        }
        ReadMode::Whole(_) | ReadMode::Count => {
            let size = body.len() as u64;
            vec![Piece::Whole { status, fields, body, size }]
        }
        ReadMode::Socket => vec![failed("upgrade_refused", &format!("status {status}"))],
        read => {
            let mut pieces = vec![Piece::Head { status, fields }];
            let json = content_type == "application/json";
            match read {
                _ if body.is_empty() => {}
                ReadMode::Chunks => pieces.push(Piece::Chunk(body)),
                ReadMode::Events if json => pieces.push(Piece::Chunk(body)),
                ReadMode::Lines => pieces.push(Piece::Lines(vec![String::from_utf8_lossy(&body).into_owned()])),
                // What is no stream of events has none.
                _ => {}
            }
            pieces.push(Piece::Complete);
            pieces
        }
    }
}

/// A plain answer.
fn plain(flavour: Flavour, open: &Open) -> Vec<Move> {
    let body = flavour.body(open);
    let text = || String::from_utf8_lossy(&body).into_owned();
    let pieces = match open.request.read {
        ReadMode::Events => {
            let data = if flavour == Flavour::Echo { text() } else { "{}".to_owned() };
            vec![
                Piece::Head { status: 200, fields: fields("text/event-stream") },
                Piece::Events(vec![event(&data)]),
                Piece::Events(vec![event(&data), event("[DONE]")]),
                Piece::Complete,
            ]
        }
        ReadMode::Socket => {
            let echoes = [Move::Piece(opened(open)), Move::Echo, Move::Echo];
            let said = if flavour == Flavour::Array { "[]" } else { "{}" };
            let rest = [
                Move::Piece(Piece::Messages(vec![Message::Text(said.to_owned())])),
                Move::Piece(Piece::Closed { code: 1000, reason: String::new() }),
            ];
            return echoes.into_iter().chain(rest).collect();
        }
        _ => whole(open, 200, "application/json", body),
    };
    pieces.into_iter().map(Move::Piece).collect()
}
