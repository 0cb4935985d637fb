//! A door for the fuzz targets in `fuzz/`: a whole worker on virtual time. No promise, no other use.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use crate::client::{self, Connect, Timeouts};
use crate::plugin::Plugin;
use crate::record::Counts;
use crate::schedule::{Profile, Rate, Stretch};

use super::crew::WorkloadSettings;
use super::instances::Isolation;
use super::rig::Rig;

/// What a worker is given: one workload at a constant rate.
pub struct Load {
    /// Arrivals per second.
    pub rate: u32,
    /// How long arrivals are due.
    pub length: Duration,
    /// Time-out of exchanges.
    pub timeout: Duration,
    /// The longest an iteration may take.
    pub iteration_timeout: Duration,
    /// The most connections.
    pub connections: usize,
    /// The most iterations in flight.
    pub in_flight: usize,
    /// How long what is in flight is waited for at the end.
    pub drain: Duration,
    /// Each iteration has an instance of its own.
    pub isolated: bool,
}

/// What is left of a worker after its run.
#[derive(Debug)]
pub struct Left {
    /// Arrivals by final state.
    pub counts: Counts,
    /// Arrivals that fell due.
    pub taken: u64,
    /// Arrivals of the schedule.
    pub planned: u64,
    /// Slots still taken.
    pub slots: usize,
    /// Iterations still in flight.
    pub flights: usize,
    /// Exchanges still open.
    pub exchanges: usize,
    /// Connections that are still there after all had time to close.
    pub connections: usize,
    /// Reasons of failed iterations, with how often.
    pub failures: Vec<(String, u64)>,
}

/// Runs a worker to its end. To be called on a paused tokio runtime, within a `LocalSet`.
///
/// # Panics
/// Where the load is none that can be offered.
pub async fn run(
    load: &Load,
    plugin: &Arc<Plugin>,
    config: &str,
    settings: client::Settings,
    network: Rc<dyn Connect>,
) -> Left {
    let rate = Rate::per_second(f64::from(load.rate)).expect("a rate");
    let length_ns = u64::try_from(load.length.as_nanos()).expect("short");
    let workload = WorkloadSettings {
        plugin: Arc::clone(plugin),
        plugin_position: 0,
        config: Arc::from(config),
        timeouts: Timeouts { total: load.timeout, ..Timeouts::default() },
        iteration_timeout: load.iteration_timeout,
        redirects: 2,
        isolation: if load.isolated { Isolation::Iteration } else { Isolation::Shared },
        instances: 2,
        iterations: 5,
    };
    let rig = Rig {
        stretches: vec![Stretch::new(length_ns, Profile::Constant { rate })],
        workloads: vec![(1.0, workload)],
        workers: 1,
        client: client::Settings { connections: load.connections, ..settings },
        in_flight: load.in_flight,
        drain: load.drain,
        stop: None,
        books: None,
        wake_gap: Duration::from_micros(250),
        absences: Vec::new(),
    };
    let ran = rig.run(network).await;
    ran.workers.iter().for_each(|left| left.core.borrow().client.close());
    // What was cancelled or closed politely ends in its own time.
    tokio::time::sleep(Duration::from_mins(2)).await;
    let cores = || ran.workers.iter().map(|left| left.core.borrow());
    let recorder = ran.recorder();
    let all = recorder.all();
    Left {
        counts: all.counts(),
        taken: ran.taken(),
        planned: ran.schedule.planned(),
        slots: ran.slots.used(),
        flights: cores().map(|core| core.flights.len()).sum(),
        exchanges: cores().map(|core| core.exchanges.len()).sum(),
        connections: cores().map(|core| core.client.usage().open).sum(),
        failures: all.failures(),
    }
}
