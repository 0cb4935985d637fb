//! One flow run by itself, with all of it written down: `engine try`, and setup.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use http::HeaderMap;

use crate::client::{self, Items, Timings};
use crate::clock::{Clock, Monotonic, Time};
use crate::pieces::Message;
use crate::plugin::{Action, LogLine, Request};
use crate::record::{Layout, MarkSample, Outcome, Recorder, Span};

use super::control::Control;
use super::core::Parts;
use super::crew::{NotReady, WorkloadSettings, assemble_core};
use super::drive::{Driver, Offer};
use super::flight::{Job, Kind};
use super::layout::metrics_of;
use super::listener::Listener;
use super::pace;
use super::slots::Slots;
use super::words::Notice;

/// Bytes of a body that are kept to be shown.
const BODY_KEPT: usize = 64 << 10;

/// Marks that are kept to be shown.
const MARKS_KEPT: usize = 10_000;

/// Exchanges, and log lines, that are kept to be shown: a flow may have any number of them.
const KEPT: usize = 1_000;

/// Things that are taped: a case of more says nothing to anybody.
pub const TAPED: usize = 100_000;

/// Observed values that are kept to be shown.
const VALUES_KEPT: usize = 10;

/// Which flow to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoloFlow {
    /// What runs before the load.
    Setup,
    /// What runs after the load.
    Teardown,
    /// The iteration of an arrival with this position.
    Arrival {
        /// Position in the schedule and in the workload.
        index: u64,
        /// Seeds its randomness.
        seed: u64,
    },
}

/// An exchange of the flow.
#[derive(Clone, Debug)]
pub struct TracedExchange {
    /// The plugin's name for it.
    pub id: u32,
    /// The series it belongs to.
    pub name: String,
    /// What was asked for.
    pub request: Request,
    /// The status of the answer.
    pub status: Option<u16>,
    /// The fields of the answer.
    pub fields: HeaderMap,
    /// The start of the body, as handed to the plugin; of a WebSocket what was said on it, by both sides.
    pub body: Vec<u8>,
    /// Pieces of a stream that were handed over.
    pub items: u64,
    /// How it failed: reason and detail.
    pub failure: Option<(String, String)>,
    /// Whether the plugin gave it up.
    pub cancelled: bool,
    /// Its moments; absent where it was open when the flow ended.
    pub timings: Option<Timings>,
}

/// One thing that happened in a flow, in order: what its plugin asked for, and what came.
#[derive(Clone, Debug)]
pub enum Taped {
    /// The plugin asked for this.
    Did(Action),
    /// This came to an exchange.
    Heard(u32, Box<client::Event>),
    /// This timer fired.
    Rang(u32),
}

/// What a metric that is no mark came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Figure {
    /// The sum of a counter.
    Sum(u64),
    /// How many values were observed, and the first of them.
    Values(u64, Vec<f64>),
    /// How often a check passed and failed.
    Checked(u64, u64),
}

/// All that is to be told of a flow.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// When it started.
    pub start: Time,
    /// When it ended.
    pub end: Time,
    /// Its exchanges, in the order they were asked for.
    pub exchanges: Vec<TracedExchange>,
    /// Its marks.
    pub marks: Vec<MarkSample>,
    /// Its counters, observations and checks, by the positions of their metrics.
    pub figures: BTreeMap<u32, Figure>,
    /// What the plugin logged.
    pub log: Vec<LogLine>,
    /// Exchanges and log lines that are not kept, since there were too many.
    pub not_kept: u64,
    /// JSON texts it shared.
    pub shared: Vec<String>,
    /// `ok`, `cancelled`, `abandoned`, `lost`, or the reason it failed. Absent where the plugin has no such flow.
    pub outcome: Option<String>,
    /// What its plugin's faults said.
    pub faults: Vec<String>,
    /// Everything that happened, where it was to be recorded.
    pub tape: Vec<Taped>,
    /// The seed its arrival was told.
    pub seed: u64,
    /// The moment its arrival was told, in nanoseconds since the Unix epoch.
    pub wall_time: u64,
}

impl Trace {
    /// Whether it ended as the plugin wanted: ok, or nothing to do.
    pub fn is_ok(&self) -> bool {
        self.outcome.as_deref().is_none_or(|outcome| outcome == "ok")
    }
}

/// What a flow runs with.
pub struct Solo {
    /// The workload whose plugin it is.
    pub workload: WorkloadSettings,
    /// The client's settings.
    pub client: Arc<client::Settings>,
    /// What setup has shared so far, as JSON.
    pub shared: Option<Arc<str>>,
    /// Which flow.
    pub flow: SoloFlow,
    /// Name of the phase an arrival is told.
    pub phase: String,
    /// How it is told to stop.
    pub control: Arc<Control>,
    /// Whether everything that happens is to be taped.
    pub record: bool,
}

