//! How far a trap reaches: counted exactly, for each isolation.

use super::hostile::load;
use super::{Load, MS, Outcome, SECOND, answering, run};
use crate::plugin::tests::guest::Guest;
use crate::worker::instances::Isolation;

/// 100/s for 2 s, answered after 500 ms: 50 in flight. The iteration of arrival 100 traps when its answer has come.
fn one_trap(isolation: Isolation, instances: usize) -> Outcome {
    let guest = Guest::new()
        .first("[method]iteration.on-response", "(if (i32.eq (local.get $self) (i32.const 100)) (then unreachable))");
    let load = Load { plugin: Some(load(&guest)), isolation, instances, ..Load::default() };
    let outcome = run(&load, &answering(500 * MS));
    let counts = outcome.counts();
    assert_eq!((counts.started, counts.failed), (200, 1), "{counts:?}");
    assert_eq!(outcome.recorder.all().failures(), [("plugin_trap".to_owned(), 1)]);
    assert_eq!(counts.ok + counts.lost + 1, 200, "{counts:?}");
    assert!(outcome.took <= 3 * SECOND, "{:?}", outcome.took);
    outcome
}

#[test]
fn those_in_flight_on_the_same_instance_are_lost_and_nobody_else() {
    // When arrival 100 is answered, 101 to 150 are in flight: one was due at that very moment, and its order with the
    // answer is the loop's.
    let lost = |instances| one_trap(Isolation::Shared, instances).counts().lost;
    assert!((49..=50).contains(&lost(1)), "{}", lost(1));
    // In turn over the instances: every second, every fifth of them shares the one that trapped.
    assert!((24..=25).contains(&lost(2)), "{}", lost(2));
    assert!((9..=10).contains(&lost(5)), "{}", lost(5));
}

#[test]
fn with_an_instance_of_its_own_an_iteration_takes_nobody_with_it() {
    assert_eq!(one_trap(Isolation::Iteration, 1).counts().lost, 0);
}

#[test]
fn a_trap_for_each_arrival_fails_each_and_none_is_forgotten() {
    let guest = Guest::new().body("[method]plan.start", "unreachable");
    for isolation in [Isolation::Shared, Isolation::Iteration] {
        let load = Load { plugin: Some(load(&guest)), isolation, instances: 1, ..Load::default() };
        let outcome = run(&load, &answering(MS));
        let counts = outcome.counts();
        assert_eq!((counts.started, counts.failed, counts.lost), (200, 200, 0), "{isolation:?}: {counts:?}");
        assert_eq!(outcome.recorder.all().failures(), [("plugin_trap".to_owned(), 200)]);
        assert_eq!(outcome.notices.len(), 1, "told once: {:?}", outcome.notices);
    }
}
