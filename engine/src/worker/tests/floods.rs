//! Floods on sockets: of messages that a guest sends and of messages that it is sent.

use std::rc::Rc;
use std::time::Duration;

use tokio_websockets::{CloseCode, Message as Wired};

use super::hostile::load;
use super::{Load, MS, Outcome, SECOND, run};
use crate::client::tests::kit::{Memory, Peer};
use crate::client::tests::sockets::Talk;
use crate::plugin::tests::guest::Guest;
use crate::record::{Percentile, Series};

/// A guest that opens a WebSocket and is right when it has been closed.
fn talker() -> Guest {
    let mut guest = Guest::new();
    let [path, length] = guest.image.text(b"/ws");
    let none = "(i32.const 0) (i32.const 0)";
    let open = format!(
        "(drop (call $open {none} (i32.const 0) {none} (i32.const 0) (i32.const {path}) (i32.const {length}) \
         {none} {none} {none} (i32.const 0) (i64.const 0)))"
    );
    guest
        .body("[method]plan.start", &format!("{open} (call $new_iteration (i32.const 0))"))
        .body("[method]iteration.on-end", "(call $finish (i32.const 0) (i32.const 0) (i32.const 0))")
}

/// One arrival of a guest, against a server that does this with its socket.
fn talked<F: Future<Output = ()> + 'static>(
    guest: &Guest,
    timeout: Duration,
    script: impl Fn(Talk) -> F + 'static,
) -> Outcome {
    let script = Rc::new(script);
    let network = Memory::new(move |_, peer: Peer| {
        let script = Rc::clone(&script);
        async move { script(Talk::plain(peer).await).await }
    });
    let load = Load { plugin: Some(load(guest)), rate: 1.0, length: SECOND, timeout, ..Load::default() };
    run(&load, &network)
}

#[test]
fn a_guest_that_floods_a_peer_that_does_not_read_is_stopped_at_the_bound() {
    let flood = "(local $n i32) (loop $more (call $write (i32.const 0) (i32.const 1) (i32.const 20000) (i32.const 1024)) \
                 (local.set $n (i32.add (local.get $n) (i32.const 1))) \
                 (br_if $more (i32.lt_u (local.get $n) (i32.const 9000)))) (drop (call $wait (i64.const 1000000)))";
    let guest = talker().body("[method]iteration.on-open", flood).body("[method]iteration.on-timer", flood);
    let outcome = talked(&guest, 60 * SECOND, |mut talk| async move {
        tokio::time::sleep(Duration::from_hours(1)).await;
        talk.next().await;
    });
    assert_eq!(outcome.recorder.all().failures(), [("other".to_owned(), 1)], "{:?}", outcome.notices);
    assert!(outcome.took < 2 * SECOND, "{:?}", outcome.took);
}

#[test]
fn a_flood_of_messages_reaches_the_guest_to_the_last_one() {
    let guest = talker()
        .define("(global $seen (mut i32) (i32.const 0))")
        .body("[method]iteration.on-items", "(global.set $seen (i32.add (global.get $seen) (local.get 3)))")
        .body(
            "[method]iteration.on-end",
            "(call $finish (select (i32.const 0) (i32.const 1) (i32.eq (global.get $seen) (i32.const 20000))) \
             (i32.const 0) (i32.const 0))",
        );
    let outcome = talked(&guest, 60 * SECOND, |mut talk| async move {
        for _ in 0..20_000 {
            talk.try_send(Wired::text("x")).await;
        }
        talk.try_send(Wired::close(Some(CloseCode::NORMAL_CLOSURE), "")).await;
        while talk.next().await.is_some() {}
    });
    assert_eq!(outcome.counts().ok, 1, "{:?} {:?}", outcome.counts(), outcome.notices);
}

#[test]
fn a_flood_that_never_ends_is_ended_by_its_time_out() {
    let outcome = talked(&talker(), SECOND, |mut talk| async move {
        while talk.try_send(Wired::text("x".repeat(100))).await {
            tokio::time::sleep(MS / 10).await;
        }
    });
    assert_eq!(outcome.recorder.all().failures(), [("timeout_total".to_owned(), 1)], "{:?}", outcome.notices);
}

#[test]
fn a_flood_larger_than_the_guests_memory_fails_it_by_its_memory() {
    let outcome = talked(&talker(), 60 * SECOND, |mut talk| async move {
        let large = "x".repeat(1 << 20);
        while talk.try_send(Wired::text(large.clone())).await {}
    });
    assert_eq!(outcome.recorder.all().failures(), [("plugin_memory".to_owned(), 1)], "{:?}", outcome.notices);
}

/// Case E8: an endless stream that held its slot for ever. Of two slots one must be given back before the next
/// can start, and none twice: it would be another's.
#[test]
fn a_stream_that_its_plugin_ends_is_right_and_gives_its_slot_back_once() {
    let guest = talker().body("[method]iteration.on-items", "(call $finish (i32.const 0) (i32.const 0) (i32.const 0))");
    let network = Memory::new(move |_, peer: Peer| async move {
        let mut talk = Talk::plain(peer).await;
        tokio::time::sleep(30 * MS).await;
        // For ever, but for the client's farewell.
        while talk.try_send(Wired::text("tick")).await {
            if matches!(tokio::time::timeout(MS, talk.next()).await, Ok(Some(_))) {
                return;
            }
        }
    });
    let load = Load { plugin: Some(load(&guest)), rate: 50.0, length: 2 * SECOND, in_flight: 2, ..Load::default() };
    let outcome = run(&load, &network);
    assert_eq!((outcome.counts().ok, outcome.counts().missed()), (100, 0), "{:?}", outcome.counts());
    assert_eq!(outcome.time(Series::Iteration, Percentile::MAX), 30 * MS);
}
