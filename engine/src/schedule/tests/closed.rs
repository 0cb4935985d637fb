//! Closed stretches: exact shares, numbers that are given once.

use std::collections::BTreeSet;

use super::super::*;

fn schedule(concurrency: u32, max_arrivals: Option<u64>) -> Schedule {
    let second = 1_000_000_000;
    let rate = Rate::per_second(10.0).expect("a rate");
    let open = Stretch::new(second, Profile::Constant { rate });
    let closed = Stretch { max_arrivals, ..Stretch::new(second, Profile::Closed { concurrency }) };
    let weights = [Weight::new(3.0).expect("a weight"), Weight::new(1.0).expect("a weight")];
    Schedule::new(&[open.clone(), closed, open], Mix::new(&weights).expect("a mix"), &Whole::default()).expect("fits")
}

/// In the middle of the closed stretch.
const WITHIN: u64 = 1_500_000_000;

#[test]
fn nothing_is_due_in_a_closed_stretch() {
    let schedule = schedule(64, None);
    assert_eq!((schedule.planned(), schedule.closed_peak()), (20, 64));
    assert!(schedule.all().all(|arrival| arrival.phase != 1));
}

#[test]
fn places_and_limits_are_shared_exactly_by_any_number_of_workers() {
    for (concurrency, most, workers) in
        [(1, 1, 8), (1, 10, 2), (3, 100, 8), (2, 9, 7), (45, 7, 13), (64, 1_000, 3), (5, 0, 2), (100_000, 99_999, 256)]
    {
        let schedule = schedule(concurrency, Some(most));
        let mut places = 0;
        let mut started = 0;
        for worker in 0..workers {
            let mut share = schedule.closed_share(worker, workers).expect("one is closed");
            places += share.clone().places_at(WITHIN);
            while share.start(WITHIN).is_some() {
                started += 1;
            }
            assert_eq!(share.places_at(WITHIN), 0, "it has started as many as it may");
        }
        // A worker that may start none has no place either.
        assert!(places <= concurrency as usize);
        assert_eq!(started, most, "{concurrency} places, {workers} workers");
        assert!(most < u64::from(concurrency) || places == concurrency as usize, "{concurrency} {most}");
    }
}

#[test]
fn numbers_are_given_once_and_after_those_that_are_due() {
    let schedule = schedule(4, Some(1_000));
    let (mut sequences, mut indexes) = (BTreeSet::new(), BTreeSet::new());
    let mut mine = Vec::new();
    for worker in 0..3 {
        let mut share = schedule.closed_share(worker, 3).expect("one is closed");
        mine.extend(std::iter::from_fn(|| share.start(WITHIN)));
    }
    mine.extend(schedule.all());
    for arrival in &mine {
        assert!(sequences.insert(arrival.sequence), "{arrival:?}");
        assert!(indexes.insert((arrival.workload, arrival.index)), "{arrival:?}");
    }
    assert_eq!(mine.len(), 1_020);
    let closed = mine.iter().filter(|arrival| arrival.phase == 1);
    assert!(closed.clone().all(|arrival| arrival.sequence >= 20 && arrival.due_ns == WITHIN));
    let first = closed.filter(|arrival| arrival.workload == 0).count();
    assert!((745..=755).contains(&first), "three in four are of the first workload, not {first} of 1,000");
}

#[test]
fn it_is_on_from_its_start_to_just_before_its_end() {
    let share = schedule(2, None).closed_share(0, 1).expect("one is closed");
    let places = |at_ns| share.places_at(at_ns);
    assert_eq!([places(0), places(999_999_999), places(1_000_000_000)], [0, 0, 2]);
    assert_eq!([places(1_999_999_999), places(2_000_000_000)], [2, 0]);
    assert_eq!((share.next_ns(0), share.next_ns(1_000_000_000)), (Some(1_000_000_000), Some(1_000_000_000)));
    assert_eq!(share.next_ns(1_000_000_001), None);
    let two = schedule(2, None);
    assert_eq!(two.closed_share(5, 2).expect("one is closed").places_at(WITHIN), 0, "there is no such worker");
}
