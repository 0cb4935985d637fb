//! A rehearsal: one instance of a plugin whose iterations are given events by hand, without network and without clock.
//!
//! It keeps the books that a worker keeps, so that only what could really come is delivered.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::clock::thread_cpu;
use crate::plugin::{Arrival, Event, Fault, Flow, Instance, Metric, Plugin, Refused};

use super::piece::Piece;
use super::take::{Ending, Take};

/// Which flow of a plugin to rehearse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Begin {
    /// What runs once before the load.
    Setup,
    /// What runs once after the load.
    Teardown,
    /// The iteration of an arrival.
    Arrival {
        /// Position in the schedule and in the workload.
        index: u64,
        /// Seeds its randomness.
        seed: u64,
        /// Name of the phase it is told.
        phase: String,
        /// Nanoseconds since the Unix epoch.
        wall_time: u64,
    },
}

/// Names a take within its rehearsal.
pub type TakeId = usize;

/// What the calls of a rehearsal cost.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Calls into the plugin.
    pub calls: u64,
    /// The longest one, in CPU time, and the function that was called.
    pub longest: (Duration, &'static str),
    /// The most actions one call asked for.
    pub actions: usize,
    /// The most log lines of one call.
    pub log_lines: u64,
    /// Bytes of memory its instance has grown to.
    pub memory: usize,
}

impl Figures {
    /// The worse of both.
    pub fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        if other.longest.0 > self.longest.0 {
            self.longest = other.longest;
        }
        self.actions = self.actions.max(other.actions);
        self.log_lines = self.log_lines.max(other.log_lines);
        self.memory = self.memory.max(other.memory);
    }
}

/// One instance with the iterations rehearsed on it.
pub struct Rehearsal {
    instance: Instance,
    metrics: Vec<Metric>,
    most_held: usize,
    takes: BTreeMap<TakeId, Take>,
    next: TakeId,
    figures: Figures,
    /// A fault has made the instance useless.
    dead: bool,
}

impl Rehearsal {
    /// Instantiates and configures the plugin. `config` and `shared` are JSON texts.
    ///
    /// # Errors
    /// The plugin's own refusal of the configuration, or a fault.
    pub fn new(plugin: &Plugin, config: &str, shared: Option<&str>) -> Result<Self, Refused> {
        let began = thread_cpu();
        let instance = Instance::new(plugin, config, shared)?;
        let longest = (thread_cpu().saturating_sub(began), "plan.configure");
        let figures = Figures { calls: 1, longest, memory: instance.memory(), ..Figures::default() };
        Ok(Self {
            instance,
            metrics: plugin.description.metrics.clone(),
            most_held: plugin.limits().string,
            takes: BTreeMap::new(),
            next: 0,
            figures,
            dead: false,
        })
    }

    /// Begins an iteration; none where the plugin has no such flow. A fault is how it ended.
    pub fn begin(&mut self, flow: &Begin) -> Option<TakeId> {
        let id = self.next;
        self.next += 1;
        if self.dead {
            self.takes.insert(id, Take::of_ending("lost"));
            return Some(id);
        }
        let began = thread_cpu();
        let (name, started) = match flow {
            Begin::Setup => ("plan.setup", self.instance.setup()),
            Begin::Teardown => ("plan.teardown", self.instance.teardown()),
            Begin::Arrival { index, seed, phase, wall_time } => {
                let arrival =
                    Arrival { sequence: *index, index: *index, seed: *seed, client: 1, wall_time: *wall_time, phase };
                ("plan.start", self.instance.start(&arrival).map(Some))
            }
        };
        let mut take = Take::default();
        take.most_held = self.most_held;
        take.tell(match flow {
            Begin::Arrival { index, seed, .. } => format!("start, arrival {index}, seed {seed}"),
            Begin::Setup => "setup".to_owned(),
            Begin::Teardown => "teardown".to_owned(),
        });
        let result = match started {
            Ok(None) => {
                self.measure(began, name, 0);
                return None;
            }
            Ok(Some(flow)) => Ok(flow),
            Err(fault) => Err(fault),
        };
        self.takes.insert(id, take);
        self.after(id, result, began, name);
        Some(id)
    }

    /// A take; how it ended is told there.
    pub fn take(&self, id: TakeId) -> &Take {
        // Ids are given out by `begin` alone, and end with `forget`.
        &self.takes[&id]
    }

    /// Lets go of a take, which is given up where it has not ended.
    pub fn forget(&mut self, id: TakeId) -> Option<Take> {
        self.finish(id, "abandoned");
        self.takes.remove(&id)
    }

