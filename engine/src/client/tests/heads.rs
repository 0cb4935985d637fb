//! What leaves on the wire, and what is refused before anything does.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;

use super::kit::{Memory, OK, Peer, World, on_virtual_time, settings};
use crate::client::Request;

/// The bytes that arrive for a request.
fn wire(url: &str, change: impl Fn(&mut Request)) -> String {
    let seen: Rc<RefCell<String>> = Rc::default();
    let network = Memory::new({
        let seen = Rc::clone(&seen);
        move |_, mut peer: Peer| {
            let seen = Rc::clone(&seen);
            async move {
                *seen.borrow_mut() = peer.request().await;
                peer.send(OK).await;
                peer.closed().await;
            }
        }
    });
    on_virtual_time(async {
        let world = World::with(&network, settings(url));
        let mut request = world.get("/x?y=1");
        change(&mut request);
        let end = world.ask(request).await;
        assert_eq!(end.text(), "200 ok");
        assert_eq!(end.timings.bytes_sent, seen.borrow().chars().count() as u64);
    });
    seen.take()
}

fn fields(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn only_the_host_is_added_to_a_get() {
    assert_eq!(wire("http://test", |_| ()), "GET /x?y=1 HTTP/1.1\r\nhost: test\r\n\r\n");
    assert_eq!(wire("http://test:8080", |_| ()), "GET /x?y=1 HTTP/1.1\r\nhost: test:8080\r\n\r\n");
    assert_eq!(wire("http://[::1]:81", |_| ()), "GET /x?y=1 HTTP/1.1\r\nhost: [::1]:81\r\n\r\n");
}

#[test]
fn the_base_path_of_the_target_stands_before_the_path() {
    assert_eq!(wire("http://test/v1/", |_| ()), "GET /v1/x?y=1 HTTP/1.1\r\nhost: test\r\n\r\n");
}

#[test]
fn fields_leave_in_order_with_their_capitalisation_and_repeated() {
    let written = [("X-b", "1"), ("Accept", "*/*"), ("x-A", "2"), ("HOST", "other"), ("X-b", "3"), ("X-Empty", "")];
    assert_eq!(
        wire("http://test", |request| request.fields = fields(&written)),
        "GET /x?y=1 HTTP/1.1\r\nX-b: 1\r\nAccept: */*\r\nx-A: 2\r\nHOST: other\r\nX-b: 3\r\nX-Empty: \r\n\r\n"
    );
}

#[test]
fn values_are_bytes_mapped_to_characters() {
    let seen = wire("http://test", |request| request.fields = fields(&[("x", "\u{80}\u{E9}\u{FF}\t")]));
    assert_eq!(seen, "GET /x?y=1 HTTP/1.1\r\nhost: test\r\nx: \u{80}\u{E9}\u{FF}\t\r\n\r\n");
}

#[test]
fn a_length_is_added_for_a_body_and_for_methods_that_expect_one() {
    let with = |method: &str, body: &'static str| {
        wire("http://test", |request| {
            method.clone_into(&mut request.method);
            request.body = Bytes::from_static(body.as_bytes());
        })
    };
    for method in ["POST", "PUT", "PATCH"] {
        assert_eq!(with(method, ""), format!("{method} /x?y=1 HTTP/1.1\r\nhost: test\r\ncontent-length: 0\r\n\r\n"));
    }
    for method in ["GET", "DELETE", "OPTIONS", "TRACE", "PURGE"] {
        assert_eq!(with(method, ""), format!("{method} /x?y=1 HTTP/1.1\r\nhost: test\r\n\r\n"));
    }
    assert_eq!(with("POST", "hello"), "POST /x?y=1 HTTP/1.1\r\nhost: test\r\ncontent-length: 5\r\n\r\nhello");
    assert_eq!(with("GET", "\r\n\r\n"), "GET /x?y=1 HTTP/1.1\r\nhost: test\r\ncontent-length: 4\r\n\r\n\r\n\r\n");
}

#[test]
fn a_length_of_the_callers_own_is_kept_where_it_agrees() {
    let seen = wire("http://test", |request| {
        "POST".clone_into(&mut request.method);
        request.fields = fields(&[("Content-Length", "2")]);
        request.body = Bytes::from_static(b"hi");
    });
    assert_eq!(seen, "POST /x?y=1 HTTP/1.1\r\nhost: test\r\nContent-Length: 2\r\n\r\nhi");
}

#[test]
fn a_large_body_arrives_whole_through_a_pipe_that_takes_it_in_pieces() {
    let body: String = (0..300_000).map(|n| char::from(b'a' + u8::try_from(n % 26).expect("small"))).collect();
    let seen = wire("http://test", |request| {
        "POST".clone_into(&mut request.method);
        request.body = Bytes::from(body.clone());
        request.fields = fields(&[("x-long", &"v".repeat(60_000))]);
    });
    assert!(seen.ends_with(&format!("content-length: 300000\r\n\r\n{body}")));
    assert!(seen.starts_with("POST /x?y=1 HTTP/1.1\r\nhost: test\r\nx-long: vvv"));
}

