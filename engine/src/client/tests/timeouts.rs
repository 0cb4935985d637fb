//! Every time-out, on virtual time: it holds on its part of the exchange, is counted, and frees the connection.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use super::kit::{Jumping, Memory, OK, Peer, World, listen, on_sockets, on_virtual_time, settings, settle};
use crate::client::{ReadMode, Timeouts};
use crate::clock::Virtual;

const SECOND: Duration = Duration::from_secs(1);

fn timeouts(total: u64, connect: u64, first_byte: u64, idle: u64) -> Timeouts {
    let [total, connect, first_byte, idle] = [total, connect, first_byte, idle].map(Duration::from_secs);
    Timeouts { total, connect, first_byte, idle }
}

/// How an exchange ends, after how many whole seconds, on a server that follows `script`.
fn ends<F: Future<Output = ()> + 'static>(
    limits: Timeouts,
    mode: ReadMode,
    script: impl Fn(usize, Peer) -> F + 'static,
) -> (String, u64) {
    let network = Memory::new(script);
    let mut outcome = (String::new(), 0);
    on_virtual_time(async {
        let world = World::new(&network);
        let mut request = world.get("/");
        request.timeouts = limits;
        request.read = mode;
        let end = world.ask(request).await;
        outcome = (end.text(), end.timings.response_time().as_secs());
        settle().await;
        let usage = world.client.usage();
        assert_eq!((usage.open, usage.timeouts), (0, 1), "{usage:?}");
    });
    outcome
}

#[test]
fn no_byte_of_an_answer() {
    let silent = |_, mut peer: Peer| async move { peer.closed().await };
    let sent = "after 33 bytes of the request, before an answer";
    let sent = sent.replace("33", &"GET / HTTP/1.1\r\nhost: test\r\n\r\n".len().to_string());
    assert_eq!(ends(timeouts(10, 5, 3, 2), ReadMode::Count, silent), (format!("timeout_first_byte: {sent}"), 3));
    assert_eq!(ends(timeouts(2, 5, 3, 2), ReadMode::Count, silent), (format!("timeout_total: {sent}"), 2));
}

#[test]
fn an_answer_that_pauses() {
    let pausing = |_, mut peer: Peer| async move {
        peer.request().await;
        for piece in ["HTTP/1.1 ", "200 OK\r\n\r\n", "a", "b"] {
            tokio::time::sleep(SECOND).await;
            peer.send(piece).await;
        }
        peer.closed().await;
    };
    for mode in [ReadMode::Count, ReadMode::Head, ReadMode::Whole(10), ReadMode::Chunks, ReadMode::Lines] {
        let expected = ("200 timeout_idle: after 21 bytes of the answer".to_owned(), 6);
        assert_eq!(ends(timeouts(60, 5, 3, 2), mode, pausing), expected);
    }
    // Within the head already.
    let text = ends(timeouts(60, 5, 3, 2), ReadMode::Count, |_, mut peer: Peer| async move {
        peer.request().await;
        peer.send("HTTP/1.1 ").await;
        peer.closed().await;
    });
    assert_eq!(text, ("timeout_idle: after 9 bytes of the answer".to_owned(), 2));
}

#[test]
fn an_endless_answer() {
    let endless = |_, mut peer: Peer| async move {
        peer.request().await;
        peer.send("HTTP/1.1 200 OK\r\n\r\n").await;
        while tokio::io::AsyncWriteExt::write_all(&mut peer.0, b"tick\n").await.is_ok() {
            tokio::time::sleep(SECOND).await;
        }
    };
    for mode in [ReadMode::Count, ReadMode::Lines] {
        let (text, seconds) = ends(timeouts(30, 5, 3, 2), mode, endless);
        assert!(text.starts_with("200 timeout_total: after "), "{text}");
        assert_eq!(seconds, 30);
    }
}

