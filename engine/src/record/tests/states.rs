//! Final states and what belongs to them.

use super::super::{
    CheckSample, ConnectParts, CountSample, ExchangeOutcome, Finished, MOST_NAMES, MOST_REASONS, MarkSample,
    MetricData, Missed, ObservationSample, Outcome, Percentile, Series,
};
use super::support::{MS, SECOND, exchange, finished, recorder, run};
use crate::clock::Time;

#[test]
fn every_arrival_ends_in_exactly_one_state() {
    let mut recorder = recorder();
    recorder.planned(0, 0, 9);
    recorder.not_offered(0, 0, 2);
    recorder.missed(0, 0, Time(0), Missed::NoSlot);
    recorder.missed(0, 0, Time(0), Missed::GeneratorLate);
    let outcomes = [Outcome::Ok, Outcome::Cancelled, Outcome::Failed("http_503"), Outcome::Abandoned, Outcome::Lost];
    for outcome in outcomes {
        run(&mut recorder, &finished(0, MS, outcome));
    }
    let counts = recorder.all().workload(0).phase(0).counts();
    assert_eq!((counts.planned, counts.offered(), counts.recorded(), counts.started), (9, 7, 9, 5));
    assert_eq!((counts.ok, counts.cancelled, counts.failed, counts.abandoned, counts.lost), (1, 1, 1, 1, 1));
    assert_eq!((counts.no_slot, counts.generator_late), (1, 1));
    assert!(counts.identity_holds());
    // (failed + abandoned) ÷ (started − lost)
    assert_eq!(counts.error_rate(), Some(0.5));
    assert_eq!(recorder.flight().in_flight(), 0);
}

#[test]
fn the_identity_breaks_when_an_arrival_is_forgotten_or_counted_twice() {
    let mut recorder = recorder();
    recorder.planned(0, 0, 1);
    assert!(!recorder.all().counts().identity_holds(), "never started");
    recorder.started(0, 0, Time(0), Time(0), 0);
    assert!(!recorder.all().counts().identity_holds(), "never ended");
    recorder.finished(&finished(0, MS, Outcome::Ok));
    assert!(recorder.all().counts().identity_holds());
    recorder.finished(&finished(0, MS, Outcome::Ok));
    assert!(!recorder.all().counts().identity_holds(), "ended twice");
}

#[test]
fn a_hung_target_has_an_error_rate_of_100_percent() {
    let mut recorder = recorder();
    for _ in 0..3 {
        run(&mut recorder, &finished(0, SECOND, Outcome::Abandoned));
    }
    assert_eq!(recorder.all().counts().error_rate(), Some(1.0));
    // Lost ones are nobody's fault and leave nothing to divide by.
    let mut recorder = super::support::recorder();
    run(&mut recorder, &finished(0, SECOND, Outcome::Lost));
    assert_eq!(recorder.all().counts().error_rate(), None);
}

#[test]
fn failures_and_cancelled_iterations_are_timed_apart() {
    let mut recorder = recorder();
    let name = recorder.name(0, "GET /");
    for (end, outcome) in [(10, Outcome::Ok), (500, Outcome::Failed("http_500")), (70, Outcome::Cancelled)] {
        let exchanges = [exchange(name, 0, end * MS)];
        let marks = [MarkSample { metric: 0, interval: end * MS, weight: 1 }];
        run(&mut recorder, &Finished { exchanges: &exchanges, marks: &marks, ..finished(0, end * MS, outcome) });
    }
    let all = recorder.all();
    for series in [Series::Iteration, Series::Response] {
        assert_eq!((all.times(series).count(), all.times(series).max()), (1, Some(10 * MS)));
    }
    assert_eq!(all.times(Series::Service).max(), Some(9 * MS));
    assert_eq!(all.times(Series::ConnectionWait).max(), Some(MS));
    assert_eq!(all.response_of("GET /").count(), 1);
    assert_eq!(all.mark("first_token").max(), Some(10 * MS));
    assert_eq!(all.times(Series::Failed).max(), Some(500 * MS));
    assert_eq!(all.times(Series::Cancelled).max(), Some(70 * MS));
    // What was moved and answered counts whatever became of the iteration.
    assert_eq!((all.traffic().exchanges, all.traffic().bytes_received), (3, 3_000));
    assert_eq!(all.statuses().get(&200), Some(&3));
}

