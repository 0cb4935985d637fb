//! Guests that mean it ill, within a run: every third arrival does harm, the others are right, and the run goes on.

use std::sync::Arc;
use std::time::Duration;

use super::{Load, MS, Outcome, SECOND, remembering, run};
use crate::client::tests::kit::{Memory, OK, Peer};
use crate::plugin::tests::guest::{Guest, Image, Request};
use crate::plugin::{Host, Limits, Plugin};
use crate::worker::instances::Isolation;

/// Loads a guest under limits that are soon reached.
pub(super) fn load(guest: &Guest) -> Arc<Plugin> {
    let limits = Limits { call: Duration::from_millis(20), memory: 16 << 20, ..Limits::default() };
    let host = Host::new(limits, None).expect("a host");
    Arc::new(host.load_bytes(std::path::Path::new("raw.wasm"), &guest.component()).expect("it can be loaded"))
}

/// 30 arrivals in a second, ten of them harmful, each answered after 5 ms; what came of them, and what the target was sent.
pub(super) fn harmed(guest: &Guest) -> (Outcome, Vec<String>) {
    let (network, seen) = remembering(5 * MS, OK);
    let load = Load {
        plugin: Some(load(guest)),
        isolation: Isolation::Iteration,
        rate: 30.0,
        length: SECOND,
        iteration_timeout: 5 * SECOND,
        ..Load::default()
    };
    let outcome = run(&load, &network);
    let requests = seen.borrow().clone();
    (outcome, requests)
}

/// Ten failed by this reason, twenty were right, and none was lost.
pub(super) fn assert_contained(name: &str, outcome: &Outcome, reason: &str) {
    let counts = outcome.counts();
    let failures = outcome.recorder.all().failures();
    assert_eq!(failures, [(reason.to_owned(), 10)], "{name}: {:?}", outcome.notices);
    assert_eq!((counts.ok, counts.failed, counts.lost, counts.abandoned), (20, 10, 0, 0), "{name}");
}

/// The text that the plugin's author is told.
fn told(outcome: &Outcome) -> String {
    format!("{:?}", outcome.notices)
}

#[test]
fn misuse_fails_its_own_iteration_and_says_what_it_was() {
    const START: &str = "[method]plan.start";
    const ANSWER: &str = "[method]iteration.on-response";
    let finish = "(call $finish (i32.const 0) (i32.const 0) (i32.const 0))";
    for (export, text, says) in [
        (START, "(call $cancel (i32.const 5))", "`cancel` of exchange 5, which was never opened"),
        (
            START,
            "(call $write (i32.const 9) (i32.const 0) (i32.const 1024) (i32.const 1))",
            "`write` on exchange 9, which was never opened",
        ),
        (
            START,
            "(call $close (i32.const -1) (i32.const 1000) (i32.const 0) (i32.const 0))",
            "`close` on exchange 4294967295, which was never opened",
        ),
        (START, "(call $clear (i32.const 3))", "`clear` of timer 3, which was never set"),
        (
            ANSWER,
            "(call $finish (i32.const 3) (i32.const 7) (i32.const 0)) (return)",
            "`finish` by exchange 7, which has",
        ),
        (
            ANSWER,
            "(call $finish (i32.const 3) (i32.const -1) (i32.const 0)) (return)",
            "`finish` by exchange 4294967295, which has neither failed nor been answered",
        ),
        (
            ANSWER,
            "(call $mark (i32.const 0) (i32.const 1) (i32.const 8) (i32.const 1))",
            "`mark` since exchange 8, which was never asked for",
        ),
        (
            ANSWER,
            "(call $mark (i32.const 0) (i32.const 1) (i32.const -1) (i32.const 1))",
            "`mark` since exchange 4294967295, which was never asked for",
        ),
        (ANSWER, "(call $mark (i32.const 64) (i32.const 0) (i32.const 0) (i32.const 1))", "metric 64 of 1"),
        (ANSWER, "(call $count (i32.const 0) (i64.const 1))", "metric 0 is a"),
        (ANSWER, "(call $observe (i32.const -1) (f64.const nan))", "metric 4294967295 of 1"),
        (ANSWER, "(call $check (i32.const 0) (i32.const 1))", "metric 0 is a"),
        (ANSWER, finish, "`finish` after `finish`"),
        (ANSWER, "(call $share (i32.const 1024) (i32.const 2))", "`share` is allowed in setup flows only"),
        (
            ANSWER,
            "(call $write (i32.const 0) (i32.const 0) (i32.const 1024) (i32.const 1)) \
             (drop (call $register_blob (i32.const 1024) (i32.const 2)))",
            "`register-blob` is allowed in `configure` only",
        ),
    ] {
        let (outcome, _) = harmed(&Guest::new().every_third(export, text));
        assert_contained(says, &outcome, "plugin_misuse");
        assert!(told(&outcome).contains(says), "{says}: {}", told(&outcome));
    }
}

