//! The iterations in flight on one worker: begun, woken by events, ended.
//!
//! Everything here happens on one thread, inside one borrow of [`Core`]. The client never calls back from within `send`
//! or `cancel`, so no call nests.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::task::Waker;
use std::time::Duration;

use slab::Slab;
use smallvec::SmallVec;

use crate::client::{Client, Timeouts};
use crate::clock::{Clock, Time};
use crate::plugin::{Action, Arrival, Event, Fault, FaultKind, Flow, MetricKind, START};
use crate::record::{ExchangeSample, Finished, Missed, Outcome, Recorder};

use super::alarms::{Alarm, Alarms, FlightKey};
use super::books::Books;
use super::flight::{Exchange, Flight, Form, Job, Kind, Notes, Open, token};
use super::instances::{Instances, NoInstance, refused_kind};
use super::listener::Listener;
use super::slots::Slots;
use super::words::{LogGate, Notice};

/// What a worker needs to know of a workload to run its iterations.
pub(super) struct Workload {
    pub(super) instances: Instances,
    pub(super) timeouts: Timeouts,
    pub(super) iteration_timeout: Duration,
    /// Redirects to follow where a request does not say.
    pub(super) redirects: u32,
    /// Kinds of its plugin's metrics, by position.
    pub(super) metrics: Vec<MetricKind>,
    /// Position of its plugin among the run's plugins.
    pub(super) plugin: usize,
    /// The most bytes that the open requests of one iteration may hold.
    pub(super) held: usize,
}

/// The close code of a conversation that is over (RFC 6455, section 7.4.1).
const NORMAL_CLOSURE: u16 = 1000;
/// How long a closed phase waits where a plugin has no instance to give: else it would start, and fail, a million a second.
const CLOSED_HOLD: Duration = Duration::from_millis(10);
/// Ended iterations whose lists are kept for the next ones.
const SPARE_FLIGHTS: usize = 1_024;

/// The iterations in flight on a worker, with all they need.
pub(super) struct Core {
    pub(super) clock: Rc<dyn Clock>,
    pub(super) client: Client,
    pub(super) recorder: Recorder,
    pub(super) listener: Option<Box<dyn Listener>>,
    /// Where each exchange and arrival is noted, if that was asked for.
    pub(super) books: Option<Box<Books>>,
    pub(super) workloads: Vec<Workload>,
    /// Names of the phases.
    pub(super) phases: Arc<[String]>,
    pub(super) slots: Arc<Slots>,
    pub(super) notices: Sender<Notice>,
    /// When the schedule starts.
    pub(super) t0: Time,
    /// The same in nanoseconds since the Unix epoch.
    pub(super) wall_t0: u64,
    pub(super) flights: Slab<Box<Flight>>,
    pub(super) exchanges: Slab<Open>,
    pub(super) alarms: Alarms,
    /// Those that ring now; kept for its room.
    pub(super) ringing: Vec<(Time, FlightKey, Alarm)>,
    /// What plugins' faults said, by workload, with how often.
    pub(super) faults: BTreeMap<(usize, &'static str, String), u64>,
    pub(super) log_gate: LogGate,
    /// The moment the worker's loop sleeps to, and how to wake it earlier.
    pub(super) armed: Time,
    pub(super) waker: Option<Waker>,
    /// How many iterations of closed phases are in flight, and whether one has ended since the loop last looked.
    pub(super) closed_open: usize,
    pub(super) vacated: bool,
    /// No place of a closed phase is filled before: there was no instance for the last one.
    pub(super) closed_hold: Time,
    pub(super) serial: u32,
    pub(super) actions: Vec<Action>,
    pub(super) name: String,
    #[expect(clippy::vec_box, reason = "the boxes go back into `flights` as they are")]
    spare: Vec<Box<Flight>>,
}

/// What [`Core::new`] is made of.
pub(super) struct Parts {
    pub(super) clock: Rc<dyn Clock>,
    pub(super) client: Client,
    pub(super) recorder: Recorder,
    pub(super) listener: Option<Box<dyn Listener>>,
    pub(super) books: Option<Box<Books>>,
    pub(super) workloads: Vec<Workload>,
    pub(super) phases: Arc<[String]>,
    pub(super) slots: Arc<Slots>,
    pub(super) notices: Sender<Notice>,
    pub(super) t0: Time,
    pub(super) wall_t0: u64,
}

impl Core {
    /// A worker's core with nothing in flight.
    pub(super) fn new(parts: Parts) -> Self {
        let Parts { clock, client, recorder, listener, books, workloads, phases, slots, notices, t0, wall_t0 } = parts;
        Self {
            clock,
            client,
            recorder,
            listener,
            books,
            workloads,
            phases,
            slots,
            notices,
            t0,
            wall_t0,
            flights: Slab::new(),
            exchanges: Slab::new(),
            alarms: Alarms::default(),
            ringing: Vec::new(),
            faults: BTreeMap::new(),
            log_gate: LogGate::default(),
            armed: Time(u64::MAX),
            waker: None,
            closed_open: 0,
            vacated: false,
            closed_hold: Time(0),
            serial: 0,
            actions: Vec::new(),
            name: String::new(),
            spare: Vec::new(),
        }
    }

