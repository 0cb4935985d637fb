//! The cap, the queue, idle connections, stale ones, and that nothing is left behind.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use super::kit::{Memory, OK, Peer, World, on_virtual_time, settings, settle};
use crate::client::{Reason, Settings, Token};

const SECOND: Duration = Duration::from_secs(1);

/// A network of servers that take a second for each answer and note the requests' order.
fn slow(seen: &Rc<RefCell<Vec<String>>>) -> Rc<Memory> {
    let seen = Rc::clone(seen);
    Memory::new(move |_, mut peer: Peer| {
        let seen = Rc::clone(&seen);
        async move {
            loop {
                let request = peer.request().await;
                let Some(path) = request.split(' ').nth(1) else { return };
                seen.borrow_mut().push(path.to_owned());
                tokio::time::sleep(SECOND).await;
                peer.send(OK).await;
            }
        }
    })
}

fn capped(connections: usize) -> Settings {
    Settings { connections, ..settings("http://test") }
}

#[test]
fn those_who_wait_are_served_in_order_of_asking() {
    let seen = Rc::default();
    let network = slow(&seen);
    on_virtual_time(async {
        let world = World::with(&network, capped(3));
        let tokens: Vec<Token> = (0..12).map(|n| world.send(world.get(&format!("/{n}")))).collect();
        settle().await;
        let usage = world.client.usage();
        assert_eq!((usage.open, usage.waiting, usage.waited), (3, 9, 9));
        for (n, token) in tokens.into_iter().enumerate() {
            let end = world.end(token).await;
            let wait = end.timings.connection_wait().map(|wait| wait.as_secs());
            assert_eq!((end.text().as_str(), wait), ("200 ok", Some(n as u64 / 3)));
        }
        assert_eq!(network.connections.get(), 3);
    });
    let expected: Vec<String> = (0..12).map(|n| format!("/{n}")).collect();
    assert_eq!(*seen.borrow(), expected);
}

#[test]
fn a_request_sent_from_an_event_does_not_overtake_those_who_wait() {
    let seen = Rc::default();
    let network = slow(&seen);
    on_virtual_time(async {
        let world = World::with(&network, capped(1));
        let late = world.get("/late");
        world.hook(move |client, token, _| {
            if token == Token(0) {
                client.send(Token(100), late.clone());
            }
        });
        for n in 0..3 {
            world.send(world.get(&format!("/{n}")));
        }
        world.end(Token(100)).await;
    });
    assert_eq!(*seen.borrow(), ["/0", "/1", "/2", "/late"]);
}

#[test]
fn every_way_to_end_gives_the_place_back_once() {
    let network = Memory::new(|number, mut peer: Peer| async move {
        peer.request().await;
        match number % 4 {
            0 => {}
            1 => peer.send("nonsense\r\n\r\n").await,
            2 => peer.closed().await,
            _ => peer.send("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx").await,
        }
    });
    on_virtual_time(async {
        let world = World::with(&network, capped(2));
        let tokens: Vec<Token> = (0..40)
            .map(|_| {
                let mut request = world.get("/");
                request.timeouts.first_byte = SECOND;
                world.send(request)
            })
            .collect();
        // Some that wait and some that are being served.
        for token in [1, 5, 30] {
            world.client.cancel(Token(token));
        }
        let mut reasons = std::collections::BTreeMap::new();
        for token in tokens {
            let end = world.end(token).await;
            *reasons.entry(end.failure.map(|failure| failure.reason)).or_insert(0) += 1;
            assert!(world.client.usage().open <= 2);
        }
        settle().await;
        assert_eq!(world.client.usage().open, 0);
        assert_eq!(world.client.usage().waiting, 0);
        assert_eq!(reasons.values().sum::<i32>(), 40);
        assert_eq!(reasons[&None], 3, "the cancelled ones");
        assert!(
            [Reason::Reset, Reason::Protocol, Reason::TimeoutFirstByte, Reason::Truncated]
                .iter()
                .all(|reason| reasons[&Some(*reason)] >= 8)
        );
    });
}

#[test]
fn the_connection_used_last_is_used_first_and_the_others_age() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        while !peer.request().await.is_empty() {
            tokio::time::sleep(Duration::from_millis(100)).await;
            peer.send(OK).await;
        }
    });
    on_virtual_time(async {
        let mut aging = settings("http://test");
        aging.idle_age = 10 * SECOND;
        let world = World::with(&network, aging);
        let tokens: Vec<Token> = (0..5).map(|_| world.send(world.get("/"))).collect();
        for token in tokens {
            world.end(token).await;
        }
        assert_eq!(world.client.usage().idle, 5);
        for _ in 0..11 {
            tokio::time::sleep(SECOND).await;
            assert!(world.ask(world.get("/")).await.timings.reused);
        }
        let usage = world.client.usage();
        assert_eq!((usage.open, usage.idle, usage.connects), (1, 1, 5));
        tokio::time::sleep(11 * SECOND).await;
        assert_eq!(world.client.usage().open, 0);
    });
}

