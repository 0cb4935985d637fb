//! Figures of the data set, by the cases that broke other tools.

use std::sync::Arc;

use super::super::{RunResult, Summary, markdown};
use super::support::{MS, SECOND, about, evidence, finish, layout, result};
use crate::clock::Time;
use crate::record::{Distribution, ExchangeOutcome, ExchangeSample, Finished, Outcome, Recorder};
use crate::verdict::RunVerdict;

/// Every summary of times of a result.
fn summaries(result: &RunResult) -> Vec<&Summary> {
    let stretches = result.phases.iter().chain([&result.whole]);
    let mut all = vec![&result.starts.lateness, &result.starts.slot_wait, &result.starts.generator_delay];
    for workload in stretches.flat_map(|stretch| &stretch.workloads) {
        let times = &workload.times;
        all.extend([&times.iteration, &times.response, &times.service, &times.connection_wait, &times.queue]);
        all.extend([&times.lookup, &times.connect, &times.tls, &times.failed, &times.cancelled]);
        all.extend([&times.lateness, &times.slot_wait, &times.generator_delay]);
        all.extend(workload.requests.iter().map(|request| &request.response));
        all.extend(workload.metrics.iter().filter_map(|metric| metric.mark.as_ref()));
    }
    all
}

fn assert_monotone(summary: &Summary) {
    let steps = [summary.min_ms, summary.p50_ms, summary.p90_ms, summary.p95_ms, summary.p99_ms, summary.max_ms];
    assert!(steps.is_sorted(), "{summary:?}");
    assert!(summary.min_ms <= summary.mean_ms && summary.mean_ms <= summary.max_ms, "{summary:?}");
    assert_eq!(steps.iter().flatten().count(), if summary.count > 0 { 6 } else { 0 });
}

#[test]
fn percentiles_rise_and_none_is_above_the_maximum_in_any_view() {
    let result = result();
    let all = summaries(&result);
    assert!(all.len() > 100);
    for summary in all {
        assert_monotone(summary);
    }
    // The same where the histogram rounds up: its largest bucket ends above the maximum.
    let mut many = Distribution::default();
    for k in 0..20_000 {
        many.record(1_000_000_001 + k % 3);
    }
    let summary = Summary::of(&many);
    assert!(!summary.exact);
    assert_monotone(&summary);
}

#[test]
fn each_phase_has_its_own_denominator_and_the_drain_has_none() {
    let result = result();
    let steady = &result.phases[1].workloads[0];
    assert_eq!(steady.rates.offered_per_s, Some(90.0));
    let lengths: Vec<f64> = result.phases.iter().chain([&result.whole]).map(|stretch| stretch.length_s).collect();
    assert_eq!(lengths, [2.0, 10.0, 5.0, 17.0]);
    assert_eq!(result.whole.workloads[0].rates.offered_per_s, Some(90.0));
    // Those that end in the drain are completed in no phase.
    let chat = &result.whole.workloads[1];
    let ended = chat.states.ok + chat.states.failed + chat.states.cancelled;
    let completed = chat.rates.completed_per_s.expect("a rate") * 17.0;
    assert!(completed.round() < ended as f64, "{completed} of {ended}");
}

#[test]
fn a_run_that_was_stopped_has_the_time_it_was_offered_as_denominator() {
    let mut recorder = Recorder::new(Arc::new(layout(3)), 0);
    recorder.planned(0, 1, 1_000);
    recorder.not_offered(0, 1, 800);
    for k in 0..200 {
        let due = Time(5 + 2 * SECOND + k * SECOND / 100);
        recorder.started(0, 1, due, due, 0);
        recorder.finished(&finished(due, due.0 + 10 * MS, Outcome::Ok, &[]));
    }
    recorder.close(Time(5 * SECOND));
    let mut about = about();
    about.run.stopped_at_s = Some(4.0);
    let result = finish(&recorder, about, &evidence(), &[]);
    assert_eq!(result.phases.iter().map(|stretch| stretch.length_s).collect::<Vec<_>>(), [2.0, 2.0, 0.0]);
    assert_eq!(result.phases[1].workloads[0].rates.offered_per_s, Some(100.0));
    assert_eq!(result.phases[2].workloads[0].rates.offered_per_s, None);
    assert_eq!(result.judgement.verdict, RunVerdict::Interrupted);
    assert_eq!((result.starts.planned, result.starts.offered, result.starts.recorded), (1_000, 200, 1_000));
}

fn finished<'a>(due: Time, end: u64, outcome: Outcome<'a>, exchanges: &'a [ExchangeSample<'a>]) -> Finished<'a> {
    Finished {
        workload: 0,
        phase: 1,
        due,
        start: due,
        end: Time(end),
        outcome,
        exchanges,
        marks: &[],
        counters: &[],
        observations: &[],
        checks: &[],
    }
}

