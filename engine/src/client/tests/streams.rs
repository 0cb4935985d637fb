//! Answers that are handed over as they come.

use std::io::Write as _;
use std::time::Duration;

use super::kit::{Memory, OK, Peer, World, on_virtual_time};
use crate::client::{Event, ReadMode, Token};

/// What comes for a request in a mode, when the body arrives in these chunks.
fn story(mode: ReadMode, fields: &'static str, chunks: &'static [&'static [u8]]) -> String {
    let network = Memory::new(move |_, mut peer: Peer| async move {
        peer.request().await;
        peer.send(format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n{fields}\r\n")).await;
        for chunk in chunks {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let mut framed = format!("{:x}\r\n", chunk.len()).into_bytes();
            framed.extend_from_slice(chunk);
            framed.extend_from_slice(b"\r\n");
            peer.send(framed).await;
        }
        peer.send("0\r\n\r\n").await;
        peer.closed().await;
    });
    let mut told = String::new();
    on_virtual_time(async {
        let world = World::new(&network);
        let mut request = world.get("/");
        request.read = mode;
        let token = world.send(request);
        world.end(token).await;
        told = world.story(token);
    });
    told
}

#[test]
fn each_mode_hands_over_what_it_says() {
    let body: &[&[u8]] = &[b"a\nb", b"c\r\n\n", b"d"];
    assert_eq!(story(ReadMode::Head, "", body), "head 200, 200 ");
    assert_eq!(story(ReadMode::Count, "", body), "200 ");
    assert_eq!(story(ReadMode::Whole(100), "", body), "200 a\\nbc\\r\\n\\nd");
    assert_eq!(story(ReadMode::Chunks, "", body), r#"head 200, Chunk(b"a\nb"), Chunk(b"c\r\n\n"), Chunk(b"d"), 200 "#);
    assert_eq!(story(ReadMode::Lines, "", body), r#"head 200, Lines(["a"]), Lines(["bc"]), Lines(["d"]), 200 "#);
}

#[test]
fn all_lines_of_one_read_come_together() {
    assert_eq!(story(ReadMode::Lines, "", &[b"a\nb\nc\n"]), r#"head 200, Lines(["a", "b", "c"]), 200 "#);
}

#[test]
fn events_come_decoded_and_all_of_one_read_together() {
    assert_eq!(
        story(ReadMode::Events, "", &[b"data: a\n\ndata: b\n\nda", b"ta: c\nevent: x\n\n", b"data: never ended\n"]),
        r#"head 200, events [message "a", message "b"], events [x "c"], 200 "#
    );
}

#[test]
fn an_answer_in_json_to_a_request_for_events_comes_as_it_is() {
    for kind in ["application/json", "Application/Problem+JSON; charset=utf-8"] {
        let fields: &'static str = format!("content-type: {kind}\r\n").leak();
        assert_eq!(story(ReadMode::Events, fields, &[b"{\n\n}"]), r#"head 200, Chunk(b"{\n\n}"), 200 "#);
    }
    let fields = "content-type: text/event-stream\r\n";
    assert_eq!(story(ReadMode::Events, fields, &[b"data: {}\n\n"]), r#"head 200, events [message "{}"], 200 "#);
}

#[test]
fn a_coded_body_is_handed_over_decoded_as_it_comes() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    let mut chunks: Vec<&'static [u8]> = Vec::new();
    for event in ["data: a\n\n", "data: b\n\n"] {
        encoder.write_all(event.as_bytes()).expect("in memory");
        encoder.flush().expect("in memory");
        chunks.push(std::mem::take(encoder.get_mut()).leak());
    }
    chunks.push(encoder.finish().expect("in memory").leak());
    let chunks: &'static [&'static [u8]] = chunks.leak();
    let fields = "content-encoding: gzip\r\n";
    assert_eq!(
        story(ReadMode::Events, fields, chunks),
        r#"head 200, events [message "a"], events [message "b"], 200 "#
    );
    assert_eq!(story(ReadMode::Lines, fields, chunks), r#"head 200, Lines(["data: a"]), Lines(["data: b"]), 200 "#);
    assert_eq!(
        story(ReadMode::Events, fields, &chunks[..2]),
        "head 200, events [message \"a\"], events [message \"b\"], 200 decode: corrupt compressed stream: incomplete deflate stream"
    );
    assert_eq!(
        story(ReadMode::Lines, "content-encoding: br\r\n", &[b"x"]),
        "200 decode: content-encoding \"br\" is not supported; gzip and deflate are"
    );
    assert_eq!(story(ReadMode::Chunks, "content-encoding: identity\r\n", &[b"x"]), r#"head 200, Chunk(b"x"), 200 "#);
    assert_eq!(story(ReadMode::Head, "content-encoding: br\r\n", &[b"x"]), "head 200, 200 ");
}

#[test]
fn items_carry_the_moment_they_were_read() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        peer.request().await;
        peer.send("HTTP/1.1 200 OK\r\n\r\n").await;
        for line in ["a\n", "b\n"] {
            tokio::time::sleep(Duration::from_secs(1)).await;
            peer.send(line).await;
        }
    });
    on_virtual_time(async {
        let world = World::new(&network);
        let mut request = world.get("/");
        request.read = ReadMode::Lines;
        let token = world.send(request);
        world.end(token).await;
        let events = world.memo.events.borrow();
        let seconds: Vec<u64> = events
            .iter()
            .filter_map(|(_, event)| match event {
                Event::Head { at, .. } | Event::Items { at, .. } => Some(at.0 / 1_000_000_000),
                _ => None,
            })
            .collect();
        assert_eq!(seconds, [0, 1, 2]);
    });
}

#[test]
fn a_line_without_an_end_is_bounded() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        peer.request().await;
        peer.send("HTTP/1.1 200 OK\r\n\r\n").await;
        while tokio::io::AsyncWriteExt::write_all(&mut peer.0, &[b'x'; 10_000]).await.is_ok() {}
    });
    on_virtual_time(async {
        let world = World::new(&network);
        let mut request = world.get("/");
        request.read = ReadMode::Lines;
        let token = world.send(request);
        assert_eq!(world.end(token).await.text(), "200 body_too_large: a longer line, where 1048576 bytes are allowed");
        assert_eq!(world.client.usage().open, 0);
    });
}

#[test]
fn cancelling_from_within_an_event_stops_everything_but_the_cancellation() {
    for mode in [ReadMode::Head, ReadMode::Lines] {
        let network = Memory::new(|_, mut peer: Peer| async move {
            peer.request().await;
            peer.send("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\na\nb\n").await;
            peer.closed().await;
        });
        on_virtual_time(async {
            let world = World::new(&network);
            world.hook(|client, token, event| {
                if matches!(event, Event::Head { .. }) {
                    client.cancel(token);
                    client.cancel(token);
                }
            });
            let mut request = world.get("/");
            request.read = mode;
            let token = world.send(request);
            world.end(token).await;
            assert_eq!(world.story(token), "head 200, cancelled");
            assert_eq!(world.client.usage().open, 0);
            world.client.cancel(token);
            world.client.cancel(Token(99));
            super::kit::settle().await;
            assert_eq!(world.story(token), "head 200, cancelled");
        });
    }
}

#[test]
fn a_request_sent_from_within_an_event_is_served_on_the_connection_that_just_became_free() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        peer.answer_all(OK).await;
    });
    on_virtual_time(async {
        let world = World::new(&network);
        let request = world.get("/");
        world.hook(move |client, token, _| {
            if token.0 < 10 {
                client.send(Token(token.0 + 1), request.clone());
            }
        });
        world.send(world.get("/"));
        assert_eq!(world.end(Token(10)).await.text(), "200 ok");
        assert_eq!(network.connections.get(), 1);
        assert_eq!(world.client.usage().reused, 10);
    });
}

