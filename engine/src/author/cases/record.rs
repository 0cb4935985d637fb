//! Makes a case of what `engine try` saw: the same steps, the same reads, no secret.

use std::time::Duration;

use serde_json::Value;

use crate::client::{self, Items, Timings};
use crate::pieces::{Message, SUBPROTOCOL, ServerSentEvent};
use crate::plugin::{Action, Metric, ReadMode, Request};
use crate::worker::{TAPED, Taped};

use super::counted_marks;
use super::{ANY, Answer, Ask, Batch, Begin, Case, Content, End, Expect, Scrub, Step, Wanted};
use crate::author::telling::read_name;

/// Request bodies beyond this are not recorded: a case says what it cares about.
const LONGEST_REQUEST: usize = 64 << 10;

/// Fields of answers that are the connection's and the moment's, and say nothing to a plugin.
const OF_THE_CONNECTION: [&str; 6] =
    ["connection", "date", "keep-alive", "sec-websocket-accept", "transfer-encoding", "upgrade"];

/// What was seen.
#[derive(Clone, Copy)]
pub struct Recording<'a> {
    /// The case's name.
    pub name: &'a str,
    /// The plugin's configuration.
    pub config: &'a Value,
    /// What setup has shared.
    pub shared: Option<&'a Value>,
    /// Which flow ran.
    pub begin: &'a Begin,
    /// Everything that happened.
    pub tape: &'a [Taped],
    /// How it ended.
    pub outcome: &'a str,
    /// The plugin's metrics.
    pub metrics: &'a [Metric],
}

/// The case of a recording.
///
/// # Errors
/// In words, where no rehearsal can repeat how it ended.
pub fn record(recording: &Recording<'_>, scrub: Scrub<'_>) -> Result<Case, String> {
    if ["timeout_iteration", "abandoned", "lost"].contains(&recording.outcome) {
        return Err(format!("the iteration was cut off as {}, which no case can repeat", recording.outcome));
    }
    if recording.tape.len() >= TAPED {
        return Err(format!("more than {TAPED} things happened"));
    }
    let mut scribe = Scribe { scrub, steps: Vec::new(), requests: Vec::new() };
    for taped in recording.tape {
        match taped {
            Taped::Did(action) => scribe.did(action),
            Taped::Heard(exchange, event) => scribe.heard(*exchange, event),
            Taped::Rang(timer) => scribe.rang(*timer),
        }
    }
    let mut steps = scribe.steps;
    hide_split(&mut steps, scrub);
    // Where an answer belongs to what its own step asks for, nothing needs to be said.
    for step in &mut steps {
        if let (Some(Ask::Request(_) | Ask::Write { .. } | Ask::Close { .. } | Ask::Cancel(_)), Some(answer)) =
            (&step.ask, &mut step.answer)
        {
            answer.to = None;
        }
    }
    Ok(Case {
        name: recording.name.to_owned(),
        line: 0,
        config: scrub.json(recording.config),
        shared: recording.shared.map(|shared| scrub.json(shared)),
        begin: recording.begin.clone(),
        steps,
        expect: expect(recording, scrub),
    })
}

/// Writes steps.
struct Scribe<'a> {
    scrub: Scrub<'a>,
    steps: Vec<Step>,
    requests: Vec<(u32, Request)>,
}

