//! Stops: where they strike nothing is waited for that need not be, and all is accounted for.

use std::time::Duration;

use super::super::constant;
use super::super::hostile::load;
use super::{MS, Reply, Rig, SECOND, Told, all, report, rig, since, steady, target};
use crate::plugin::tests::guest::Guest;
use crate::schedule::{Profile, Stretch};
use crate::verdict::RunVerdict;
use crate::worker::control::Stop;

/// Case S9: a pause that ignored the stop.
#[test]
fn a_stop_in_a_pause_ends_the_pause() {
    for (workers, how) in [(1, Stop::Drain), (3, Stop::Drain), (3, Stop::Now)] {
        let hour = Stretch::new(3_600_000_000_000, Profile::Pause);
        let rig = Rig {
            workers,
            stop: Some((2_005 * MS, how)),
            ..rig(vec![constant(100.0, SECOND), hour, constant(100.0, SECOND)])
        };
        let told = report(rig, &target(|_| Reply::Ok(20 * MS)));
        // The loop looks up every 100 ms at least.
        assert!(told.ran.took <= 2_105 * MS, "{:?}", told.ran.took);
        let [before, pause, after] = &told.result.phases[..] else { panic!("three phases") };
        let states = |phase: &crate::report::Stretch| phase.workloads[0].states.clone();
        assert_eq!((states(before).planned, states(before).ok), (100, 100));
        assert_eq!((states(pause).planned, states(pause).not_offered), (0, 0));
        assert_eq!((states(after).planned, states(after).not_offered, states(after).started), (100, 100, 0));
        // Of each phase the time up to the stop counts.
        let lengths = told.result.phases.iter().map(|phase| phase.length_s).collect::<Vec<_>>();
        assert_eq!(lengths, [1.0, 1.005, 0.0]);
        assert_eq!(after.workloads[0].rates.offered_per_s, None);
        assert_eq!(told.result.judgement.verdict, RunVerdict::Interrupted, "however good its figures");
    }
}

/// Iterations that wait for an hour on a timer of their plugin, stopped after 1,005 ms.
fn waiting(how: Stop) -> Told {
    let hour = "(drop (call $wait (i64.const 3600000000000))) (return (call $new_iteration (i32.const 0)))";
    let mut rig = Rig { stop: Some((1_005 * MS, how)), drain: 3 * SECOND, ..steady(10, 2 * SECOND) };
    rig.workloads[0].1.plugin = load(&Guest::new().first("[method]plan.start", hour));
    rig.workloads[0].1.iteration_timeout = Duration::from_hours(2);
    report(rig, &target(|_| Reply::Never))
}

#[test]
fn pauses_of_plugins_end_with_the_drain_and_at_once_where_nothing_is_waited_for() {
    for (how, after) in [(Stop::Drain, 3 * SECOND), (Stop::Now, Duration::ZERO)] {
        let told = waiting(how);
        // Due by 1,000 ms.
        let states = &told.workload().states;
        assert_eq!((states.planned, states.abandoned, states.not_offered), (20, 11, 9), "{how:?}");
        let heartbeat = 1_005 * MS..=1_105 * MS;
        assert!(heartbeat.contains(&since(told.ran.took, after)), "{how:?}: {:?}", told.ran.took);
        assert_eq!(told.workload().error_rate, Some(1.0));
        assert_eq!(told.times().iteration.p50_ms, None);
    }
}

#[test]
fn a_stop_amid_the_load_leaves_the_figures_of_what_was_offered() {
    let rig = Rig { workers: 2, stop: Some((1_505 * MS, Stop::Drain)), ..steady(100, 4 * SECOND) };
    let told = report(rig, &target(|_| Reply::Ok(30 * MS)));
    // Those due by 1,500 ms.
    let states = &told.workload().states;
    assert_eq!((states.planned, states.ok, states.not_offered), (400, states.started, 400 - states.started));
    assert_eq!(states.started, 151, "{states:?}");
    all(usize::try_from(states.ok).expect("few"), 30 * MS).assert("iteration", &told.times().iteration);
    assert_eq!(told.workload().rates.sent_per_s, Some(states.started as f64 / 1.505));
    // What ends after the stop ends in the drain, although the phase would not be over: of those due by 1,475 ms to 1,490,
    // as each worker's loop came round to it.
    let completed = told.workload().rates.completed_per_s.expect("a rate") * 1.505;
    assert!((147.9..150.1).contains(&completed), "{completed}");
    assert_eq!(told.recorder.flight().in_flight(), 0);
}
