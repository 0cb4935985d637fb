//! What fails is in no distribution of what was right, and what was cut off makes lower bounds.

use std::time::Duration;

use super::{Expected, Judged, MS, Reply, SECOND, Told, all, at_most, due, judged, report, steady, target};
use crate::record::Percentile;
use crate::verdict::{RunVerdict, Threshold, ThresholdVerdict};

/// Reasons of failed iterations, with how often.
fn failures(told: &Told) -> Vec<(&str, u64)> {
    told.workload().failures.iter().map(|failure| (&*failure.reason, failure.count)).collect()
}

#[test]
fn a_share_of_resets_is_a_share_of_failures_and_changes_no_time_of_those_that_were_ok() {
    // Each request has a connection of its own, so that its number is that of its arrival. Resets take long.
    let is_reset = |number: usize| number % 4 == 3;
    let time = |number: usize| u32::try_from(10 + number % 10).expect("small") * MS;
    let network =
        target(
            move |asked| {
                if is_reset(asked.number) { Reply::HangUp(700 * MS) } else { Reply::LastOk(time(asked.number)) }
            },
        );
    let told = report(steady(200, 5 * SECOND), &network);
    let workload = told.workload();
    assert_eq!((workload.states.ok, workload.states.failed, workload.error_rate), (750, 250, Some(0.25)));
    assert_eq!(failures(&told), [("reset", 250)]);
    let expected = Expected::of((0..1_000).filter(|&number| !is_reset(number)).map(time));
    let times = &workload.times;
    for (series, shown) in [("iteration", &times.iteration), ("response", &times.response), ("service", &times.service)]
    {
        expected.assert(series, shown);
        assert!(shown.at_least.is_empty(), "a reset cuts nothing off");
    }
    expected.assert("response(GET /)", &workload.requests[0].response);
    all(250, 700 * MS).assert("failed", &times.failed);
    let held: u64 = workload.histogram.iter().map(|bucket| bucket.count).sum();
    assert_eq!(held, 750);
}

/// Case N10: answers of an overloaded target that are refused at once must not make it look fast.
#[test]
fn quick_refusals_do_not_make_a_target_look_fast() {
    let network =
        target(|asked| if asked.number.is_multiple_of(2) { Reply::Unavailable(MS) } else { Reply::Ok(100 * MS) });
    let told = report(steady(100, 4 * SECOND), &network);
    let times = told.times();
    for (series, shown) in [("iteration", &times.iteration), ("response", &times.response), ("service", &times.service)]
    {
        all(200, 100 * MS).assert(series, shown);
    }
    all(200, MS).assert("failed", &times.failed);
    assert_eq!((told.workload().error_rate, failures(&told)), (Some(0.5), vec![("http_503", 200)]));
}

/// Case N9: everything timed out, and the tool showed a time.
#[test]
fn a_target_that_hangs_has_no_times_and_nothing_passes() {
    let mut rig = steady(100, 3 * SECOND);
    rig.workloads[0].1.timeouts.total = SECOND;
    let thresholds = [at_most(Percentile::P95, 1e9)];
    let told = judged(rig, &target(|_| Reply::Never), &Judged { phase: 0, thresholds: &thresholds });
    let workload = told.workload();
    assert_eq!((workload.states.ok, workload.states.failed, workload.error_rate), (0, 300, Some(1.0)));
    assert_eq!(failures(&told), [("timeout_total", 300)]);
    all(300, SECOND).assert("failed", &workload.times.failed);
    let json = serde_json::to_value(&told.result).expect("it can be written");
    let times = &json["whole"]["workloads"][0]["times"];
    for series in ["iteration", "response", "service", "connection_wait"] {
        assert_eq!(times[series]["count"], 0);
        for figure in ["min_ms", "mean_ms", "p50_ms", "p90_ms", "p95_ms", "p99_ms", "max_ms"] {
            assert!(times[series][figure].is_null(), "{figure} of {series} is {}", times[series][figure]);
        }
        let shown = series.replace('_', " ");
        let line = told.text.lines().find(|line| line.contains(&format!("| {shown} "))).expect("its line");
        assert_eq!(line.matches("n/a").count(), 7, "{line}");
    }
    let judgement = &told.result.judgement;
    let threshold = judgement.thresholds.last().expect("a threshold");
    assert_eq!((threshold.verdict, threshold.figure), (ThresholdVerdict::NotMeasured, None));
    assert_eq!(judgement.verdict, RunVerdict::Failed);
}

