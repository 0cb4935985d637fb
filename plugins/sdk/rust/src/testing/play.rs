//! Plays a script: delivers what is scripted in virtual time and books what the plugin does.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use super::metric_names;
use super::recorder::{Action, Finished, Recording};
use super::run::{Outcome, Run};
use super::script::{Script, Step, What};
use crate::bindings::engine::workload::types::{End, Item, ReadMode, Response};
use crate::bindings::exports::engine::workload::workload::GuestIteration;
use crate::component::Plan;
use crate::flow::Iteration;
use crate::{Context, Flow, Message, Workload};

/// Runs iterations one after the other on one plan.
pub(super) fn iterations<W: Workload>(script: &Script, config: &str, count: u64) -> Vec<Run> {
    let recording = Recording::start();
    let plan = plan::<W>(script, config);
    let mut script = script.clone();
    (0..count)
        .map(|k| {
            recording.next_iteration();
            let mut arrival = script.arrival.clone();
            arrival.sequence += k;
            arrival.index += k;
            arrival.seed = arrival.seed.wrapping_add(k);
            let iteration = Iteration::start(&plan, arrival);
            Stage::new(&mut script, &recording, iteration).play(metric_names(W::METRICS))
        })
        .collect()
}

/// Runs a setup or teardown flow.
pub(super) fn once<W: Workload>(
    script: &Script,
    config: &str,
    flow: fn(Rc<W>, Context) -> Option<Flow>,
) -> Option<Run> {
    let recording = Recording::start();
    let plan = plan::<W>(script, config);
    let iteration = Iteration::once(|ctx| flow(plan, ctx))?;
    Some(Stage::new(&mut script.clone(), &recording, iteration).play(metric_names(W::METRICS)))
}

fn plan<W: Workload>(script: &Script, config: &str) -> Rc<W> {
    match Plan::<W>::build(config, script.shared.as_deref()) {
        Ok(plan) => plan.0,
        Err(refusal) => panic!("the workload refuses its configuration: {refusal}"),
    }
}

/// An exchange as the scripted target sees it.
struct Exchange {
    read: Option<ReadMode>,
    steps: VecDeque<Step>,
    /// Written by the plugin and not yet expected by a step.
    written: VecDeque<Message>,
    /// When the next step is due; `None` while it waits for a message.
    due: Option<Duration>,
    status: Option<u16>,
    reason: Option<String>,
    ended: bool,
}

/// One iteration being played.
struct Stage<'a> {
    script: &'a mut Script,
    recording: &'a Recording,
    iteration: Iteration,
    now: Duration,
    exchanges: Vec<Exchange>,
    timers: BTreeMap<u32, Duration>,
    run: Run,
    finished: Option<Finished>,
}

/// What happens next.
#[derive(Clone, Copy)]
enum Next {
    Step(usize),
    Timer(u32),
}

impl<'a> Stage<'a> {
    fn new(script: &'a mut Script, recording: &'a Recording, iteration: Iteration) -> Self {
        let run = Run {
            outcome: Outcome::Ok,
            took: Duration::ZERO,
            actions: Vec::new(),
            requests: Vec::new(),
            metrics: Vec::new(),
        };
        Self {
            script,
            recording,
            iteration,
            now: Duration::ZERO,
            exchanges: Vec::new(),
            timers: BTreeMap::new(),
            run,
            finished: None,
        }
    }

    fn play(mut self, metrics: Vec<&'static str>) -> Run {
        self.apply();
        while self.finished.is_none() {
            let Some((at, next)) = self.next() else { break };
            self.now = at;
            match next {
                Next::Step(exchange) => self.step(exchange),
                Next::Timer(timer) => {
                    self.timers.remove(&timer);
                    self.iteration.on_timer(timer);
                }
            }
            self.apply();
        }
        self.run.outcome = self.outcome();
        self.run.took = self.now;
        self.run.metrics = metrics;
        self.run
    }

    /// The earliest thing due; of several at one moment the exchanges come first, in order.
    fn next(&self) -> Option<(Duration, Next)> {
        let steps = self.exchanges.iter().enumerate().filter_map(|(at, exchange)| {
            let due = exchange.due.filter(|_| !exchange.ended && !exchange.steps.is_empty())?;
            Some((due, Next::Step(at)))
        });
        let timers = self.timers.iter().map(|(&timer, &due)| (due, Next::Timer(timer)));
        steps.chain(timers).min_by_key(|(due, _)| *due)
    }

    /// Plays an exchange's next step.
    fn step(&mut self, at: usize) {
        let exchange = &mut self.exchanges[at];
        if let Some(Step { what: What::Expect(expected), .. }) = exchange.steps.front() {
            let Some(written) = exchange.written.pop_front() else {
                exchange.due = None;
                return;
            };
            assert!(same(expected, &written), "the socket expected {expected:?}, the plugin wrote {written:?}");
            exchange.steps.pop_front();
            exchange.schedule(self.now);
            return;
        }
        let Some(step) = exchange.steps.pop_front() else { return };
        exchange.schedule(self.now);
        self.deliver(at, step.what);
    }