#[test]
fn heads_longer_than_the_pipe_arrive_whole_one_after_the_other_on_one_connection() {
    let seen: Rc<RefCell<Vec<String>>> = Rc::default();
    let network = Memory::new({
        let seen = Rc::clone(&seen);
        move |_, mut peer: Peer| {
            let seen = Rc::clone(&seen);
            async move {
                loop {
                    // Gives the pipe time to fill up, so that the head is written in parts.
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    let request = peer.request().await;
                    if request.is_empty() {
                        return;
                    }
                    seen.borrow_mut().push(request);
                    peer.send(OK).await;
                }
            }
        }
    });
    on_virtual_time(async {
        let world = World::new(&network);
        for n in 0..3 {
            let mut request = world.get(&format!("/{}", "p".repeat(60_000)));
            request.fields = fields(&[("N", &n.to_string()), ("Fill", &"f".repeat(60_000))]);
            "PUT".clone_into(&mut request.method);
            request.body = Bytes::from_static(b"the body");
            assert_eq!(world.ask(request).await.text(), "200 ok");
        }
        assert_eq!(network.connections.get(), 1);
    });
    let seen = seen.take();
    for (n, request) in seen.iter().enumerate() {
        let expected = format!(
            "PUT /{} HTTP/1.1\r\nhost: test\r\nN: {n}\r\nFill: {}\r\ncontent-length: 8\r\n\r\nthe body",
            "p".repeat(60_000),
            "f".repeat(60_000)
        );
        assert!(*request == expected, "request {n} is not as written");
    }
    assert_eq!(seen.len(), 3);
}

/// The refusal of a request, which must send nothing.
fn refusal(change: impl FnOnce(&mut Request)) -> String {
    let network = Memory::new(|_, _| async {});
    let mut text = String::new();
    on_virtual_time(async {
        let world = World::new(&network);
        let mut request = world.get("/");
        change(&mut request);
        let token = world.send(request);
        assert!(world.ended(token).is_none(), "a refusal is told later, not from within `send`");
        let end = world.end(token).await;
        assert!(end.timings.sent.is_none());
        text = end.text();
    });
    assert_eq!(network.connections.get(), 0);
    text
}

#[test]
fn a_request_that_cannot_be_sent_as_asked_is_refused() {
    let method = |method: &str| refusal(|request| method.clone_into(&mut request.method));
    assert_eq!(method(""), "protocol: method \"\" is no token");
    assert_eq!(method("GET /"), "protocol: method \"GET /\" is no token");
    assert_eq!(method("CONNECT"), "protocol: method CONNECT is not supported");

    let path = |path: &str| refusal(|request| path.clone_into(&mut request.path_with_query));
    assert_eq!(path("x"), "protocol: path \"x\" does not begin with `/`");
    assert_eq!(path("http://a/"), "protocol: path \"http://a/\" does not begin with `/`");
    for bad in ["/a b", "/a\r\nx: y", "/\u{E4}", "/\u{7F}", "/\0"] {
        let expected = "holds something other than printable ASCII without spaces; encode it as %XX";
        assert_eq!(path(bad), format!("protocol: path {bad:?} {expected}"));
    }
    assert_eq!(path(&format!("/{}", "x".repeat(65_536))), "protocol: path of 65537 bytes, more than 65536");
    assert_eq!(refusal(|request| request.follow_redirects = 21), "protocol: 21 redirects to follow, more than 20");
}

#[test]
fn fields_that_could_begin_another_request_are_refused() {
    let field = |name: &str, value: &str| refusal(|request| request.fields = fields(&[(name, value)]));
    for bad in ["", "a b", "a:", "a\r\nb", "\u{E4}"] {
        assert_eq!(field(bad, "x"), format!("protocol: field name {bad:?} is no token"));
    }
    for bad in ["a\rb", "a\nb", "\0", "\u{100}", "\u{1F600}"] {
        assert_eq!(field("x", bad), "protocol: the value of field `x` holds CR, LF, NUL or a character above U+00FF");
    }
    assert_eq!(
        field("Transfer-Encoding", "chunked"),
        "protocol: field `transfer-encoding`: a body is always sent with its length"
    );
    assert_eq!(field("Upgrade", "h2c"), "protocol: field `upgrade`: changing the protocol is not supported");
    for bad in ["1", "", "+0", "0, 0", "x", "99999999999999999999999"] {
        assert_eq!(field("content-length", bad), format!("protocol: content-length {bad:?} on a body of 0 bytes"));
    }
    let twice = refusal(|request| request.fields = fields(&[("content-length", "0"), ("Content-Length", "0")]));
    assert_eq!(twice, "protocol: content-length \"0\" on a body of 0 bytes");
}

#[test]
fn fields_are_bounded_in_number_and_size() {
    let many = |count| refusal(|request| request.fields = vec![("a".to_owned(), "b".to_owned()); count]);
    assert_eq!(many(257), "protocol: 257 fields, more than 256");
    let large = refusal(|request| request.fields = fields(&[("a", &"b".repeat(65_536))]));
    assert_eq!(large, "protocol: 65537 bytes of fields, more than 65536");
}

#[test]
fn a_cancelled_refusal_is_a_cancellation() {
    let network = Memory::new(|_, _| async {});
    on_virtual_time(async {
        let world = World::new(&network);
        let token = world.send(world.get("no path"));
        world.client.cancel(token);
        assert_eq!(world.end(token).await.text(), "cancelled");
    });
}
