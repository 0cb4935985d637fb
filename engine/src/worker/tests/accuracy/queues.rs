//! Queues: of a target that is slower than what is offered, and for connections.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::sleep;

use super::{Expected, MS, Reply, Rig, SECOND, all, due, report, since, steady, target};
use crate::client::tests::kit::{Memory, OK, Peer};
use crate::verdict::RunVerdict;

/// A target that serves so many at a time, each for that long, in order of asking.
fn servers(count: usize, service: Duration) -> Rc<Memory> {
    let servers = Rc::new(Semaphore::new(count));
    Memory::new(move |_, mut peer: Peer| {
        let servers = Rc::clone(&servers);
        async move {
            while !peer.request().await.is_empty() {
                let turn = servers.acquire().await.expect("it is never closed");
                sleep(service).await;
                drop(turn);
                peer.send(OK).await;
            }
        }
    })
}

#[test]
fn an_overloaded_server_has_the_times_of_its_queue() {
    // One comes every 10 ms and takes 15: arrival k is answered at (k + 1) × 15 ms, 15 + 5 k after it was due.
    let told = report(steady(100, 5 * SECOND), &servers(1, 15 * MS));
    let times = told.times();
    let expected = Expected::of((0..500).map(|k| (15 + 5 * k) * MS));
    for (series, shown) in [("iteration", &times.iteration), ("response", &times.response), ("service", &times.service)]
    {
        expected.assert(series, shown);
    }
    let at_rank = |rank: f64| Some(15.0 + 5.0 * (rank - 1.0));
    let shown = [times.response.p50_ms, times.response.p95_ms, times.response.p99_ms, times.response.max_ms];
    assert_eq!(shown, [at_rank(250.0), at_rank(475.0), at_rank(495.0), at_rank(500.0)]);
    // Offered and sent is what was planned; completed within the phase what a server of 15 ms can do in 5 s.
    let rates = &told.workload().rates;
    assert_eq!((rates.offered_per_s, rates.sent_per_s), (Some(100.0), Some(100.0)));
    assert_eq!(rates.completed_per_s, Some(333.0 / 5.0));
    all(500, Duration::ZERO).assert("lateness", &times.lateness);
    assert_eq!(told.result.judgement.verdict, RunVerdict::Passed);
}

#[test]
fn a_server_that_keeps_up_has_no_queue() {
    let told = report(steady(100, 5 * SECOND), &servers(1, 10 * MS));
    all(500, 10 * MS).assert("response", &told.times().response);
    assert_eq!(told.workload().rates.completed_per_s, Some(499.0 / 5.0), "the last ends with the phase");
}

#[test]
fn a_queue_for_connections_is_in_the_response_times_and_not_in_the_service_times() {
    // Two connections, 20 ms an answer, one arrival every 5 ms: half of them can be served.
    let mut rig = steady(200, 2 * SECOND);
    rig.client.connections = 2;
    let told = report(rig, &target(|_| Reply::Ok(20 * MS)));
    let mut free = [Duration::ZERO; 2];
    let response: Vec<Duration> = due(200, 2 * SECOND)
        .map(|due| {
            free.sort_unstable();
            free[0] = due.max(free[0]) + 20 * MS;
            since(free[0], due)
        })
        .collect();
    let times = told.times();
    Expected::of(response.clone()).assert("iteration", &times.iteration);
    Expected::of(response.clone()).assert("response", &times.response);
    all(400, 20 * MS).assert("service", &times.service);
    let waits = || response.iter().map(|time| since(*time, 20 * MS));
    Expected::of(waits()).assert("connection wait", &times.connection_wait);
    Expected::of(waits()).assert("queue", &times.queue);
    assert_eq!(told.workload().traffic.connects, 2);
    assert_eq!(told.result.judgement.verdict, RunVerdict::Invalid, "the cap was the generator's own");
}

#[test]
fn what_opening_a_connection_takes_is_connection_wait_of_those_who_opened_one() {
    // Every third connection is closed after its answer, so that the next must open one.
    let network = target(|asked| if asked.number % 3 == 2 { Reply::LastOk(5 * MS) } else { Reply::Ok(5 * MS) });
    network.lookup_time.set(3 * MS);
    network.connect_time.set(20 * MS);
    let told = report(steady(10, 3 * SECOND), &network);
    // A name looked up is good for a minute.
    let opened = |k: u32| if k == 0 { 23 * MS } else { 20 * MS };
    let waits: Vec<Duration> = (0..30).map(|k| if k % 3 == 0 { opened(k) } else { Duration::ZERO }).collect();
    let times = told.times();
    Expected::of(waits.iter().copied()).assert("connection wait", &times.connection_wait);
    Expected::of(waits.iter().map(|wait| *wait + 5 * MS)).assert("response", &times.response);
    all(30, 5 * MS).assert("service", &times.service);
    all(10, 20 * MS).assert("connect", &times.connect);
    all(30, Duration::ZERO).assert("queue", &times.queue);
}

/// Case S7: a cap of 45 that became 74, since each worker had its part rounded up.
#[test]
fn a_cap_on_iterations_is_that_of_all_workers_together_and_who_finds_no_slot_is_missed() {
    let with_target = Rc::new(Cell::new(0_u32));
    let most = Rc::new(Cell::new(0));
    let (here, peak) = (Rc::clone(&with_target), Rc::clone(&most));
    let network = Memory::new(move |_, mut peer: Peer| {
        let (here, peak) = (Rc::clone(&here), Rc::clone(&peak));
        async move {
            while !peer.request().await.is_empty() {
                here.set(here.get() + 1);
                peak.set(peak.get().max(here.get()));
                sleep(395 * MS).await;
                here.set(here.get() - 1);
                peer.send(OK).await;
            }
        }
    });
    let rig = Rig { workers: 3, in_flight: 4, ..steady(100, 2 * SECOND) };
    let told = report(rig, &network);
    assert_eq!((with_target.get(), most.get()), (0, 4));
    // Four at a time for 395 ms each, six times at most; who is due when all slots are taken waits for 50 ms at most.
    let states = &told.workload().states;
    assert_eq!((states.planned, states.ok + states.no_slot, states.generator_late), (200, 200, 0));
    assert!((20..=24).contains(&states.ok), "{states:?}");
    let starts = &told.result.starts;
    assert!(starts.lateness.max_ms <= Some(50.0) && starts.generator_delay.max_ms == Some(0.0), "{starts:?}");
    all(usize::try_from(states.ok).expect("few"), 395 * MS).assert("service", &told.times().service);
    // At its default the cap leaves room for every time-out: the target did not keep up.
    assert_eq!(told.result.judgement.verdict, RunVerdict::Failed);
}
