//! Checks of the generator.

use std::time::Duration;

use super::super::{Check, CheckVerdict, ConnectionCap, InFlightCap, RunVerdict, Usage, WorkerCpu};
use super::support::{Case, MS, SECOND};
use crate::clock::Time;
use crate::record::{ExchangeOutcome, ExchangeSample, Finished, Missed, Outcome};

const OK: CheckVerdict = CheckVerdict::Ok;
const INVALID: CheckVerdict = CheckVerdict::Invalid;

fn figures(check: &Check) -> (CheckVerdict, Option<f64>, Option<f64>) {
    (check.verdict, check.figure.map(|figure| figure.value), check.limit.map(|limit| limit.value))
}

#[test]
fn what_cannot_be_checked_says_so_and_is_no_pass() {
    let checks = Case::new().judge().checks;
    assert_eq!(checks.len(), 14);
    for check in checks {
        let expected = match check.name.as_str() {
            // Nothing in, nothing out: these hold.
            "accounting identity" | "in flight against throughput × time" => OK,
            _ => CheckVerdict::NotChecked,
        };
        assert_eq!(check.verdict, expected, "{}", check.name);
        assert!(!check.detail.is_empty());
        assert_eq!(check.figure.is_none(), expected == CheckVerdict::NotChecked);
    }
}

#[test]
fn every_invalid_check_says_what_to_change() {
    let mut case = Case::new();
    case.in_flight.cap = 1;
    case.add_late(90, 20 * MS, Outcome::Ok, 10 * MS, 0);
    case.recorder.missed(0, 1, Time(0), Missed::GeneratorLate);
    case.recorder.stalled(50 * MS);
    case.recorder.plugin_call(0, Some(1), "iteration.on-items", 6 * SECOND);
    case.recorder.started(0, 1, Time(0), Time(0), 0);
    case.evidence.cpu = Some(vec![WorkerCpu { worker: 0, seconds: vec![0.95; 10] }]);
    case.evidence.throttled_ns = Some(1);
    case.evidence.descriptors = Some(Usage { peak: 91, limit: 100 });
    case.evidence.ports = Some(Usage { peak: 91, limit: 100 });
    let judgement = case.judge();
    for check in &judgement.checks {
        // One has a test of its own; the others, of the target, only warn.
        if ["wait for a connection", "warm-up", "drift"].iter().any(|start| check.name.starts_with(start)) {
            continue;
        }
        assert_eq!(check.verdict, INVALID, "{}", check.name);
        assert!(check.advice.as_ref().is_some_and(|advice| advice.len() > 20), "{}", check.name);
        assert!(judgement.reasons.contains(&check.sentence()), "{}", check.name);
    }
    assert_eq!(judgement.verdict, RunVerdict::Invalid);
}

#[test]
fn an_arrival_unaccounted_for_makes_the_run_invalid() {
    let mut case = Case::new();
    case.add(3, 50 * MS, Outcome::Ok);
    case.recorder.planned(0, 1, 1);
    let check = case.check("accounting identity");
    assert_eq!(figures(&check), (INVALID, Some(1.0), Some(0.0)));
    assert_eq!(
        check.detail,
        "`small` in `steady`: planned 4 against not offered 0 + missed 0 + started 3; started 3 against ok 3 + cancelled \
         0 + failed 0 + abandoned 0 + lost 0"
    );
    // An interrupted run is checked as well.
    case.interrupted = true;
    assert!(case.judge().applies.contains(&RunVerdict::Invalid));
}

#[test]
fn deviations_of_two_workloads_do_not_cancel_out() {
    let mut case = Case::new();
    case.add(3, 50 * MS, Outcome::Ok);
    case.recorder.planned(1, 1, 1);
    case.recorder.started(0, 1, Time(0), Time(0), 0);
    assert_eq!(case.check("accounting identity").figure.map(|figure| figure.value), Some(2.0));
}

#[test]
fn lateness_may_be_one_millisecond_or_a_twentieth_of_the_median() {
    for (median, late, verdict, limit) in [
        (10 * MS, MS, OK, 1.0),
        (10 * MS, MS + 1, INVALID, 1.0),
        (200 * MS, 10 * MS, OK, 10.0),
        (200 * MS, 10 * MS + 1, INVALID, 10.0),
    ] {
        let mut case = Case::new();
        let check = case.add_late(100, median, Outcome::Ok, late, 0).check("lateness p99");
        assert_eq!(figures(&check), (verdict, Some(late as f64 / 1e6), Some(limit)));
    }
    // One in a hundred may be later.
    let mut case = Case::new();
    case.add(99, 10 * MS, Outcome::Ok).add_late(1, 10 * MS, Outcome::Ok, 9 * MS, 0);
    assert_eq!(case.check("lateness p99").verdict, OK);
}

