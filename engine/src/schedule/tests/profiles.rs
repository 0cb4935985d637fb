//! What each profile offers, and when.

use super::super::{ProfileError, ScheduleError};
use super::*;

fn refused(stretch: &Stretch) -> Option<ProfileError> {
    let checked = stretch.profile.check(stretch.length_ns).err();
    let made = Schedule::new(&[pause(SECOND), stretch.clone()], mix(&[1.0]), &Whole::default());
    match made.err() {
        Some(ScheduleError::Profile { phase, error }) => assert_eq!((phase, Some(error)), (1, checked)),
        Some(other) => panic!("{other}"),
        None => {}
    }
    checked
}

#[test]
fn counts_are_the_integrals_of_the_definition() {
    let stretches = [
        ramp(0.0, 100.0, 2 * SECOND),
        steps(10.0, 10.0, 3, 3 * SECOND),
        spike(10.0, 100.0, SECOND, SECOND / 2, 2 * SECOND),
        constant(100.0, SECOND),
        points(&[(0, 0.0), (1_000, 50.0), (1_000, 10.0), (3_000, 10.0)], 3 * SECOND),
    ];
    for (stretch, count) in stretches.iter().zip([100, 60, 65, 100, 45]) {
        assert_eq!(schedule(std::slice::from_ref(stretch), &[1.0]).planned(), count, "{stretch:?}");
    }
    assert_eq!(counts(&schedule(&stretches, &[1.0]), 5), [100, 60, 65, 100, 45], "and none lost between them");
}

#[test]
fn a_ramp_is_due_at_the_roots_of_its_integral() {
    // 25 x² = k.
    let up = schedule(&[ramp(0.0, 100.0, 2 * SECOND)], &[1.0]);
    let square = |k: u128| k * u128::from(SECOND) * u128::from(SECOND) / 25;
    let due = |ns: u128| u64::try_from(ns).expect("seconds");
    assert_eq!(due_times(&up), (0..100).map(|k| due(square(k).isqrt())).collect::<Vec<_>>());
    // 100 x − 25 x² = k, the mirror image of the other: (2 − x)² = (100 − k) ÷ 25, rounded so that x is rounded down.
    let down = schedule(&[ramp(100.0, 0.0, 2 * SECOND)], &[1.0]);
    let rest = |k: u128| due((square(100 - k) - 1).isqrt() + 1);
    assert_eq!(due_times(&down), (0..100).map(|k| 2 * SECOND - rest(k)).collect::<Vec<_>>());
}

#[test]
fn half_an_arrival_of_a_ramp_carries_into_the_next_phase() {
    // 1.5 + 1.5: the third is due when the second phase has offered half of one.
    let schedule = schedule(&[ramp(0.0, 3.0, SECOND), ramp(3.0, 0.0, SECOND)], &[1.0]);
    let seen: Vec<_> = schedule.all().map(|arrival| (arrival.phase, arrival.due_ns / MS)).collect();
    // √(2 ÷ 3) s, and 2 − √(2 ÷ 3) s.
    assert_eq!(seen, [(0, 0), (0, 816), (1, 1_183)]);
}

#[test]
fn the_odd_half_of_a_unit_is_not_lost() {
    // A millionth per second along a line over a nanosecond is half of 10^-15 arrivals; 2 × 10^15 of them are one.
    let up = |length_ns| {
        let line = Profile::Ramp { from: Rate::ZERO, to: Rate::from_millionths(1).expect("a rate") };
        Stretch::new(length_ns, line)
    };
    let at_once = schedule(&[up(1_999_999_999_999_999), up(1)], &[1.0]);
    assert_eq!(counts(&at_once, 2), [1, 0]);
    let just_not = schedule(&[up(1_999_999_999_999_999), up(1), up(1)], &[1.0]);
    assert_eq!(
        (counts(&just_not, 3), just_not.all().last().map(|last| last.due_ns)),
        (vec![1, 0, 1], Some(2_000_000_000_000_000))
    );
}

#[test]
fn steps_go_down_too_and_may_end_at_0() {
    let stairs = schedule(&[steps(20.0, -10.0, 3, 3 * SECOND)], &[1.0]);
    let due = due_times(&stairs);
    let within = |from: u64, to: u64| due.iter().filter(|&&ns| (from * SECOND..to * SECOND).contains(&ns)).count();
    assert_eq!((within(0, 1), within(1, 2), within(2, 3)), (20, 10, 0));
    assert_eq!(refused(&steps(20.0, -10.0, 4, SECOND)), Some(ProfileError::StepBelowZero));
}

