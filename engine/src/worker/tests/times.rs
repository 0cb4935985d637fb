//! What is measured, against what must be: known to the nanosecond, so compared exactly.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use tokio::time::Instant;

use super::{Load, MS, SECOND, answering, run};
use crate::client::tests::kit::{Memory, OK, Peer};
use crate::record::{Percentile, Series};
use crate::worker::control::Stop;

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
    // Those due up to 500 ms: what the loop wakes for next is not offered any more.
    assert_eq!((outcome.counts().ok, outcome.taken, outcome.planned), (51, 51, 200));
    assert!(outcome.took < SECOND, "{:?}", outcome.took);

    let load = Load { stop: Some((half, Stop::Now)), ..Load::default() };
    let counts = run(&load, &answering(100 * MS)).counts();
    // Those due at 0.41 s and later were not answered yet, give or take the loop's heartbeat.
    assert_eq!(counts.ok + counts.abandoned, 51, "{counts:?}");
    assert!(counts.abandoned > 0, "{counts:?}");
}