#[test]
fn a_connection_closed_while_idle_is_not_used() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        peer.request().await;
        peer.send(OK).await;
        tokio::time::sleep(SECOND).await;
    });
    on_virtual_time(async {
        let world = World::new(&network);
        for method in ["GET", "POST", "GET"] {
            let mut request = world.get("/");
            method.clone_into(&mut request.method);
            let end = world.ask(request).await;
            assert_eq!((end.text().as_str(), end.timings.reused, end.timings.attempts_stale), ("200 ok", false, 0));
            tokio::time::sleep(2 * SECOND).await;
            assert_eq!(world.client.usage().open, 0);
        }
        assert_eq!(network.connections.get(), 3);
    });
}

#[test]
fn a_connection_found_closed_at_the_moment_of_sending_costs_nothing() {
    let go: Rc<tokio::sync::Notify> = Rc::default();
    let network = Memory::new({
        let go = Rc::clone(&go);
        move |number, mut peer: Peer| {
            let go = Rc::clone(&go);
            async move {
                peer.request().await;
                peer.send(OK).await;
                if number == 0 {
                    go.notified().await;
                } else {
                    peer.closed().await;
                }
            }
        }
    });
    on_virtual_time(async {
        let world = World::new(&network);
        world.ask(world.get("/")).await;
        settle().await;
        // The server's closing and the request come in the same turn: nothing can have been sent.
        let mut request = world.get("/");
        "POST".clone_into(&mut request.method);
        go.notify_one();
        let token = world.send(request);
        let end = world.end(token).await;
        assert_eq!((end.text().as_str(), end.timings.attempts_stale), ("200 ok", 0));
    });
}

/// A server that closes each connection on its second request, and how it ends for each of these methods.
fn on_stale(methods: &'static [&'static str], always: bool) -> Vec<(String, u32, u64)> {
    let network = Memory::new(move |number, mut peer: Peer| async move {
        if always && number > 0 {
            peer.request().await;
            return;
        }
        peer.request().await;
        peer.send(OK).await;
        peer.request().await;
    });
    let outcomes = RefCell::new(Vec::new());
    on_virtual_time(async {
        for method in methods {
            let world = World::new(&network);
            network.connections.set(0);
            assert_eq!(world.ask(world.get("/")).await.text(), "200 ok");
            let mut request = world.get("/");
            (*method).clone_into(&mut request.method);
            let end = world.ask(request).await;
            let usage = world.client.usage();
            outcomes.borrow_mut().push((end.text(), end.timings.attempts_stale, usage.stale_resent));
            assert!(end.timings.attempts_stale == 0 || end.timings.connect.is_some());
        }
    });
    outcomes.into_inner()
}

#[test]
fn a_request_on_a_stale_connection_is_sent_again_once_where_that_is_harmless() {
    for outcome in on_stale(&["GET", "PUT", "DELETE", "OPTIONS", "TRACE"], false) {
        assert_eq!(outcome, ("200 ok".to_owned(), 1, 1));
    }
    assert_eq!(on_stale(&["HEAD"], false), [("200 ".to_owned(), 1, 1)]);
    for outcome in on_stale(&["POST", "PATCH", "LOCK"], false) {
        let text = "stale_connection: an idle connection was closed: closed before an answer";
        assert_eq!(outcome, (text.to_owned(), 0, 0));
    }
    assert_eq!(on_stale(&["GET"], true), [("reset: closed before an answer".to_owned(), 1, 1)]);
}

#[test]
fn an_answer_that_breaks_off_on_an_old_connection_is_not_stale() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        peer.request().await;
        peer.send(OK).await;
        peer.request().await;
        peer.send("H").await;
    });
    on_virtual_time(async {
        let world = World::new(&network);
        world.ask(world.get("/")).await;
        let end = world.ask(world.get("/")).await;
        assert_eq!(end.text(), "truncated: closed after 1 bytes of the answer");
    });
}

#[test]
fn a_cap_taken_up_by_idle_connections_of_one_host_lets_another_host_through() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        peer.answer_all(OK).await;
    });
    on_virtual_time(async {
        let mut two = capped(1);
        two.allowed_hosts = vec!["other".parse().expect("a host")];
        let world = World::with(&network, two);
        for authority in [None, Some("other"), Some("other"), None] {
            let mut request = world.get("/");
            request.authority = authority.map(str::to_owned);
            assert_eq!(world.ask(request).await.text(), "200 ok");
            assert_eq!(world.client.usage().open, 1);
        }
        assert_eq!(network.connections.get(), 3);
        // All at once, which has them wait for each other.
        let tokens: Vec<Token> = (0..10)
            .map(|n| {
                let mut request = world.get("/");
                request.authority = (n % 2 == 0).then(|| "other".to_owned());
                world.send(request)
            })
            .collect();
        for token in tokens {
            assert_eq!(world.end(token).await.text(), "200 ok");
        }
    });
}

