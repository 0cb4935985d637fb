//! Thresholds.

use super::super::{Measure, Op, Scope, Statistic, Threshold, ThresholdVerdict, TimeSeries};
use super::support::{Case, MS, p95_at_most, threshold, time};
use crate::clock::Time;
use crate::record::{Missed, Outcome, Percentile};

#[test]
fn the_limit_itself_is_at_most_the_limit_and_not_below_it() {
    let mut case = Case::new();
    case.add(100, 50 * MS, Outcome::Ok);
    assert_eq!(case.against(p95_at_most(50.0)).verdict, ThresholdVerdict::Pass);
    assert_eq!(case.against(p95_at_most(49.9)).verdict, ThresholdVerdict::Fail);
    let below = Threshold { op: Op::Below, ..p95_at_most(50.0) };
    assert_eq!(case.against(below).verdict, ThresholdVerdict::Fail);
}

#[test]
fn fewer_than_twenty_samples_are_not_measured_unless_the_threshold_says_so() {
    let mut case = Case::new();
    case.add(19, 50 * MS, Outcome::Ok);
    let result = case.against(p95_at_most(1_000.0));
    assert_eq!(result.verdict, ThresholdVerdict::NotMeasured);
    assert_eq!(result.note.as_deref(), Some("19 of at least 20 samples"));
    let fewer = Threshold { least: Some(19), ..p95_at_most(1_000.0) };
    assert_eq!(case.against(fewer).verdict, ThresholdVerdict::Pass);
    case.add(1, 50 * MS, Outcome::Ok);
    assert_eq!(case.against(p95_at_most(1_000.0)).verdict, ThresholdVerdict::Pass);
}

#[test]
fn no_data_is_never_a_pass_whatever_is_asked() {
    let mut case = Case::new();
    case.add(30, 50 * MS, Outcome::Failed("plugin_trap"));
    let unknown = TimeSeries::ResponseOf("no such request".to_owned());
    for measure in [
        Measure::Time(TimeSeries::Iteration, Statistic::Percentile(Percentile::P95)),
        Measure::Time(TimeSeries::Response, Statistic::Mean),
        Measure::Time(TimeSeries::Mark("no such mark".to_owned()), Statistic::Max),
        Measure::Time(unknown, Statistic::Max),
    ] {
        for op in [Op::Below, Op::AtMost, Op::Above, Op::AtLeast] {
            let asked = Threshold { least: Some(0), ..threshold(measure.clone(), op, 0.0) };
            let result = case.against(asked);
            assert_eq!((result.verdict, result.figure), (ThresholdVerdict::NotMeasured, None));
        }
    }
    // Of the other workload nothing was offered at all.
    for measure in [Measure::ErrorRate, Measure::Missed] {
        let asked = Threshold { workload: Some(1), ..threshold(measure, Op::AtMost, 1.0) };
        assert_eq!(case.against(asked).verdict, ThresholdVerdict::NotMeasured);
    }
}

#[test]
fn a_threshold_of_errors_says_how_many_it_allows() {
    let mut case = Case::new();
    case.add(973, 50 * MS, Outcome::Ok);
    let result = case.against(threshold(Measure::ErrorRate, Op::AtMost, 0.001));
    assert_eq!(result.verdict, ThresholdVerdict::Pass);
    assert_eq!(result.note.as_deref(), Some("0.1 % of 973: 0 allowed"));
    case.add(27, 50 * MS, Outcome::Failed("http_500"));
    let result = case.against(threshold(Measure::ErrorRate, Op::AtMost, 0.027));
    assert_eq!((result.verdict, result.hits, result.allowed), (ThresholdVerdict::Pass, Some(27), Some(27)));
    let result = case.against(threshold(Measure::ErrorRate, Op::Below, 0.027));
    assert_eq!((result.verdict, result.hits, result.allowed), (ThresholdVerdict::Fail, Some(27), Some(26)));
    let result = case.against(threshold(Measure::ErrorRate, Op::AtMost, 1.0));
    assert_eq!(result.allowed, Some(1_000));
    assert_eq!(case.against(threshold(Measure::ErrorRate, Op::AtLeast, 0.01)).allowed, None);
}

#[test]
fn what_is_allowed_agrees_with_what_passes_at_every_count() {
    for count in 1_u32..300 {
        for limit in [0.0, 0.001, 0.01, 0.07, 0.29, 0.58, 1.0 / 3.0, 1.0] {
            let mut most = None;
            for hits in 0..=count {
                if Op::AtMost.holds(f64::from(hits) / f64::from(count), limit) {
                    most = Some(u64::from(hits));
                }
            }
            let found = super::super::evaluate::allowed(Op::AtMost, limit, u64::from(count));
            assert_eq!(found, most, "{limit} of {count}");
        }
    }
    assert_eq!(super::super::evaluate::allowed(Op::Below, 0.0, 10), Some(0), "nothing can hold; none is allowed");
}

