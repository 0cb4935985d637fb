//! Each way in which the two sides can disagree is found and named; what explains itself is counted apart.

use serde_json::json;

use super::super::{CheckVerdict, Outcome, State, Verdict};
use super::{MS, Sides, T0, US, assert_fault, failing, id, seen};

#[test]
fn two_sides_that_agree_pass_every_check() {
    let verification = Sides::new().verify();
    assert_eq!(verification.verdict, Verdict::Passed, "{:?}", verification.faults);
    assert!(verification.checks.iter().all(|check| check.verdict == CheckVerdict::Ok && check.of > 0));
    let counts = &verification.requests;
    assert_eq!((counts.recorded, counts.sent, counts.arrived), (10, 10, 10));
}

#[test]
fn a_request_that_is_missing_from_the_journal_is_named() {
    let mut sides = Sides::new();
    sides.seen.remove(3);
    assert_fault(&sides, "what was sent has arrived", &id(3), "was sent once and answered with 200, and arrived never");
}

#[test]
fn a_request_that_arrived_twice_is_named() {
    let mut sides = Sides::new();
    sides.seen.push(seen(3));
    assert_fault(&sides, "nothing arrived more often than sent", &id(3), "was sent once, and arrived twice");
}

#[test]
fn a_request_of_this_run_that_the_engine_does_not_know_is_named() {
    let mut sides = Sides::new();
    let mut stranger = seen(3);
    stranger["request_id"] = json!(id(77));
    sides.seen.push(stranger);
    assert_fault(&sides, "what arrived is known to the engine", &id(77), "the engine knows nothing of it");
}

#[test]
fn requests_of_others_are_counted_apart() {
    let mut sides = Sides::new();
    for other in [json!(null), json!("0123456789abc-1-0"), json!("probe")] {
        let mut stranger = seen(3);
        stranger["request_id"] = other;
        sides.seen.push(stranger);
    }
    let verification = sides.verify();
    assert_eq!(verification.verdict, Verdict::Passed);
    assert_eq!((verification.requests.without_id, verification.requests.of_others), (1, 2));
    assert_eq!(verification.requests.arrived, 10);
}

#[test]
fn what_arrived_though_it_was_never_sent_is_named() {
    let mut sides = Sides::new();
    let request = sides.fail("refused");
    (request.sent_ns, request.sends) = (None, 0);
    assert_fault(&sides, "nothing arrived more often than sent", &id(9), "was never sent (refused), and arrived once");
    sides.seen.pop();
    let verification = sides.verify();
    assert_eq!(verification.verdict, Verdict::Passed, "{:?}", verification.faults);
    assert_eq!(verification.requests.never_sent["refused"], 1);
}

#[test]
fn what_got_no_answer_may_be_in_the_journal_or_not() {
    let mut sides = Sides::new();
    sides.fail("reset");
    let last = sides.seen.last_mut().unwrap();
    (last["status"], last["complete"], last["faults"]) = (json!(null), json!(false), json!(["reset"]));
    let verification = sides.verify();
    assert_eq!(verification.verdict, Verdict::Passed, "{:?}", verification.faults);
    assert!(verification.requests.unread.is_empty());
    sides.seen.pop();
    let verification = sides.verify();
    assert_eq!(verification.verdict, Verdict::Passed, "{:?}", verification.faults);
    assert_eq!(verification.requests.unread["reset"], 1);
}

#[test]
fn a_re_send_may_be_in_the_journal_once_or_twice_but_its_answer_must() {
    let mut sides = Sides::new();
    let request = &mut sides.requests[9];
    (request.sends, request.stale_resends, request.opened) = (2, 1, true);
    request.first_sent_ns = request.sent_ns;
    let due = request.due_ns;
    request.sent_ns = Some(due + 190 * US);
    let verification = sides.verify();
    assert_eq!(verification.verdict, Verdict::Passed, "{:?}", verification.faults);
    assert_eq!((verification.requests.stale_unread, verification.requests.stale_read), (1, 0));
    let mut first = seen(9);
    (first["sequence"], first["arrived_ns"]) = (json!(8), json!(due + 150 * US));
    (first["status"], first["complete"], first["finished_ns"]) = (json!(null), json!(false), json!(due + 160 * US));
    sides.seen.push(first.clone());
    let verification = sides.verify();
    assert_eq!(verification.verdict, Verdict::Passed, "{:?}", verification.faults);
    assert_eq!((verification.requests.stale_unread, verification.requests.stale_read), (0, 1));
    // Three times is once too often; the first alone is not what was answered.
    sides.seen.push(first);
    assert_eq!(failing(&sides.verify())[0], ("nothing arrived more often than sent", 1));
    sides.seen.remove(9);
    sides.seen.pop();
    let failing: Vec<_> = failing(&sides.verify()).into_iter().map(|(name, _)| name).collect();
    assert_eq!(failing, ["same status", "complete on both sides"]);
}

#[test]
fn redirects_arrive_as_often_as_they_were_followed() {
    let mut sides = Sides::new();
    (sides.requests[9].sends, sides.requests[9].redirects) = (2, 1);
    assert_fault(&sides, "what was sent has arrived", &id(9), "was sent twice and answered with 200, and arrived once");
    let mut first = seen(9);
    (first["arrived_ns"], first["status"]) = (json!(T0 + 90 * MS + 150 * US), json!(302));
    sides.seen.push(first);
    let verification = sides.verify();
    assert_eq!(verification.verdict, Verdict::Passed, "{:?}", verification.faults);
    assert_eq!(verification.requests.redirected, 1);
}

