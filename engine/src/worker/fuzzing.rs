//! A door for the fuzz targets in `fuzz/`: a whole worker on virtual time. No promise, no other use.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use crate::client::{self, Connect, Timeouts};
use crate::clock::{Clock, Virtual};
use crate::plugin::Plugin;
use crate::record::{Counts, Layout, Recorder, Span};
use crate::schedule::{Mix, Profile, Rate, Schedule, Stretch, Weight, Whole};

use super::control::Control;
use super::core::Parts;
use super::crew::{WorkloadSettings, assemble_core, jobs};
use super::drive::{Driver, Offer};
use super::instances::Isolation;
use super::layout::metrics_of;
use super::pace::TokioPacer;
use super::slots::Slots;

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
    let mix = Mix::new(&[Weight::new(1.0).expect("a weight")]).expect("a mix");
    let stretch = Stretch::new(length_ns, Profile::Constant { rate });
    let schedule = Schedule::new(&[stretch], mix, &Whole::default()).expect("a schedule");
    let clock: Rc<dyn Clock> = Rc::new(Virtual::start());
    let t0 = clock.now();
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
    let layout =
        Layout { t0, workloads: vec![metrics_of(plugin)], phases: vec![Span { start: 0, end: length_ns }], plugins: 1 };
    let (notices, _heard) = mpsc::channel();
    let slots = Arc::new(Slots::new(load.in_flight));
    let client = client::Settings { connections: load.connections, ..settings };
    let core = assemble_core(Rc::clone(&clock), Arc::new(client), network, |client| Parts {
        clock: Rc::clone(&clock),
        client,
        recorder: Recorder::new(Arc::new(layout), 0),
        listener: None,
        workloads: vec![workload.prepare(None)],
        phases: Arc::from(["load".to_owned()]),
        slots: Arc::clone(&slots),
        notices,
        t0,
        wall_t0: 0,
    });
    let offer = Offer {
        closed: None,
        seed: 42,
        source: jobs(schedule.share(0, 1), 42, t0),
        end: t0 + load.length,
        tolerance: Duration::from_millis(50),
        drain: load.drain,
    };
    let pacer = Box::new(TokioPacer::new(Rc::clone(&clock)));
    let driven = Driver::new(Rc::clone(&core), pacer, Arc::new(Control::new(1)), 0, offer).run().await;
    let client = core.borrow().client.clone();
    client.close();
    // What was cancelled or closed politely ends in its own time.
    tokio::time::sleep(Duration::from_mins(2)).await;
    let core = core.borrow();
    let all = core.recorder.all();
    Left {
        counts: all.counts(),
        taken: driven.taken.iter().sum(),
        planned: schedule.planned(),
        slots: slots.used(),
        flights: core.flights.len(),
        exchanges: core.exchanges.len(),
        connections: client.usage().open,
        failures: all.failures(),
    }
}
