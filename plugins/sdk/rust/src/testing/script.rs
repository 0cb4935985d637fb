//! What the scripted target answers.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::Value;

use super::play;
use super::run::Run;
use crate::bindings::engine::workload::types::{Arrival, CloseInfoResult, Failure, Item};
use crate::{Context, testing::recorder::Sent};
use crate::{Flow, Message, ServerSentEvent, Workload};
use std::rc::Rc;

/// How long an answer takes where nothing else is said.
const LATENCY: Duration = Duration::from_millis(1);

/// A scripted target and the arrival that meets it. Answers are tried in the order written; the first whose method and
/// path fit and that is not used up is taken. A request that none fits is a panic that shows both.
#[derive(Debug, Clone)]
pub struct Script {
    pub(super) answers: Vec<Answer>,
    pub(super) arrival: Arrival,
    pub(super) shared: Option<String>,
}

impl Default for Script {
    fn default() -> Self {
        Self::new()
    }
}

/// One scripted answer.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    method: String,
    path: String,
    /// How often it may still be used; `None` for always.
    uses: Option<u32>,
    pub(super) steps: VecDeque<Step>,
}

/// A step of an answer: after a delay, something happens.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) after: Duration,
    pub(super) what: What,
}

/// What happens in a step.
#[derive(Debug, Clone)]
pub(super) enum What {
    Reply {
        status: u16,
        fields: Vec<(String, String)>,
        body: Vec<u8>,
    },
    Head {
        status: u16,
        fields: Vec<(String, String)>,
    },
    Open {
        subprotocol: String,
    },
    Items(Vec<Item>),
    /// A WebSocket goes no further before the plugin has written this.
    Expect(Message),
    End,
    Closed(CloseInfoResult),
    Fail(Failure),
}

impl Script {
    /// Nothing scripted yet; the arrival is the first one of client 1, with seed 1 and in a phase `test`.
    pub fn new() -> Self {
        Self {
            answers: Vec::new(),
            arrival: Arrival {
                sequence: 0,
                index: 0,
                seed: 1,
                client: 1,
                wall_time: 1_700_000_000_000_000_000,
                phase: "test".to_owned(),
                row: None,
            },
            shared: None,
        }
    }

    /// Begins the answer to requests of this method (`WS` for a WebSocket) and path. A path without `?` fits any query.
    pub fn on(self, method: &str, path: &str) -> Answering {
        let fields = Vec::new();
        let answer = Answer { method: method.to_owned(), path: path.to_owned(), uses: None, steps: VecDeque::new() };
        Answering { script: self, answer, after: LATENCY, fields }
    }

    /// Changes the arrival: `script.arrival(|arrival| arrival.index = 3)`.
    #[must_use]
    pub fn arrival(mut self, change: impl FnOnce(&mut Arrival)) -> Self {
        change(&mut self.arrival);
        self
    }

    /// What setup has shared, given to `configure`.
    #[must_use]
    pub fn shared(mut self, shared: &Value) -> Self {
        self.shared = Some(shared.to_string());
        self
    }

    /// Runs one iteration of a workload with this configuration, as JSON.
    ///
    /// # Panics
    /// Where the workload refuses its configuration or asks for what is not scripted.
    pub fn run<W: Workload>(&self, config: &str) -> Run {
        play::iterations::<W>(self, config, 1).remove(0)
    }

    /// Runs this many iterations one after the other on one plan; index, sequence and seed count on.
    ///
    /// # Panics
    /// As [`run`](Self::run).
    pub fn run_many<W: Workload>(&self, config: &str, iterations: u64) -> Vec<Run> {
        play::iterations::<W>(self, config, iterations)
    }

    /// Runs the setup flow; `None` where the workload has none.
    ///
    /// # Panics
    /// As [`run`](Self::run).
    pub fn setup<W: Workload>(&self, config: &str) -> Option<Run> {
        self.once(config, W::setup)
    }

    /// Runs the teardown flow; `None` where the workload has none.
    ///
    /// # Panics
    /// As [`run`](Self::run).
    pub fn teardown<W: Workload>(&self, config: &str) -> Option<Run> {
        self.once(config, W::teardown)
    }

    fn once<W: Workload>(&self, config: &str, flow: fn(Rc<W>, Context) -> Option<Flow>) -> Option<Run> {
        play::once(self, config, flow)
    }

    /// Takes the answer to a request.
    pub(super) fn answer(&mut self, request: &Sent) -> VecDeque<Step> {
        let fitting = self.answers.iter_mut().find(|answer| answer.fits(request));
        let Some(answer) = fitting else { self.unexpected(request) };
        answer.uses = answer.uses.map(|uses| uses - 1);
        answer.steps.clone()
    }

    fn unexpected(&self, request: &Sent) -> ! {
        let lines = self.answers.iter().map(|answer| {
            let used_up = if answer.uses == Some(0) { " (used up)" } else { "" };
            format!("\n  {} {}{used_up}", answer.method, answer.path)
        });
        let scripted = if self.answers.is_empty() { "\n  nothing".to_owned() } else { lines.collect() };
        panic!("unexpected request\n  {} {}\nscripted are, in this order:{scripted}", request.method, request.path)
    }
}

impl Answer {
    fn fits(&self, request: &Sent) -> bool {
        let path = if self.path.contains('?') { request.path.as_str() } else { request.path_only() };
        self.method == request.method && self.path == path && self.uses != Some(0)
    }
}

/// An answer being written.
#[must_use = "nothing is scripted before `reply`, `fail` or the end of a stream"]
pub struct Answering {
    script: Script,
    answer: Answer,
    after: Duration,
    fields: Vec<(String, String)>,
}

impl Answering {
    /// Used for one request only; the next one takes a later answer.
    pub fn once(self) -> Self {
        self.times(1)
    }