/// Writes everything into a trace.
struct Scribe {
    trace: Rc<RefCell<Trace>>,
    record: bool,
}

impl Scribe {
    fn tape(&mut self, taped: impl FnOnce() -> Taped) {
        let mut trace = self.trace.borrow_mut();
        if self.record && trace.tape.len() < TAPED {
            trace.tape.push(taped());
        }
    }

    fn with(&mut self, exchange: u32, change: impl FnOnce(&mut TracedExchange)) {
        let mut trace = self.trace.borrow_mut();
        if let Some(found) = trace.exchanges.iter_mut().find(|traced| traced.id == exchange) {
            change(found);
        }
    }
}

impl TracedExchange {
    fn keep(&mut self, bytes: &[u8]) {
        let room = BODY_KEPT.saturating_sub(self.body.len());
        self.body.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn keep_message(&mut self, what: &str, message: &Message) {
        match message {
            Message::Text(text) => self.keep(format!("{what} {text}\n").as_bytes()),
            Message::Binary(bytes) => self.keep(format!("{what} {} bytes\n", bytes.len()).as_bytes()),
        }
    }
}

impl Scribe {
    /// Adds up a figure.
    fn figure(&mut self, action: &Action) {
        let (metric, first) = match *action {
            Action::Count { metric, .. } => (metric, Figure::Sum(0)),
            Action::Observe { metric, .. } => (metric, Figure::Values(0, Vec::new())),
            Action::Check { metric, .. } => (metric, Figure::Checked(0, 0)),
            _ => return,
        };
        let mut trace = self.trace.borrow_mut();
        match (trace.figures.entry(metric).or_insert(first), action) {
            (Figure::Sum(sum), Action::Count { n, .. }) => *sum = sum.saturating_add(*n),
            (Figure::Values(count, values), Action::Observe { value, .. }) => {
                *count += 1;
                if values.len() < VALUES_KEPT {
                    values.push(*value);
                }
            }
            (Figure::Checked(right, _), Action::Check { passed: true, .. }) => *right += 1,
            (Figure::Checked(_, wrong), Action::Check { passed: false, .. }) => *wrong += 1,
            // Of one metric in two ways: misuse, which the verdict tells.
            _ => {}
        }
    }
}

impl Listener for Scribe {
    fn asked(&mut self, exchange: u32, name: &str, request: &Request, _asked: Time) {
        let mut trace = self.trace.borrow_mut();
        if trace.exchanges.len() >= KEPT {
            trace.not_kept += 1;
            return;
        }
        trace.exchanges.push(TracedExchange {
            id: exchange,
            name: name.to_owned(),
            request: request.clone(),
            status: None,
            fields: HeaderMap::new(),
            body: Vec::new(),
            items: 0,
            failure: None,
            cancelled: false,
            timings: None,
        });
    }

    fn did(&mut self, action: &Action) {
        self.figure(action);
        self.tape(|| Taped::Did(action.clone()));
    }

    fn rang(&mut self, timer: u32) {
        self.tape(|| Taped::Rang(timer));
    }

    fn wrote(&mut self, exchange: u32, message: &Message) {
        self.with(exchange, |traced| traced.keep_message("sent", message));
    }

    fn heard(&mut self, exchange: u32, event: &client::Event) {
        self.tape(|| Taped::Heard(exchange, Box::new(event.clone())));
        self.with(exchange, |traced| match event {
            client::Event::Head { status, fields, .. } => {
                traced.status = Some(*status);
                traced.fields = fields.clone();
            }
            client::Event::Opened { fields, .. } => {
                traced.status = Some(101);
                traced.fields = fields.clone();
            }
            client::Event::Items { items: Items::Events(events), .. } => {
                for event in events {
                    traced.items += 1;
                    traced.keep(format!("event {}: {}\n", event.kind(), event.data).as_bytes());
                }
            }
            client::Event::Items { items: Items::Messages(messages), .. } => {
                for message in messages {
                    traced.items += 1;
                    traced.keep_message("received", message);
                }
            }
            client::Event::Items { items: Items::Lines(lines), .. } => {
                for line in lines {
                    traced.items += 1;
                    traced.keep(line.as_bytes());
                    traced.keep(b"\n");
                }
            }
            client::Event::Items { items: Items::Chunk(bytes), .. } => {
                traced.items += 1;
                traced.keep(bytes);
            }
            client::Event::Response { status, fields, body, timings } => {
                traced.status = Some(*status);
                traced.fields = fields.clone();
                traced.keep(body);
                traced.timings = Some(*timings);
            }
            client::Event::End { status, timings } => {
                traced.status = Some(*status);
                traced.timings = Some(*timings);
            }
            client::Event::Closed { code, reason, timings } => {
                traced.keep(format!("closed {code} {reason}\n").as_bytes());
                traced.timings = Some(*timings);
            }
            client::Event::Failed { status, failure, timings } => {
                traced.status = status.or(traced.status);
                traced.failure = Some((failure.reason.as_str().to_owned(), failure.detail.clone()));
                traced.timings = Some(*timings);
            }
            client::Event::Cancelled { timings } => {
                traced.cancelled = true;
                traced.timings = Some(*timings);
            }
        });
    }