#[test]
fn interim_answers_for_ever() {
    let (text, seconds) = ends(timeouts(30, 5, 3, 2), ReadMode::Count, |_, mut peer: Peer| async move {
        peer.request().await;
        while tokio::io::AsyncWriteExt::write_all(&mut peer.0, b"HTTP/1.1 102 Processing\r\n\r\n").await.is_ok() {
            tokio::time::sleep(SECOND).await;
        }
    });
    assert!(text.starts_with("timeout_total: after "), "{text}");
    assert_eq!(seconds, 30);
}

#[test]
fn a_name_a_connection_and_both_together() {
    for (name, connection, text) in [
        (9, 0, "timeout_connect: while looking up the name"),
        (0, 9, "timeout_connect: while connecting to 127.0.0.1:80"),
        (3, 3, "timeout_connect: while connecting to 127.0.0.1:80"),
    ] {
        let network = Memory::new(|_, _| async {});
        network.lookup_time.set(name * SECOND);
        network.connect_time.set(connection * SECOND);
        on_virtual_time(async {
            let world = World::new(&network);
            let mut request = world.get("/");
            request.timeouts = timeouts(60, 5, 3, 2);
            let end = world.ask(request.clone()).await;
            assert_eq!((end.text().as_str(), end.timings.response_time()), (text, 5 * SECOND));
            request.asked = world.now();
            request.timeouts = timeouts(2, 5, 3, 2);
            let end = world.ask(request).await;
            assert!(end.text().starts_with("timeout_total: while "), "{}", end.text());
            settle().await;
            let usage = world.client.usage();
            assert_eq!((usage.open, usage.connects, usage.connects_failed, usage.timeouts), (0, 0, 2, 2));
        });
    }
}

#[test]
fn waiting_for_a_connection() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        peer.request().await;
        tokio::time::sleep(8 * SECOND).await;
        peer.send(OK).await;
        peer.answer_all(OK).await;
    });
    on_virtual_time(async {
        let mut one = settings("http://test");
        one.connections = 1;
        let world = World::with(&network, one);
        let mut request = world.get("/");
        request.timeouts = timeouts(60, 5, 30, 2);
        let first = world.send(request.clone());
        request.timeouts.total = 3 * SECOND;
        let second = world.send(request.clone());
        request.timeouts.total = 2 * SECOND;
        let third = world.send(request.clone());
        request.timeouts.total = 60 * SECOND;
        let fourth = world.send(request);
        for (token, seconds) in [(third, 2), (second, 3)] {
            let end = world.end(token).await;
            assert_eq!(end.text(), "timeout_total: while waiting for a connection");
            assert_eq!(end.timings.response_time().as_secs(), seconds);
            assert!(end.timings.sent.is_none());
        }
        for token in [first, fourth] {
            let end = world.end(token).await;
            assert_eq!(end.text(), "200 ok");
            assert_eq!(end.timings.response_time().as_secs(), 8);
        }
        let usage = world.client.usage();
        assert_eq!((usage.waited, usage.waiting, usage.timeouts, usage.cap_was_full), (3, 0, 2, true));
    });
}

#[test]
fn a_total_that_was_over_before_anything_began() {
    let network = Memory::new(|_, mut peer: Peer| async move { peer.closed().await });
    on_virtual_time(async {
        let world = World::new(&network);
        let mut request = world.get("/");
        request.timeouts = timeouts(1, 5, 3, 2);
        tokio::time::sleep(10 * SECOND).await;
        let end = world.ask(request).await;
        assert!(end.text().starts_with("timeout_total: "), "{}", end.text());
        assert_eq!(end.timings.response_time(), 10 * SECOND);
    });
}

#[test]
fn a_slow_upload_that_goes_on_is_not_waiting_for_the_first_byte() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        let mut piece = vec![0; 50_000];
        for _ in 0..8 {
            tokio::time::sleep(2 * SECOND).await;
            tokio::io::AsyncReadExt::read_exact(&mut peer.0, &mut piece).await.expect("the upload");
        }
        peer.send(OK).await;
        peer.closed().await;
    });
    on_virtual_time(async {
        let world = World::new(&network);
        let mut request = world.get("/");
        "POST".clone_into(&mut request.method);
        request.body = vec![b'x'; 400_000].into();
        request.timeouts = timeouts(60, 5, 3, 2);
        let end = world.ask(request).await;
        assert_eq!((end.text().as_str(), end.timings.response_time().as_secs()), ("200 ok", 16));
    });
}