    /// Starts the iteration of a job, at this moment. An arrival has its slot already; `slot_wait` nanoseconds went by
    /// for it.
    pub(super) fn launch(&mut self, mut job: Job, start: Time, slot_wait: u64) {
        if job.closed {
            // Nothing was due: its times count from here.
            job.due = start;
            self.closed_open += 1;
            self.recorder.started_closed(job.workload, job.phase, start);
        } else if job.kind == Kind::Arrival {
            self.recorder.started(job.workload, job.phase, job.due, start, slot_wait);
        }
        let instances = &mut self.workloads[job.workload].instances;
        let instance = match instances.pick(start) {
            Ok(instance) => instance,
            Err(NoInstance::BackOff(kind)) => return self.close_unstarted(&job, start, kind),
            Err(NoInstance::Failed(refused)) => {
                let kind = refused_kind(&refused);
                self.note_fault(job.workload, kind.reason(), refused.to_string());
                return self.close_unstarted(&job, start, kind);
            }
        };
        let began = self.clock.now();
        let target = self.workloads[job.workload].instances.get(instance);
        let flow = match job.kind {
            Kind::Arrival => target
                .start(&Arrival {
                    sequence: job.sequence,
                    index: job.index,
                    seed: job.seed,
                    client: 1,
                    wall_time: self.wall_t0.saturating_add(job.due.since(self.t0)),
                    phase: self.phases.get(job.phase).map_or("", String::as_str),
                })
                .map(Some),
            Kind::Setup => target.setup(),
            Kind::Teardown => target.teardown(),
        };
        self.note_call(&job, START, began);
        let mut flight = self.spare.pop().unwrap_or_else(|| Box::new(Flight::new(job)));
        self.serial = self.serial.wrapping_add(1);
        flight.reset(job, self.serial, start, instance);
        let key = FlightKey { at: to_u32(self.flights.insert(flight)), serial: self.serial };
        match flow {
            Ok(Some(flow)) => {
                self.flights[key.at as usize].flow = Some(flow);
                let at = start + self.workloads[job.workload].iteration_timeout;
                self.set_alarm(at, key, Alarm::TimeOut);
                self.heed(key, job.due, start);
            }
            Ok(None) => self.end(key, start, Outcome::Ok),
            Err(fault) => self.poison(key, start, &fault),
        }
    }

    /// Hands an event to an iteration; `at` is when its bytes were read, or when its timer was due.
    pub(super) fn call(&mut self, key: FlightKey, event: &Event<'_>, at: Time) {
        let began = self.clock.now();
        let flight = &mut self.flights[key.at as usize];
        let job = flight.job;
        let Some(flow) = flight.flow.as_mut() else { return };
        let result = self.workloads[job.workload].instances.get(flight.instance).deliver(flow, event);
        self.note_call(&job, event.function(), began);
        match result {
            Ok(()) => self.heed(key, at, at),
            Err(fault) => self.poison(key, at, &fault),
        }
    }

    /// Ends an iteration: what is open is given up, what it recorded is written down, its place is free.
    pub(super) fn end(&mut self, key: FlightKey, at: Time, outcome: Outcome<'_>) {
        let Some((flow, job, instance)) = self.close(key, at, outcome) else { return };
        let well = !matches!(outcome, Outcome::Failed(reason) if reason.starts_with("plugin_"));
        let instances = &mut self.workloads[job.workload].instances;
        match flow.map(|flow| instances.get(instance).end(flow)) {
            Some(Err(fault)) => self.lose_all(job.workload, instance, at, &fault),
            _ => instances.release(instance, well),
        }
    }

    /// A call on an iteration's instance trapped: it fails, its neighbours are lost, the instance goes.
    fn poison(&mut self, key: FlightKey, at: Time, fault: &Fault) {
        if let Some((_, job, instance)) = self.close(key, at, Outcome::Failed(fault.kind.reason())) {
            self.lose_all(job.workload, instance, at, fault);
        }
    }

    /// Gives an instance up, and all iterations on it.
    fn lose_all(&mut self, workload: usize, instance: usize, at: Time, fault: &Fault) {
        self.pass_log(workload, instance);
        self.note_fault(workload, fault.kind.reason(), fault.text.clone());
        let on_it = |flight: &Flight| flight.instance == instance && flight.job.workload == workload;
        self.close_all(on_it, at, Outcome::Lost);
        self.workloads[workload].instances.poison(instance, at, fault.kind);
    }

