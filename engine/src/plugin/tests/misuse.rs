//! What a guest asks for where it may not, or more than it may.

use super::guest::{Guest, Request};
use super::{arrival, instance, limits, load, load_under};
use crate::plugin::{Action, Event, Instance, Limits, Refused};

const FINISH: &str = "(call $finish (i32.const 0) (i32.const 0) (i32.const 0))";

/// Repeats a text so many times in a loop.
fn repeat(times: u32, text: &str) -> String {
    format!(
        "(local $n i32) (loop $more {text} (local.set $n (i32.add (local.get $n) (i32.const 1))) \
         (br_if $more (i32.lt_u (local.get $n) (i32.const {times}))))"
    )
}

/// What the `start` of a guest is told it did wrong, and how many actions it got through.
fn started(guest: &Guest) -> (Option<String>, usize) {
    let mut instance = instance(guest);
    instance.start(&arrival(0)).map_or_else(|fault| panic!("{fault}"), drop);
    let mut actions: Vec<Action> = Vec::new();
    instance.take_actions(&mut actions);
    (instance.take_misuse(), actions.len())
}

#[test]
fn actions_after_the_end_are_misuse() {
    let send = "(drop (call $wait (i64.const 1)))";
    for (text, says) in [
        (format!("{FINISH}{send}"), "`wait` after `finish`"),
        (format!("{FINISH}{FINISH}"), "`finish` after `finish`"),
        (format!("{FINISH}(call $cancel (i32.const 0))"), "`cancel` after `finish`"),
    ] {
        let (misuse, actions) = started(&Guest::new().first("[method]plan.start", &text));
        assert_eq!(misuse.as_deref(), Some(says));
        assert_eq!(actions, 1, "what came before it");
    }
}

#[test]
fn what_is_allowed_elsewhere_only_is_misuse() {
    for (text, says) in [
        (
            "(drop (call $register_blob (i32.const 1024) (i32.const 8)))",
            "`register-blob` is allowed in `configure` only",
        ),
        ("(call $share (i32.const 1024) (i32.const 8))", "`share` is allowed in setup flows only"),
        (
            "(call $close (i32.const 0) (i32.const 1005) (i32.const 0) (i32.const 0))",
            "`close` with code 1005: 1000 to 1003, 1007 to 1014 and 3000 to 4999 can be sent",
        ),
        (
            "(call $close (i32.const 0) (i32.const 1000) (i32.const 1024) (i32.const 124))",
            "`close` with a text of 124 bytes where 123 are allowed",
        ),
    ] {
        let (misuse, _) = started(&Guest::new().first("[method]plan.start", text));
        assert_eq!(misuse.as_deref(), Some(says));
    }
    let guest = Guest::new().first("[static]plan.configure", FINISH);
    let Err(Refused::Config(text)) = Instance::new(&load(&guest), "{}", None).map(drop) else { panic!("misuse") };
    assert_eq!(text, "misuse in `configure`: `finish` is not allowed in `describe` and `configure`");
    // In `describe` and in a destructor there is nobody to ask: nothing comes of it.
    let guest = Guest::new().first("describe", FINISH).first("[dtor]iteration", "(drop (call $wait (i64.const 1)))");
    let mut instance = instance(&guest);
    let flow = instance.start(&arrival(0)).unwrap();
    instance.take_actions(&mut Vec::new());
    instance.end(flow).unwrap();
    let mut actions = Vec::new();
    instance.take_actions(&mut actions);
    assert!(actions.is_empty() && instance.take_misuse().is_none(), "{actions:?}");
}

#[test]
fn ten_thousand_actions_fit_into_a_call_and_one_more_does_not() {
    let sends = |times| {
        let mut guest = Guest::new();
        let request = guest.image.get();
        let request = guest.image.words(&request.0);
        let text = repeat(times, &format!("(drop (call $send (i32.const {request})))"));
        guest.body("[method]plan.start", &format!("{text} (call $new_iteration (i32.const 0))"))
    };
    assert_eq!(started(&sends(10_000)), (None, 10_000));
    assert_eq!(started(&sends(10_001)), (Some("more than 10000 actions in one call".to_owned()), 10_000));
}

