//! Instances are replaced by count and by memory, and nobody on them notices.

use super::hostile::load;
use crate::clock::Time;
use crate::plugin::Arrival;
use crate::plugin::tests::guest::Guest;
use crate::worker::instances::{Instances, Isolation};

/// Grows by 1 MiB in each iteration: what it holds is never given back.
const GROWING: &str = "(if (i32.eq (memory.grow (i32.const 16)) (i32.const -1)) (then unreachable))";
const MIB: u64 = 1 << 20;

fn arrival(index: u64) -> Arrival<'static> {
    Arrival { sequence: index, index, seed: 1, client: 1, wall_time: 0, phase: "load" }
}

fn instances(guest: &Guest, lifetime: u64) -> Instances {
    Instances::new(load(guest), "{}".into(), None, Isolation::Shared, 1, lifetime)
}

/// Runs an iteration from start to end.
fn iterate(instances: &mut Instances, index: u64) {
    let Ok(key) = instances.pick(Time(index)) else { panic!("an instance for arrival {index}") };
    let flow = instances.get(key).start(&arrival(index)).expect("no fault");
    instances.get(key).end(flow).expect("no fault");
    instances.release(key, true);
}

#[test]
fn an_instance_is_replaced_when_it_has_grown_over_half_of_the_way_to_its_limit() {
    // 16 MiB are allowed and it begins with 128 KiB: it is replaced after the eighth of its iterations.
    let guest = Guest::new().first("[method]plan.start", GROWING);
    let mut instances = instances(&guest, u64::MAX);
    instances.warm_up().expect("an instance");
    for index in 0..100 {
        iterate(&mut instances, index);
    }
    let (made, largest) = instances.tally();
    assert_eq!(made, 13, "twelve that had eight iterations, and the one there");
    assert!((8 * MIB..10 * MIB).contains(&largest), "{largest}");
}

#[test]
fn those_in_flight_stay_on_the_instance_they_began_on() {
    let guest = Guest::new().first("[method]plan.start", GROWING);
    let mut instances = instances(&guest, u64::MAX);
    let Ok(first) = instances.pick(Time(0)) else { panic!("an instance") };
    let long = instances.get(first).start(&arrival(0)).expect("no fault");
    for index in 1..20 {
        iterate(&mut instances, index);
    }
    // It has been replaced, and is still there for who is on it.
    assert_eq!(instances.tally().0, 3);
    instances.get(first).end(long).expect("no fault");
    instances.release(first, true);
}

#[test]
fn an_instance_is_replaced_after_so_many_iterations() {
    let mut instances = instances(&Guest::new(), 10);
    for index in 0..100 {
        iterate(&mut instances, index);
    }
    assert_eq!(instances.tally().0, 10);
}

#[test]
fn no_more_than_as_many_again_wait_for_their_last_iteration() {
    let guest = Guest::new().first("[method]plan.start", GROWING);
    let mut instances = instances(&guest, u64::MAX);
    let mut long = Vec::new();
    for index in 0..20 {
        // One that stays beside those that come and go: every instance has somebody on it.
        let Ok(key) = instances.pick(Time(index)) else { panic!("an instance for arrival {index}") };
        if let Ok(flow) = instances.get(key).start(&arrival(index)) {
            long.push((key, flow));
        } else {
            // It was kept although it had grown, until its memory was used up: that is what the limit is for.
            instances.poison(key, Time(index), crate::plugin::FaultKind::Memory);
            long.retain(|(other, _)| *other != key);
            continue;
        }
        if let Some(at) = long.iter().position(|(other, _)| *other == key).filter(|_| index % 2 == 1) {
            let (key, flow) = long.remove(at);
            instances.get(key).end(flow).expect("no fault");
            instances.release(key, true);
        }
        assert!(instances.held() <= 2, "{} instances at arrival {index}", instances.held());
    }
}
