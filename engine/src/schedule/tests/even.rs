//! What holds of constant phases, pauses and the mix.

use super::super::{MixError, Profile, Rate, ScheduleError, Stretch, Weight, arrival_seed};
use super::*;

#[test]
fn a_constant_phase_offers_its_integral_and_the_first_at_once() {
    let schedule = schedule(&[constant(10.0, 2 * SECOND)], &[1.0]);
    assert_eq!(schedule.planned(), 20);
    assert_eq!(due_times(&schedule), (0..20).map(|k| k * SECOND / 10).collect::<Vec<_>>());
}

#[test]
fn a_fraction_carries_over_a_boundary() {
    // 0.5 + 0.5 + 1.5: arrivals 0, 1 and 2; the second is due when the first two phases have offered one whole.
    let schedule =
        schedule(&[constant(0.5, SECOND), constant(0.25, 2 * SECOND), constant(1.0, 3 * SECOND / 2)], &[1.0]);
    let seen: Vec<_> = schedule.all().map(|arrival| (arrival.phase, arrival.due_ns)).collect();
    assert_eq!(seen, [(0, 0), (2, 3 * SECOND), (2, 4 * SECOND)]);
}

#[test]
fn a_fraction_carries_over_a_pause() {
    let schedule = schedule(&[constant(0.5, SECOND), pause(10 * SECOND), constant(0.5, 2 * SECOND)], &[1.0]);
    let seen: Vec<_> = schedule.all().map(|arrival| (arrival.phase, arrival.due_ns)).collect();
    assert_eq!(seen, [(0, 0), (2, 12 * SECOND)]);
}

#[test]
fn nothing_is_due_in_a_pause_also_where_it_comes_first() {
    let schedule = schedule(&[pause(SECOND), constant(2.0, SECOND), pause(SECOND), constant(1.0, SECOND)], &[1.0]);
    let seen: Vec<_> = schedule.all().map(|arrival| (arrival.phase, arrival.due_ns)).collect();
    assert_eq!(seen, [(1, SECOND), (1, 3 * SECOND / 2), (3, 3 * SECOND)]);
}

#[test]
fn an_arrival_due_at_a_boundary_is_the_first_of_the_next_phase() {
    let schedule = schedule(&[constant(10.0, SECOND), constant(5.0, SECOND)], &[1.0]);
    assert_eq!(schedule.counts().phase(0), 10);
    let next = schedule.all().nth(10).expect("an eleventh");
    assert_eq!((next.phase, next.due_ns), (1, SECOND));
}

#[test]
fn a_tenth_per_second_never_drifts() {
    // In binary floating point 0.1 summed 36,000 times is off; here it is not.
    let phases = vec![constant(0.1, SECOND); 36_000];
    let schedule = schedule(&phases, &[1.0]);
    assert_eq!(schedule.planned(), 3_600);
    assert!(schedule.all().enumerate().all(|(k, arrival)| arrival.due_ns == k as u64 * 10 * SECOND));
}

#[test]
fn s1_1500_a_second_are_1500_a_second_and_end_with_the_profile() {
    let schedule = schedule(&[constant(1_500.0, 4 * SECOND)], &[1.0]);
    let due = due_times(&schedule);
    assert_eq!(due.len(), 6_000);
    for second in 0..4 {
        assert_eq!(due.iter().filter(|&&ns| ns / SECOND == second).count(), 1_500);
    }
    assert!(due.iter().all(|&ns| ns < 4 * SECOND));
}

#[test]
fn s2_ten_arrivals_over_five_minutes_are_evenly_spread() {
    let rate = 10.0 / 300.0;
    assert_eq!(Rate::per_second(rate), None, "finer than a millionth");
    let schedule = schedule(&[constant(0.033_334, 300 * SECOND)], &[1.0]);
    let due = due_times(&schedule);
    assert_eq!(due.len(), 11);
    assert!(due.windows(2).all(|pair| (pair[1] - pair[0]).abs_diff(30 * SECOND) < SECOND / 100));
}