#[test]
fn a_trap_in_any_handler_fails_its_own_iteration_alone() {
    for (text, reason) in [
        ("unreachable", "plugin_trap"),
        ("(loop $for_ever (br $for_ever))", "plugin_deadline"),
        ("(loop $for_ever (drop (memory.grow (i32.const 16))) (br $for_ever))", "plugin_memory"),
    ] {
        for export in ["[method]plan.start", "[method]iteration.on-response"] {
            let (outcome, requests) = harmed(&Guest::new().every_third(export, text));
            assert_contained(export, &outcome, reason);
            // What was asked for in a call that traps is never sent.
            let sent = if export == "[method]plan.start" { 20 } else { 30 };
            assert_eq!(requests.len(), sent, "{reason} in {export}");
        }
    }
}

#[test]
fn an_iteration_that_has_ended_stays_ended_when_its_destructor_traps() {
    let (outcome, _) = harmed(&Guest::new().every_third("[dtor]iteration", "unreachable"));
    let counts = outcome.counts();
    assert_eq!((counts.ok, counts.failed, counts.lost), (30, 0, 0), "it was right, and it was alone");
    assert!(told(&outcome).contains("`iteration.drop` wasm trap"), "{}", told(&outcome));
}

#[test]
fn who_waits_for_nothing_stalls_and_who_waits_for_ever_times_out() {
    let silent = |wait: &str| {
        let start = format!(
            "(if (i64.eq (i64.rem_u (local.get $index) (i64.const 3)) (i64.const 2)) \
             (then {wait} (return (call $new_iteration (i32.const 0)))))"
        );
        Guest::new().first("[method]plan.start", &start)
    };
    let (outcome, _) = harmed(&silent(""));
    assert_contained("no wait", &outcome, "plugin_stalled");
    for never in ["(drop (call $wait (i64.const 86400000000000)))", "(drop (call $wait (i64.const -1)))"] {
        let (outcome, _) = harmed(&silent(never));
        assert_contained("a day", &outcome, "timeout_iteration");
    }
}

/// A guest whose every third arrival asks for this instead.
pub(super) fn asking(change: impl FnOnce(&mut Image, Request) -> Request) -> Guest {
    let mut guest = Guest::new().pages(40);
    let request = guest.image.get();
    let request = change(&mut guest.image, request);
    let at = guest.image.words(&request.0);
    guest.first(
        "[method]plan.start",
        &format!(
            "(if (i64.eq (i64.rem_u (local.get $index) (i64.const 3)) (i64.const 2)) \
             (then (drop (call $send (i32.const {at}))) (return (call $new_iteration (i32.const 0)))))"
        ),
    )
}

/// A change to a good request.
type Change = Box<dyn FnOnce(&mut Image, Request) -> Request>;