/// Iterations of 50 ms of which so many in a hundred hang, with thresholds on the p99 and the p95.
fn partly_hung(hung: usize, thresholds: &[Threshold]) -> Told {
    let mut rig = steady(100, 10 * SECOND);
    rig.workloads[0].1.timeouts.total = 2 * SECOND;
    let network = target(move |asked| if asked.number % 100 < hung { Reply::Never } else { Reply::Ok(50 * MS) });
    let told = judged(rig, &network, &Judged { phase: 0, thresholds });
    let (ok, cut) = (1_000 - 10 * hung, 10 * hung);
    all(ok, 50 * MS).assert("iteration", &told.times().iteration);
    all(cut, 2 * SECOND).assert("failed", &told.times().failed);
    assert_eq!(failures(&told), [("timeout_total", cut as u64)]);
    told
}

#[test]
fn time_outs_make_the_percentiles_they_reach_lower_bounds() {
    let thresholds = [at_most(Percentile::P95, 60.0), at_most(Percentile::P99, 1_999.0), at_most(Percentile::P99, 1e9)];
    let told = partly_hung(3, &thresholds);
    let times = told.times();
    for shown in [&times.iteration, &times.response, &times.service] {
        // 3 % are more than 1 − 0.99 and not more than 1 − 0.95.
        assert_eq!(shown.at_least, ["mean", "p99", "max"]);
    }
    let line = told.text.lines().find(|line| line.contains("| iteration ")).expect("its line");
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    assert_eq!(cells[5..], ["50.0", "50.0", "50.0", "≥ 50.0", "≥ 50.0"]);
    // Those cut off had taken two seconds already: that breaks one limit, and holds none.
    let asked = told.result.judgement.thresholds.iter().filter(|threshold| !threshold.standing);
    let came: Vec<_> = asked.map(|threshold| (threshold.verdict, threshold.at_least)).collect();
    let expected =
        [(ThresholdVerdict::Pass, false), (ThresholdVerdict::Fail, true), (ThresholdVerdict::NotMeasured, true)];
    assert_eq!(came, expected);
}

#[test]
fn a_share_cut_off_of_just_one_in_a_hundred_leaves_the_p99_as_it_is() {
    let told = partly_hung(1, &[at_most(Percentile::P99, 50.0)]);
    assert_eq!(told.times().iteration.at_least, ["mean", "max"]);
    assert_eq!(told.result.judgement.verdict, RunVerdict::Passed);
}

/// Cases E2 and E3.
#[test]
fn what_is_in_flight_when_the_drain_ends_is_abandoned_and_a_lower_bound() {
    // 2,995 ms each, and a drain of 2 s after 2 s of schedule: those due by 1,005 ms end in it.
    let mut rig = steady(100, 2 * SECOND);
    rig.drain = 2 * SECOND;
    rig.workers = 2;
    let told = report(rig, &target(|_| Reply::Ok(2_995 * MS)));
    let cut: Vec<Duration> = due(100, 2 * SECOND).filter(|due| *due + 2_995 * MS > 4 * SECOND).collect();
    let states = &told.workload().states;
    assert_eq!((states.ok, states.abandoned, states.failed), (101, 99, 0));
    assert_eq!(cut.len(), 99);
    all(101, 2_995 * MS).assert("iteration", &told.times().iteration);
    assert_eq!(told.times().iteration.at_least, ["mean", "p90", "p95", "p99", "max"].map(str::to_owned));
    assert_eq!((told.workload().error_rate, failures(&told)), (Some(99.0 / 200.0), Vec::new()));
    assert_eq!(told.times().failed.count, 0, "abandoned is no failure");
    // The drain is bounded, and belongs to no phase: nothing was completed within the schedule.
    assert_eq!(told.ran.took, 4 * SECOND);
    assert_eq!(told.workload().rates.completed_per_s, Some(0.0));
}
