//! Closed phases: exact places, times from the start, and what they hide.

use std::time::Duration;

use super::super::hostile::load;
use super::{Expected, MS, Reply, SECOND, all, constant, report, rig, since, target};
use crate::plugin::tests::guest::Guest;
use crate::schedule::{Profile, Stretch};
use crate::worker::control::Stop;

/// A second of so many iterations at once.
fn closed(concurrency: u32) -> Stretch {
    Stretch::new(1_000_000_000, Profile::Closed { concurrency })
}

#[test]
fn each_place_starts_one_when_it_has_ended_one_over_any_number_of_workers() {
    for workers in [1, 2, 3, 8] {
        let mut rig = rig(vec![closed(4)]);
        rig.workers = workers;
        let told = report(rig, &target(|_| Reply::Ok(20 * MS)));
        // From 0 to 980 ms, every 20 ms.
        all(200, 20 * MS).assert("iteration", &told.times().iteration);
        let states = &told.workload().states;
        assert_eq!((states.planned, states.started, states.ok), (200, 200, 200), "{workers} workers");
        assert_eq!(told.times().lateness.count, 0, "nothing was due");
        assert_eq!(told.workload().rates.offered_per_s, Some(200.0));
    }
}

#[test]
fn a_stall_strikes_only_those_who_were_there_which_is_what_it_hides() {
    let stalled = |at| if (400 * MS..800 * MS).contains(&at) { since(800 * MS, at) } else { Duration::ZERO };
    let told = report(rig(vec![closed(4)]), &target(move |asked| Reply::Ok(stalled(asked.at) + 20 * MS)));
    // Each place has 20 before, one that is held for 400 ms, and 9 after it.
    let expected = [20 * MS; 29].into_iter().chain([420 * MS]);
    Expected::of(std::iter::repeat_n(expected, 4).flatten()).assert("iteration", &told.times().iteration);
    assert_eq!(
        told.times().iteration.p95_ms,
        Some(20.0),
        "of an open schedule at this rate four in ten would have waited"
    );
}

#[test]
fn a_limit_on_arrivals_is_kept_to_the_one() {
    for workers in [1, 3] {
        let mut rig = rig(vec![Stretch { max_arrivals: Some(10), ..closed(4) }, constant(10.0, SECOND)]);
        rig.workers = workers;
        let told = report(rig, &target(|_| Reply::Ok(MS)));
        let counts: Vec<_> = told.result.phases.iter().map(|phase| phase.workloads[0].states.ok).collect();
        assert_eq!(counts, [10, 10]);
        assert_eq!(told.result.phases[1].workloads[0].times.lateness.count, 10, "the open phase has its lateness");
        assert_eq!(told.ran.took, 2 * SECOND);
    }
}

#[test]
fn those_of_an_open_phase_that_are_still_in_flight_take_no_place() {
    let rig = rig(vec![constant(10.0, SECOND), closed(2)]);
    // The ten of the open phase are answered in the closed one.
    let told = report(rig, &target(|asked| Reply::Ok(if asked.number < 10 { 1_500 * MS } else { 50 * MS })));
    let counts: Vec<_> = told.result.phases.iter().map(|phase| phase.workloads[0].states.ok).collect();
    assert_eq!(counts, [10, 40]);
}

#[test]
fn a_stop_in_a_closed_phase_starts_nothing_more_and_leaves_nothing_unrecorded() {
    let mut rig = rig(vec![closed(4)]);
    rig.stop = Some((490 * MS, Stop::Drain));
    let told = report(rig, &target(|_| Reply::Ok(20 * MS)));
    let states = &told.workload().states;
    assert_eq!((states.planned, states.ok, states.not_offered), (100, 100, 0), "{states:?}");
}

/// Without a wait for an instance it would start, and fail, as many as the processor can.
#[test]
fn places_wait_where_a_plugin_has_no_instance_to_give() {
    let mut rig = rig(vec![closed(16)]);
    // It traps in every start, so that its instances are waited for, ever longer.
    rig.workloads[0].1.plugin = load(&Guest::new().first("[method]plan.start", "(unreachable)"));
    let told = report(rig, &target(|_| Reply::Never));
    let states = &told.workload().states;
    assert!((10..2_000).contains(&states.started), "{states:?}");
    assert_eq!((states.failed + states.lost, states.ok), (states.started, 0), "{states:?}");
}