#[test]
fn what_would_write_more_than_one_request_is_never_sent() {
    let part = |at: usize, text: &'static [u8]| -> Change { Box::new(move |i, r| r.with(at, &i.text(text))) };
    let field = |name: &'static [u8], value: &'static [u8]| -> Change {
        Box::new(move |i, r| {
            let list = i.pairs(&[(name, value)]);
            r.with(Request::FIELDS, &list)
        })
    };
    let second = b"a\r\n\r\nGET /second HTTP/1.1\r\nhost: x\r\n\r\n";
    for (name, change) in [
        ("method with CRLF", part(Request::METHOD, b"GET / HTTP/1.1\r\nhost: x\r\n\r\nGET")),
        ("method with a space", part(Request::METHOD, b"GET /second")),
        ("no method", part(Request::METHOD, b"")),
        ("CONNECT", part(Request::METHOD, b"CONNECT")),
        ("path with CRLF", part(Request::PATH, b"/ HTTP/1.1\r\nhost: x\r\n\r\nGET /second")),
        ("path with LF", part(Request::PATH, b"/\nx")),
        ("path with a space", part(Request::PATH, b"/ HTTP/1.0")),
        ("path with NUL", part(Request::PATH, b"/\0")),
        ("path with DEL", part(Request::PATH, b"/\x7f")),
        ("path that is not ASCII", part(Request::PATH, "/ä".as_bytes())),
        ("a whole URL", part(Request::PATH, b"http://elsewhere/")),
        ("no path", part(Request::PATH, b"")),
        ("field name with CRLF", field(b"a\r\nb", b"1")),
        ("field name with a colon", field(b"a: b\r", b"1")),
        ("field name with a space", field(b"content-length ", b"0")),
        ("no field name", field(b"", b"1")),
        ("field value with CRLF", field(b"a", second)),
        ("field value with CR", field(b"a", b"1\rb: 2")),
        ("field value with LF", field(b"a", b"1\nb: 2")),
        ("field value with NUL", field(b"a", b"1\0")),
        ("field value with U+010D, whose low byte is CR", field(b"a", "\u{10d}\u{10a}b: 2".as_bytes())),
        ("length that is not the body's", field(b"Content-Length", b"40")),
        ("length with a sign", field(b"content-length", b"+0")),
        ("chunks", field(b"Transfer-Encoding", b"chunked")),
        ("upgrade", field(b"upgrade", b"h2c")),
        (
            "authority with CRLF",
            Box::new(|i: &mut Image, r: Request| {
                let [at, length] = i.text(b"test\r\nx: y");
                r.with(Request::AUTHORITY, &[1, at, length])
            }),
        ),
        (
            "unknown extension",
            Box::new(|i: &mut Image, r: Request| {
                let list = i.pairs(&[(b"retry", b"3")]);
                r.with(Request::EXTENSIONS, &list)
            }),
        ),
        ("too many redirects", Box::new(|_: &mut Image, r: Request| r.with(Request::REDIRECTS, &[1, 21]))),
        ("a body of no bytes at most", Box::new(|_: &mut Image, r: Request| r.with(Request::READ, &[1, 0]))),
        ("a body of 4 GiB at most", Box::new(|_: &mut Image, r: Request| r.with(Request::READ, &[1, u32::MAX]))),
        ("a path of 70 KiB", Box::new(|_: &mut Image, r: Request| r.with(Request::PATH, &[1 << 20, 70 << 10]))),
        (
            "300 fields",
            Box::new(|i: &mut Image, r: Request| {
                let list = i.pairs(&[(b"a".as_slice(), b"b".as_slice()); 300]);
                r.with(Request::FIELDS, &list)
            }),
        ),
    ] as [(&str, Change); 32]
    {
        let (outcome, requests) = harmed(&asking(change));
        assert_contained(name, &outcome, "protocol");
        assert_eq!(requests.len(), 20, "{name}");
        assert!(
            requests.iter().all(|request| request == "GET / HTTP/1.1\r\nhost: test\r\n\r\n"),
            "{name}: {requests:?}"
        );
    }
}

