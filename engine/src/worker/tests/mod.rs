//! A whole worker on virtual time, with a real plugin, against a target in memory: what must be recorded is known to the
//! nanosecond, so it is compared exactly.

mod accuracy;
mod floods;
mod hostile;
mod noting;
mod radius;
mod reach;
mod ready;
mod recycling;
mod times;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::books::Desk;
use crate::client::tests::kit::{Memory, OK, Peer, on_virtual_time, settings};
use crate::client::{self, Timeouts};
use crate::plugin::{Catalog, Host, Limits, Plugin};
use crate::record::{Counts, Percentile, Recorder, Series};
use crate::schedule::{Profile, Rate, Stretch};

use super::control::Stop;
use super::crew::WorkloadSettings;
use super::instances::Isolation;
use super::rig::{Ran, Rig};
use super::words::Notice;

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
    /// Where each exchange is noted.
    books: Option<Desk>,
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
            books: None,
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

/// The built-in plugin `http`, compiled once.
fn http() -> Arc<Plugin> {
    static HTTP: OnceLock<Arc<Plugin>> = OnceLock::new();
    let load = || {
        let host = Host::new(Limits::default(), None).expect("a host");
        Catalog::new(&host, &[], Vec::new()).and_then(|mut all| all.by_name("http")).expect("it is built in")
    };
    Arc::clone(HTTP.get_or_init(load))
}

/// A workload of GETs of the built-in plugin.
fn gets() -> WorkloadSettings {
    WorkloadSettings {
        plugin: http(),
        plugin_position: 0,
        config: Arc::from(r#"{"path":"/"}"#),
        timeouts: Timeouts { total: 60 * SECOND, ..Timeouts::default() },
        iteration_timeout: 90 * SECOND,
        redirects: 0,
        isolation: Isolation::Shared,
        instances: 2,
        iterations: 10_000,
    }
}

/// A phase at a constant rate.
fn constant(per_second: f64, length: Duration) -> Stretch {
    let rate = Rate::per_second(per_second).expect("a rate");
    Stretch::new(u64::try_from(length.as_nanos()).expect("short"), Profile::Constant { rate })
}

impl Load {
    fn rig(&self) -> Rig {
        let gets = gets();
        let workload = WorkloadSettings {
            plugin: self.plugin.clone().unwrap_or_else(|| Arc::clone(&gets.plugin)),
            timeouts: Timeouts { total: self.timeout, ..Timeouts::default() },
            iteration_timeout: self.iteration_timeout,
            isolation: self.isolation,
            instances: self.instances,
            ..gets
        };
        Rig {
            stretches: vec![constant(self.rate, self.length)],
            workloads: vec![(1.0, workload)],
            workers: 1,
            client: client::Settings { connections: self.connections, ..settings("http://test") },
            in_flight: self.in_flight,
            drain: self.drain,
            stop: self.stop,
            books: self.books.clone(),
            wake_gap: Duration::from_micros(250),
            absences: Vec::new(),
        }
    }
}

/// Runs workers, and sees that nothing is left of them: every arrival in one state, no slot, place or alarm taken.
fn run_rig(rig: Rig, network: &Rc<Memory>) -> (Ran, Recorder) {
    let mut ran = None;
    on_virtual_time(async { ran = Some(rig.run(network.clone()).await) });
    let ran = ran.expect("it has run");
    assert_eq!(ran.slots.used(), 0, "slots are taken for ever");
    for left in &ran.workers {
        let core = left.core.borrow();
        assert!(core.flights.is_empty() && core.exchanges.is_empty(), "places are taken for ever");
    }
    let recorder = ran.recorder();
    let counts = recorder.all().counts();
    assert!(counts.identity_holds(), "{counts:?}");
    assert_eq!(ran.taken(), counts.missed() + counts.started, "{counts:?}");
    (ran, recorder)
}

/// Runs a load on one worker.
fn run(load: &Load, network: &Rc<Memory>) -> Outcome {
    let (ran, recorder) = run_rig(load.rig(), network);
    let (taken, planned) = (ran.taken(), ran.schedule.planned());
    Outcome { recorder, notices: ran.notices, taken, planned, took: ran.took }
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
