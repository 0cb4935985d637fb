//! Times of the two sides against each other.

use serde_json::json;

use super::super::{CheckVerdict, Verdict};
use super::{MS, Sides, T0, US, assert_fault, failing, id};

#[test]
fn distances_are_exact() {
    let verification = Sides::new().verify();
    let figures = |at: usize| {
        let times = &verification.times[at];
        (times.count, times.min_ms, times.p50_ms, times.p99_ms, times.max_ms)
    };
    let all = |ms: f64| (10, Some(ms), Some(ms), Some(ms), Some(ms));
    assert_eq!(figures(0), all(0.2));
    assert_eq!(figures(1), all(0.1));
    // A service time of 1.3 ms, of which 1 ms was in the stub.
    assert_eq!(figures(2), all(0.3));
}

#[test]
fn an_arrival_before_it_was_sent_or_due_is_named() {
    let mut sides = Sides::new();
    sides.seen[4]["arrived_ns"] = json!(T0 + 40 * MS + 60 * US);
    assert_fault(&sides, "no arrival before sent", &id(4), "arrived 0.0400 ms before it was sent");
    sides.seen[4]["arrived_ns"] = json!(T0 + 39 * MS);
    let names: Vec<_> = failing(&sides.verify()).into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        names,
        ["no arrival before due", "no arrival before sent", "service time at least the time in the stub"]
    );
}

#[test]
fn an_end_before_the_stub_had_answered_is_named() {
    let mut sides = Sides::new();
    sides.seen[4]["finished_ns"] = json!(T0 + 42 * MS);
    let names: Vec<_> = failing(&sides.verify()).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["no end before the stub had answered", "service time at least the time in the stub"]);
}

#[test]
fn what_the_clocks_may_differ_by_is_no_fault() {
    let mut sides = Sides::new();
    // 0.1 µs by which the engine may have read its clock wrong, and 1 µs between cores.
    sides.seen[4]["arrived_ns"] = json!(T0 + 40 * MS + 100 * US - 1_100);
    sides.seen[4]["finished_ns"] = json!(T0 + 40 * MS + 1_200 * US);
    assert_eq!(sides.verify().verdict, Verdict::Passed);
    sides.seen[4]["arrived_ns"] = json!(T0 + 40 * MS + 100 * US - 1_101);
    assert_eq!(failing(&sides.verify()), [("no arrival before sent", 1)]);
}

#[test]
fn on_another_machine_times_are_not_compared_and_that_is_no_pass() {
    let mut sides = Sides { journal_boot: "another", ..Sides::new() };
    for seen in &mut sides.seen {
        seen["arrived_ns"] = json!(1);
    }
    let verification = sides.verify();
    assert_eq!(verification.verdict, Verdict::NotChecked, "{:?}", verification.faults);
    let unchecked = verification.checks.iter().filter(|check| check.verdict == CheckVerdict::NotChecked);
    assert_eq!(unchecked.count(), 4);
    assert!(verification.times.iter().all(|times| times.count == 0));
    assert!(super::super::text(&verification).contains("no times are compared"));
    sides.seen.remove(3);
    assert_fault(&sides, "what was sent has arrived", &id(3), "arrived never");
}
