//! Targets that are slow in one way or another, without a queue.

use std::time::Duration;

use super::{Expected, Judged, MS, Reply, SECOND, all, at_most, due, judged, report, steady, target};
use crate::client::tests::kit::OK;
use crate::record::Percentile;
use crate::verdict::{RunVerdict, Threshold, ThresholdVerdict};

#[test]
fn a_slow_start_is_in_the_times_of_the_first_and_in_no_others() {
    // From a second downwards, until 10 ms are reached.
    let service = |at: Duration| SECOND.saturating_sub(at).max(10 * MS);
    let told = report(steady(200, 5 * SECOND), &target(move |asked| Reply::Ok(service(asked.at))));
    let expected = Expected::of(due(200, 5 * SECOND).map(service));
    let times = told.times();
    for (series, shown) in [("iteration", &times.iteration), ("response", &times.response), ("service", &times.service)]
    {
        expected.assert(series, shown);
    }
    // 198 of the thousand took longer than 10 ms: 15, 20 … 1,000 ms. The p90 is the 98th of them.
    assert_eq!((times.iteration.p50_ms, times.iteration.p90_ms), (Some(10.0), Some(500.0)));
    assert_eq!((times.iteration.p99_ms, times.iteration.max_ms), (Some(950.0), Some(1_000.0)));
}

/// A percentile of so many thousandths of a per cent is at most that many milliseconds.
fn percentile(thousandths: u32, limit: f64) -> Threshold {
    at_most(Percentile::from_thousandths(thousandths).expect("a percentile"), limit)
}

/// Case N4: of 200 fast and 200 slow ones the 200th is the last fast one.
#[test]
fn where_fast_and_slow_take_turns_the_median_is_fast_and_the_next_rank_slow() {
    let thresholds = [percentile(50_000, 10.0), percentile(50_001, 10.0), percentile(50_250, 500.0)];
    let network = target(|asked| Reply::Ok(if asked.number.is_multiple_of(2) { 10 * MS } else { 500 * MS }));
    let told = judged(steady(100, 4 * SECOND), &network, &Judged { phase: 0, thresholds: &thresholds });
    let expected = Expected::of([10 * MS, 500 * MS].repeat(200));
    expected.assert("iteration", &told.times().iteration);
    expected.assert("service", &told.times().service);
    let asked = told.result.judgement.thresholds.iter().filter(|threshold| !threshold.standing);
    let came: Vec<_> =
        asked.map(|one| (one.measure.as_str(), one.figure.expect("a figure").value, one.verdict)).collect();
    assert_eq!(
        came,
        [
            ("p50 iteration", 10.0, ThresholdVerdict::Pass),
            ("p50.001 iteration", 500.0, ThresholdVerdict::Fail),
            ("p50.25 iteration", 500.0, ThresholdVerdict::Pass),
        ]
    );
    assert_eq!(told.result.judgement.verdict, RunVerdict::Failed);
}

#[test]
fn seconds_that_take_turns_at_being_fast_and_slow_are_told_apart_second_by_second() {
    let service = |at: Duration| if at.as_secs().is_multiple_of(2) { MS } else { 400 * MS };
    let mut rig = steady(100, 6 * SECOND);
    rig.workers = 2;
    let told = report(rig, &target(move |asked| Reply::Ok(service(asked.at))));
    Expected::of(due(100, 6 * SECOND).map(service)).assert("iteration", &told.times().iteration);
    // A second holds what ended in it: of a slow one the first 60, and in the next fast one the other 40.
    let ends = due(100, 6 * SECOND).map(|due| (due + service(due), service(due)));
    for (second, shown) in (0..7).zip(&told.result.seconds[0].windows) {
        let ended = ends.clone().filter(|(end, _)| end.as_secs() == second);
        let (count, sum) = ended.clone().fold((0, 0.0), |(n, sum), (_, time)| (n + 1, sum + time.as_secs_f64() * 1e3));
        assert_eq!((shown.ok, shown.completed), (count, count), "second {second}");
        assert!((shown.ok_mean_ms.expect("some ended") - sum / count as f64).abs() < 1e-6, "second {second}");
        assert_eq!(shown.ok_max_ms, ended.map(|(_, time)| time.as_secs_f64() * 1e3).reduce(f64::max));
    }
}

#[test]
fn an_answer_that_comes_byte_by_byte_takes_until_its_last_byte() {
    let length = u32::try_from(OK.len()).expect("a short answer");
    let told = report(steady(50, 4 * SECOND), &target(|_| Reply::Dribble(7 * MS)));
    let expected = all(200, length * 7 * MS);
    let times = told.times();
    for (series, shown) in [("iteration", &times.iteration), ("response", &times.response), ("service", &times.service)]
    {
        expected.assert(series, shown);
    }
    assert_eq!(told.workload().states.ok, 200);
}

/// Case E4: a time-out of a second, a median of 34.7 s and no time-out counted. A byte now and then breaks no silence that
/// counts: the time-out is that of the whole exchange.
#[test]
fn an_answer_that_comes_byte_by_byte_fails_at_the_time_out_of_the_whole_exchange() {
    let mut rig = steady(50, 4 * SECOND);
    rig.workloads[0].1.timeouts.total = SECOND;
    let told = report(rig, &target(|_| Reply::Dribble(900 * MS)));
    let workload = told.workload();
    assert_eq!((workload.states.failed, workload.states.ok), (200, 0));
    let failures: Vec<_> = workload.failures.iter().map(|failure| (&*failure.reason, failure.count)).collect();
    assert_eq!(failures, [("timeout_total", 200)]);
    all(200, SECOND).assert("failed", &workload.times.failed);
    assert_eq!(workload.times.iteration.p50_ms, None);
    assert!(told.ran.took <= 5 * SECOND, "{:?}", told.ran.took);
}
