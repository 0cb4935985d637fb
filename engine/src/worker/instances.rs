//! The instances of one workload on one worker: how many, for how long, and what follows a trap.

use std::sync::Arc;
use std::time::Duration;

use slab::Slab;

use crate::clock::Time;
use crate::plugin::{FaultKind, Instance, Plugin, Refused};

/// Whether iterations share an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// A few long-lived instances hold many iterations each: cheap; a trap loses its neighbours.
    Shared,
    /// Each iteration has an instance of its own: a trap loses nothing else.
    Iteration,
}

/// After this many faults without one iteration ending well in between, the workload is beyond help.
pub const FAULTS_IN_A_ROW: u32 = 10;
/// The first wait after a fault; doubles with each in a row.
const BACK_OFF_FIRST: Duration = Duration::from_millis(10);
/// The longest wait after a fault.
const BACK_OFF_MOST: Duration = Duration::from_millis(500);

/// An instance and who is on it.
struct Held {
    instance: Instance,
    /// Iterations in flight on it.
    flights: usize,
    /// Iterations started on it.
    started: u64,
    /// It takes no more iterations and goes when the last one has ended.
    retired: bool,
    /// With more bytes of memory than these it has grown too much.
    most: usize,
}

/// Keeps a workload's instances.
pub(super) struct Instances {
    plugin: Arc<Plugin>,
    config: Arc<str>,
    shared: Option<Arc<str>>,
    isolation: Isolation,
    /// How many to keep in turn.
    keep: usize,
    /// Iterations after which one is replaced.
    lifetime: u64,
    held: Slab<Held>,
    /// Instances made so far.
    made: u64,
    /// Bytes of memory of the largest that is gone.
    largest: usize,
    /// Keys of those that take iterations, in turn.
    open: Vec<usize>,
    turn: usize,
    faults_in_a_row: u32,
    last_fault: FaultKind,
    /// No new instance before this moment.
    not_before: Time,
}

/// How a new instance failed to come up, or that it is too early to try again.
pub(super) enum NoInstance {
    /// Waiting after earlier faults.
    BackOff(FaultKind),
    /// It was tried and failed.
    Failed(Refused),
}

impl Instances {
    /// No instance yet.
    pub(super) fn new(
        plugin: Arc<Plugin>,
        config: Arc<str>,
        shared: Option<Arc<str>>,
        isolation: Isolation,
        keep: usize,
        lifetime: u64,
    ) -> Self {
        Self {
            plugin,
            config,
            shared,
            isolation,
            keep: keep.max(1),
            lifetime: lifetime.max(1),
            held: Slab::new(),
            made: 0,
            largest: 0,
            open: Vec::new(),
            turn: 0,
            faults_in_a_row: 0,
            last_fault: FaultKind::Trap,
            not_before: Time(0),
        }
    }

    /// Makes the instances ready before the first arrival.
    ///
    /// # Errors
    /// The plugin's refusal of its configuration, or a fault.
    pub(super) fn warm_up(&mut self) -> Result<(), Refused> {
        if self.isolation == Isolation::Iteration {
            // One, to learn whether the plugin accepts its configuration.
            return Instance::new(&self.plugin, &self.config, self.shared.as_deref()).map(drop);
        }
        while self.open.len() < self.keep {
            self.add()?;
        }
        Ok(())
    }

