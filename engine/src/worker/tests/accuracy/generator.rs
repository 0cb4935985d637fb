//! A generator that is late or away itself: it shows, nothing is sent late, and the run is invalid.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

use super::{Expected, MS, Reply, Rig, SECOND, Told, all, due, report, since, steady, target};
use crate::record::Series;
use crate::report::Summary;
use crate::verdict::{CheckVerdict, RunVerdict};

/// The loop of a worker is away for 300 ms, between two milliseconds in which arrivals are due.
const AWAY: Range<Duration> = Duration::from_millis(1_001)..Duration::from_millis(1_301);
const TOLERANCE: Duration = Duration::from_millis(50);

/// 500/s for 2 s on four workers, against a target that takes 10 ms; with the moments at which it was asked.
fn with_absences(workers: impl IntoIterator<Item = u32>) -> (Told, Vec<Duration>) {
    let rig = Rig {
        workers: 4,
        absences: workers.into_iter().map(|worker| (worker, AWAY)).collect(),
        ..steady(500, 2 * SECOND)
    };
    let asked = Rc::new(RefCell::new(Vec::new()));
    let seen = Rc::clone(&asked);
    let network = target(move |asked| {
        seen.borrow_mut().push(asked.at);
        Reply::Ok(10 * MS)
    });
    let told = report(rig, &network);
    let asked = asked.borrow().clone();
    (told, asked)
}

/// What becomes of an arrival of an absent worker: how late it starts, or that it never does.
fn lateness(due: Duration) -> Option<Duration> {
    let late = if AWAY.contains(&due) { since(AWAY.end, due) } else { Duration::ZERO };
    (late <= TOLERANCE).then_some(late)
}

/// Arrivals with the number of their worker: with one workload every fourth is of the same.
fn arrivals() -> impl Iterator<Item = (u32, Duration)> {
    (0..4).cycle().zip(due(500, 2 * SECOND))
}

fn check<'a>(told: &'a Told, name: &str) -> &'a crate::verdict::Check {
    told.result.judgement.checks.iter().find(|check| check.name == name).expect("a check of that name")
}

#[test]
fn a_coarse_timer_starts_what_is_due_at_each_of_its_wakes() {
    let rig = Rig { wake_gap: 10 * MS, ..steady(500, 2 * SECOND) };
    let told = report(rig, &target(|_| Reply::Ok(10 * MS)));
    assert_eq!(told.workload().states.ok, 1_000);
    // Due every 2 ms, woken every 10 ms: 0, 8, 6, 4, 2, 0, 8, … ms late.
    let woken = |due: Duration| 10 * MS * u32::try_from(due.as_millis().div_ceil(10)).unwrap();
    let late = due(500, 2 * SECOND).map(|due| since(woken(due), due));
    Expected::of(late).assert("lateness", &told.result.starts.lateness);
}

#[test]
fn a_worker_that_was_away_starts_what_is_within_its_tolerance_and_never_sends_the_rest() {
    let (told, asked) = with_absences([2]);
    let of = |worker: u32, due: Duration| if worker == 2 { lateness(due) } else { Some(Duration::ZERO) };
    let late: Vec<Duration> = arrivals().filter_map(|(worker, due)| of(worker, due)).collect();
    let missed = 1_000 - late.len();
    assert_eq!(missed, 31, "due in the first 250 of the 300 ms, every eighth of them");
    let states = &told.workload().states;
    assert_eq!((states.generator_late, states.no_slot, states.ok), (31, 0, 969));
    let starts = &told.result.starts;
    Expected::of(late.iter().copied()).assert("lateness", &starts.lateness);
    Expected::of(late.iter().copied()).assert("generator's delay", &starts.generator_delay);
    all(969, Duration::ZERO).assert("waiting for a slot", &starts.slot_wait);
    // Who is late is charged for it, from the due time on; the target is not.
    let times = told.times();
    Expected::of(late.iter().map(|late| *late + 10 * MS)).assert("iteration", &times.iteration);
    Expected::of(late.iter().map(|late| *late + 10 * MS)).assert("response", &times.response);
    all(969, 10 * MS).assert("service", &times.service);
    // The target is asked when the model says so, and at no other time.
    let mut starts: Vec<Duration> =
        arrivals().filter_map(|(worker, due)| of(worker, due).map(|late| due + late)).collect();
    starts.sort_unstable();
    assert_eq!(asked, starts);
    // The others were on time.
    for (worker, left) in (0..).zip(&told.ran.workers) {
        let lateness = Summary::of(&left.core.borrow().recorder.all().times(Series::Lateness));
        assert_eq!(lateness.max_ms, Some(if worker == 2 { 49.0 } else { 0.0 }), "worker {worker}");
    }
    let missed = check(&told, "missed by the generator");
    assert_eq!((missed.verdict, missed.figure.map(|figure| figure.value)), (CheckVerdict::Invalid, Some(0.031)));
    assert_eq!(check(&told, "sent of offered").verdict, CheckVerdict::Invalid);
    assert_eq!(told.result.judgement.verdict, RunVerdict::Invalid);
}