    /// Used for so many requests.
    pub fn times(mut self, uses: u32) -> Self {
        self.answer.uses = Some(uses);
        self
    }

    /// Comes this long after the request; 1 ms where not said.
    pub fn after(mut self, latency: Duration) -> Self {
        self.after = latency;
        self
    }

    /// Adds a response field. All are handed over, whichever the plugin asked for.
    pub fn field(mut self, name: &str, value: &str) -> Self {
        self.fields.push((name.to_ascii_lowercase(), value.to_owned()));
        self
    }

    /// Answers with this status and body.
    pub fn reply(mut self, status: u16, body: impl Into<Vec<u8>>) -> Script {
        let fields = std::mem::take(&mut self.fields);
        self.step(What::Reply { status, fields, body: body.into() });
        self.done()
    }

    /// Answers with this status and JSON.
    pub fn reply_json(self, status: u16, body: &Value) -> Script {
        self.field("content-type", "application/json").reply(status, body.to_string())
    }

    /// Fails with the engine's reason, such as `timeout_total` or `refused`.
    pub fn fail(mut self, reason: &str) -> Script {
        self.step(failure(reason));
        self.done()
    }

    /// Answers with this status and a body in pieces.
    pub fn stream(mut self, status: u16) -> StreamScript {
        let fields = std::mem::take(&mut self.fields);
        self.step(What::Head { status, fields });
        StreamScript { answering: self }
    }

    /// Opens the WebSocket, with this subprotocol or an empty one.
    pub fn open(mut self, subprotocol: &str) -> SocketScript {
        self.step(What::Open { subprotocol: subprotocol.to_owned() });
        SocketScript { answering: self }
    }

    /// The delay counts once: what follows in the same answer comes at the same moment unless it says otherwise.
    fn step(&mut self, what: What) {
        let after = std::mem::take(&mut self.after);
        self.answer.steps.push_back(Step { after, what });
    }

    fn done(mut self) -> Script {
        self.script.answers.push(self.answer);
        self.script
    }
}

fn failure(reason: &str) -> What {
    What::Fail(Failure { reason: reason.to_owned(), detail: "scripted".to_owned() })
}

/// A body in pieces being written. Each call is one read off the wire.
#[must_use = "nothing is scripted before `end` or `fail`"]
pub struct StreamScript {
    answering: Answering,
}

impl StreamScript {
    /// The next piece comes this long after the one before it.
    pub fn pause(mut self, pause: Duration) -> Self {
        self.answering.after += pause;
        self
    }

    /// Server-sent events of type `message`, all in one read.
    pub fn events<T: AsRef<str>>(self, data: impl IntoIterator<Item = T>) -> Self {
        self.items(data.into_iter().map(|data| {
            let (event, data) = ("message".to_owned(), data.as_ref().to_owned());
            Item::Event(ServerSentEvent { event, data, id: String::new() })
        }))
    }

    /// One server-sent event of this type.
    pub fn event(self, event: &str, data: &str) -> Self {
        let (event, data) = (event.to_owned(), data.to_owned());
        self.items([Item::Event(ServerSentEvent { event, data, id: String::new() })])
    }

    /// Lines, all in one read.
    pub fn lines<T: AsRef<str>>(self, lines: impl IntoIterator<Item = T>) -> Self {
        self.items(lines.into_iter().map(|line| Item::Line(line.as_ref().to_owned())))
    }

    /// Bytes.
    pub fn chunk(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.items([Item::Chunk(bytes.into())])
    }

    fn items(mut self, items: impl IntoIterator<Item = Item>) -> Self {
        self.answering.step(What::Items(items.into_iter().collect()));
        self
    }

    /// The answer is complete.
    pub fn end(mut self) -> Script {
        self.answering.step(What::End);
        self.answering.done()
    }

    /// The exchange fails here.
    pub fn fail(mut self, reason: &str) -> Script {
        self.answering.step(failure(reason));
        self.answering.done()
    }
}

/// A WebSocket's course being written.
#[must_use = "nothing is scripted before `close`, `until_closed` or `fail`"]
pub struct SocketScript {
    answering: Answering,
}

impl SocketScript {
    /// What follows comes this much later.
    pub fn pause(mut self, pause: Duration) -> Self {
        self.answering.after += pause;
        self
    }

    /// Waits until the plugin has written this text; another message is a panic that shows both.
    pub fn expect_text(mut self, text: &str) -> Self {
        self.answering.step(What::Expect(Message::Text(text.to_owned())));
        self
    }

    /// The peer sends a text message.
    pub fn text(mut self, text: &str) -> Self {
        self.answering.step(What::Items(vec![Item::Message(Message::Text(text.to_owned()))]));
        self
    }

    /// The peer sends several text messages that come in one read.
    pub fn texts<T: AsRef<str>>(mut self, texts: impl IntoIterator<Item = T>) -> Self {
        let messages = texts.into_iter().map(|text| Item::Message(Message::Text(text.as_ref().to_owned())));
        self.answering.step(What::Items(messages.collect()));
        self
    }

    /// The peer sends a binary message.
    pub fn binary(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.answering.step(What::Items(vec![Item::Message(Message::Binary(bytes.into()))]));
        self
    }

    /// The peer closes.
    pub fn close(mut self, code: u16, reason: &str) -> Script {
        self.answering.step(What::Closed(CloseInfoResult { code, reason: reason.to_owned() }));
        self.answering.done()
    }

    /// The peer says nothing more and answers the plugin's close.
    pub fn until_closed(self) -> Script {
        self.answering.done()
    }

    /// The exchange fails here.
    pub fn fail(mut self, reason: &str) -> Script {
        self.answering.step(failure(reason));
        self.answering.done()
    }
}
