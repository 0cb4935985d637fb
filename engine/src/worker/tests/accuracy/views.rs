//! What a report says of phases, workloads and workers.

use std::time::Duration;

use super::super::constant;
use super::{Asked, Expected, MS, Reply, Rig, SECOND, Told, gets, report, rig, target};
use crate::report::{RunResult, Stretch as Shown};
use crate::schedule::{Point, Profile, Rate, Stretch};

fn pause(length: Duration) -> Stretch {
    Stretch::new(u64::try_from(length.as_nanos()).expect("short"), Profile::Pause)
}

/// Case N8: a rate that was divided by warm-up and drain as well.
#[test]
fn each_phase_has_a_denominator_of_its_own_and_neither_pauses_nor_the_drain_have_its_iterations() {
    let phases = [(200, 2), (50, 4), (0, 3), (20, 1)];
    let stretch = |&(rate, seconds): &(u32, u32)| match rate {
        0 => pause(seconds * SECOND),
        rate => constant(f64::from(rate), seconds * SECOND),
    };
    let rig = Rig { workers: 3, ..rig(phases.iter().map(stretch).collect()) };
    let told = report(rig, &target(|_| Reply::Ok(150 * MS)));
    // When each is due, and in which phase.
    let mut start = Duration::ZERO;
    let mut dues = Vec::new();
    let mut bounds = Vec::new();
    for (phase, &(rate, seconds)) in phases.iter().enumerate() {
        dues.extend((0..rate * seconds).map(|k| (phase, start + k * SECOND / rate)));
        bounds.push(start..start + seconds * SECOND);
        start += seconds * SECOND;
    }
    let mut completed = 0;
    for (phase, shown) in told.result.phases.iter().enumerate() {
        let (rate, seconds) = phases[phase];
        let length = f64::from(seconds);
        let ended = dues.iter().filter(|(_, due)| bounds[phase].contains(&(*due + 150 * MS))).count();
        completed += ended;
        let rates = &shown.workloads[0].rates;
        assert_eq!((shown.length_s, rates.offered_per_s), (length, Some(f64::from(rate))), "phase {phase}");
        assert_eq!((rates.sent_per_s, rates.completed_per_s), (Some(f64::from(rate)), Some(ended as f64 / length)));
        assert_eq!(shown.workloads[0].states.planned, u64::from(rate * seconds));
    }
    // The last three of 200/s end in the next phase, the last of all in the drain.
    let whole = told.workload();
    assert_eq!((completed, whole.states.ok), (617, 620));
    assert_eq!(whole.rates.offered_per_s, Some(62.0));
    assert_eq!(whole.rates.completed_per_s, Some(61.7));
}

/// Times of a target that knows paths and moments, and nothing of workers or connections.
fn service(first: bool, at: Duration) -> Duration {
    let at = u32::try_from(at.as_millis()).expect("short");
    if first { (5 + at % 7) * MS } else { (80 + at % 41) * MS }
}

fn reply(asked: &Asked<'_>) -> Reply {
    let first = asked.head.starts_with("GET /first ");
    // One in eleven milliseconds is refused.
    if asked.at.as_millis().is_multiple_of(11) {
        return Reply::Unavailable(service(first, asked.at));
    }
    Reply::Ok(service(first, asked.at))
}

/// Two workloads, three to one, over phases of several profiles.
fn mixed(workers: u32) -> Told {
    let [mut first, mut second] = [gets(), gets()];
    first.config = r#"{"path":"/first"}"#.into();
    second.config = r#"{"path":"/second"}"#.into();
    let rate = |per_second| Rate::per_second(per_second).expect("a rate");
    let point = |at_ns, per_second| Point { at_ns, rate: rate(per_second) };
    let steps = [point(0, 50.0), point(500_000_000, 50.0), point(500_000_000, 200.0)];
    let stretches = vec![
        constant(250.0, SECOND),
        Stretch::new(1_000_000_000, Profile::Points(steps.into())),
        pause(SECOND),
        constant(125.0, 2 * SECOND),
    ];
    let rig = Rig { workers, workloads: vec![(3.0, first), (1.0, second)], ..rig(stretches) };
    report(rig, &target(reply))
}

/// All figures but those of connections, of which each worker has its own, and of what a worker spends.
fn figures(mut result: RunResult) -> RunResult {
    let blank = |shown: &mut Shown| {
        for workload in &mut shown.workloads {
            (workload.traffic.connects, workload.traffic.reused) = (0, 0);
            let times = &mut workload.times;
            (times.lookup.count, times.connect.count) = (0, 0);
        }
    };
    result.phases.iter_mut().for_each(blank);
    blank(&mut result.whole);
    result.judgement.checks.retain(|check| !check.name.contains("worker"));
    result
}

#[test]
fn the_report_of_any_number_of_workers_is_that_of_one() {
    let one = figures(mixed(1).result);
    for workers in [2, 3, 5, 8] {
        let many = figures(mixed(workers).result);
        assert_eq!(many.phases, one.phases, "{workers} workers");
        assert_eq!((&many.whole, &many.starts), (&one.whole, &one.starts), "{workers} workers");
        assert_eq!((&many.seconds, &many.judgement), (&one.seconds, &one.judgement), "{workers} workers");
        assert_eq!(many.plugin_costs, one.plugin_costs);
    }
}

#[test]
fn each_workload_has_its_own_times_in_each_phase() {
    let told = mixed(3);
    for (phase, shown) in told.result.phases.iter().enumerate() {
        for (workload, shown) in shown.workloads.iter().enumerate() {
            let dues = told
                .ran
                .schedule
                .all()
                .filter(|arrival| (usize::from(arrival.phase), usize::from(arrival.workload)) == (phase, workload));
            let dues: Vec<Duration> = dues.map(|arrival| Duration::from_nanos(arrival.due_ns)).collect();
            let (failed, ok): (Vec<_>, Vec<_>) = dues.iter().partition(|due| due.as_millis().is_multiple_of(11));
            let counts = (shown.states.planned, shown.states.ok, shown.states.failed);
            assert_eq!(counts, (dues.len() as u64, ok.len() as u64, failed.len() as u64), "{phase} {workload}");
            let times = |dues: Vec<Duration>| dues.into_iter().map(move |due| service(workload == 0, due));
            if ok.is_empty() {
                assert_eq!((shown.times.iteration.count, shown.times.iteration.p50_ms), (0, None));
            } else {
                Expected::of(times(ok)).assert("iteration", &shown.times.iteration);
            }
            if failed.is_empty() {
                assert_eq!((shown.times.failed.count, shown.times.failed.p50_ms), (0, None));
            } else {
                Expected::of(times(failed)).assert("failed", &shown.times.failed);
            }
        }
    }
}