/// Case S6: what was overdue after a stall was caught up with on one thread.
#[test]
fn what_is_overdue_after_all_workers_were_away_is_caught_up_with_by_each_of_them() {
    let (told, asked) = with_absences(0..4);
    let overdue = |worker: u32| arrivals().filter(move |(of, due)| *of == worker && AWAY.contains(due));
    for (worker, left) in (0..).zip(&told.ran.workers) {
        let counts = left.core.borrow().recorder.all().counts();
        let late = overdue(worker).filter(|(_, due)| lateness(*due).is_some()).count() as u64;
        let missed = overdue(worker).count() as u64 - late;
        assert_eq!((counts.generator_late, counts.started), (missed, 250 - missed), "worker {worker}");
        // 150 were overdue, 25 of them not too late.
        assert!((37..=38).contains(&(late + missed)) && (6..=7).contains(&late), "worker {worker}: {late}, {missed}");
    }
    Expected::of(arrivals().filter_map(|(_, due)| lateness(due))).assert("lateness", &told.result.starts.lateness);
    assert_eq!(told.result.starts.missed, 125);
    // In the moment of coming back there are those 25, and no flood later.
    let at_once = asked.iter().filter(|at| **at == AWAY.end).count();
    assert_eq!((at_once, asked.len()), (25, 875));
    assert_eq!(told.result.judgement.verdict, RunVerdict::Invalid);
}

/// Case S1: on a timer of a millisecond 1,500/s came out as 1,000/s, and as a flood after the end.
#[test]
fn fifteen_hundred_a_second_on_a_timer_of_a_millisecond_are_fifteen_hundred_a_second() {
    let ms = |due: Duration| u64::try_from(due.as_nanos()).expect("short").div_ceil(1_000_000);
    // Here timers are of a millisecond indeed: each starts with the next one.
    let dues: Vec<Duration> = (0..6_000_u64).map(|k| Duration::from_nanos(k * 2_000_000 / 3)).collect();
    let starts: Vec<Duration> = dues.iter().map(|due| Duration::from_millis(ms(*due))).collect();
    for workers in [1, 3] {
        let told = report(Rig { workers, ..steady(1_500, 4 * SECOND) }, &target(|_| Reply::Ok(Duration::ZERO)));
        let states = &told.workload().states;
        assert_eq!((states.planned, states.ok, states.generator_late), (6_000, 6_000, 0));
        let late = Expected::of(dues.iter().zip(&starts).map(|(due, start)| since(*start, *due)));
        late.assert("lateness", &told.result.starts.lateness);
        late.assert("iteration", &told.times().iteration);
        for (second, window) in (0..).zip(&told.result.seconds[0].windows) {
            let sent = starts.iter().filter(|start| start.as_secs() == second).count() as u64;
            let offered = if second < 4 { 1_500 } else { 0 };
            assert_eq!((window.offered, window.sent), (offered, sent), "second {second}");
            assert!(second < 4 || sent == 1, "no flood after the end");
        }
        assert_eq!(told.workload().rates.sent_per_s, Some(1_500.0));
    }
}