#[test]
fn an_exchange_that_failed_within_an_ok_iteration_is_not_a_response() {
    let mut recorder = recorder();
    let name = recorder.name(0, "GET /");
    let mut failed = exchange(name, 0, 900 * MS);
    failed.outcome = ExchangeOutcome::Failed("reset");
    failed.status = None;
    let mut given_up = exchange(name, 0, 800 * MS);
    given_up.outcome = ExchangeOutcome::Cancelled;
    let exchanges = [failed, given_up, exchange(name, 0, 5 * MS)];
    run(&mut recorder, &Finished { exchanges: &exchanges, ..finished(0, 5 * MS, Outcome::Ok) });
    let all = recorder.all();
    assert_eq!((all.times(Series::Response).count(), all.times(Series::Response).max()), (1, Some(5 * MS)));
    assert_eq!(all.exchange_failures(), [("reset".to_owned(), 1)]);
    assert!(all.failures().is_empty());
    assert_eq!(all.requests()["GET /"].failed, 1);
}

#[test]
fn lateness_splits_into_waiting_for_a_slot_and_the_generators_own_delay() {
    let mut recorder = recorder();
    recorder.started(0, 0, Time(0), Time(10 * MS), 8 * MS);
    recorder.started(0, 0, Time(0), Time(MS), 5 * MS);
    let all = recorder.all();
    assert_eq!(all.times(Series::Lateness).sum(), u128::from(11 * MS));
    assert_eq!(all.times(Series::SlotWait).sum(), u128::from(9 * MS), "no more than the lateness itself");
    assert_eq!(all.times(Series::GeneratorDelay).sum(), u128::from(2 * MS));
}

#[test]
fn connections_count_as_opened_or_reused_and_their_parts_are_timed() {
    let mut recorder = recorder();
    let name = recorder.name(0, "GET /");
    let mut opened = exchange(name, 0, 5 * MS);
    opened.connect = Some(ConnectParts { lookup: 1, connect: 2, tls: Some(3) });
    opened.queued = 4;
    let mut resent = exchange(name, 0, 5 * MS);
    resent.stale_resends = 1;
    let mut refused = exchange(name, 0, 5 * MS);
    refused.sent = None;
    refused.outcome = ExchangeOutcome::Failed("refused");
    let exchanges = [opened, resent, refused];
    run(&mut recorder, &Finished { exchanges: &exchanges, ..finished(0, 5 * MS, Outcome::Ok) });
    let all = recorder.all();
    let traffic = all.traffic();
    assert_eq!((traffic.connects, traffic.reused, traffic.stale_resends), (1, 1, 1));
    let sums = [Series::Lookup, Series::Connect, Series::Tls, Series::Queue].map(|series| all.times(series).sum());
    assert_eq!(sums, [1, 2, 3, 4]);
    assert_eq!(all.times(Series::Queue).count(), 3);
}

#[test]
fn a_weighted_mark_counts_as_many_samples_of_its_part() {
    let mut recorder = recorder();
    let marks =
        [MarkSample { metric: 0, interval: 40 * MS, weight: 4 }, MarkSample { metric: 0, interval: MS, weight: 0 }];
    run(&mut recorder, &Finished { marks: &marks, ..finished(0, 50 * MS, Outcome::Ok) });
    let mark = recorder.all().mark("first_token");
    assert_eq!((mark.count(), mark.min(), mark.max()), (4, Some(10 * MS), Some(10 * MS)));
}

#[test]
fn counters_and_checks_count_in_every_iteration_and_observations_in_those_that_were_ok() {
    let mut recorder = recorder();
    for outcome in [Outcome::Ok, Outcome::Failed("decode")] {
        let done = Finished {
            counters: &[CountSample { metric: 1, n: 5 }],
            observations: &[ObservationSample { metric: 2, value: 2.5 }],
            checks: &[CheckSample { metric: 3, passed: true }, CheckSample { metric: 3, passed: false }],
            ..finished(0, MS, outcome)
        };
        run(&mut recorder, &done);
    }
    let metrics = recorder.all().metrics(0);
    assert!(matches!(metrics[1], MetricData::Counter(10)));
    assert!(
        matches!(&metrics[2], MetricData::Observation(values) if values.count() == 1 && values.mean() == Some(2.5))
    );
    assert!(matches!(metrics[3], MetricData::Check { passed: 2, failed: 2 }));
}

#[test]
fn figures_that_make_no_sense_are_refused_and_counted() {
    let mut recorder = recorder();
    let done = Finished {
        marks: &[MarkSample { metric: 99, interval: 1, weight: 1 }],
        counters: &[CountSample { metric: 0, n: 1 }],
        observations: &[ObservationSample { metric: 2, value: f64::NAN }],
        checks: &[CheckSample { metric: u32::MAX, passed: true }],
        ..finished(0, MS, Outcome::Ok)
    };
    run(&mut recorder, &done);
    assert_eq!(recorder.all().refused(), 4);
}

