//! One instance of a plugin with its configured plan, and the calls made on it.

use std::sync::Arc;

use smallvec::SmallVec;
use wasmtime::component::ResourceAny;
use wasmtime::{Engine, Store};

use crate::pieces::{Message, ServerSentEvent};
use crate::printable::{cut, printable};

use super::action::Action;
use super::bindings::engine::workload::types as wit;
use super::bindings::{Plugin as Bindings, PluginPre};
use super::event::{Arrival, Event, FEW_FIELDS, Lent, lend};
use super::fault::Fault;
use super::host::Host;
use super::limits::{Limits, REFUSAL_BYTES};
use super::load::Plugin;
use super::room::{LogLine, Room, Stage};

/// Why an instance could not be made ready.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// `configure` returned an error: the plugin's own words.
    #[error("{0}")]
    Config(String),
    /// `configure`, or the start of the instance, trapped.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// The plugin's side of one iteration. Must be given back to the instance it came from with `end`.
#[derive(Debug)]
pub struct Flow {
    handle: ResourceAny,
    stage: Stage,
    next_exchange: u32,
    next_timer: u32,
    asked: u32,
    shared_bytes: usize,
    finished: bool,
    /// What WASI's clock and random numbers go on from: iterations of one instance must not see each other.
    wall_time: u64,
    random: u64,
}

impl Flow {
    /// Whether that exchange was ever given out.
    pub fn knows_exchange(&self, exchange: u32) -> bool {
        exchange < self.next_exchange
    }

    /// Whether that timer was ever given out.
    pub fn knows_timer(&self, timer: u32) -> bool {
        timer < self.next_timer
    }
}

/// An instance with its plan. Any fault makes it useless: drop it.
pub struct Instance {
    store: Store<Room>,
    bindings: Bindings,
    plan: ResourceAny,
}

/// The exported function that begins an arrival's iteration.
pub const START: &str = "plan.start";

/// Runs one call on a store: arms the deadline, clears what the call before left, reads the fault where it traps.
fn call<R>(
    store: &mut Store<Room>,
    name: &str,
    stage: Stage,
    run: impl FnOnce(&mut Store<Room>) -> wasmtime::Result<R>,
) -> Result<R, Fault> {
    let room = store.data_mut();
    room.stage = stage;
    room.action_bytes = 0;
    room.cpu_at_first_tick = None;
    store.set_epoch_deadline(1);
    let result = run(store);
    let room = store.data_mut();
    room.flush();
    result.map_err(|error| {
        room.actions.clear();
        room.shared.clear();
        Fault::new(name, &error, &room.log)
    })
}

/// Asks a component who it is, in an instance of its own.
pub(super) fn describe(
    engine: &Engine,
    pre: &PluginPre<Room>,
    limits: &Arc<Limits>,
) -> Result<wit::Description, Fault> {
    let mut store = Host::store(engine, limits);
    call(&mut store, "describe", Stage::Describe, |store| {
        let bindings = pre.instantiate(&mut *store)?;
        bindings.engine_workload_workload().call_describe(store)
    })
}

impl Instance {
    /// Instantiates the plugin and configures its plan. `config` and `shared` are JSON texts.
    ///
    /// # Errors
    /// The plugin's own refusal of the configuration, or a fault.
    pub fn new(plugin: &Plugin, config: &str, shared: Option<&str>) -> Result<Self, Refused> {
        let mut store = Host::store(&plugin.engine, &plugin.limits);
        let (bindings, plan) = call(&mut store, "plan.configure", Stage::Configure, |store| {
            let bindings = plugin.pre.instantiate(&mut *store)?;
            let plan = bindings.engine_workload_workload().plan().call_configure(store, config, shared)?;
            Ok((bindings, plan))
        })?;
        let plan = plan.map_err(|text| Refused::Config(printable(&cut(&text, REFUSAL_BYTES)).into_owned()))?;
        match store.data_mut().misuse.take() {
            Some(misuse) => Err(Refused::Config(format!("misuse in `configure`: {misuse}"))),
            None => Ok(Self { store, bindings, plan }),
        }
    }

    /// Begins the iteration of an arrival.
    ///
    /// # Errors
    /// A fault, after which the instance is useless.
    pub fn start(&mut self, arrival: &Arrival<'_>) -> Result<Flow, Fault> {
        let lent = wit::Arrival {
            sequence: arrival.sequence,
            index: arrival.index,
            seed: arrival.seed,
            client: arrival.client,
            wall_time: arrival.wall_time,
            phase: arrival.phase,
            row: None,
        };
        let (bindings, plan) = (&self.bindings, self.plan);
        self.store.data_mut().begin(arrival.wall_time, arrival.seed);
        let handle = call(&mut self.store, START, Stage::Iteration, |store| {
            bindings.engine_workload_workload().plan().call_start(store, plan, lent)
        })?;
        Ok(self.store.data_mut().leave(handle, Stage::Iteration))
    }