#[test]
fn who_is_late_by_the_timers_setting_is_told_so() {
    let advice = |wake_gap, late| {
        let mut case = Case::new();
        case.wake_gap = wake_gap;
        let check = case.add_late(100, 5 * MS, Outcome::Ok, late, 0).check("lateness p99");
        check.advice.expect("an invalid run has one")
    };
    let coarse = "the timer is too coarse for a target this quick: set limits.timer to \"balanced\"";
    assert_eq!(advice(Duration::from_millis(1), 1_010_000), coarse);
    for (wake_gap, late) in [(Duration::from_micros(250), 1_010_000), (Duration::from_millis(1), 3 * MS)] {
        assert!(advice(wake_gap, late).starts_with("the generator started late"));
    }
}

#[test]
fn waiting_for_a_slot_is_the_generators_lateness_only_with_a_lowered_cap() {
    let mut case = Case::new();
    case.add_late(100, 40 * MS, Outcome::Ok, 30 * MS, 30 * MS);
    assert_eq!(case.check("lateness p99").verdict, OK);
    case.in_flight = InFlightCap { cap: 10, default: 100 };
    assert_eq!(case.check("lateness p99").verdict, INVALID);
}

#[test]
fn a_stalled_worker_shows_among_others_that_were_not() {
    let mut case = Case::new();
    case.add(100, 10 * MS, Outcome::Ok);
    let mut other = crate::record::Recorder::new(std::sync::Arc::new(case.recorder.layout().clone()), 7);
    for _ in 0..1_000 {
        case.recorder.stalled(MS / 10);
    }
    for _ in 0..20 {
        other.stalled(2 * MS);
    }
    case.recorder.merge(&other);
    let check = case.check("worker loop stall p99");
    assert_eq!(figures(&check), (INVALID, Some(2.0), Some(1.0)));
    assert_eq!(check.detail, "worker 7, 20 samples");
}

#[test]
fn one_hiccup_among_few_is_not_judged_and_a_long_absence_is() {
    for (stall, verdict) in [(20 * MS, CheckVerdict::NotChecked), (20 * MS + 1, INVALID)] {
        let mut case = Case::new();
        case.add(100, 10 * MS, Outcome::Ok);
        for _ in 0..18 {
            case.recorder.stalled(0);
        }
        case.recorder.stalled(stall);
        assert_eq!(case.check("worker loop stall p99").verdict, verdict, "{stall}");
    }
}

#[test]
fn ten_full_seconds_in_a_row_are_too_many() {
    let mut case = Case::new();
    let mut seconds = vec![0.99; 9];
    seconds.push(0.9);
    seconds.extend([0.99; 9]);
    case.evidence.cpu =
        Some(vec![WorkerCpu { worker: 0, seconds: vec![0.1; 30] }, WorkerCpu { worker: 1, seconds: seconds.clone() }]);
    let name = "seconds above 90 % of a core";
    assert_eq!(figures(&case.check(name)), (OK, Some(9.0), Some(10.0)));
    seconds.push(0.901);
    case.evidence.cpu = Some(vec![WorkerCpu { worker: 1, seconds }]);
    assert_eq!(figures(&case.check(name)), (INVALID, Some(10.0), Some(10.0)));
    case.evidence.cpu = Some(vec![WorkerCpu::default()]);
    assert_eq!(case.check(name).verdict, CheckVerdict::NotChecked);
}

#[test]
fn plugins_may_take_a_fifth_of_a_core_and_with_a_warning_half() {
    for (seconds, verdict) in [(2, OK), (3, CheckVerdict::Warning), (5, CheckVerdict::Warning), (6, INVALID)] {
        let mut case = Case::new();
        case.recorder.plugin_call(0, Some(1), "iteration.on-items", seconds * SECOND);
        // Neither the other phase nor setup counts.
        case.recorder.plugin_call(0, Some(0), "iteration.on-items", 9 * SECOND);
        case.recorder.plugin_call(0, None, "iteration.on-items", 9 * SECOND);
        let check = case.check("plugin time of a worker's core");
        assert_eq!(figures(&check), (verdict, Some(seconds as f64 / 10.0), Some(0.5)));
        assert_eq!(check.advice.is_some(), verdict != OK);
    }
}

#[test]
fn a_slow_call_of_a_plugin_is_named_where_it_kept_a_worker_busy() {
    let slow = "; the longest call of a plugin: 50.0 ms in `iteration.on-items` of `tea_python`";
    let mut case = Case::new();
    case.add(2_000, 20 * MS, Outcome::Ok);
    for _ in 0..200 {
        case.recorder.stalled(50 * MS);
        case.recorder.plugin_call(0, Some(1), "iteration.on-items", 50 * MS);
        case.recorder.plugin_call(0, Some(1), "iteration.on-timer", 49 * MS);
    }
    for (name, start) in [
        ("worker loop stall p99", "worker 0, 200 samples"),
        ("plugin time of a worker's core", "worker 0, judged phase; above 20 % a warning"),
    ] {
        assert_eq!(case.check(name).detail, format!("{start}{slow}"));
    }
    // Where nothing is wrong nothing is said.
    let mut case = Case::new();
    case.add(2_000, 20 * MS, Outcome::Ok);
    for _ in 0..200 {
        case.recorder.stalled(MS / 10);
    }
    case.recorder.plugin_call(0, Some(1), "iteration.on-items", 50 * MS);
    assert_eq!(case.check("worker loop stall p99").detail, "worker 0, 200 samples");
}

