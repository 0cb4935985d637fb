//! A whole worker on virtual time, with a real plugin, against a target in memory: what must be recorded is known to the
//! nanosecond, so it is compared exactly.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use tokio::time::Instant;

use crate::client::tests::kit::{Memory, OK, Peer, on_virtual_time, settings};
use crate::client::{self, Timeouts};
use crate::clock::{Clock, Virtual};
use crate::plugin::{Catalog, Host, Limits};
use crate::record::{Counts, Layout, Percentile, Recorder, Series, Span};
use crate::schedule::{Mix, Profile, Rate, Schedule, Stretch, Weight};

use super::control::{Control, Stop};
use super::core::Parts;
use super::crew::{WorkloadSettings, assemble_core, jobs};
use super::drive::{Driver, Offer};
use super::instances::Isolation;
use super::layout::metrics_of;
use super::pace::TokioPacer;
use super::slots::Slots;

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

/// A load of GETs at a constant rate.
struct Load {
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

fn run(load: &Load, network: &Rc<Memory>) -> Outcome {
    let host = Host::new(Limits::default(), None).expect("a host");
    let plugin = Catalog::new(&host, &[], Vec::new()).and_then(|mut all| all.by_name("http")).expect("it is built in");
    let rate = Rate::per_second(load.rate).expect("a rate");
    let length_ns = u64::try_from(load.length.as_nanos()).expect("short");
    let stretch = Stretch { length_ns, profile: Profile::Constant { rate } };
    let mix = Mix::new(&[Weight::new(1.0).expect("a weight")]).expect("a mix");
    let schedule = Schedule::new(&[stretch], mix).expect("a schedule");
    let mut outcome = None;
    on_virtual_time(async {
        let clock: Rc<dyn Clock> = Rc::new(Virtual::start());
        let t0 = clock.now();
        let workload = WorkloadSettings {
            plugin: Arc::clone(&plugin),
            plugin_position: 0,
            config: Arc::from(r#"{"path":"/"}"#),
            timeouts: Timeouts { total: load.timeout, ..Timeouts::default() },
            iteration_timeout: load.timeout + 30 * SECOND,
            redirects: 0,
            isolation: Isolation::Shared,
            instances: 2,
            iterations: 10_000,
        };
        let layout = Layout {
            t0,
            workloads: vec![metrics_of(&plugin)],
            phases: vec![Span { start: 0, end: length_ns }],
            plugins: 1,
        };
        let (notices, _heard) = mpsc::channel();
        let client = client::Settings { connections: load.connections, ..settings("http://test") };
        let core = assemble_core(Rc::clone(&clock), Arc::new(client), network.clone(), |client| Parts {
            clock: Rc::clone(&clock),
            client,
            recorder: Recorder::new(Arc::new(layout), 0),
            listener: None,
            workloads: vec![workload.prepare(None)],
            phases: Arc::from(["load".to_owned()]),
            slots: Arc::new(Slots::new(load.in_flight)),
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
            source: jobs(schedule.share(0, 1), 42, t0),
            end: t0 + load.length,
            tolerance: 50 * MS,
            drain: load.drain,
        };
        let pacer = Box::new(TokioPacer::new(Rc::clone(&clock)));
        let driven = Driver::new(Rc::clone(&core), pacer, control, 0, offer).run().await;
        let took = clock.now() - t0;
        let recorder = std::mem::replace(&mut core.borrow_mut().recorder, Recorder::new(Arc::default(), 0));
        outcome = Some(Outcome { recorder, taken: driven.taken.iter().sum(), planned: schedule.planned(), took });
    });
    let outcome = outcome.expect("it has run");
    let counts = outcome.counts();
    assert_eq!(outcome.taken, counts.missed() + counts.started, "{counts:?}");
    assert_eq!(counts.started, counts.ended(), "{counts:?}");
    outcome
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

#[test]
fn a_target_that_answers_at_once_shows_no_time_at_all() {
    let outcome = run(&Load::default(), &answering(Duration::ZERO));
    let counts = outcome.counts();
    assert_eq!((counts.ok, counts.started, outcome.planned), (200, 200, 200));
    assert_eq!(outcome.time(Series::Iteration, Percentile::MAX), Duration::ZERO);
    assert_eq!(outcome.time(Series::Lateness, Percentile::MAX), Duration::ZERO);
    assert_eq!(outcome.took, 2 * SECOND);
}

#[test]
fn a_stall_of_the_target_is_in_the_times_of_all_who_were_due_in_it() {
    // Nothing is answered from 0.5 s to 1.5 s: who is due at d in it waits for 1.5 s − d.
    let begun = Rc::new(Cell::new(None));
    let network = Memory::new(move |_, mut peer: Peer| {
        let begun = Rc::clone(&begun);
        async move {
            while !peer.request().await.is_empty() {
                // The first request is asked at the start of the schedule.
                let first = begun.get().unwrap_or_else(Instant::now);
                begun.set(Some(first));
                let now = first.elapsed();
                if (500 * MS..1_500 * MS).contains(&now) {
                    tokio::time::sleep((1_500 * MS).saturating_sub(now)).await;
                }
                peer.send(OK).await;
            }
        }
    });
    let outcome = run(&Load::default(), &network);
    assert_eq!(outcome.counts().ok, 200);
    // 100 of the 200 wait for 10, 20 … 1,000 ms, the others not at all.
    for (percentile, expected) in [(50_000, 0), (75_000, 500), (90_000, 800), (99_000, 980), (100_000, 1_000)] {
        let percentile = Percentile::from_thousandths(percentile).expect("a percentile");
        assert_eq!(outcome.time(Series::Iteration, percentile), expected * MS, "{percentile}");
    }
    assert_eq!(
        outcome.time(Series::Lateness, Percentile::MAX),
        Duration::ZERO,
        "the schedule did not wait for the target"
    );
}

#[test]
fn a_queue_for_connections_is_in_the_response_time_and_not_in_the_service_time() {
    // One connection, 20 ms an answer, one arrival every 10 ms: arrival k waits 10 ms longer than the one before.
    let load = Load { length: SECOND, connections: 1, ..Load::default() };
    let outcome = run(&load, &answering(20 * MS));
    assert_eq!(outcome.counts().ok, 100);
    assert_eq!(outcome.time(Series::Response, Percentile::MAX), 20 * MS + 99 * 10 * MS);
    assert_eq!(outcome.time(Series::Response, Percentile::P50), 20 * MS + 49 * 10 * MS);
    assert_eq!(outcome.time(Series::Service, Percentile::MAX), 20 * MS);
    // The last answer comes a second after the schedule has ended; the loop sees it at its next heartbeat.
    assert!((2 * SECOND..=2 * SECOND + 100 * MS).contains(&outcome.took), "{:?}", outcome.took);
}

#[test]
fn arrivals_without_a_slot_are_missed_after_their_tolerance_and_never_sent_late() {
    let load = Load { rate: 10.0, in_flight: 1, ..Load::default() };
    let outcome = run(&load, &answering(990 * MS));
    let counts = outcome.counts();
    // The slot is free again at 0.99 s and at 1.99 s: for the arrivals due at 0, 1 and none after.
    assert_eq!((counts.ok, counts.no_slot, counts.generator_late), (2, 18, 0), "{counts:?}");
    assert!(outcome.time(Series::Lateness, Percentile::MAX) <= 50 * MS);
}

#[test]
fn what_is_never_answered_fails_at_its_deadline_or_is_abandoned_at_the_end_of_the_drain() {
    let hours = 2 * Duration::from_hours(1);
    let outcome = run(&Load { timeout: SECOND, ..Load::default() }, &answering(hours));
    assert_eq!(outcome.counts().failed, 200);
    let failed = outcome.recorder.all().failures();
    assert_eq!(failed, [("timeout_total".to_owned(), 200)]);
    assert_eq!(
        (outcome.time(Series::Failed, Percentile::P50), outcome.time(Series::Failed, Percentile::MAX)),
        (SECOND, SECOND)
    );

    let outcome = run(&Load { drain: 3 * SECOND, ..Load::default() }, &answering(hours));
    let counts = outcome.counts();
    assert_eq!((counts.abandoned, counts.ok, counts.failed), (200, 0, 0));
    assert_eq!(outcome.took, 5 * SECOND);
}

#[test]
fn a_stop_offers_nothing_more_and_waits_for_what_is_in_flight_or_not() {
    // In the middle between two arrivals.
    let half = 505 * MS;
    let load = Load { stop: Some((half, Stop::Drain)), ..Load::default() };
    let outcome = run(&load, &answering(100 * MS));
    // The stop is seen when the loop wakes next: for the arrival that is due at 510 ms.
    assert_eq!((outcome.counts().ok, outcome.taken, outcome.planned), (52, 52, 200));
    assert!(outcome.took < SECOND, "{:?}", outcome.took);

    let load = Load { stop: Some((half, Stop::Now)), ..Load::default() };
    let counts = run(&load, &answering(100 * MS)).counts();
    // Those due at 0.41 s and later were not answered yet, give or take the loop's heartbeat.
    assert_eq!(counts.ok + counts.abandoned, 52, "{counts:?}");
    assert!(counts.abandoned > 0, "{counts:?}");
}
