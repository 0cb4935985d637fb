//! Warm-up and drift of the judged phase.

use super::super::{CheckVerdict, RunVerdict};
use super::support::{Case, MS, SECOND};
use crate::clock::Time;
use crate::record::{Finished, Outcome};

const WARM_UP: &str = "warm-up in the judged phase";
const DRIFT: &str = "drift of the judged phase";

/// A judged phase of ten seconds at 100/s, in which an iteration that is due so many milliseconds after its start takes so
/// many microseconds.
fn case(time_us: impl Fn(u64) -> u64) -> Case {
    let mut case = Case::new();
    case.evidence.level_rate = Some(true);
    case.recorder.planned(0, 1, 1_000);
    for k in 0..1_000 {
        let due = Time(10 * SECOND + k * 10 * MS);
        case.recorder.started(0, 1, due, due, 0);
        case.recorder.finished(&Finished {
            workload: 0,
            phase: 1,
            due,
            start: due,
            end: Time(due.0 + time_us(k * 10) * 1_000),
            outcome: Outcome::Ok,
            exchanges: &[],
            marks: &[],
            counters: &[],
            observations: &[],
            checks: &[],
        });
    }
    case
}

/// Up to 2 ms around 20 ms, without any trend.
fn noise(ms: u64) -> u64 {
    18_000 + ms.wrapping_mul(0x9E37_79B9_7F4A_7C15) % 4_000
}

#[test]
fn times_without_a_trend_are_fine() {
    let mut case = case(noise);
    for name in [WARM_UP, DRIFT] {
        let check = case.check(name);
        assert_eq!(check.verdict, CheckVerdict::Ok, "{check:?}");
        assert!(check.figure.is_some_and(|figure| figure.value < 0.05), "{check:?}");
        assert_eq!(check.limit.map(|limit| limit.value), Some(0.05));
        assert_eq!(check.advice, None);
    }
}

#[test]
fn a_slow_start_is_told_with_its_length_and_leaves_no_drift() {
    let mut case = case(|ms| noise(ms) + if ms < 1_000 { 30_000 } else { 0 });
    let check = case.check(WARM_UP);
    assert_eq!(check.verdict, CheckVerdict::Warning, "{check:?}");
    assert!(check.detail.starts_with("`small`: the first 1.0"), "{}", check.detail);
    assert!(check.detail.contains("s took 49.") || check.detail.contains("s took 50."), "{}", check.detail);
    assert!(
        check.detail.contains("ms on the mean, the rest 20.0 ms") || check.detail.contains("the rest 19.9"),
        "{}",
        check.detail
    );
    assert!(check.advice.is_some_and(|advice| advice.contains("warms up")));
    assert_eq!(case.check(DRIFT).verdict, CheckVerdict::Ok, "told once");
    let judgement = case.judge();
    assert_ne!(judgement.verdict, RunVerdict::Invalid, "a warning only");
}

#[test]
fn a_rise_and_a_fall_are_named() {
    let mut rising = case(|ms| noise(ms) + ms / 2);
    let check = rising.check(DRIFT);
    assert_eq!(check.verdict, CheckVerdict::Warning, "{check:?}");
    assert!(check.detail.starts_with("`small`: rising, from "), "{}", check.detail);
    assert!(check.advice.is_some_and(|advice| advice.contains("does not sustain")));

    let mut falling = case(|ms| noise(ms) + (10_000 - ms) / 2);
    let check = falling.check(DRIFT);
    assert_eq!(check.verdict, CheckVerdict::Warning, "{check:?}");
    assert!(check.detail.starts_with("`small`: falling, from "), "{}", check.detail);
    assert!(check.advice.is_some_and(|advice| advice.contains("a later phase")));
}

#[test]
fn a_large_difference_that_may_be_chance_is_no_warning() {
    // One in a hundred takes a second: the means of the halves differ by chance alone.
    let mut case = case(|ms| if (ms / 10 * 7_919) % 97 == 0 { 1_000_000 + ms } else { 1_000 });
    for name in [WARM_UP, DRIFT] {
        let check = case.check(name);
        assert_eq!(check.verdict, CheckVerdict::Ok, "{check:?}");
    }
}

#[test]
fn a_rate_that_is_not_level_or_too_few_iterations_are_not_checked() {
    let mut ramp = case(noise);
    ramp.evidence.level_rate = Some(false);
    let mut few = Case::new();
    few.evidence.level_rate = Some(true);
    few.add(49, 10 * MS, Outcome::Ok);
    for (mut case, why) in [(ramp, "not level"), (few, "too few")] {
        for name in [WARM_UP, DRIFT] {
            let check = case.check(name);
            assert_eq!((check.verdict, check.figure), (CheckVerdict::NotChecked, None));
            assert!(check.detail.contains(why), "{}", check.detail);
        }
    }
}