    /// Begins the setup flow; none where the plugin has none.
    ///
    /// # Errors
    /// A fault, after which the instance is useless.
    pub fn setup(&mut self) -> Result<Option<Flow>, Fault> {
        let (bindings, plan) = (&self.bindings, self.plan);
        self.store.data_mut().begin(0, 0);
        let handle = call(&mut self.store, "plan.setup", Stage::Setup, |store| {
            bindings.engine_workload_workload().plan().call_setup(store, plan)
        })?;
        Ok(handle.map(|handle| self.store.data_mut().leave(handle, Stage::Setup)))
    }

    /// Begins the teardown flow; none where the plugin has none.
    ///
    /// # Errors
    /// A fault, after which the instance is useless.
    pub fn teardown(&mut self) -> Result<Option<Flow>, Fault> {
        let (bindings, plan) = (&self.bindings, self.plan);
        self.store.data_mut().begin(0, 0);
        let handle = call(&mut self.store, "plan.teardown", Stage::Setup, |store| {
            bindings.engine_workload_workload().plan().call_teardown(store, plan)
        })?;
        Ok(handle.map(|handle| self.store.data_mut().leave(handle, Stage::Setup)))
    }

    /// Hands an event to an iteration of this instance.
    ///
    /// # Errors
    /// A fault, after which the instance and all its iterations are useless.
    pub fn deliver(&mut self, flow: &mut Flow, event: &Event<'_>) -> Result<(), Fault> {
        self.store.data_mut().enter(flow);
        let bindings = &self.bindings;
        let handle = flow.handle;
        call(&mut self.store, event.function(), flow.stage, |store| {
            let iteration = bindings.engine_workload_workload();
            let iteration = iteration.iteration();
            match *event {
                Event::Response { exchange, status, fields, wanted, body, size } => {
                    let fields = lend(fields, wanted);
                    let fields = pairs(&fields);
                    let response = wit::Response { status, fields: &fields, body, size };
                    iteration.call_on_response(store, handle, exchange, response)
                }
                Event::Head { exchange, status, fields, wanted } => {
                    let fields = lend(fields, wanted);
                    iteration.call_on_head(store, handle, exchange, status, &pairs(&fields))
                }
                Event::Opened { exchange, subprotocol, fields } => {
                    let fields = lend(fields, None);
                    iteration.call_on_open(store, handle, exchange, subprotocol, &pairs(&fields))
                }
                Event::Events { exchange, events } => {
                    let items: Vec<_> = events.iter().map(item_of_event).collect();
                    iteration.call_on_items(store, handle, exchange, &items)
                }
                Event::Messages { exchange, messages } => {
                    let items: Vec<_> = messages.iter().map(item_of_message).collect();
                    iteration.call_on_items(store, handle, exchange, &items)
                }
                Event::Lines { exchange, lines } => {
                    let items: Vec<_> = lines.iter().map(|line| wit::Item::Line(line)).collect();
                    iteration.call_on_items(store, handle, exchange, &items)
                }
                Event::Chunk { exchange, bytes } => {
                    iteration.call_on_items(store, handle, exchange, &[wit::Item::Chunk(bytes)])
                }
                Event::Complete { exchange } => iteration.call_on_end(store, handle, exchange, wit::End::Complete),
                Event::Closed { exchange, code, reason } => {
                    let closed = wit::End::Closed(wit::CloseInfoParam { code, reason });
                    iteration.call_on_end(store, handle, exchange, closed)
                }
                Event::Cancelled { exchange } => iteration.call_on_end(store, handle, exchange, wit::End::Cancelled),
                Event::Failed { exchange, reason, detail } => {
                    iteration.call_on_failure(store, handle, exchange, wit::Failure { reason, detail })
                }
                Event::Timer { timer } => iteration.call_on_timer(store, handle, timer),
            }
        })?;
        self.store.data_mut().update(flow);
        Ok(())
    }