#[test]
fn s3_no_stage_is_off_by_one() {
    let stages = [(1.0, 1), (10.0, 3), (100.0, 2), (0.5, 4), (33.25, 4)];
    let stretches: Vec<_> = stages.iter().map(|&(rate, seconds)| constant(rate, seconds * SECOND)).collect();
    let counts = schedule(&stretches, &[1.0]).counts();
    let by_stage: Vec<_> = (0..stages.len()).map(|phase| counts.phase(phase)).collect();
    assert_eq!(by_stage, [1, 30, 200, 2, 133]);
    assert_eq!(counts.total(), 366);
}

#[test]
fn s4_the_same_schedule_every_time() {
    let make = || schedule(&[constant(123.456_789, 7 * SECOND)], &[3.0, 1.0]).all().collect::<Vec<_>>();
    let (first, second) = (make(), make());
    assert_eq!(first.len(), 865, "123.456789 × 7 = 864.197…: 0 to 864");
    assert_eq!(first, second);
}

#[test]
fn s5_arrivals_are_spread_inside_the_millisecond() {
    let due = due_times(&schedule(&[constant(100_000.0, SECOND)], &[1.0]));
    assert_eq!(due.len(), 100_000);
    assert!(due.windows(2).all(|pair| pair[1] - pair[0] == 10_000));
}

#[test]
fn s6_what_is_overdue_after_a_stall_is_spread_over_the_workers() {
    let schedule = schedule(&[constant(1_000.0, 10 * SECOND)], &[45.0, 20.0, 15.0, 12.0, 5.0, 3.0]);
    let stalled = 3 * SECOND..4 * SECOND;
    for of in WORKERS {
        for worker in 0..of {
            let overdue = schedule.share(worker, of).filter(|arrival| stalled.contains(&arrival.due_ns)).count();
            let fair = 1_000.0 / f64::from(of);
            assert!((overdue as f64 - fair).abs() <= 6.0, "{overdue} of {fair} for worker {worker} of {of}");
        }
    }
}

#[test]
fn the_first_twenty_arrivals_of_a_six_workload_mix() {
    let schedule = schedule(&[constant(20.0, SECOND)], &[45.0, 20.0, 15.0, 12.0, 5.0, 3.0]);
    let seen: Vec<_> = schedule.all().map(|a| (a.sequence, a.workload, a.index, a.due_ns / 1_000_000)).collect();
    let golden = [
        (0, 0, 0, 0),
        (1, 1, 0, 50),
        (2, 0, 1, 100),
        (3, 3, 0, 150),
        (4, 1, 1, 200),
        (5, 0, 2, 250),
        (6, 2, 0, 300),
        (7, 0, 3, 350),
        (8, 4, 0, 400),
        (9, 1, 2, 450),
        (10, 0, 4, 500),
        (11, 2, 1, 550),
        (12, 0, 5, 600),
        (13, 0, 6, 650),
        (14, 2, 2, 700),
        (15, 0, 7, 750),
        (16, 3, 1, 800),
        (17, 1, 3, 850),
        (18, 0, 8, 900),
        (19, 2, 3, 950),
    ];
    assert_eq!(seen, golden);
}

#[test]
fn a_thousand_arrivals_have_the_shares_of_the_mix() {
    let counts = schedule(&[constant(100.0, 10 * SECOND)], &[45.0, 20.0, 15.0, 12.0, 5.0, 3.0]).counts();
    let by_workload: Vec<_> = (0..6).map(|workload| counts.workload(workload)).collect();
    for (count, fair) in by_workload.iter().zip([450_u64, 200, 150, 120, 50, 30]) {
        assert!(count.abs_diff(fair) <= 2, "{by_workload:?}");
    }
}

#[test]
fn a_mix_needs_a_workload_and_weights_above_zero() {
    assert_eq!(Mix::new(&[]), Err(MixError::Empty));
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e10, 0.000_000_1] {
        assert_eq!(Weight::new(wrong), None, "{wrong}");
    }
}