#[test]
fn cancelling_works_at_every_stage() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        peer.request().await;
        peer.closed().await;
    });
    network.connect_time.set(SECOND);
    on_virtual_time(async {
        let world = World::with(&network, capped(1));
        let served = world.send(world.get("/"));
        let waiting = world.send(world.get("/"));
        settle().await;
        world.client.cancel(waiting);
        assert!(world.ended(waiting).is_none(), "never told from within `cancel`");
        assert_eq!(world.end(waiting).await.text(), "cancelled");
        // While connecting.
        world.client.cancel(served);
        assert!(world.ended(served).is_none(), "never told from within `cancel`");
        assert_eq!(world.end(served).await.text(), "cancelled");
        assert_eq!((network.connections.get(), world.client.usage().open), (0, 0));
        // While an answer is awaited.
        let served = world.send(world.get("/"));
        tokio::time::sleep(2 * SECOND).await;
        world.client.cancel(served);
        let end = world.end(served).await;
        assert_eq!((end.text().as_str(), end.timings.response_time()), ("cancelled", 2 * SECOND));
        assert!(end.timings.sent.is_some());
        assert_eq!(world.client.usage().open, 0);
        // Right after asking.
        let served = world.send(world.get("/"));
        world.client.cancel(served);
        assert_eq!(world.end(served).await.text(), "cancelled");
    });
}

#[test]
fn warming_up_opens_connections_that_are_then_used() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        peer.answer_all(OK).await;
    });
    on_virtual_time(async {
        let world = World::with(&network, capped(200));
        assert_eq!(world.client.warm_up(150).await, Ok(150));
        assert_eq!(world.client.usage().idle, 150);
        assert_eq!(world.client.warm_up(150).await, Ok(50), "no more than the cap");
        let end = world.ask(world.get("/")).await;
        assert!(end.timings.reused && end.timings.connect.is_none());
        assert_eq!(network.connections.get(), 200);
        assert_eq!(world.client.warm_up(1).await, Ok(0));
    });
}

#[test]
fn warming_up_says_why_nothing_could_be_opened() {
    let network = Memory::new(|_, _| async {});
    on_virtual_time(async {
        let world = World::new(&network);
        *network.refusals.borrow_mut() =
            (0..3).map(|_| std::io::Error::from(std::io::ErrorKind::ConnectionRefused)).collect();
        let failure = world.client.warm_up(3).await.expect_err("nobody listens");
        assert_eq!(failure.to_string(), "refused: 127.0.0.1:80: connection refused");
        network.connect_time.set(100 * SECOND);
        let failure = world.client.warm_up(3).await.expect_err("nobody answers");
        assert_eq!(failure.to_string(), "timeout_connect: while connecting to 127.0.0.1:80");
        assert_eq!(world.client.usage().open, 0);
    });
}

#[test]
fn a_closed_client_lets_what_is_open_end_and_takes_nothing_new() {
    let seen = Rc::default();
    let network = slow(&seen);
    on_virtual_time(async {
        let world = World::with(&network, capped(1));
        let served = world.send(world.get("/"));
        let waiting = world.send(world.get("/"));
        settle().await;
        world.client.close();
        let late = world.send(world.get("/"));
        assert_eq!(world.end(late).await.text(), "other: the client is closed");
        assert_eq!(world.end(served).await.text(), "200 ok");
        assert_eq!(world.end(waiting).await.text(), "200 ok");
        settle().await;
        assert_eq!(world.client.usage().open, 0);
        assert_eq!(world.client.warm_up(5).await, Ok(0));
    });
}

#[test]
fn dropping_the_client_ends_every_task_and_delivers_nothing_more() {
    let closed: Rc<Cell<usize>> = Rc::default();
    let network = Memory::new({
        let closed = Rc::clone(&closed);
        move |_, mut peer: Peer| {
            let closed = Rc::clone(&closed);
            async move {
                peer.closed().await;
                closed.set(closed.get() + 1);
            }
        }
    });
    on_virtual_time(async {
        let world = World::with(&network, capped(3));
        assert_eq!(world.client.warm_up(2).await, Ok(2));
        for _ in 0..5 {
            world.send(world.get("/"));
        }
        settle().await;
        let World { client, memo, .. } = world;
        drop(client);
        settle().await;
        assert_eq!(closed.get(), 3);
        assert!(memo.events.borrow().is_empty());
        assert_eq!(Rc::strong_count(&memo), 1, "a task still holds the sink");
    });
}