    fn marked(&mut self, mark: MarkSample) {
        let marks = &mut self.trace.borrow_mut().marks;
        if marks.len() < MARKS_KEPT {
            marks.push(mark);
        }
    }

    fn logged(&mut self, line: LogLine) {
        let mut trace = self.trace.borrow_mut();
        if trace.log.len() >= KEPT {
            trace.not_kept += 1;
        } else {
            trace.log.push(line);
        }
    }

    fn shared(&mut self, json: String) {
        self.trace.borrow_mut().shared.push(json);
    }

    fn ended(&mut self, outcome: Outcome<'_>, end: Time) {
        let mut trace = self.trace.borrow_mut();
        trace.end = end;
        let outcome = match outcome {
            Outcome::Ok => "ok",
            Outcome::Cancelled => "cancelled",
            Outcome::Failed(reason) => reason,
            Outcome::Abandoned => "abandoned",
            Outcome::Lost => "lost",
        };
        trace.outcome = Some(outcome.to_owned());
    }
}

/// Runs one flow on the current thread's runtime, within a `LocalSet`.
///
/// # Errors
/// Where the plugin refuses its configuration, or the system has no timer left.
pub async fn run(solo: Solo) -> Result<Trace, NotReady> {
    let monotonic = Monotonic::start();
    let clock: Rc<dyn Clock> = Rc::new(monotonic);
    let pacer = pace::finest(monotonic).map_err(|error| NotReady::System(format!("no timer: {error}")))?;
    let mut workload = solo.workload.prepare(solo.shared.as_ref());
    // The only one here, whatever its place among the run's plugins.
    workload.plugin = 0;
    workload.instances.warm_up().map_err(|error| NotReady::Plugin { workload: 0, error })?;
    let slots = Arc::new(Slots::new(1));
    slots.try_take();
    let layout = Layout {
        t0: clock.now(),
        workloads: vec![metrics_of(&solo.workload.plugin)],
        phases: vec![Span { start: 0, end: u64::MAX }],
        plugins: 1,
    };
    let trace = Rc::new(RefCell::new(Trace::default()));
    let (notices, faults) = mpsc::channel();
    let wall = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let wall_time = u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX);
    let now = clock.now();
    let core = assemble_core(Rc::clone(&clock), Arc::clone(&solo.client), Rc::new(client::Network), |client| Parts {
        clock: Rc::clone(&clock),
        client,
        recorder: Recorder::new(Arc::new(layout), 0),
        listener: Some(Box::new(Scribe { trace: Rc::clone(&trace), record: solo.record })),
        books: None,
        workloads: vec![workload],
        phases: Arc::from([solo.phase]),
        slots,
        notices,
        t0: now,
        wall_t0: wall_time,
    });
    let (kind, index, seed) = match solo.flow {
        SoloFlow::Setup => (Kind::Setup, 0, 0),
        SoloFlow::Teardown => (Kind::Teardown, 0, 0),
        SoloFlow::Arrival { index, seed } => (Kind::Arrival, index, seed),
    };
    let seed = crate::schedule::arrival_seed(seed, index);
    {
        let mut trace = trace.borrow_mut();
        (trace.start, trace.seed, trace.wall_time) = (now, seed, wall_time);
    }
    let job = Job { kind, workload: 0, phase: 0, sequence: index, index, seed, due: now, closed: false };
    core.borrow_mut().launch(job, now, 0);
    let drain = solo.workload.iteration_timeout + Duration::from_secs(1);
    let offer = Offer {
        source: std::iter::empty(),
        closed: None,
        seed: 0,
        end: now,
        tolerance: Duration::MAX,
        wake_gap: Duration::ZERO,
        drain,
    };
    Driver::new(Rc::clone(&core), pacer, solo.control, 0, offer).run().await;
    core.borrow().client.close();
    drop(core);
    let mut trace = trace.take();
    trace.faults.extend(faults.try_iter().filter_map(|notice| match notice {
        Notice::Fault { text, .. } => Some(text),
        Notice::Log { .. } => None,
    }));
    Ok(trace)
}