#[test]
fn steps_of_a_length_that_cannot_be_divided_leave_no_gap() {
    let schedule = schedule(&[steps(1_000.0, 0.0, 7, SECOND)], &[1.0]);
    assert_eq!(due_times(&schedule), (0..1_000).map(|k| k * MS).collect::<Vec<_>>());
}

#[test]
fn a_spike_is_where_it_is_said_to_be() {
    let due = due_times(&schedule(&[spike(10.0, 100.0, SECOND, SECOND / 2, 2 * SECOND)], &[1.0]));
    let within = due.iter().filter(|&&ns| (SECOND..3 * SECOND / 2).contains(&ns)).count();
    assert_eq!((due.len(), within), (65, 50));
    assert_eq!(due[60], 3 * SECOND / 2, "the first after it");
}

#[test]
fn points_may_jump_and_rest_at_0() {
    // Nothing until 1 s, then 20/s at once, down to 0 at 2 s, nothing until 3 s, then up to 10/s and level.
    let stretch = points(&[(1_000, 0.0), (1_000, 20.0), (2_000, 0.0), (3_000, 0.0), (4_000, 10.0)], 5 * SECOND);
    let schedule = schedule(&[stretch], &[1.0]);
    let due = due_times(&schedule);
    assert_eq!(due.len(), 25);
    assert_eq!(due[0], SECOND);
    assert!(due[9] < 2 * SECOND);
    assert_eq!(due[10], 3 * SECOND, "what is due when the rest begins is due when it ends");
    assert!(due[11] > 3 * SECOND);
    assert_eq!(due[15..], [4_000, 4_100, 4_200, 4_300, 4_400, 4_500, 4_600, 4_700, 4_800, 4_900].map(|ms| ms * MS));
}

#[test]
fn points_are_level_before_the_first_and_after_the_last() {
    let stretch = points(&[(500, 10.0), (1_500, 10.0)], 2 * SECOND);
    let level = constant(10.0, 2 * SECOND);
    assert_eq!(due_times(&schedule(&[stretch], &[1.0])), due_times(&schedule(&[level], &[1.0])));
}

#[test]
fn a_ramp_between_equal_rates_and_points_on_a_line_change_nothing() {
    let same = |one: Stretch, other: Stretch| {
        assert_eq!(due_times(&schedule(&[one], &[1.0])), due_times(&schedule(&[other], &[1.0])));
    };
    same(ramp(33.3, 33.3, SECOND), constant(33.3, SECOND));
    same(points(&[(0, 0.0), (500, 50.0), (1_000, 100.0)], SECOND), ramp(0.0, 100.0, SECOND));
    same(points(&[(0, 100.0), (250, 75.0), (1_000, 0.0)], SECOND), ramp(100.0, 0.0, SECOND));
}

#[test]
fn s3_no_stage_of_any_profile_is_off_by_one() {
    // 0.5 + 1.5 + 3 + 12.5 + 0.5 + 0 + 2.25: each boundary lies between two arrivals or on one.
    let stretches = [
        ramp(0.0, 1.0, SECOND),
        ramp(1.0, 2.0, SECOND),
        steps(2.0, -1.0, 3, 3 * SECOND),
        spike(5.0, 10.0, SECOND, SECOND / 2, 2 * SECOND),
        ramp(1.0, 0.0, SECOND),
        pause(SECOND),
        points(&[(0, 0.0), (1_000, 1.5), (2_000, 1.5)], 2 * SECOND),
    ];
    // Before each: 0, 0.5, 2, 5, 17.5, 18, 18, 20.25; a phase has the whole numbers from its begin to below its end.
    assert_eq!(counts(&schedule(&stretches, &[1.0]), 7), [1, 1, 3, 13, 0, 0, 3]);
}