#[test]
fn limits_of_one_exchange_do_not_reach_the_next() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        while !peer.request().await.is_empty() {
            tokio::time::sleep(4 * SECOND).await;
            peer.send(OK).await;
        }
    });
    on_virtual_time(async {
        let world = World::new(&network);
        for total in [5, 50, 5, 3] {
            let mut request = world.get("/");
            request.timeouts = timeouts(total, 5, 30, 2);
            let end = world.ask(request).await;
            assert_eq!(end.failure.is_some(), total == 3, "{}", end.text());
            assert_eq!(end.timings.response_time().as_secs(), total.min(4));
        }
        assert_eq!(network.connections.get(), 1);
    });
}

#[test]
fn limits_beyond_all_measure_are_no_limits() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        peer.request().await;
        tokio::time::sleep(100_000 * SECOND).await;
        peer.send(OK).await;
        peer.closed().await;
    });
    on_virtual_time(async {
        let world = World::new(&network);
        let mut request = world.get("/");
        let [total, connect, first_byte, idle] = [Duration::MAX; 4];
        request.timeouts = Timeouts { total, connect, first_byte, idle };
        assert_eq!(world.ask(request).await.text(), "200 ok");
    });
}

#[test]
fn a_request_whose_time_is_over_is_not_sent_when_a_connection_becomes_free() {
    let ahead: Rc<Cell<Duration>> = Rc::default();
    let network = Memory::new({
        let ahead = Rc::clone(&ahead);
        move |_, mut peer: Peer| {
            let ahead = Rc::clone(&ahead);
            async move {
                for expected in ["/first", "/last"] {
                    let request = peer.request().await;
                    assert!(request.starts_with(&format!("GET {expected} ")), "{request}");
                    tokio::time::sleep(SECOND).await;
                    // The worker was stopped; the timer of the one that waits has not fired yet.
                    ahead.set(5 * SECOND);
                    peer.send(OK).await;
                }
                peer.closed().await;
            }
        }
    });
    on_virtual_time(async {
        let mut one = settings("http://test");
        one.connections = 1;
        let world = World::on_clock(&network, one, Rc::new(Jumping { clock: Virtual::start(), ahead }));
        let first = world.send(world.get("/first"));
        let mut request = world.get("/late");
        request.timeouts.total = 3 * SECOND;
        let late = world.send(request);
        let last = world.send(world.get("/last"));
        assert_eq!(world.end(late).await.text(), "timeout_total: while waiting for a connection");
        for token in [first, last] {
            assert_eq!(world.end(token).await.text(), "200 ok");
        }
        assert_eq!(network.connections.get(), 1);
    });
}

#[test]
fn a_peer_that_never_stops_talking_neither_outlives_its_time_nor_stops_the_others() {
    on_sockets(async {
        let address = listen("127.0.0.1:0", |_, mut peer| async move {
            let first = peer.request().await;
            if first.starts_with("GET /endless") {
                let flood = "HTTP/1.1 100 Continue\r\n\r\n".repeat(1_000);
                // From a thread of its own: here client and server share one.
                let socket = peer.0.into_std().expect("a socket");
                socket.set_nonblocking(false).expect("a socket");
                std::thread::spawn(move || {
                    let mut socket = socket;
                    while std::io::Write::write_all(&mut socket, flood.as_bytes()).is_ok() {}
                });
                return;
            }
            peer.send(OK).await;
            peer.answer_all(OK).await;
        })
        .await;
        let world = World::on_sockets(settings(&format!("http://{address}")));
        let mut request = world.get("/endless");
        request.timeouts.total = SECOND;
        let endless = world.send(request);
        let mut answered = 0;
        while world.ended(endless).is_none() {
            assert_eq!(world.ask(world.get("/")).await.text(), "200 ok");
            answered += 1;
        }
        assert!(world.end(endless).await.text().starts_with("timeout_total: "));
        assert!(answered > 1, "the others had no turn");
    });
}