#[test]
fn the_bounds_of_a_mix_hold_at_its_extremes() {
    let tiny_and_huge = mix(&[0.000_001, 1_000_000_000.0]);
    assert_eq!(tiny_and_huge.pick(0), 0);
    assert_eq!((1..10_000).map(|k| u32::from(tiny_and_huge.pick(k))).sum::<u32>(), 9_999);
    let huge: Vec<_> = vec![1_000_000_000.0; 1_000];
    let counts = schedule(&[constant(1_000.0, 100 * SECOND)], &huge).counts();
    assert!((0..1_000).all(|workload| counts.workload(workload).abs_diff(100) <= 3));
}

#[test]
fn a_share_that_does_not_exist_is_empty_and_one_that_has_ended_stays_so() {
    let schedule = schedule(&[constant(10.0, SECOND), pause(SECOND)], &[1.0]);
    assert_eq!(schedule.share(2, 2).count(), 0);
    assert_eq!(schedule.share(0, 0).count(), 0);
    let mut share = schedule.share(0, 1);
    assert_eq!(share.by_ref().count(), 10);
    assert_eq!((share.next(), share.next()), (None, None));
}

#[test]
fn a_schedule_without_phases_is_empty() {
    let schedule = schedule(&[], &[1.0]);
    assert_eq!((schedule.planned(), schedule.all().count(), schedule.length_ns()), (0, 0, 0));
    assert_eq!(schedule.peak(), Rate::ZERO);
}

#[test]
fn phases_that_cannot_be_counted_are_refused() {
    let refused = |stretches: &[Stretch]| Schedule::new(stretches, mix(&[1.0]), &Whole::default()).err();
    let level = Stretch::new(u64::MAX, Profile::Constant { rate: Rate::MAX });
    let rising = Stretch::new(u64::MAX, Profile::Ramp { from: Rate::ZERO, to: Rate::MAX });
    assert_eq!(refused(&[level]), Some(ScheduleError::TooLong));
    assert_eq!(refused(&[rising]), Some(ScheduleError::TooLong));
    assert_eq!(refused(&[pause(u64::MAX), pause(1)]), Some(ScheduleError::TooLong));
    assert_eq!(refused(&vec![pause(1); 65_536]), Some(ScheduleError::TooManyPhases));
}

#[test]
fn a_level_rate_is_solved_beyond_where_a_line_is() {
    let days = 10 * 24 * 3_600 * SECOND;
    let level = schedule(&[Stretch::new(days, Profile::Constant { rate: Rate::MAX })], &[1.0]);
    assert_eq!((level.planned(), level.last_due_ns()), (days, Some(days - 1)));
    let rising = Stretch::new(days, Profile::Ramp { from: Rate::ZERO, to: Rate::MAX });
    let refused = Schedule::new(&[rising], mix(&[1.0]), &Whole::default()).err();
    assert_eq!(refused, Some(ScheduleError::TooLong));
}

#[test]
fn seeds_are_the_outputs_of_splitmix64() {
    let seeds: Vec<_> = (0..5).map(|sequence| arrival_seed(1_234_567, sequence)).collect();
    let published = [
        6_457_827_717_110_365_317,
        3_203_168_211_198_807_973,
        9_817_491_932_198_370_423,
        4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
    ];
    assert_eq!(seeds, published);
}

#[test]
fn rates_of_six_decimals_are_exact() {
    for (per_second, millionths) in
        [(0.1, 100_000), (0.3, 300_000), (100_000.0, 100_000_000_000), (33.333_333, 33_333_333)]
    {
        assert_eq!(Rate::per_second(per_second).map(Rate::millionths), Some(millionths));
    }
    for wrong in [-0.1, f64::NAN, f64::INFINITY, 0.1 + 0.2, 1.0 / 3.0] {
        assert_eq!(Rate::per_second(wrong), None, "{wrong}");
    }
}
