//! Standing rules and the verdict of the run.

use super::super::{InFlightCap, Measure, Op, RunVerdict, Scope, Threshold, ThresholdVerdict};
use super::support::{Case, MS, p95_at_most, threshold};
use crate::clock::Time;
use crate::record::{Missed, Outcome};

fn miss(case: &mut Case, phase: usize, n: u64, why: Missed) {
    case.recorder.planned(0, phase, n);
    for _ in 0..n {
        case.recorder.missed(0, phase, Time(0), why);
    }
}

#[test]
fn a_run_in_order_passes() {
    let mut case = Case::new();
    case.thresholds = vec![p95_at_most(100.0)];
    let judgement = case.add(100, 50 * MS, Outcome::Ok).judge();
    assert_eq!((judgement.verdict, judgement.applies, judgement.reasons), (RunVerdict::Passed, vec![], vec![]));
}

#[test]
fn a_run_in_which_everything_failed_has_failed_without_any_threshold() {
    let mut case = Case::new();
    let judgement = case.add(100, 50 * MS, Outcome::Failed("refused")).judge();
    assert_eq!(judgement.verdict, RunVerdict::Failed);
    assert_eq!(judgement.reasons, ["`small` in `steady`: ok 0, must be >= 1: fail (not one iteration was ok)"]);
}

#[test]
fn a_run_of_which_nothing_was_offered_or_all_was_cancelled_is_not_measured() {
    assert_eq!(Case::new().judge().verdict, RunVerdict::NotMeasured);
    let mut case = Case::new();
    assert_eq!(case.add(10, MS, Outcome::Cancelled).judge().verdict, RunVerdict::NotMeasured);
    let mut case = Case::new();
    case.recorder.planned(0, 1, 10);
    case.recorder.not_offered(0, 1, 10);
    assert_eq!(case.judge().verdict, RunVerdict::NotMeasured);
}

#[test]
fn an_interrupted_run_is_interrupted_whatever_its_figures() {
    let mut case = Case::new();
    case.interrupted = true;
    assert_eq!(case.add(100, 50 * MS, Outcome::Ok).judge().verdict, RunVerdict::Interrupted);
}

#[test]
fn an_arrival_missed_for_want_of_a_slot_fails_the_run_unless_a_threshold_judges_it() {
    let mut case = Case::new();
    case.add(999, 50 * MS, Outcome::Ok);
    miss(&mut case, 0, 1, Missed::NoSlot);
    let judgement = case.judge();
    assert_eq!(judgement.verdict, RunVerdict::Failed);
    assert!(judgement.thresholds[0].standing && judgement.thresholds[0].phase.as_deref() == Some("warm-up"));
    // One on the judged phase says nothing about the other.
    case.thresholds = vec![threshold(Measure::Missed, Op::AtMost, 0.5)];
    assert_eq!(case.judge().verdict, RunVerdict::Failed);
    for scope in [Scope::Phase(0), Scope::Run] {
        let allowed = Threshold { scope, ..threshold(Measure::Missed, Op::AtMost, 1.0) };
        case.thresholds = vec![allowed];
        assert_eq!(case.judge().verdict, RunVerdict::Passed);
    }
    let strict = Threshold { scope: Scope::Run, ..threshold(Measure::Missed, Op::AtMost, 0.0) };
    case.thresholds = vec![strict];
    assert_eq!(case.judge().verdict, RunVerdict::Failed);
}

#[test]
fn the_same_with_a_lowered_cap_is_the_generators_doing() {
    let mut case = Case::new();
    case.in_flight = InFlightCap { cap: 99, default: 100 };
    case.add(999, 50 * MS, Outcome::Ok);
    miss(&mut case, 1, 1, Missed::NoSlot);
    assert_eq!(case.judge().verdict, RunVerdict::Passed, "0.1 % is within the limit");
    miss(&mut case, 1, 1, Missed::NoSlot);
    assert_eq!(case.judge().verdict, RunVerdict::Invalid);
    case.in_flight.cap = 101;
    assert_eq!(case.judge().verdict, RunVerdict::Failed);
}

#[test]
fn the_gravest_verdict_comes_first_and_all_are_named() {
    let mut case = Case::new();
    case.thresholds = vec![p95_at_most(10.0), Threshold { workload: Some(1), ..p95_at_most(10.0) }];
    case.add(100, 50 * MS, Outcome::Ok);
    assert_eq!(case.judge().applies, [RunVerdict::Failed, RunVerdict::NotMeasured]);
    miss(&mut case, 1, 50, Missed::GeneratorLate);
    let graver = [RunVerdict::Invalid, RunVerdict::Failed, RunVerdict::NotMeasured];
    assert_eq!(case.judge().applies, graver);
    case.plugin_faults = true;
    assert_eq!(case.judge().verdict, RunVerdict::StoppedByPluginFaults);
    case.interrupted = true;
    let judgement = case.judge();
    assert_eq!(judgement.verdict, RunVerdict::Interrupted);
    assert_eq!(judgement.applies[..2], [RunVerdict::Interrupted, RunVerdict::StoppedByPluginFaults]);
    assert_eq!(judgement.applies[2..], graver);
}

#[test]
fn rules_that_hold_are_shown_in_one_line_each() {
    let mut case = Case::new();
    let judgement = case.add(100, 50 * MS, Outcome::Ok).judge();
    let lines: Vec<_> = judgement.thresholds.iter().map(|rule| (rule.measure.as_str(), rule.verdict)).collect();
    assert_eq!(lines, [("no_slot", ThresholdVerdict::Pass), ("ok", ThresholdVerdict::Pass)]);
}