#[test]
fn fifty_reasons_are_told_apart_and_the_rest_are_other() {
    let mut recorder = recorder();
    for text in 0..2_000 {
        // The frequent ones come last.
        for _ in 0..if (300..400).contains(&text) { 2 } else { 1 } {
            let reason = format!("check: text {text:04}");
            run(&mut recorder, &finished(0, MS, Outcome::Failed(&reason)));
        }
    }
    run(&mut recorder, &finished(0, MS, Outcome::Failed("timeout_idle")));
    let failures = recorder.all().failures();
    assert_eq!(failures.len(), MOST_REASONS + 1);
    assert_eq!(failures[0], ("other".to_owned(), 2_101 - 1 - 49 * 2));
    assert_eq!(failures[1], ("check: text 0300".to_owned(), 2));
    assert!(failures.contains(&("timeout_idle".to_owned(), 1)), "the engine's own reasons are never crowded out");
    assert_eq!(failures.iter().map(|(_, count)| count).sum::<u64>(), recorder.all().counts().failed);
}

#[test]
fn a_hundred_names_are_told_apart_and_the_rest_are_other() {
    let mut recorder = recorder();
    for text in 0..150 {
        let name = recorder.name(0, &format!("GET /{text}"));
        let exchanges = [exchange(name, 0, 5 * MS)];
        run(&mut recorder, &Finished { exchanges: &exchanges, ..finished(0, 5 * MS, Outcome::Ok) });
    }
    let requests = recorder.all().requests();
    assert_eq!(requests.len(), MOST_NAMES + 1);
    assert_eq!((requests["other"].exchanges, requests["other"].response.count()), (50, 50));
}

#[test]
fn an_iteration_completes_in_the_phase_in_which_it_ends_and_belongs_to_the_one_in_which_it_was_due() {
    let mut recorder = recorder();
    run(&mut recorder, &finished(9 * SECOND, 11 * SECOND, Outcome::Ok));
    run(&mut recorder, &finished(9 * SECOND, 21 * SECOND, Outcome::Ok));
    let counts = |phase| recorder.all().phase(phase).counts();
    assert_eq!((counts(0).ok, counts(0).completed), (2, 0));
    assert_eq!((counts(1).ok, counts(1).completed), (0, 1));
}

#[test]
fn seconds_hold_arrivals_by_due_starts_by_start_and_the_rest_by_end() {
    let mut recorder = recorder();
    recorder.missed(0, 0, Time(500 * MS), Missed::NoSlot);
    recorder.started(0, 0, Time(900 * MS), Time(1_100 * MS), 0);
    let name = recorder.name(0, "GET /");
    let exchanges = [exchange(name, 900 * MS, 2_500 * MS)];
    let done = Finished { exchanges: &exchanges, ..finished(900 * MS, 2_500 * MS, Outcome::Ok) };
    recorder.finished(&done);
    let seconds = recorder.windows(0);
    assert_eq!(seconds.len(), 3);
    assert_eq!((seconds[0].offered, seconds[0].missed, seconds[0].sent), (2, 1, 0));
    assert_eq!((seconds[1].sent, seconds[1].completed), (1, 0));
    assert_eq!((seconds[2].completed, seconds[2].ok, seconds[2].ok_time_max), (1, 1, 1_600 * MS));
    assert_eq!((seconds[2].bytes_sent, seconds[2].bytes_received), (100, 1_000));
    assert!(recorder.windows(1).is_empty());
}

#[test]
fn a_time_far_past_the_run_does_not_take_memory_without_end() {
    let mut recorder = recorder();
    run(&mut recorder, &finished(u64::MAX - 1, u64::MAX, Outcome::Ok));
    assert_eq!(recorder.windows(0).len(), 7 * 24 * 3_600);
}

#[test]
fn live_figures_count_from_the_last_look() {
    let mut recorder = recorder();
    run(&mut recorder, &finished(0, 10 * MS, Outcome::Ok));
    recorder.started(0, 0, Time(0), Time(0), 0);
    let live = recorder.take_live();
    assert_eq!((live.total.offered, live.total.in_flight(), live.recent.ok), (2, 1, 1));
    assert_eq!(live.recent_times.percentile(Percentile::P95), Some(10 * MS));
    recorder.finished(&finished(0, 30 * MS, Outcome::Failed("reset")));
    let live = recorder.take_live();
    assert_eq!((live.total.ok, live.total.failed, live.recent.ok, live.recent.failed), (1, 1, 0, 1));
    assert_eq!((live.total.in_flight(), live.recent_times.count()), (0, 0));
}

#[test]
fn time_in_flight_is_the_same_from_events_in_any_order() {
    let mut recorder = recorder();
    recorder.started(0, 0, Time(0), Time(5), 0);
    recorder.started(0, 0, Time(0), Time(20), 0);
    recorder.finished(&finished(0, 12, Outcome::Ok));
    assert_eq!(recorder.flight().in_flight(), 1);
    recorder.close(Time(30));
    recorder.close(Time(40));
    assert_eq!((recorder.flight().area(), recorder.flight().closed()), (7 + 10, Some(Time(30))));
}