    /// An instance for the next iteration; `now` decides whether a wait after a fault is over.
    pub(super) fn pick(&mut self, now: Time) -> Result<usize, NoInstance> {
        let wanted = if self.isolation == Isolation::Iteration { 1 } else { self.keep };
        if self.open.len() < wanted {
            if now >= self.not_before {
                match self.add() {
                    Ok(()) => {}
                    // With others at hand the iteration need not suffer; the fault is counted all the same.
                    Err(refused) if self.open.is_empty() => {
                        self.fault(now, refused_kind(&refused));
                        return Err(NoInstance::Failed(refused));
                    }
                    Err(refused) => self.fault(now, refused_kind(&refused)),
                }
            } else if self.open.is_empty() {
                return Err(NoInstance::BackOff(self.last_fault));
            }
        }
        self.turn = (self.turn + 1) % self.open.len();
        let key = self.open[self.turn];
        let held = &mut self.held[key];
        held.flights += 1;
        held.started += 1;
        if held.started >= self.lifetime || self.isolation == Isolation::Iteration {
            held.retired = true;
            self.open.swap_remove(self.turn);
        }
        Ok(key)
    }

    /// The instance with that key.
    pub(super) fn get(&mut self, key: usize) -> &mut Instance {
        &mut self.held[key].instance
    }

    /// An iteration on it has ended without a fault; `well` says whether it counts as a sign of health.
    pub(super) fn release(&mut self, key: usize, well: bool) {
        if well {
            self.faults_in_a_row = 0;
        }
        // Those that wait for their last iteration take memory too: there are never more of them than of the others.
        let room = self.held.len() < self.keep.saturating_mul(2);
        let held = &mut self.held[key];
        held.flights -= 1;
        // WebAssembly gives no memory back: an interpreter's heap only grows, and a fresh instance is the cure.
        let grown = !held.retired && held.instance.memory() > held.most;
        let idle = held.flights == 0;
        if grown && (idle || room) {
            held.retired = true;
            self.open.retain(|&open| open != key);
        }
        if held.retired && idle {
            self.remove(key);
        }
    }

    /// How many instances there are, those that take no more iterations among them.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.held.len()
    }

    /// How many instances were made, and the bytes of memory that the largest had grown to.
    pub(super) fn tally(&self) -> (u64, u64) {
        let here = self.held.iter().map(|(_, held)| held.instance.memory()).max().unwrap_or(0);
        (self.made, self.largest.max(here) as u64)
    }

    /// A call on it trapped: it goes at once, with all iterations on it.
    pub(super) fn poison(&mut self, key: usize, now: Time, kind: FaultKind) {
        self.remove(key);
        self.open.retain(|&open| open != key);
        self.fault(now, kind);
    }

    /// Whether the workload faults over and over without one iteration ending well.
    pub(super) fn hopeless(&self) -> bool {
        self.faults_in_a_row >= FAULTS_IN_A_ROW
    }

    fn add(&mut self) -> Result<(), Refused> {
        let instance = Instance::new(&self.plugin, &self.config, self.shared.as_deref())?;
        let most = most(instance.memory(), self.plugin.limits().memory);
        let key = self.held.insert(Held { instance, flights: 0, started: 0, retired: false, most });
        self.made += 1;
        self.open.push(key);
        Ok(())
    }

    fn remove(&mut self, key: usize) {
        let gone = self.held.remove(key);
        self.largest = self.largest.max(gone.instance.memory());
    }

    fn fault(&mut self, now: Time, kind: FaultKind) {
        let wait = BACK_OFF_FIRST.saturating_mul(1 << self.faults_in_a_row.min(16)).min(BACK_OFF_MOST);
        self.faults_in_a_row += 1;
        self.last_fault = kind;
        // The first fault is met at once: a plugin that traps now and then should not lose arrivals to waiting.
        self.not_before = if self.faults_in_a_row == 1 { now } else { now + wait };
    }
}

/// The bytes up to which an instance may grow before it is replaced: half of the way from what it has when it is fresh to what
/// it may have at all. What is left is for its iterations in flight.
const fn most(fresh: usize, limit: usize) -> usize {
    fresh + limit.saturating_sub(fresh) / 2
}

/// As which fault a failure to come up counts.
pub(super) fn refused_kind(refused: &Refused) -> FaultKind {
    match refused {
        Refused::Config(_) => FaultKind::Trap,
        Refused::Fault(fault) => fault.kind,
    }
}