impl Scribe<'_> {
    fn did(&mut self, action: &Action) {
        let ask = match action {
            Action::Send { exchange, request } => {
                self.requests.push((*exchange, (**request).clone()));
                Ask::Request(Box::new(self.wanted(request)))
            }
            Action::Impossible { name, .. } => {
                Ask::Request(Box::new(Wanted { name: Some(self.scrub.text(name)), ..Wanted::default() }))
            }
            Action::Write { exchange, message } => {
                let what = match message {
                    Message::Text(text) => Some(self.sent(text)),
                    Message::Binary(bytes) => self.scrub.bytes(bytes).map(|bytes| Content::Bytes(bytes.to_vec())),
                };
                Ask::Write { to: Some(*exchange), what }
            }
            Action::Close { exchange, code, reason } => {
                Ask::Close { to: Some(*exchange), code: Some(*code), reason: Some(self.scrub.text(reason)) }
            }
            Action::Cancel(exchange) => Ask::Cancel(*exchange),
            // Whether it fired at once is seen when it does.
            Action::Wait { nanoseconds, .. } => Ask::Wait { length: Duration::from_nanos(*nanoseconds), fires: false },
            _ => return,
        };
        self.steps.push(Step { ask: Some(ask), ..Step::default() });
    }

    fn wanted(&self, request: &Request) -> Wanted {
        let body = match std::str::from_utf8(&request.body) {
            _ if request.body.is_empty() || request.body.len() > LONGEST_REQUEST => None,
            Ok(text) => Some(self.sent(text)),
            Err(_) => self.scrub.bytes(&request.body).map(|bytes| Content::Bytes(bytes.to_vec())),
        };
        let fields = request.fields.iter().map(|(name, value)| (name.clone(), self.scrub.named(name, value)));
        Wanted {
            name: request.name.as_ref().map(|name| self.scrub.text(name)),
            method: Some(request.method.clone()),
            path: Some(self.scrub.path(&request.path_with_query)),
            authority: request.authority.as_ref().map(|host| self.scrub.text(host)),
            fields: fields.collect(),
            body,
            read: Some(read_name(request.read).to_owned()),
        }
    }

    /// What the plugin sent: JSON is compared by value.
    fn sent(&self, text: &str) -> Content {
        match serde_json::from_str::<Value>(text) {
            Ok(value @ (Value::Object(_) | Value::Array(_))) => Content::Json(self.scrub.json(&value)),
            _ => Content::Text(self.scrub.body(text)),
        }
    }

    fn rang(&mut self, timer: u32) {
        let waits = self.steps.iter().filter(|step| matches!(step.ask, Some(Ask::Wait { .. }))).count();
        if let Some(Step { ask: Some(Ask::Wait { fires, .. }), answer: None, fire: None, .. }) = self.steps.last_mut()
            && timer as usize + 1 == waits
        {
            *fires = true;
            return;
        }
        self.steps.push(Step { fire: Some(timer), ..Step::default() });
    }

    /// Goes on with the answer of the step before where that is to the same exchange.
    fn answer(&mut self, exchange: u32) -> &mut Answer {
        let asked = self.requests.iter().map(|(id, _)| *id).max();
        let fits = self.steps.last().is_some_and(|step| match (&step.ask, &step.answer) {
            (_, Some(answer)) => answer.to == Some(exchange) && answer.end == End::Later,
            (Some(Ask::Request(_)), None) => asked == Some(exchange),
            (Some(Ask::Write { to, .. } | Ask::Close { to, .. }), None) => *to == Some(exchange),
            (Some(Ask::Cancel(cancelled)), None) => *cancelled == exchange,
            _ => false,
        });
        if !fits {
            self.steps.push(Step::default());
        }
        let last = self.steps.len() - 1;
        self.steps[last].answer.get_or_insert_with(|| Answer {
            to: Some(exchange),
            end: End::Later,
            ..Answer::default()
        })
    }

    fn fields(&self, exchange: u32, fields: &http::HeaderMap) -> Vec<(String, String)> {
        let request = self.requests.iter().find(|(id, _)| *id == exchange);
        let wanted = request.and_then(|(_, request)| request.wanted_fields.as_ref());
        let wants = |name: &str| wanted.is_none_or(|wanted| wanted.iter().any(|want| want == name));
        let text =
            |value: &http::HeaderValue| value.as_bytes().iter().map(|&byte| char::from(byte)).collect::<String>();
        // What decides how the answer is handed over is kept, wanted or not.
        let kept = fields.iter().filter(|(name, _)| {
            *name == http::header::CONTENT_TYPE || wants(name.as_str()) && !OF_THE_CONNECTION.contains(&name.as_str())
        });
        kept.map(|(name, value)| (name.as_str().to_owned(), self.scrub.named(name.as_str(), &text(value)))).collect()
    }

    fn heard(&mut self, exchange: u32, event: &client::Event) {
        match event {
            client::Event::Head { status, fields, .. } => {
                let fields = self.fields(exchange, fields);
                let answer = self.answer(exchange);
                (answer.status, answer.fields) = (Some(*status), fields);
            }
            client::Event::Opened { subprotocol, fields, .. } => {
                let fields = self.fields(exchange, fields);
                let subprotocol = self.scrub.named(SUBPROTOCOL, subprotocol);
                let answer = self.answer(exchange);
                answer.fields = fields;
                answer.subprotocol = Some(subprotocol).filter(|subprotocol| !subprotocol.is_empty());
                answer.end = End::Natural;
            }
            client::Event::Items { items, .. } => self.items(exchange, items),
            client::Event::Response { status, fields, body, timings } => {
                self.response(exchange, *status, fields, body, timings);
            }
            client::Event::End { .. } => self.answer(exchange).end = End::Natural,
            client::Event::Closed { code, reason, .. } => {
                let reason = self.scrub.text(reason);
                self.open_answer(exchange).end = End::Closed { code: *code, reason };
            }
            client::Event::Failed { failure, .. } => {
                let (reason, detail) = (failure.reason.as_str().to_owned(), self.scrub.text(&failure.detail));
                self.open_answer(exchange).end = End::Failed { reason, detail };
            }
            client::Event::Cancelled { .. } => self.open_answer(exchange).end = End::Cancelled,
        }
    }

    /// As [`Self::answer`], also where the one before is that of a socket, which stays open.
    fn open_answer(&mut self, exchange: u32) -> &mut Answer {
        let socket = self.requests.iter().any(|(id, request)| *id == exchange && request.read == ReadMode::Socket);
        if let Some(Answer { to, end, .. }) = self.steps.last_mut().and_then(|step| step.answer.as_mut())
            && socket
            && *to == Some(exchange)
            && *end == End::Natural
        {
            *end = End::Later;
        }
        self.answer(exchange)
    }

    fn items(&mut self, exchange: u32, items: &Items) {
        let batch = match items {
            Items::Events(events) => Batch::Events(
                events
                    .iter()
                    .map(|event| {
                        let kind = if event.kind() == "message" { "" } else { event.kind() };
                        ServerSentEvent::new(
                            kind.to_owned(),
                            self.scrub.body(&event.data),
                            self.scrub.text(&event.id).into(),
                        )
                    })
                    .collect(),
            ),
            Items::Messages(messages) => {
                Batch::Messages(messages.iter().map(|message| self.message(message)).collect())
            }
            Items::Lines(lines) => Batch::Lines(lines.iter().map(|line| self.scrub.body(line)).collect()),
            Items::Chunk(bytes) => Batch::Chunk(self.bytes(bytes)),
        };
        let socket = matches!(items, Items::Messages(_));
        let answer = self.open_answer(exchange);
        answer.batches.push(batch);
        if socket {
            answer.end = End::Natural;
        }
    }

    fn message(&self, message: &Message) -> Message {
        match message {
            Message::Text(text) => Message::Text(self.scrub.body(text)),
            Message::Binary(bytes) => Message::Binary(self.bytes(bytes)),
        }
    }

    fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.scrub.body(text).into_bytes(),
            Err(_) => self.scrub.bytes(bytes).unwrap_or(ANY.as_bytes()).to_vec(),
        }
    }

    fn response(&mut self, exchange: u32, status: u16, fields: &http::HeaderMap, body: &[u8], timings: &Timings) {
        let counted = self.requests.iter().any(|(id, request)| *id == exchange && request.read == ReadMode::Count);
        let fields = self.fields(exchange, fields);
        // What is only counted is not handed over, and not recorded.
        let body = if counted { &[][..] } else { body };
        let content = match std::str::from_utf8(body) {
            _ if body.is_empty() => None,
            Ok(text) => Some(Content::Text(self.scrub.body(text))),
            Err(_) => Some(Content::Bytes(self.bytes(body))),
        };
        let size = Some(timings.bytes_received).filter(|&size| size != body.len() as u64);
        let answer = self.answer(exchange);
        (answer.status, answer.fields, answer.body, answer.size) = (Some(status), fields, content, size);
        answer.end = End::Natural;
    }
}