#[test]
fn a_million_actions_fit_into_an_iteration_and_one_more_does_not() {
    let counts = repeat(10_000, "(call $check (i32.const 0) (i32.const 1))");
    let guest = Guest::new()
        .body("[method]plan.start", "(call $new_iteration (i32.const 0))")
        .body("[method]iteration.on-timer", &counts);
    let limits = Limits { call: std::time::Duration::from_secs(10), ..limits() };
    let mut instance = Instance::new(&load_under(limits, &guest).unwrap(), "{}", None).unwrap();
    let mut flow = instance.start(&arrival(0)).unwrap();
    let mut actions = Vec::new();
    for _ in 0..100 {
        instance.deliver(&mut flow, &Event::Timer { timer: 0 }).unwrap();
        instance.take_actions(&mut actions);
        assert_eq!((actions.len(), instance.take_misuse()), (10_000, None));
        actions.clear();
    }
    instance.deliver(&mut flow, &Event::Timer { timer: 0 }).unwrap();
    assert_eq!(instance.take_misuse().as_deref(), Some("more than 1000000 actions in one iteration"));
    instance.take_actions(&mut actions);
    assert!(actions.is_empty());
}

#[test]
fn what_one_call_asks_for_is_bounded_in_bytes() {
    // Bodies of 1 MiB, over and over the same memory, under a limit of 4 MiB.
    let guest = |times| {
        let mut guest = Guest::new().pages(32);
        let request = guest.image.get().with(Request::BODY, &[1, 1 << 20, 1 << 20]);
        let request = guest.image.words(&request.0);
        let text = repeat(times, &format!("(drop (call $send (i32.const {request})))"));
        guest.body("[method]plan.start", &format!("{text} (call $new_iteration (i32.const 0))"))
    };
    let limits = Limits { string: 4 << 20, ..limits() };
    let sent = |times| {
        let mut instance = Instance::new(&load_under(limits.clone(), &guest(times)).unwrap(), "{}", None).unwrap();
        instance.start(&arrival(0)).map(drop).unwrap();
        let mut actions = Vec::new();
        instance.take_actions(&mut actions);
        (instance.take_misuse(), actions.len())
    };
    assert_eq!(sent(3), (None, 3));
    let says = "`send`: the actions of one call hold more than 4194304 bytes (limits.plugin.string)";
    assert_eq!(sent(5), (Some(says.to_owned()), 3));
}

#[test]
fn what_a_setup_flow_shares_is_bounded_over_all_its_calls() {
    let share = "(call $share (i32.const 20000) (i32.const 40000))";
    let guest = Guest::new()
        .body(
            "[method]plan.setup",
            "(i32.store (i32.const 60000) (i32.const 1)) \
             (i32.store (i32.const 60004) (call $new_iteration (i32.const 0))) (i32.const 60000)",
        )
        .body("[method]iteration.on-timer", share);
    let mut instance = instance(&guest);
    let mut flow = instance.setup().unwrap().expect("a flow");
    let mut shared = 0;
    let misuse = (0..100).find_map(|_| {
        instance.deliver(&mut flow, &Event::Timer { timer: 0 }).unwrap();
        shared += instance.take_shared().len();
        instance.take_misuse()
    });
    assert_eq!((misuse.as_deref(), shared), (Some("`share` of more than 1048576 bytes in one flow"), 26));
}

#[test]
fn a_flood_of_log_lines_is_cut_and_counted() {
    let text = repeat(100_000, "(call $log (i32.const 1) (i32.const 20000) (i32.const 40000))");
    let limits = Limits { call: std::time::Duration::from_secs(10), ..limits() };
    let guest = Guest::new().first("[method]plan.start", &text);
    let mut instance = Instance::new(&load_under(limits, &guest).unwrap(), "{}", None).unwrap();
    instance.start(&arrival(0)).map(drop).unwrap();
    let (lines, dropped) = instance.take_log();
    assert_eq!((lines.len(), dropped), (100, 99_900));
    // Zeros, cut at 4 KiB and escaped.
    assert!(lines.iter().all(|line| line.text.starts_with("\\u{0}\\u{0}") && line.text.ends_with('…')));
    assert!(lines.iter().all(|line| line.text.len() <= 5 * 4_096 + '…'.len_utf8()));
}