    fn deliver(&mut self, at: usize, what: What) {
        let id = u32::try_from(at).unwrap_or(u32::MAX);
        let exchange = &mut self.exchanges[at];
        match what {
            What::Reply { status, fields, body } => {
                exchange.status = Some(status);
                exchange.ended = true;
                let size = body.len() as u64;
                match exchange.read {
                    Some(ReadMode::Whole(_)) => {
                        self.iteration.on_response(id, Response { status, fields, body, size });
                    }
                    Some(ReadMode::Count) => {
                        self.iteration.on_response(id, Response { status, fields, body: Vec::new(), size });
                    }
                    Some(read) => {
                        let json = is_json(&fields);
                        self.iteration.on_head(id, status, fields);
                        self.apply();
                        let items = cut(read, body, json);
                        if self.finished.is_none() && !items.is_empty() {
                            self.iteration.on_items(id, items);
                            self.apply();
                        }
                        if self.finished.is_none() {
                            self.iteration.on_end(id, End::Complete);
                        }
                    }
                    None => panic!("a WebSocket is scripted with `open` or `fail`, not with `reply`"),
                }
            }
            What::Head { status, fields } => {
                exchange.status = Some(status);
                let pieces = !matches!(exchange.read, None | Some(ReadMode::Whole(_) | ReadMode::Count));
                assert!(pieces, "the plugin wants this answer whole: script it with `reply`, not with `stream`");
                self.iteration.on_head(id, status, fields);
            }
            What::Open { subprotocol } => {
                assert!(exchange.read.is_none(), "a request is scripted with `reply` or `stream`, not with `open`");
                self.iteration.on_open(id, subprotocol, Vec::new());
            }
            What::Items(items) => {
                if let Some(read) = exchange.read {
                    assert!(
                        items.iter().all(|item| fits(read, item)),
                        "these items do not come when reading as {read:?}"
                    );
                    if matches!(read, ReadMode::Head) {
                        return;
                    }
                }
                self.iteration.on_items(id, items);
            }
            What::End => {
                exchange.ended = true;
                self.iteration.on_end(id, End::Complete);
            }
            What::Closed(info) => {
                exchange.ended = true;
                self.iteration.on_end(id, End::Closed(info));
            }
            What::Fail(failure) => {
                exchange.ended = true;
                exchange.reason = Some(failure.reason.clone());
                self.iteration.on_failure(id, failure);
            }
            What::Expect(_) => {}
        }
    }

    /// Books what the last call asked for.
    fn apply(&mut self) {
        for action in self.recording.take() {
            match &action {
                Action::Send { request } => {
                    let mut exchange = Exchange {
                        read: request.read,
                        steps: self.script.answer(request),
                        written: VecDeque::new(),
                        due: None,
                        status: None,
                        reason: None,
                        ended: false,
                    };
                    exchange.schedule(self.now);
                    self.exchanges.push(exchange);
                    self.run.requests.push((**request).clone());
                }
                Action::Write { exchange, message } => {
                    let exchange = &mut self.exchanges[*exchange as usize];
                    exchange.written.push_back(message.clone());
                    exchange.due.get_or_insert(self.now);
                }
                Action::Close { exchange, info } => {
                    let exchange = &mut self.exchanges[*exchange as usize];
                    if !exchange.ended {
                        exchange.steps =
                            VecDeque::from([Step { after: Duration::ZERO, what: What::Closed(info.clone()) }]);
                        exchange.due = Some(self.now);
                    }
                }
                Action::Cancel { exchange } => self.exchanges[*exchange as usize].ended = true,
                Action::Wait { timer, nanoseconds } => {
                    self.timers.insert(*timer, self.now + Duration::from_nanos(*nanoseconds));
                }
                Action::Clear { timer } => {
                    self.timers.remove(timer);
                }
                Action::Finish { verdict } => self.finished = Some(verdict.clone()),
                _ => {}
            }
            self.run.actions.push((self.now, action));
        }
    }

    /// The outcome in the words of a report.
    fn outcome(&self) -> Outcome {
        match &self.finished {
            None => Outcome::Failed("plugin_stalled".to_owned()),
            Some(Finished::Ok) => Outcome::Ok,
            Some(Finished::Cancelled) => Outcome::Cancelled,
            Some(Finished::Failed(text)) => Outcome::Failed(format!("check: {text}")),
            Some(Finished::FailedBy(exchange)) => {
                let exchange = &self.exchanges[*exchange as usize];
                let answered = exchange.status.map(|status| format!("http_{status}"));
                let reason = exchange.reason.clone().or(answered);
                Outcome::Failed(reason.unwrap_or_else(|| "plugin_misuse".to_owned()))
            }
        }
    }
}

impl Exchange {
    /// The next step counts from now.
    fn schedule(&mut self, now: Duration) {
        self.due = self.steps.front().map(|step| now + step.after);
    }
}

/// A whole body as a stream's items, where the script wrote it in one piece.
fn cut(read: ReadMode, body: Vec<u8>, json: bool) -> Vec<Item> {
    match read {
        // As the engine does it: such an answer is no stream of events.
        ReadMode::Events if json && !body.is_empty() => vec![Item::Chunk(body)],
        ReadMode::Chunks if !body.is_empty() => vec![Item::Chunk(body)],
        ReadMode::Lines => {
            let text = String::from_utf8_lossy(&body).into_owned();
            text.lines().filter(|line| !line.is_empty()).map(|line| Item::Line(line.to_owned())).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether an answer says that it is JSON.
fn is_json(fields: &[(String, String)]) -> bool {
    let kind = fields.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    kind.is_some_and(|(_, kind)| {
        let essence = kind.split(';').next().unwrap_or_default().trim();
        essence.eq_ignore_ascii_case("application/json") || essence.to_ascii_lowercase().ends_with("+json")
    })
}

fn fits(read: ReadMode, item: &Item) -> bool {
    match item {
        Item::Event(_) => matches!(read, ReadMode::Events | ReadMode::Head),
        Item::Line(_) => matches!(read, ReadMode::Lines | ReadMode::Head),
        Item::Chunk(_) => matches!(read, ReadMode::Chunks | ReadMode::Head),
        Item::Message(_) => false,
    }
}

fn same(a: &Message, b: &Message) -> bool {
    match (a, b) {
        (Message::Text(a), Message::Text(b)) => a == b,
        (Message::Binary(a), Message::Binary(b)) => a == b,
        _ => false,
    }
}
