//! Limits on the number of arrivals.

use super::*;

fn limited(stretches: &[Stretch], most: u64) -> Schedule {
    let whole = Whole { seed: 7, max_arrivals: Some(most) };
    Schedule::new(stretches, mix(&[2.0, 1.0]), &whole).expect("a schedule")
}

#[test]
fn a_limited_phase_offers_what_it_may_and_the_next_begins_with_an_arrival() {
    let schedule = schedule(&[at_most(3, constant(10.0, SECOND)), constant(2.0, SECOND)], &[1.0]);
    let seen: Vec<_> = schedule.all().map(|arrival| (arrival.phase, arrival.due_ns / MS)).collect();
    assert_eq!(seen, [(0, 0), (0, 100), (0, 200), (1, 1_000), (1, 1_500)]);
    assert_eq!(schedule.length_ns(), 2 * SECOND, "the phase keeps its length");
}

#[test]
fn a_limit_that_is_not_reached_changes_nothing() {
    for stretch in [constant(10.5, SECOND), ramp(0.0, 21.0, SECOND), at_random(constant(5.0, SECOND))] {
        let both = [stretch.clone(), constant(1.0, SECOND)];
        let limited = [at_most(50, stretch), constant(1.0, SECOND)];
        assert_eq!(due_times(&schedule(&both, &[1.0])), due_times(&schedule(&limited, &[1.0])));
    }
}

#[test]
fn a_limit_just_at_the_integral_keeps_the_fraction_out() {
    // 2.5 offer three; the half that is left would be carried on, had the limit not cut it.
    let schedule = schedule(&[at_most(2, constant(2.5, SECOND)), constant(1.0, SECOND)], &[1.0]);
    let seen: Vec<_> = schedule.all().map(|arrival| (arrival.phase, arrival.due_ns / MS)).collect();
    assert_eq!(seen, [(0, 0), (0, 400), (1, 1_000)]);
}

#[test]
fn a_phase_that_may_offer_nothing_is_a_pause() {
    let cut = [constant(1.5, SECOND), at_most(0, constant(10.0, SECOND)), constant(2.0, SECOND)];
    assert_eq!(counts(&schedule(&cut, &[1.0]), 3), [2, 0, 2]);
}

#[test]
fn a_limited_schedule_is_the_begin_of_the_whole_one() {
    let stretches = [ramp(0.0, 50.0, SECOND), at_random(constant(40.0, SECOND)), pause(SECOND), constant(30.0, SECOND)];
    let whole: Vec<_> = limited(&stretches, u64::MAX).all().collect();
    for most in [0, 1, 24, 25, 26, 60, whole.len() - 1, whole.len(), whole.len() + 1] {
        let schedule = limited(&stretches, most as u64);
        let seen: Vec<_> = schedule.all().collect();
        assert_eq!(seen, whole[..most.min(whole.len())], "{most}");
        assert_eq!((schedule.planned(), schedule.counts().total()), (seen.len() as u64, seen.len() as u64));
        assert_eq!(schedule.length_ns(), 4 * SECOND);
    }
}

#[test]
fn the_limits_of_phase_and_schedule_hold_together() {
    let stretches = [at_most(4, at_random(constant(100.0, SECOND))), at_most(5, constant(100.0, SECOND))];
    assert_eq!(counts(&limited(&stretches, 7), 2), [4, 3]);
    assert_eq!(counts(&limited(&stretches, 100), 2), [4, 5]);
}
