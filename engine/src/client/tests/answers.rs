//! Answers of every framing, cut anywhere.

use std::rc::Rc;
use std::time::Duration;

use flate2::Compression;
use flate2::read::GzEncoder;

use super::kit::{Memory, OK, Peer, World, on_virtual_time, settle};
use crate::client::{ReadMode, Reason, Request};

/// A network whose connections answer one request with these pieces and then close.
fn pieces(pieces: Vec<Vec<u8>>) -> Rc<Memory> {
    let pieces = Rc::new(pieces);
    Memory::new(move |_, mut peer: Peer| {
        let pieces = Rc::clone(&pieces);
        async move {
            peer.request().await;
            for piece in pieces.iter() {
                peer.send(piece).await;
                // Long enough for the client to read it by itself.
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
    })
}

/// How an exchange ends that is answered with these bytes, after which the connection closes.
fn answered_with(answer: impl AsRef<[u8]>, change: impl Fn(&mut Request)) -> String {
    let network = pieces(vec![answer.as_ref().to_vec()]);
    let mut text = String::new();
    on_virtual_time(async {
        let world = World::new(&network);
        let mut request = world.get("/");
        change(&mut request);
        text = world.ask(request).await.text();
        assert_eq!(world.client.usage().stale_resent, 0);
    });
    text
}

fn answered(answer: impl AsRef<[u8]>) -> String {
    answered_with(answer, |_| ())
}

#[test]
fn every_framing_is_read_wherever_the_answer_is_cut() {
    let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n";
    let answers = [
        format!("{interim}HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"),
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3;ext=1\r\nhel\r\n2\r\nlo\r\n0\r\nx-trailer: 1\r\n\r\n"
            .to_owned(),
        "HTTP/1.0 200 OK\r\n\r\nhello".to_owned(),
    ];
    for answer in answers {
        let answer = answer.as_bytes();
        for cut in 1..answer.len() {
            let network = pieces(vec![answer[..cut].to_vec(), answer[cut..].to_vec()]);
            on_virtual_time(async {
                let world = World::new(&network);
                let end = world.ask(world.get("/")).await;
                assert_eq!(end.text(), "200 hello", "cut at {cut}");
                assert_eq!(end.timings.bytes_received, 5);
                assert_eq!(end.timings.wire_received, answer.len() as u64);
                assert_eq!(end.timings.first_byte, Some(crate::clock::Time(0)));
            });
        }
    }
}

#[test]
fn an_answer_cut_off_anywhere_is_truncated() {
    let answers = [
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    ];
    for answer in answers {
        for cut in 1..answer.len() {
            let text = answered(&answer[..cut]);
            assert!(text.contains("truncated: closed after"), "cut at {cut}: {text}");
        }
    }
}

#[test]
fn answers_without_a_body_end_with_their_head() {
    for status in ["204 No Content", "304 Not Modified"] {
        let code = &status[..3];
        assert_eq!(answered(format!("HTTP/1.1 {status}\r\ncontent-length: 7\r\n\r\n")), format!("{code} "));
    }
    let head = |request: &mut Request| "HEAD".clone_into(&mut request.method);
    assert_eq!(answered_with("HTTP/1.1 200 OK\r\ncontent-length: 7\r\ncontent-encoding: br\r\n\r\n", head), "200 ");
    assert_eq!(answered("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"), "200 ");
    assert_eq!(answered("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"), "200 ");
    assert_eq!(answered("HTTP/1.1 200 OK\r\n\r\n"), "200 ");
    assert_eq!(answered("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n"), "200 ");
}

#[test]
fn a_connection_is_used_again_after_every_framing_that_allows_it() {
    let answers = [
        (OK, true),
        ("HTTP/1.1 204 No Content\r\n\r\n", true),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", true),
        ("HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 1\r\n\r\nx", true),
        ("HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\nx", false),
        ("HTTP/1.1 200 OK\r\nConnection: Close\r\ncontent-length: 1\r\n\r\nx", false),
        ("HTTP/1.1 200 OK\r\nconnection: x, close\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", false),
    ];
    for (answer, keeps) in answers {
        let network = Memory::new(move |_, mut peer: Peer| async move {
            peer.answer_all(answer).await;
        });
        on_virtual_time(async {
            let world = World::new(&network);
            for n in 0..3 {
                let end = world.ask(world.get("/")).await;
                assert!(end.failure.is_none(), "{answer:?}: {}", end.text());
                assert_eq!(end.timings.reused, keeps && n > 0, "{answer:?}");
                assert_eq!(end.timings.connect.is_some(), !end.timings.reused);
            }
            settle().await;
            assert_eq!(network.connections.get(), if keeps { 1 } else { 3 }, "{answer:?}");
            let usage = world.client.usage();
            assert_eq!((usage.open, usage.idle), if keeps { (1, 1) } else { (0, 0) });
        });
    }
}

#[test]
fn a_request_that_asks_to_close_ends_its_connection() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        peer.answer_all(OK).await;
    });
    on_virtual_time(async {
        let world = World::new(&network);
        for _ in 0..2 {
            let mut request = world.get("/");
            request.fields = vec![("Connection".to_owned(), "x, Close".to_owned())];
            assert_eq!(world.ask(request).await.text(), "200 ok");
        }
        settle().await;
        assert_eq!(network.connections.get(), 2);
        assert_eq!(world.client.usage().open, 0);
    });
}

