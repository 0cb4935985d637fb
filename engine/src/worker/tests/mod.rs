//! A whole worker on virtual time, with a real plugin, against a target in memory: what must be recorded is known to the
//! nanosecond, so it is compared exactly.

mod floods;
mod hostile;
mod radius;
mod reach;
mod times;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use crate::client::tests::kit::{Memory, OK, Peer, on_virtual_time, settings};
use crate::client::{self, Timeouts};
use crate::clock::{Clock, Virtual};
use crate::plugin::{Catalog, Host, Limits, Plugin};
use crate::record::{Counts, Layout, Percentile, Recorder, Series, Span};
use crate::schedule::{Mix, Profile, Rate, Schedule, Stretch, Weight, Whole};

use super::control::{Control, Stop};
use super::core::{Notice, Parts};
use super::crew::{WorkloadSettings, assemble_core, jobs};
use super::drive::{Driver, Offer};
use super::instances::Isolation;
use super::layout::metrics_of;
use super::pace::TokioPacer;
use super::slots::Slots;

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

/// A load at a constant rate: GETs of the built-in plugin, where there is no other.
struct Load {
    plugin: Option<Arc<Plugin>>,
    isolation: Isolation,
    instances: usize,
    iteration_timeout: Duration,
    rate: f64,
    length: Duration,
    timeout: Duration,
    connections: usize,
    in_flight: usize,
    drain: Duration,
    /// Offering is stopped then.
    stop: Option<(Duration, Stop)>,
}

impl Default for Load {
    /// 100/s for 2 s without bounds that matter.
    fn default() -> Self {
        Self {
            plugin: None,
            isolation: Isolation::Shared,
            instances: 2,
            iteration_timeout: 90 * SECOND,
            rate: 100.0,
            length: 2 * SECOND,
            timeout: 60 * SECOND,
            connections: 10_000,
            in_flight: 10_000,
            drain: 60 * SECOND,
            stop: None,
        }
    }
}

/// What a load came to.
struct Outcome {
    recorder: Recorder,
    /// What a person is told meanwhile.
    notices: Vec<Notice>,
    taken: u64,
    planned: u64,
    /// From the start of the schedule to the end of the drain.
    took: Duration,
}

impl Outcome {
    fn counts(&self) -> Counts {
        self.recorder.all().counts()
    }

    fn time(&self, series: Series, percentile: Percentile) -> Duration {
        Duration::from_nanos(self.recorder.all().times(series).percentile(percentile).expect("samples"))
    }
}

/// The built-in plugin `http`.
fn http() -> Arc<Plugin> {
    let host = Host::new(Limits::default(), None).expect("a host");
    Catalog::new(&host, &[], Vec::new()).and_then(|mut all| all.by_name("http")).expect("it is built in")
}

/// Runs a load, and sees that nothing is left of it: every arrival in one state, no slot, place or alarm taken.
fn run(load: &Load, network: &Rc<Memory>) -> Outcome {
    let plugin = load.plugin.clone().unwrap_or_else(http);
    let rate = Rate::per_second(load.rate).expect("a rate");
    let length_ns = u64::try_from(load.length.as_nanos()).expect("short");
    let stretch = Stretch::new(length_ns, Profile::Constant { rate });
    let mix = Mix::new(&[Weight::new(1.0).expect("a weight")]).expect("a mix");
    let schedule = Schedule::new(&[stretch], mix, &Whole::default()).expect("a schedule");
    let mut outcome = None;
    on_virtual_time(async {
        let clock: Rc<dyn Clock> = Rc::new(Virtual::start());
        let t0 = clock.now();
        let workload = WorkloadSettings {
            plugin: Arc::clone(&plugin),
            plugin_position: 0,
            config: Arc::from(r#"{"path":"/"}"#),
            timeouts: Timeouts { total: load.timeout, ..Timeouts::default() },
            iteration_timeout: load.iteration_timeout,
            redirects: 0,
            isolation: load.isolation,
            instances: load.instances,
            iterations: 10_000,
        };
        let layout = Layout {
            t0,
            workloads: vec![metrics_of(&plugin)],
            phases: vec![Span { start: 0, end: length_ns }],
            plugins: 1,
        };
        let (notices, heard) = mpsc::channel();
        let slots = Arc::new(Slots::new(load.in_flight));
        let client = client::Settings { connections: load.connections, ..settings("http://test") };
        let core = assemble_core(Rc::clone(&clock), Arc::new(client), network.clone(), |client| Parts {
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
        let control = Arc::new(Control::new(1));
        if let Some((after, how)) = load.stop {
            let control = Arc::clone(&control);
            tokio::task::spawn_local(async move {
                tokio::time::sleep(after).await;
                control.stop(how);
            });
        }
        let offer = Offer {
            closed: None,
            seed: 42,
            source: jobs(schedule.share(0, 1), 42, t0),
            end: t0 + load.length,
            tolerance: 50 * MS,
            drain: load.drain,
        };
        let pacer = Box::new(TokioPacer::new(Rc::clone(&clock)));
        let driven = Driver::new(Rc::clone(&core), pacer, control, 0, offer).run().await;
        let took = clock.now() - t0;
        assert_eq!(slots.used(), 0, "slots are taken for ever");
        let mut core = core.borrow_mut();
        assert!(core.flights.is_empty() && core.exchanges.is_empty(), "places are taken for ever");
        let recorder = std::mem::replace(&mut core.recorder, Recorder::new(Arc::default(), 0));
        let taken = driven.taken.iter().sum();
        outcome =
            Some(Outcome { recorder, notices: heard.try_iter().collect(), taken, planned: schedule.planned(), took });
    });
    let outcome = outcome.expect("it has run");
    let counts = outcome.counts();
    assert_eq!(outcome.taken, counts.missed() + counts.started, "{counts:?}");
    assert_eq!(counts.started, counts.ended(), "{counts:?}");
    outcome
}

/// Requests that a target was sent.
type Seen = Rc<RefCell<Vec<String>>>;

/// A target that gives each request this answer after this long, and remembers what it was sent.
fn remembering(after: Duration, answer: impl Into<String>) -> (Rc<Memory>, Seen) {
    let (seen, answer) = (Seen::default(), answer.into());
    let requests = Rc::clone(&seen);
    let network = Memory::new(move |_, mut peer: Peer| {
        let (requests, answer) = (Rc::clone(&requests), answer.clone());
        async move {
            loop {
                let request = peer.request().await;
                if request.is_empty() {
                    return;
                }
                requests.borrow_mut().push(request);
                tokio::time::sleep(after).await;
                peer.send(&answer).await;
            }
        }
    });
    (network, seen)
}

/// A target that answers each request after this long, counted from the request.
fn answering(after: Duration) -> Rc<Memory> {
    Memory::new(move |_, mut peer: Peer| async move {
        while !peer.request().await.is_empty() {
            tokio::time::sleep(after).await;
            peer.send(OK).await;
        }
    })
}