    /// Delivers a piece to an exchange of a take.
    ///
    /// # Errors
    /// In words, why this cannot come to that exchange now.
    pub fn deliver(&mut self, id: TakeId, exchange: u32, piece: &Piece) -> Result<(), String> {
        let Some(take) = self.takes.get_mut(&id) else { return Err(format!("there is no iteration {id}")) };
        let place = take.place(exchange)?;
        take.note(place, piece)?;
        let Some(mut flow) = take.flow.take() else { return Err("the iteration is over".to_owned()) };
        let ended = piece.is_final().then(|| take.open.remove(place));
        let open = ended.as_ref().unwrap_or_else(|| &take.open[place]);
        let event = piece.event(open);
        let name = event.function();
        let began = thread_cpu();
        let result = self.instance.deliver(&mut flow, &event).map(|()| flow);
        self.after(id, result, began, name);
        Ok(())
    }

    /// Lets a timer of a take fire; its time is then the iteration's.
    ///
    /// # Errors
    /// In words, why it cannot.
    pub fn fire(&mut self, id: TakeId, timer: u32) -> Result<(), String> {
        let Some(take) = self.takes.get_mut(&id) else { return Err(format!("there is no iteration {id}")) };
        if let Some(ending) = take.ending() {
            return Err(format!("the iteration has ended as {}", ending.outcome));
        }
        let Some(place) = take.timers.iter().position(|running| running.id == timer) else {
            return Err(format!("timer {timer} does not run"));
        };
        let Some(mut flow) = take.flow.take() else { return Err("the iteration is over".to_owned()) };
        let due = take.timers.remove(place).due;
        take.now = take.now.max(due);
        take.events += 1;
        take.tell(format!("  on-timer {timer}"));
        let began = thread_cpu();
        let result = self.instance.deliver(&mut flow, &Event::Timer { timer }).map(|()| flow);
        self.after(id, result, began, "iteration.on-timer");
        Ok(())
    }

    /// What its calls cost so far.
    pub fn figures(&self) -> Figures {
        Figures { memory: self.instance.memory(), ..self.figures.clone() }
    }

    /// Whether a fault has made the instance useless.
    pub fn is_dead(&self) -> bool {
        self.dead
    }

    fn measure(&mut self, began: Duration, name: &'static str, actions: usize) {
        let took = thread_cpu().saturating_sub(began);
        self.figures.calls += 1;
        if took > self.figures.longest.0 {
            self.figures.longest = (took, name);
        }
        self.figures.actions = self.figures.actions.max(actions);
    }

    /// After a call: keeps what it did, and ends the iteration where that is how it ended.
    fn after(&mut self, id: TakeId, result: Result<Flow, Fault>, began: Duration, name: &'static str) {
        let mut actions = Vec::new();
        self.instance.take_actions(&mut actions);
        self.measure(began, name, actions.len());
        let misuse = self.instance.take_misuse();
        let (log, dropped) = self.instance.take_log();
        self.figures.log_lines = self.figures.log_lines.max(log.len() as u64 + dropped);
        let shared = self.instance.take_shared();
        let Some(take) = self.takes.get_mut(&id) else { return };
        for line in &log {
            take.tell(format!("    logs {}: {}", line.level, line.text));
        }
        take.log.extend(log);
        take.shared.extend(shared);
        match result {
            Ok(flow) => {
                take.flow = Some(flow);
                take.heed(actions, misuse, &self.metrics);
                if take.ending().is_some() {
                    self.drop_flow(id);
                }
            }
            Err(fault) => self.lose_all(id, &fault),
        }
    }

    /// Ends a take that goes on.
    fn finish(&mut self, id: TakeId, outcome: &str) {
        if let Some(take) = self.takes.get_mut(&id)
            && take.ending().is_none()
        {
            take.end(outcome, "");
            self.drop_flow(id);
        }
    }

    /// Ends the plugin's side of a take, which may trap in its destructor.
    fn drop_flow(&mut self, id: TakeId) {
        let Some(flow) = self.takes.get_mut(&id).and_then(|take| take.flow.take()) else { return };
        if !self.dead
            && let Err(fault) = self.instance.end(flow)
        {
            self.lose_all(id, &fault);
        }
    }

    /// A fault makes the instance useless: the take it came in fails by it, the others are lost.
    fn lose_all(&mut self, id: TakeId, fault: &Fault) {
        self.dead = true;
        for (&other, take) in &mut self.takes {
            take.flow = None;
            // A trap in the destructor takes the instance; what went wrong before stands.
            if other == id && !take.ending().is_some_and(Ending::is_fault) {
                take.end(fault.kind.reason(), fault.text.clone());
            } else if take.ending().is_none() {
                take.end("lost", "");
            }
        }
    }
}