    /// Ends an iteration: the plugin's side of it is dropped.
    ///
    /// # Errors
    /// A fault in the plugin's destructor, after which the instance is useless.
    #[expect(clippy::needless_pass_by_value, reason = "an ended iteration must not be used again")]
    pub fn end(&mut self, flow: Flow) -> Result<(), Fault> {
        call(&mut self.store, "iteration.drop", Stage::Describe, |store| flow.handle.resource_drop(store))?;
        // A destructor has nobody to ask anything for.
        let room = self.store.data_mut();
        room.misuse = None;
        room.actions.clear();
        Ok(())
    }

    /// Swaps the actions of the last call into `into`, which must be empty: no allocation in the long run.
    pub fn take_actions(&mut self, into: &mut Vec<Action>) {
        debug_assert!(into.is_empty());
        std::mem::swap(&mut self.store.data_mut().actions, into);
    }

    /// What the last call did that is not allowed.
    pub fn take_misuse(&mut self) -> Option<String> {
        self.store.data_mut().misuse.take()
    }

    /// Whether the plugin logged anything since it was last asked.
    pub fn has_log(&self) -> bool {
        let room = self.store.data();
        !room.log.is_empty() || room.log_dropped > 0
    }

    /// What the plugin logged since this was last asked, and how many lines were over the bound.
    pub fn take_log(&mut self) -> (Vec<LogLine>, u64) {
        let room = self.store.data_mut();
        (std::mem::take(&mut room.log), std::mem::take(&mut room.log_dropped))
    }

    /// Bytes of linear memory and tables it has grown to. WebAssembly gives none back.
    pub fn memory(&self) -> usize {
        self.store.data().memory.used()
    }

    /// JSON texts shared by the last call of a setup flow.
    pub fn take_shared(&mut self) -> Vec<String> {
        std::mem::take(&mut self.store.data_mut().shared)
    }
}

impl Room {
    /// A new iteration's ids start from 0.
    fn begin(&mut self, wall_time: u64, seed: u64) {
        self.wasi.wall_time = wall_time;
        self.wasi.random = seed;
        self.next_exchange = 0;
        self.next_timer = 0;
        self.asked = 0;
        self.shared_bytes = 0;
        self.finished = false;
    }

    /// Takes the ids of a running iteration over for a call.
    fn enter(&mut self, flow: &Flow) {
        self.next_exchange = flow.next_exchange;
        self.next_timer = flow.next_timer;
        self.asked = flow.asked;
        self.shared_bytes = flow.shared_bytes;
        self.finished = flow.finished;
        self.wasi.wall_time = flow.wall_time;
        self.wasi.random = flow.random;
    }

    /// Gives the ids back after a call.
    fn update(&self, flow: &mut Flow) {
        flow.next_exchange = self.next_exchange;
        flow.next_timer = self.next_timer;
        flow.asked = self.asked;
        flow.shared_bytes = self.shared_bytes;
        flow.finished = self.finished;
        flow.random = self.wasi.random;
    }

    /// A new iteration after its first call.
    fn leave(&self, handle: ResourceAny, stage: Stage) -> Flow {
        Flow {
            handle,
            stage,
            next_exchange: self.next_exchange,
            next_timer: self.next_timer,
            asked: self.asked,
            shared_bytes: self.shared_bytes,
            finished: self.finished,
            wall_time: self.wasi.wall_time,
            random: self.wasi.random,
        }
    }
}

fn item_of_event(event: &ServerSentEvent) -> wit::Item<'_> {
    wit::Item::Event(wit::ServerSentEvent { event: event.kind(), data: &event.data, id: &event.id })
}

fn item_of_message(message: &Message) -> wit::Item<'_> {
    wit::Item::Message(match message {
        Message::Text(text) => wit::MessageParam::Text(text),
        Message::Binary(bytes) => wit::MessageParam::Binary(bytes),
    })
}

/// Fields in the form the bindings take.
fn pairs<'a>(lent: &'a Lent<'_>) -> SmallVec<[(&'a str, &'a str); FEW_FIELDS]> {
    lent.iter().map(|(name, value)| (*name, value.as_ref())).collect()
}

impl Event<'_> {
    /// The exported function that takes it.
    pub fn function(&self) -> &'static str {
        match self {
            Self::Response { .. } => "iteration.on-response",
            Self::Head { .. } => "iteration.on-head",
            Self::Opened { .. } => "iteration.on-open",
            Self::Events { .. } | Self::Messages { .. } | Self::Lines { .. } | Self::Chunk { .. } => {
                "iteration.on-items"
            }
            Self::Complete { .. } | Self::Closed { .. } | Self::Cancelled { .. } => "iteration.on-end",
            Self::Failed { .. } => "iteration.on-failure",
            Self::Timer { .. } => "iteration.on-timer",
        }
    }
}