#[test]
fn another_status_is_named() {
    let mut sides = Sides::new();
    sides.seen[4]["status"] = json!(503);
    assert_fault(
        &sides,
        "same status",
        &id(4),
        "was answered with 200, and the stub's status is 503: 4 of the journal (GET /small)",
    );
}

#[test]
fn an_answer_that_is_complete_on_one_side_only_is_named() {
    let mut sides = Sides::new();
    sides.seen[4]["complete"] = json!(false);
    assert_fault(&sides, "complete on both sides", &id(4), "complete for the engine, and not for the stub");
    let mut sides = Sides::new();
    sides.fail("truncated").status = Some(200);
    assert_fault(&sides, "complete on both sides", &id(9), "is truncated for the engine, and complete for the stub");
}

#[test]
fn what_timed_out_although_it_was_answered_is_counted_apart() {
    let mut sides = Sides::new();
    sides.fail("timeout_first_byte");
    let verification = sides.verify();
    assert_eq!(verification.verdict, Verdict::Passed, "{:?}", verification.faults);
    assert_eq!(verification.requests.unheard["timeout_first_byte"], 1);
}

#[test]
fn a_body_of_other_size_is_named_but_for_head() {
    let mut sides = Sides::new();
    sides.seen[4]["body_bytes"] = json!(99);
    assert_fault(&sides, "same bytes of body", &id(4), "100 bytes for the engine, and of 99 for the stub");
    sides.seen[4]["method"] = json!("HEAD");
    assert_eq!(sides.verify().verdict, Verdict::Passed);
}

#[test]
fn ids_that_a_plugin_gives_twice_cannot_be_told_apart() {
    let mut sides = Sides::new();
    for n in [4, 5] {
        (sides.requests[n].id, sides.requests[n].given) = (Some("same".into()), true);
        sides.seen[n]["request_id"] = json!("same");
    }
    let verification = sides.verify();
    assert_eq!(failing(&verification), [("each request has an id of its own", 2)]);
    assert_eq!(verification.faults[0].id.as_deref(), Some("same"));
    assert_eq!(verification.faults[1].text, "arrival 5, exchange 0 goes by an id that its plugin gave to 2 requests");
}

#[test]
fn one_that_was_sent_without_an_id_is_named() {
    let mut sides = Sides::new();
    (sides.requests[4].id, sides.requests[4].given) = (None, true);
    sides.seen.remove(4);
    assert_fault(&sides, "each request has an id of its own", "arrival 4, exchange 0", "its plugin gave it one");
}

#[test]
fn what_was_still_being_given_up_is_counted_apart() {
    let mut sides = Sides::new();
    let request = sides.requests.last_mut().unwrap();
    (request.status, request.sent_ns, request.first_byte_ns) = (None, None, None);
    (request.outcome, request.given_up, request.unsettled, request.sends) = (Outcome::Cancelled, true, true, 0);
    sides.arrivals.last_mut().unwrap().state = State::Abandoned;
    for _ in 0..2 {
        let verification = sides.verify();
        assert_eq!(verification.verdict, Verdict::Passed, "{:?}", verification.faults);
        assert_eq!(verification.requests.unsettled, 1);
        sides.seen.truncate(9);
    }
}

#[test]
fn sums_that_differ_from_the_result_are_named() {
    let sides = Sides::new();
    let mut result = sides.result();
    result.whole.workloads[0].traffic.exchanges = 11;
    result.phases[0].workloads[0].states.ok = 9;
    let verification = super::verify(&sides.books(), vec![sides.journal()], &result).unwrap();
    assert_eq!(failing(&verification), [("exchanges as in result.json", 1), ("states as in result.json", 1)]);
    let texts: Vec<&str> = verification.faults.iter().map(|fault| fault.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "exchanges of small: 10 by the lines, 11 in result.json",
            "arrivals of small in steady that are ok: 10 by the lines, 9 in result.json"
        ]
    );
}

#[test]
fn an_arrival_with_two_states_or_without_its_exchange_is_named() {
    let mut sides = Sides::new();
    sides.arrivals[4].exchanges = 2;
    assert_fault(
        &sides,
        "each arrival has one state and all its exchanges",
        "arrival 4",
        "had 2 exchanges, of which 1 have a line",
    );
    let mut sides = Sides::new();
    sides.arrivals.push(super::arrival(4));
    assert_fault(&sides, "each arrival has one state and all its exchanges", "arrival 4", "more than one final state");
    let mut sides = Sides::new();
    sides.arrivals.remove(4);
    assert_fault(
        &sides,
        "each arrival has one state and all its exchanges",
        "arrival 4",
        "has exchanges and no final state",
    );
}

#[test]
fn lines_that_the_disk_could_not_take_are_no_pass() {
    let sides = Sides { lost: 3, ..Sides::new() };
    let verification = sides.verify();
    assert_eq!(failing(&verification), [("the engine's record is whole", 3)]);
}

#[test]
fn of_many_faults_the_first_are_told_and_all_are_counted() {
    let mut sides = Sides::new();
    (sides.requests, sides.arrivals) = ((0..50).map(super::request).collect(), (0..50).map(super::arrival).collect());
    sides.seen = (0..50).map(seen).collect();
    for seen in &mut sides.seen {
        seen["status"] = json!(201);
    }
    let verification = sides.verify();
    assert_eq!(failing(&verification), [("same status", 50)]);
    assert_eq!(verification.faults.len(), 20);
    let text = super::super::text(&verification);
    assert!(text.contains("- same status: 30 more"), "{text}");
    assert!(text.ends_with("## Verdict\n\n**failed**\n"), "{text}");
}