#[test]
fn what_is_not_http_is_a_protocol_failure() {
    for garbage in [
        "garbage\r\n\r\n",
        "HTTP/9.9 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
    ] {
        let text = answered(garbage);
        assert!(text.starts_with("protocol: "), "{garbage:?}: {text}");
    }
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    for chunk in ["x\r\n", "fffffffffffffffff\r\n", "1\r\nabc", "1\r\na\r\n\n"] {
        let text = answered(format!("{chunked}{chunk}"));
        assert!(text.starts_with("200 protocol: "), "{chunk:?}: {text}");
    }
    assert_eq!(
        answered("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
        "101 protocol: the answer changes the protocol, which nobody asked for"
    );
}

#[test]
fn endless_heads_extensions_and_trailers_are_bounded() {
    let long = "x".repeat(1_000_000);
    let text = answered(format!("HTTP/1.1 200 OK\r\nlong: {long}"));
    assert_eq!(text, "protocol: message head is too large");
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let text = answered(format!("{chunked}1;{long}"));
    assert_eq!(text, "200 protocol: chunk extensions over limit");
    let text = answered(format!("{chunked}1\r\nx\r\n0\r\nlong: {long}"));
    assert_eq!(text, "200 protocol: chunk trailers bytes over limit");
}

#[test]
fn a_body_is_refused_one_byte_above_its_limit_and_its_connection_closed() {
    let sized = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello".to_owned();
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n".to_owned();
    for answer in [sized, chunked] {
        let limited = |limit| {
            let answer = answer.clone();
            answered_with(answer, move |request| request.read = ReadMode::Whole(limit))
        };
        assert_eq!(limited(5), "200 hello");
        let text = limited(4);
        assert!(text.starts_with("200 body_too_large: "), "{text}");
    }
    let endless = Memory::new(|_, mut peer: Peer| async move {
        peer.request().await;
        peer.send("HTTP/1.1 200 OK\r\n\r\n").await;
        // Ends because the client closes.
        while tokio::io::AsyncWriteExt::write_all(&mut peer.0, &[b'x'; 10_000]).await.is_ok() {}
    });
    on_virtual_time(async {
        let world = World::new(&endless);
        let end = world.ask(world.get("/")).await;
        assert_eq!(end.text(), "200 body_too_large: more, where 1048576 bytes are allowed");
        assert_eq!(world.client.usage().open, 0);
    });
}

#[test]
fn a_huge_body_is_counted_and_not_kept() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        peer.request().await;
        peer.send("HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n").await;
        for _ in 0..1000 {
            peer.send(vec![b'x'; 100_000]).await;
        }
        peer.answer_all(OK).await;
    });
    on_virtual_time(async {
        let world = World::new(&network);
        let mut request = world.get("/");
        request.read = ReadMode::Count;
        let end = world.ask(request).await;
        assert_eq!((end.text(), end.timings.bytes_received), ("200 ".to_owned(), 100_000_000));
        assert_eq!(world.ask(world.get("/")).await.text(), "200 ok");
        assert_eq!(network.connections.get(), 1);
    });
}