/// A secret that came in two reads stands in neither: then nothing of that exchange's bytes is kept.
fn hide_split(steps: &mut [Step], scrub: Scrub<'_>) {
    let ids: Vec<u32> = steps.iter().filter_map(|step| step.answer.as_ref()?.to).collect();
    for id in ids {
        let of = |step: &Step| step.answer.as_ref().is_some_and(|answer| answer.to == Some(id));
        let whole: Vec<u8> = steps
            .iter()
            .filter(|step| of(step))
            .flat_map(|step| step.answer.iter().flat_map(|answer| &answer.batches))
            .flat_map(|batch| match batch {
                Batch::Chunk(bytes) => bytes.clone(),
                _ => Vec::new(),
            })
            .collect();
        let text = String::from_utf8_lossy(&whole);
        if scrub.text(&text) == text {
            continue;
        }
        for step in steps.iter_mut().filter(|step| of(step)) {
            for batch in step.answer.iter_mut().flat_map(|answer| &mut answer.batches) {
                if let Batch::Chunk(bytes) = batch {
                    *bytes = ANY.as_bytes().to_vec();
                }
            }
        }
    }
}

/// What came of it.
fn expect(recording: &Recording<'_>, scrub: Scrub<'_>) -> Expect {
    let mut expect = Expect {
        line: 0,
        verdict: scrub.text(recording.outcome),
        marks: Vec::new(),
        counters: Vec::new(),
        observations: Vec::new(),
        checks: Vec::new(),
        log: Vec::new(),
    };
    let named = |metric: u32| recording.metrics.get(metric as usize).map(|metric| metric.name.clone());
    let did =
        recording.tape.iter().filter_map(|taped| if let Taped::Did(action) = taped { Some(action) } else { None });
    for name in counted_marks(did.clone()).filter_map(named) {
        *entry(&mut expect.marks, name) += 1;
    }
    for action in did {
        match action {
            Action::Count { metric, n } => {
                if let Some(name) = named(*metric) {
                    *entry(&mut expect.counters, name) += n;
                }
            }
            Action::Observe { metric, value } if value.is_finite() => {
                if let Some(name) = named(*metric) {
                    entry(&mut expect.observations, name).push(*value);
                }
            }
            Action::Check { metric, passed } => {
                let Some(name) = named(*metric) else { continue };
                let at = expect.checks.iter().position(|(other, ..)| *other == name).unwrap_or_else(|| {
                    expect.checks.push((name, 0, 0));
                    expect.checks.len() - 1
                });
                let (_, right, wrong) = &mut expect.checks[at];
                *(if *passed { right } else { wrong }) += 1;
            }
            _ => {}
        }
    }
    expect
}

/// The figure of that name, made where it is not there.
fn entry<T: Default>(figures: &mut Vec<(String, T)>, name: String) -> &mut T {
    let at = figures.iter().position(|(other, _)| *other == name).unwrap_or_else(|| {
        figures.push((name, T::default()));
        figures.len() - 1
    });
    &mut figures[at].1
}