#[test]
fn the_peak_is_the_highest_rate_of_any_moment() {
    let peak = |stretches: &[Stretch]| schedule(stretches, &[1.0]).peak();
    let [up, down] = [ramp(5.0, 20.0, SECOND), ramp(20.0, 5.0, SECOND)];
    assert_eq!([peak(&[up]), peak(&[down])], [rate(20.0); 2]);
    assert_eq!([peak(&[steps(10.0, 10.0, 3, SECOND)]), peak(&[steps(30.0, -10.0, 3, SECOND)])], [rate(30.0); 2]);
    assert_eq!(peak(&[spike(10.0, 100.0, 1, 1, SECOND)]), rate(100.0));
    assert_eq!(peak(&[spike(10.0, 1.0, 1, 1, SECOND)]), rate(10.0));
    assert_eq!(peak(&[points(&[(0, 1.0), (300, 70.0), (1_000, 2.0)], SECOND)]), rate(70.0));
    let no_time = points(&[(0, 1.0), (300, 2.0), (300, 70.0), (300, 3.0)], SECOND);
    assert_eq!(peak(&[no_time]), rate(3.0), "70 lasts no time");
    assert_eq!(peak(&[at_random(constant(7.0, SECOND)), pause(SECOND), constant(6.0, SECOND)]), rate(7.0));
}

#[test]
fn what_is_no_profile_is_refused_with_its_reason() {
    for (stretch, error) in [
        (constant(0.0, SECOND), ProfileError::RateTooLow),
        (constant(0.099_999, SECOND), ProfileError::RateTooLow),
        (constant(100_000.1, SECOND), ProfileError::RateTooHigh),
        (ramp(0.0, 100_000.1, SECOND), ProfileError::RateTooHigh),
        (steps(1.0, 1.0, 0, SECOND), ProfileError::StepCount),
        (steps(1.0, 1.0, 101, SECOND), ProfileError::StepCount),
        (steps(1.0, -0.6, 3, SECOND), ProfileError::StepBelowZero),
        (steps(99_999.0, 0.6, 3, SECOND), ProfileError::RateTooHigh),
        (steps(1.0, 1e9, 3, SECOND), ProfileError::RateTooHigh),
        (spike(1.0, 2.0, 0, 0, SECOND), ProfileError::SpikeEmpty),
        (spike(1.0, 2.0, SECOND / 2, SECOND / 2, SECOND), ProfileError::SpikeTooLong),
        (spike(1.0, 2.0, 1, u64::MAX, SECOND), ProfileError::SpikeTooLong),
        (spike(1.0, 0.0, 1, 1, SECOND), ProfileError::RateTooLow),
        (points(&[], SECOND), ProfileError::NoPoints),
        (points(&[(2, 1.0), (1, 1.0)], SECOND), ProfileError::PointsOutOfOrder),
        (points(&[(1_001, 1.0)], SECOND), ProfileError::PointOutside),
    ] {
        assert_eq!(refused(&stretch), Some(error), "{stretch:?}");
    }
    for right in [
        constant(0.1, SECOND),
        constant(100_000.0, SECOND),
        ramp(0.0, 0.01, SECOND),
        steps(100.0, -1.0, 100, SECOND),
        spike(0.0, 0.1, 0, SECOND - 1, SECOND),
        points(&[(1_000, 0.0)], SECOND),
        pause(0),
    ] {
        assert_eq!(refused(&right), None, "{right:?}");
    }
}

#[test]
fn a_shortened_profile_keeps_its_shape() {
    let half = |stretch: Stretch| stretch.profile.scaled(stretch.length_ns, stretch.length_ns / 2);
    assert_eq!(
        half(spike(1.0, 9.0, SECOND, SECOND / 2, 2 * SECOND)),
        spike(1.0, 9.0, SECOND / 2, SECOND / 4, SECOND).profile
    );
    let triangle = points(&[(0, 0.0), (100, 9.0), (2_000, 0.0)], 2 * SECOND);
    assert_eq!(half(triangle), points(&[(0, 0.0), (50, 9.0), (1_000, 0.0)], SECOND).profile);
    let stairs = steps(1.0, 1.0, 3, SECOND);
    assert_eq!(half(stairs.clone()), stairs.profile);
    let short = spike(1.0, 9.0, 0, 1, SECOND).profile.scaled(SECOND, SECOND / 3);
    assert_eq!(short.check(SECOND / 3), Ok(()), "a spike is never scaled away");
}

#[test]
fn changes_of_a_rate_are_exact_and_may_be_negative() {
    assert_eq!(change(-10.000_001).millionths(), -10_000_001);
    assert_eq!(change(0.3).millionths(), 300_000);
    for wrong in [f64::NAN, f64::NEG_INFINITY, 0.000_000_1, -1e10] {
        assert_eq!(RateChange::per_second(wrong), None, "{wrong}");
    }
}