#[test]
fn a_stream_that_brings_everything_at_once_and_then_nothing_ends_in_its_time_out() {
    const BODY: usize = 16 * 1024 * 1024;
    let network = Memory::new(|_, mut peer: Peer| async move {
        peer.request().await;
        peer.send("HTTP/1.1 200 OK\r\n\r\n").await;
        // Moves the deadline past the moment the timer is set to, at which all the rest lies ready at once.
        tokio::time::sleep(Duration::from_millis(500)).await;
        peer.send("x").await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        peer.send(vec![b'x'; BODY - 1]).await;
        peer.closed().await;
    });
    network.pipe.set(2 * BODY);
    on_virtual_time(async {
        let world = World::new(&network);
        let mut request = world.get("/");
        request.read = ReadMode::Count;
        request.timeouts.idle = Duration::from_secs(1);
        let token = world.send(request);
        let end = tokio::time::timeout(Duration::from_secs(100), world.end(token)).await.expect("a time-out");
        assert!(end.text().starts_with("200 timeout_idle: "), "{}", end.text());
        assert_eq!((end.timings.bytes_received, end.timings.response_time().as_secs()), (BODY as u64, 2));
    });
}

#[test]
fn comments_keep_a_stream_of_events_alive_and_are_none() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        peer.request().await;
        peer.send("HTTP/1.1 200 OK\r\n\r\n").await;
        for text in [": wait\n\n", ": wait\n\n", ": wait\n\n", "data: a\n\n"] {
            tokio::time::sleep(Duration::from_secs(20)).await;
            peer.send(text).await;
        }
        tokio::time::sleep(Duration::from_hours(1)).await;
    });
    on_virtual_time(async {
        let world = World::new(&network);
        let mut request = world.get("/");
        request.read = ReadMode::Events;
        request.timeouts.total = Duration::from_secs(1_000);
        let token = world.send(request);
        let end = world.end(token).await;
        assert!(world.story(token).starts_with(r#"head 200, events [message "a"], 200 timeout_idle: "#));
        // Idle for 30 s, but only after the last event at 80 s.
        assert_eq!(end.timings.response_time(), Duration::from_secs(110));
    });
}