    /// Writes an iteration down and frees its place; the plugin's side of it is the caller's to end.
    pub(super) fn close(
        &mut self,
        key: FlightKey,
        at: Time,
        outcome: Outcome<'_>,
    ) -> Option<(Option<Flow>, Job, usize)> {
        if !self.is_alive(key) {
            return None;
        }
        let mut flight = self.flights.remove(key.at as usize);
        for place in std::mem::take(&mut flight.open) {
            let open = self.exchanges.remove(place);
            if let Some(books) = &mut self.books {
                books.given_up(&flight.job, place, &open, at);
            }
            match open.impossible {
                Some(_) => {}
                // A conversation that its plugin has ended is ended politely; nobody waits for the answer.
                None if open.form == Form::Socket && matches!(outcome, Outcome::Ok | Outcome::Cancelled) => {
                    self.client.close_socket(token(place, open.serial), NORMAL_CLOSURE, String::new());
                }
                None => self.client.cancel(token(place, open.serial)),
            }
            flight.notes.exchanges.push(Exchange::given_up(&open, at, outcome));
        }
        let job = flight.job;
        self.write_down(&job, flight.start, at, outcome, &flight.notes);
        let ended = (flight.flow.take(), job, flight.instance);
        if self.spare.len() < SPARE_FLIGHTS && flight.is_small() {
            self.spare.push(flight);
        }
        Some(ended)
    }

    /// An arrival for which there is no instance fails at once: it was started, and nothing goes unrecorded.
    fn close_unstarted(&mut self, job: &Job, at: Time, kind: FaultKind) {
        self.closed_hold = at + CLOSED_HOLD;
        self.write_down(job, at, at, Outcome::Failed(kind.reason()), &Notes::default());
    }

    fn write_down(&mut self, job: &Job, start: Time, end: Time, outcome: Outcome<'_>, notes: &Notes) {
        let exchanges: SmallVec<[ExchangeSample<'_>; 2]> = notes.exchanges.iter().map(Exchange::sample).collect();
        if job.kind == Kind::Arrival {
            self.recorder.finished(&Finished {
                workload: job.workload,
                phase: job.phase,
                due: job.due,
                start,
                end,
                outcome,
                exchanges: &exchanges,
                marks: &notes.marks,
                counters: &notes.counters,
                observations: &notes.observations,
                checks: &notes.checks,
            });
            self.slots.give_back();
            if let Some(books) = &mut self.books {
                let exchanges = notes.exchanges.iter().filter(|exchange| !exchange.handshake).count();
                books.arrival(job, start, end, outcome, exchanges);
            }
        }
        if job.closed {
            self.closed_open -= 1;
            self.vacated = true;
            if let Some(waker) = self.waker.take() {
                waker.wake();
            }
        }
        if let Some(listener) = &mut self.listener {
            listener.ended(outcome, end);
        }
    }

    /// Ends all that is in flight, as when the drain is over.
    pub(super) fn abandon_all(&mut self, at: Time) {
        self.close_all(|_| true, at, Outcome::Abandoned);
    }

    /// Closes all iterations for which `which` holds.
    fn close_all(&mut self, which: impl Fn(&Flight) -> bool, at: Time, outcome: Outcome<'_>) {
        let chosen = self.flights.iter().filter(|(_, flight)| which(flight));
        let keys: Vec<FlightKey> =
            chosen.map(|(at, flight)| FlightKey { at: to_u32(at), serial: flight.serial }).collect();
        for key in keys {
            self.close(key, at, outcome);
        }
    }

    /// Fails an iteration for what its plugin did, and keeps the words.
    pub(super) fn misuse(&mut self, key: FlightKey, at: Time, text: String) {
        let workload = self.flights[key.at as usize].job.workload;
        self.note_fault(workload, "plugin_misuse", text);
        self.end(key, at, Outcome::Failed("plugin_misuse"));
    }

    /// An arrival is not started any more.
    pub(super) fn miss(&mut self, job: &Job, cause: Missed) {
        self.recorder.missed(job.workload, job.phase, job.due, cause);
        if let Some(books) = &mut self.books {
            books.missed(job, cause);
        }
    }

    /// Whether that iteration is still in flight.
    pub(super) fn is_alive(&self, key: FlightKey) -> bool {
        is_alive(&self.flights, key)
    }

    /// Sets an alarm, and wakes the worker's loop where it would sleep past it.
    pub(super) fn set_alarm(&mut self, at: Time, key: FlightKey, alarm: Alarm) {
        let flights = &self.flights;
        self.alarms.set(at, key, alarm, |key| is_alive(flights, key));
        if at < self.armed
            && let Some(waker) = self.waker.take()
        {
            waker.wake();
        }
    }

    /// Whether some workload's plugin faults over and over.
    pub(super) fn hopeless(&self) -> Option<usize> {
        self.workloads.iter().position(|workload| workload.instances.hopeless())
    }

    fn note_call(&mut self, job: &Job, function: &'static str, began: Time) {
        if job.kind == Kind::Arrival {
            let took = self.clock.now().since(began);
            let plugin = self.workloads[job.workload].plugin;
            self.recorder.plugin_call(plugin, Some(job.phase), function, took);
        }
    }
}

fn is_alive(flights: &Slab<Box<Flight>>, key: FlightKey) -> bool {
    flights.get(key.at as usize).is_some_and(|flight| flight.serial == key.serial)
}

/// Places in slabs stay far below 2^32: memory ends first.
pub(super) fn to_u32(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