#[test]
fn nine_tenths_of_the_descriptors_or_ports_may_be_in_use() {
    for (peak, verdict) in [(90, OK), (91, INVALID)] {
        let mut case = Case::new();
        case.evidence.descriptors = Some(Usage { peak, limit: 100 });
        case.evidence.ports = Some(Usage { peak, limit: 100 });
        assert_eq!(case.check("file descriptors in use").verdict, verdict);
        assert_eq!(case.check("ephemeral ports in use").verdict, verdict);
    }
}

#[test]
fn one_failure_for_want_of_a_port_or_descriptor_is_the_clients_fault() {
    for (reason, name) in [("port_exhausted", "ephemeral ports in use"), ("fd_exhausted", "file descriptors in use")] {
        let mut case = Case::new();
        case.add(1_000, 10 * MS, Outcome::Ok).add(1, MS, Outcome::Failed(reason));
        let check = case.check(name);
        assert_eq!(figures(&check), (INVALID, Some(1.0), Some(0.0)));
        assert_eq!(case.judge().verdict, RunVerdict::Invalid);
    }
}

#[test]
fn a_cap_on_connections_binds_when_exchanges_wait_at_it() {
    for (waiting, verdict) in [(1, OK), (2, INVALID)] {
        let mut case = Case::new();
        case.evidence.connection_cap = Some(ConnectionCap::At(4));
        for k in 0..100 {
            let name = case.recorder.name(0, "GET /");
            let exchange = ExchangeSample {
                name,
                asked: Time(10 * SECOND),
                sent: Some(Time(10 * SECOND)),
                end: Time(10 * SECOND + 10 * MS),
                outcome: ExchangeOutcome::Complete,
                status: Some(200),
                bytes_sent: 0,
                bytes_received: 0,
                queued: if k < waiting { 3 * MS } else { 0 },
                connect: None,
                handshake: false,
                stale_resends: 0,
            };
            case.recorder.planned(0, 1, 1);
            case.recorder.started(0, 1, exchange.asked, exchange.asked, 0);
            case.recorder.finished(&Finished {
                workload: 0,
                phase: 1,
                due: exchange.asked,
                start: exchange.asked,
                end: exchange.end,
                outcome: Outcome::Ok,
                exchanges: &[exchange],
                marks: &[],
                counters: &[],
                observations: &[],
                checks: &[],
            });
        }
        let check = case.check("wait for a connection at the cap p99");
        assert_eq!((check.verdict, check.detail.as_str()), (verdict, "cap 4, 100 exchanges"));
    }
}

#[test]
fn the_generator_may_miss_one_in_a_thousand_and_must_send_99_percent() {
    let cases = [(999, 1, OK, OK), (998, 2, INVALID, OK), (990, 10, INVALID, OK), (989, 11, INVALID, INVALID)];
    for (sent, missed, missed_verdict, sent_verdict) in cases {
        let mut case = Case::new();
        case.add(sent, 10 * MS, Outcome::Ok);
        case.recorder.planned(0, 1, missed);
        for _ in 0..missed {
            case.recorder.missed(0, 1, Time(0), Missed::GeneratorLate);
        }
        assert_eq!(case.check("missed by the generator").verdict, missed_verdict, "{missed}");
        assert_eq!(case.check("sent of offered").verdict, sent_verdict, "{missed}");
    }
}

#[test]
fn many_misses_in_the_judged_phase_are_not_hidden_by_a_long_run() {
    let mut case = Case::new();
    case.add(99, 10 * MS, Outcome::Ok);
    case.recorder.planned(0, 1, 1);
    case.recorder.missed(0, 1, Time(0), Missed::GeneratorLate);
    case.recorder.planned(1, 0, 100_000);
    case.recorder.not_offered(1, 0, 0);
    let check = case.check("missed by the generator");
    assert_eq!((check.verdict, check.detail.as_str()), (INVALID, "1 of 100 offered, judged phase"));
}

#[test]
fn littles_law_holds_by_book_keeping() {
    let mut case = Case::new();
    case.add_late(100, 10 * MS, Outcome::Ok, MS, 0).add(50, 30 * MS, Outcome::Abandoned).add(3, MS, Outcome::Lost);
    let name = "in flight against throughput × time";
    let check = case.check(name);
    assert_eq!((check.verdict, check.figure.map(|figure| figure.value)), (OK, Some(0.0)));
    // An iteration that never ends in the books was in flight to the end of the run.
    let mut case = Case::new();
    case.add(100, 10 * MS, Outcome::Ok);
    case.recorder.started(0, 1, Time(0), Time(50 * SECOND), 0);
    assert_eq!(case.check(name).verdict, INVALID);
}