#[test]
fn a_coded_body_is_decoded_and_counted_as_it_came() {
    let mut coded = Vec::new();
    std::io::Read::read_to_end(&mut GzEncoder::new("hello".as_bytes(), Compression::best()), &mut coded)
        .expect("in memory");
    let mut answer =
        format!("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n", coded.len()).into_bytes();
    answer.extend(&coded);
    for cut in [1, answer.len() - 3] {
        let network = pieces(vec![answer[..cut].to_vec(), answer[cut..].to_vec()]);
        on_virtual_time(async {
            let world = World::new(&network);
            let end = world.ask(world.get("/")).await;
            assert_eq!(end.text(), "200 hello");
            assert_eq!(end.timings.bytes_received, coded.len() as u64);
        });
    }
    assert_eq!(answered_with(&answer, |request| request.read = ReadMode::Count), "200 ");
    let broken = answer.len() - 6;
    answer[broken] ^= 1;
    assert!(answered(&answer).starts_with("200 decode: corrupt gzip"));
    assert_eq!(
        answered("HTTP/1.1 200 OK\r\ncontent-encoding: br\r\ncontent-length: 1\r\n\r\nx"),
        "200 decode: content-encoding \"br\" is not supported; gzip and deflate are"
    );
    assert_eq!(answered("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 0\r\n\r\n"), "200 ");
}

#[test]
fn an_undecodable_body_does_not_cost_its_connection() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        peer.answer_all("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc").await;
    });
    on_virtual_time(async {
        let world = World::new(&network);
        for _ in 0..3 {
            assert_eq!(world.ask(world.get("/")).await.failure.map(|f| f.reason), Some(Reason::Decode));
        }
        assert_eq!(network.connections.get(), 1);
    });
}

#[test]
fn an_answer_that_comes_before_the_upload_is_over_is_an_answer() {
    // The server reads only the head, refuses, and goes; the body never fits into the pipe.
    let network = Memory::new(|_, mut peer: Peer| async move {
        while !tokio::io::AsyncReadExt::read_u8(&mut peer.0).await.is_ok_and(|byte| byte == b'\n') {}
        peer.send("HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno").await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    });
    on_virtual_time(async {
        let world = World::new(&network);
        let mut request = world.get("/");
        "POST".clone_into(&mut request.method);
        request.body = vec![b'x'; 10_000_000].into();
        let end = world.ask(request).await;
        assert_eq!(end.text(), "413 no");
        assert!(end.timings.bytes_sent < 10_000_000);
        settle().await;
        assert_eq!(world.client.usage().open, 0, "half an upload must not be followed by another request");
    });
}

#[test]
fn an_answer_is_read_to_its_end_although_the_upload_has_failed() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        while !tokio::io::AsyncReadExt::read_u8(&mut peer.0).await.is_ok_and(|byte| byte == b'\n') {}
        // Longer than one read, so that the upload goes on between its parts; and the peer is gone by then.
        peer.send(format!("HTTP/1.1 413 Too Large\r\ncontent-length: 50000\r\n\r\n{}", "x".repeat(50_000))).await;
    });
    on_virtual_time(async {
        let world = World::new(&network);
        let mut request = world.get("/");
        "POST".clone_into(&mut request.method);
        request.body = vec![b'x'; 10_000_000].into();
        let end = world.ask(request).await;
        assert_eq!((end.status, end.failure, end.body.len()), (Some(413), None, 50_000));
    });
}

#[test]
fn the_end_of_an_answer_is_its_last_byte_or_the_closing_that_ends_it() {
    let network = Memory::new(|number, mut peer: Peer| async move {
        peer.request().await;
        let sized = if number == 0 { "content-length: 2\r\n" } else { "" };
        peer.send(format!("HTTP/1.1 200 OK\r\n{sized}\r\no")).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        peer.send("k").await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    });
    on_virtual_time(async {
        let world = World::new(&network);
        for seconds in [1, 2] {
            let end = world.ask(world.get("/")).await;
            assert_eq!(end.text(), "200 ok");
            assert_eq!(end.timings.service_time(), Some(Duration::from_secs(seconds)));
            tokio::time::sleep(Duration::from_secs(5)).await;
        }
    });
}

#[test]
fn fields_of_the_answer_are_handed_over_with_repeats() {
    let network =
        pieces(vec![b"HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nset-cookie: b\r\ncontent-length: 0\r\n\r\n".to_vec()]);
    on_virtual_time(async {
        let world = World::new(&network);
        let end = world.ask(world.get("/")).await;
        let cookies: Vec<_> = end.fields.get_all("set-cookie").iter().collect();
        assert_eq!(cookies, ["a", "b"]);
    });
}