#[test]
fn errors_of_a_hung_target_are_abandoned_iterations() {
    let mut case = Case::new();
    case.add(30, 50 * MS, Outcome::Abandoned);
    let result = case.against(threshold(Measure::ErrorRate, Op::AtMost, 0.01));
    assert_eq!((result.verdict, result.figure.map(|figure| figure.value)), (ThresholdVerdict::Fail, Some(1.0)));
}

#[test]
fn a_percentile_comes_with_its_interval_or_with_what_it_needs() {
    let mut case = Case::new();
    for k in 1..=71 {
        case.add(1, k * MS, Outcome::Ok);
    }
    let result = case.against(p95_at_most(100.0));
    assert_eq!(result.interval, None);
    assert_eq!(result.note.as_deref(), Some("no confidence interval: p95 needs 72 samples"));
    case.add(1, 72 * MS, Outcome::Ok);
    let result = case.against(p95_at_most(100.0));
    assert_eq!(result.figure.map(|figure| figure.value), Some(69.0));
    // B(72, 0.95) ≤ 64 has 2.8 %, ≤ 63 has 0.96 %; B = 72 has 2.49 %.
    assert_eq!(result.interval.map(|interval| (interval.low_ms, interval.high_ms)), Some((64.0, 72.0)));
    assert_eq!(result.note, None);
}

#[test]
fn a_censored_percentile_is_a_lower_bound_and_cannot_pass() {
    let mut case = Case::new();
    case.add(95, 50 * MS, Outcome::Ok).add(5, 300 * MS, Outcome::Failed("timeout_total"));
    // Exactly 1 − p is not above it.
    let result = case.against(p95_at_most(100.0));
    assert_eq!((result.verdict, result.at_least), (ThresholdVerdict::Pass, false));
    case.add(1, 300 * MS, Outcome::Abandoned);
    let result = case.against(p95_at_most(1_000.0));
    assert_eq!((result.verdict, result.at_least), (ThresholdVerdict::NotMeasured, true));
    assert_eq!(result.figure.map(|figure| figure.value), Some(50.0));
    assert_eq!(result.interval, None, "one of those that were ok would leave out the value itself");
    assert_eq!(
        result.note.as_deref(),
        Some("5.94 % of 101 were cut off by a time-out or the end of the drain: the true p95 is at least 300 ms")
    );
    // Those cut off had lasted longer than this already.
    assert_eq!(case.against(p95_at_most(100.0)).verdict, ThresholdVerdict::Fail);
    // Whatever is asked from below: a lower bound does not pass.
    let above = Threshold { op: Op::AtLeast, ..p95_at_most(10.0) };
    assert_eq!(case.against(above).verdict, ThresholdVerdict::NotMeasured);
    // A failure that is no time-out censors nothing.
    let mut case = Case::new();
    case.add(50, 50 * MS, Outcome::Ok).add(50, MS, Outcome::Failed("http_500"));
    assert_eq!(case.against(p95_at_most(100.0)).verdict, ThresholdVerdict::Pass);
}

#[test]
fn one_time_out_makes_the_maximum_and_the_mean_lower_bounds() {
    let mut case = Case::new();
    case.add(100, 50 * MS, Outcome::Ok).add(1, 300 * MS, Outcome::Failed("timeout_first_byte"));
    assert_eq!(case.against(time(Statistic::Max, 1_000.0)).verdict, ThresholdVerdict::NotMeasured);
    assert_eq!(case.against(time(Statistic::Max, 299.0)).verdict, ThresholdVerdict::Fail);
    // With the 300 ms that it had taken by then, the mean is at least 5,300 ÷ 101 = 52.5 ms.
    let mean = case.against(time(Statistic::Mean, 53.0));
    assert_eq!((mean.verdict, mean.at_least), (ThresholdVerdict::Pass, true));
    assert!(mean.note.is_some_and(|note| note.contains("the true mean is at least 52.5 ms")));
    assert_eq!(case.against(time(Statistic::Mean, 52.0)).verdict, ThresholdVerdict::Fail);
}

#[test]
fn a_threshold_judges_its_phase_and_the_judged_one_where_it_names_none() {
    let mut case = Case::new();
    case.add(20, 50 * MS, Outcome::Ok);
    case.recorder.planned(0, 0, 1);
    case.recorder.missed(0, 0, Time(0), Missed::NoSlot);
    let missed = |scope| Threshold { scope, ..threshold(Measure::Missed, Op::AtMost, 0.0) };
    assert_eq!(case.against(missed(Scope::Judged)).verdict, ThresholdVerdict::Pass);
    assert_eq!(case.against(missed(Scope::Phase(0))).verdict, ThresholdVerdict::Fail);
    let whole = case.against(missed(Scope::Run));
    assert_eq!((whole.verdict, whole.hits, whole.count, whole.phase), (ThresholdVerdict::Fail, Some(1), 21, None));
}

#[test]
fn a_result_reads_as_one_sentence() {
    let mut case = Case::new();
    case.add(100, 50 * MS, Outcome::Ok);
    assert_eq!(
        case.against(p95_at_most(49.5)).sentence(),
        "`small` in `steady`: p95 iteration 50.0 ms, must be <= 49.5 ms: fail"
    );
}