/// A hundred arrivals in the judged phase that all end the same way.
fn all_end(outcome: Outcome<'_>, exchange: ExchangeOutcome<'_>) -> RunResult {
    let mut recorder = Recorder::new(Arc::new(layout(3)), 0);
    recorder.planned(0, 1, 100);
    for k in 0..100 {
        let due = Time(5 + 2 * SECOND + k * SECOND / 100);
        let sample = ExchangeSample {
            name: recorder.name(0, "GET /"),
            asked: due,
            sent: Some(due),
            end: Time(due.0 + SECOND),
            outcome: exchange,
            status: None,
            bytes_sent: 100,
            bytes_received: 0,
            queued: 0,
            connect: None,
            handshake: false,
            stale_resends: 0,
        };
        recorder.started(0, 1, due, due, 0);
        recorder.finished(&finished(due, due.0 + SECOND, outcome, &[sample]));
    }
    recorder.close(Time(20 * SECOND));
    finish(&recorder, about(), &evidence(), &[])
}

#[test]
fn where_everything_timed_out_there_is_no_latency_and_no_pass() {
    let result = all_end(Outcome::Failed("timeout_total"), ExchangeOutcome::Failed("timeout_total"));
    let small = &result.phases[1].workloads[0];
    for summary in [&small.times.iteration, &small.times.response, &small.times.service] {
        assert_eq!((summary.count, summary.p50_ms, summary.mean_ms, summary.max_ms), (0, None, None, None));
    }
    assert_eq!(small.requests[0].response.count, 0);
    assert_eq!((small.times.failed.count, small.times.failed.p50_ms), (100, Some(1_000.0)), "timed apart");
    assert_eq!(small.error_rate, Some(1.0));
    assert_eq!(result.judgement.verdict, RunVerdict::Failed);
    let report = markdown(&result).expect("a report");
    let line = report.lines().find(|line| line.starts_with("| small") && line.contains(" iteration ")).expect("a line");
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    assert_eq!(cells, ["", "small", "iteration", "0", "n/a", "n/a", "n/a", "n/a", "n/a", "n/a", "n/a", ""]);
    assert!(!report.contains("NaN") && !report.contains("inf"));
}

#[test]
fn requests_in_flight_at_the_end_are_abandoned_and_neither_ok_nor_failed() {
    let result = all_end(Outcome::Abandoned, ExchangeOutcome::Cancelled);
    let states = &result.phases[1].workloads[0].states;
    assert_eq!((states.abandoned, states.failed, states.ok), (100, 0, 0));
    assert!(result.phases[1].workloads[0].failures.is_empty());
    assert_eq!(result.judgement.verdict, RunVerdict::Failed);
}

#[test]
fn setup_is_labelled_apart_and_in_no_other_figure() {
    let result = result();
    assert_eq!(result.setup[0].stage, "setup");
    let exchanges: u64 = result.whole.workloads.iter().map(|workload| workload.traffic.exchanges).sum();
    assert_eq!(exchanges, result.starts.started);
    assert!(result.whole.workloads.iter().all(|workload| workload.requests.iter().all(|r| r.request != "POST /login")));
}

#[test]
fn phases_add_up_to_the_whole_and_seconds_too() {
    let result = result();
    for (index, whole) in result.whole.workloads.iter().enumerate() {
        let of = |count: fn(&super::super::States) -> u64| {
            result.phases.iter().map(|stretch| count(&stretch.workloads[index].states)).sum::<u64>()
        };
        assert_eq!(of(|states| states.planned), whole.states.planned);
        assert_eq!(of(|states| states.ok), whole.states.ok);
        let seconds = &result.seconds[index].windows;
        assert_eq!(seconds.iter().map(|second| second.ok).sum::<u64>(), whole.states.ok);
        assert_eq!(seconds.iter().map(|second| second.sent).sum::<u64>(), whole.states.started);
        let bucketed: u64 = whole.histogram.iter().map(|bucket| bucket.count).sum();
        assert_eq!(bucketed, whole.times.iteration.count);
        assert_eq!(whole.histogram.len(), 14);
    }
}

#[test]
fn every_figure_of_the_report_has_three_significant_digits() {
    let report = markdown(&result()).expect("a report");
    let times = report.lines().filter(|line| line.contains("| iteration ") || line.contains("| service "));
    let mut figures = 0;
    for cell in times.flat_map(|line| line.split('|').skip(4)).map(|cell| cell.trim().trim_start_matches("≥ ")) {
        if cell.is_empty() || cell == "n/a" || cell == "0" {
            continue;
        }
        let digits = cell.trim_start_matches(['0', '.']).chars().filter(char::is_ascii_digit).count();
        assert!(digits >= 3, "{cell}");
        figures += 1;
    }
    assert!(figures > 50);
}

#[test]
fn late_starts_are_those_more_than_a_millisecond_late() {
    let result = result();
    assert_eq!(result.starts.late, 1);
    assert_eq!((result.starts.planned, result.starts.recorded, result.starts.missed), (1_700, 1_700, 1));
}
