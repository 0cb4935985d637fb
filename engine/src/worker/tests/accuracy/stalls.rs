//! Targets that stand still for a while.

use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};

use super::{Expected, MS, Reply, SECOND, all, due, report, since, steady, target};
use crate::client::tests::kit::{Memory, OK, Peer};
use crate::verdict::{CheckVerdict, RunVerdict};

/// What is left of a stall at a moment; nothing outside it.
fn rest(stall: &Range<Duration>, at: Duration) -> Duration {
    if stall.contains(&at) { since(stall.end, at) } else { Duration::ZERO }
}

const STALL: Range<Duration> = Duration::from_secs(4)..Duration::from_secs(6);

#[test]
fn a_stall_of_two_seconds_in_ten_has_a_p90_of_one_second_and_every_arrival_is_sent() {
    let told = report(steady(1_000, 10 * SECOND), &target(|asked| Reply::Ok(rest(&STALL, asked.at))));
    let states = &told.workload().states;
    assert_eq!((states.planned, states.started, states.ok), (10_000, 10_000, 10_000));
    assert_eq!(told.workload().rates.sent_per_s, Some(1_000.0));
    // Who was due at d in the stall waited for 6 s − d: for 2,000, 1,999 … 1 ms.
    let times = told.times();
    let expected = Expected::of(due(1_000, 10 * SECOND).map(|due| rest(&STALL, due)));
    expected.assert("iteration", &times.iteration);
    expected.assert("response", &times.response);
    assert_eq!((times.iteration.p90_ms, times.iteration.max_ms), (Some(1_000.0), Some(2_000.0)));
    // Nothing held the requests back, so they were with the target as long as that: its service is as slow.
    expected.assert("service", &times.service);
    all(10_000, Duration::ZERO).assert("connection wait", &times.connection_wait);
    // The schedule did not wait.
    all(10_000, Duration::ZERO).assert("lateness", &told.result.starts.lateness);
    let seconds = &told.result.seconds[0].windows;
    assert!(seconds[..10].iter().all(|second| (second.offered, second.sent) == (1_000, 1_000)));
    assert_eq!((seconds[4].completed, seconds[5].completed, seconds[6].completed), (0, 0, 3_000));
    assert_eq!(told.result.judgement.verdict, RunVerdict::Passed);
}

/// Case N2: the inverted correction. Over a single connection only one request is with the target while it stalls; those
/// behind it are charged for their wait by the response time alone.
#[test]
fn behind_a_cap_on_connections_a_stall_raises_the_response_times_and_one_service_time() {
    let mut rig = steady(1_000, 10 * SECOND);
    rig.client.connections = 1;
    let told = report(rig, &target(|asked| Reply::Ok(rest(&STALL, asked.at))));
    let times = told.times();
    let expected = Expected::of(due(1_000, 10 * SECOND).map(|due| rest(&STALL, due)));
    expected.assert("iteration", &times.iteration);
    expected.assert("response", &times.response);
    let stalled = std::iter::once(2 * SECOND).chain(std::iter::repeat_n(Duration::ZERO, 9_999));
    Expected::of(stalled).assert("service", &times.service);
    assert_eq!((times.response.p90_ms, times.service.p99_ms), (Some(1_000.0), Some(0.0)));
    // What the others waited for is the connection.
    let waits = due(1_000, 10 * SECOND).map(|due| if due == STALL.start { Duration::ZERO } else { rest(&STALL, due) });
    let waits = Expected::of(waits);
    waits.assert("connection wait", &times.connection_wait);
    waits.assert("queue", &times.queue);
    // And the run says that it was its own cap that held them back.
    let checks = told.result.judgement.checks.iter();
    let invalid: Vec<&str> =
        checks.filter(|check| check.verdict == CheckVerdict::Invalid).map(|check| &*check.name).collect();
    assert_eq!(invalid, ["wait for a connection at the cap p99"]);
}

#[test]
fn repeated_stalls_are_each_in_the_times_of_those_who_were_due_in_them() {
    // The last half second of every four.
    let left = |at: Duration| {
        let within = Duration::from_nanos(u64::try_from(at.as_nanos()).expect("short") % 4_000_000_000);
        rest(&(3_500 * MS..4 * SECOND), within)
    };
    let mut rig = steady(1_000, 24 * SECOND);
    rig.workers = 3;
    let told = report(rig, &target(move |asked| Reply::Ok(left(asked.at))));
    let expected = Expected::of(due(1_000, 24 * SECOND).map(left));
    // An eighth of all waits for 1 to 500 ms, so a tenth of all for more than 100.
    assert_eq!((expected.percentile(90), expected.percentile(99)), (100_000_000, 460_000_000));
    let times = told.times();
    for (series, shown) in [("iteration", &times.iteration), ("response", &times.response), ("service", &times.service)]
    {
        expected.assert(series, shown);
    }
    assert!(!times.iteration.exact, "more than 10,000: the buckets of the histogram");
    assert_eq!((times.iteration.mean_ms, times.iteration.max_ms), (Some(31.3125), Some(500.0)), "always exact");
}

#[test]
fn a_target_that_is_paused_and_resumed_works_its_backlog_off_in_the_times_of_all_behind_it() {
    // A millisecond each, one after the other; nothing from 1 s to 1.5 s.
    let pause = SECOND..1_500 * MS;
    let server = Rc::new(Mutex::new(None));
    let paused = pause.clone();
    let network = Memory::new(move |_, mut peer: Peer| {
        let (server, paused) = (Rc::clone(&server), paused.clone());
        async move {
            while !peer.request().await.is_empty() {
                let mut turn = server.lock().await;
                let begun: &mut Instant = turn.get_or_insert_with(Instant::now);
                sleep(rest(&paused, begun.elapsed()) + MS).await;
                drop(turn);
                peer.send(OK).await;
            }
        }
    });
    let told = report(steady(500, 4 * SECOND), &network);
    // By the recursion of a queue: each begins when it has come, the one before has gone, and the pause is over.
    let mut free = Duration::ZERO;
    let expected = Expected::of(due(500, 4 * SECOND).map(|due| {
        let begin = due.max(free);
        free = begin + rest(&pause, begin) + MS;
        since(free, due)
    }));
    expected.assert("iteration", &told.times().iteration);
    expected.assert("response", &told.times().response);
    // 250 came in the pause; worked off at two for one that comes, they hold up those of another half second.
    assert_eq!(told.times().iteration.max_ms, Some(501.0));
    assert_eq!(expected.0.iter().filter(|&&time| time > 1_000_000).count(), 500);
    assert_eq!(told.workload().states.ok, 2_000);
}