#[test]
fn a_long_name_is_cut_and_a_large_body_is_sent_as_it_is() {
    let (outcome, requests) = harmed(&asking(|_, r| r.with(Request::NAME, &[1, 1 << 20, 1 << 20])));
    assert_eq!((outcome.counts().ok, requests.len()), (30, 30));
    let (outcome, requests) = harmed(&asking(|i, r| {
        let post = i.text(b"POST");
        r.with(Request::METHOD, &post).with(Request::BODY, &[1, 1 << 20, 1 << 20])
    }));
    assert_eq!(outcome.counts().ok, 30);
    assert_eq!(requests.iter().filter(|request| request.len() > 1 << 20).count(), 10);
}

#[test]
fn ten_thousand_exchanges_in_one_call_are_sent_and_end_with_their_iteration() {
    let mut guest = Guest::new();
    let request = guest.image.get();
    let at = guest.image.words(&request.0);
    let many = |times: u32| {
        format!(
            "(local $n i32) (if (i64.eq (local.get $index) (i64.const 2)) (then (loop $more \
             (drop (call $send (i32.const {at}))) (local.set $n (i32.add (local.get $n) (i32.const 1))) \
             (br_if $more (i32.lt_u (local.get $n) (i32.const {times}))))))"
        )
    };
    // One is sent by the guest's own code after these.
    let (outcome, requests) = harmed(&guest.first("[method]plan.start", &many(9_999)));
    let counts = outcome.counts();
    assert_eq!((counts.ok, counts.failed), (30, 0), "the first answer finishes it: {}", told(&outcome));
    assert!(requests.len() >= 30, "{}", requests.len());
}

#[test]
fn what_the_open_exchanges_of_an_iteration_hold_is_bounded_over_its_calls() {
    // Each timer asks for 1 MiB more, and nothing is ever answered.
    let mut guest = Guest::new().pages(40);
    let request = guest.image.get().with(Request::BODY, &[1, 1 << 20, 1 << 20]);
    let at = guest.image.words(&request.0);
    let more = format!("(drop (call $send (i32.const {at}))) (drop (call $wait (i64.const 1000000)))");
    let guest = guest
        .body("[method]plan.start", &format!("{more} (call $new_iteration (i32.const 0))"))
        .body("[method]iteration.on-timer", &more);
    let load = Load { plugin: Some(load(&guest)), rate: 1.0, length: SECOND, ..Load::default() };
    let silent = Memory::new(|_, mut peer: Peer| async move { peer.closed().await });
    let outcome = run(&load, &silent);
    assert_eq!(outcome.recorder.all().failures(), [("plugin_misuse".to_owned(), 1)]);
    let says = "the open exchanges of one iteration hold more than 67108864 bytes (limits.plugin.string)";
    assert!(told(&outcome).contains(says), "{}", told(&outcome));
}

#[test]
fn timers_that_never_ring_are_bounded() {
    let many = "(local $n i32) (loop $more (drop (call $wait (i64.const 86400000000000))) \
                (local.set $n (i32.add (local.get $n) (i32.const 1))) \
                (br_if $more (i32.lt_u (local.get $n) (i32.const 6000)))) (drop (call $wait (i64.const 1)))";
    let guest = Guest::new()
        .body("[method]plan.start", &format!("{many} (call $new_iteration (i32.const 0))"))
        .body("[method]iteration.on-timer", many);
    let load = Load { plugin: Some(load(&guest)), rate: 1.0, length: SECOND, ..Load::default() };
    let outcome = run(&load, &Memory::new(|_, mut peer: Peer| async move { peer.closed().await }));
    assert_eq!(outcome.recorder.all().failures(), [("plugin_misuse".to_owned(), 1)]);
    assert!(told(&outcome).contains("more than 10000 timers of one iteration running at once"), "{}", told(&outcome));
}
