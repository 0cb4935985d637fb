//! Sockets, against a server of another's making and against exact bytes.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, DuplexStream};
use tokio_websockets::{CloseCode, Config, Message as Wired, ServerBuilder, WebSocketStream};

use super::kit::{End, Memory, OK, Peer, World, on_virtual_time, settings, settle};
use crate::client::{Event, Items, MOST_MESSAGE_BYTES, MOST_WAITING};
use crate::pieces::Message;

/// The server's side of a socket, after its handshake.
pub(crate) struct Talk(WebSocketStream<DuplexStream>);

impl Talk {
    async fn accept(peer: Peer) -> Self {
        let (_, socket) = ServerBuilder::new()
            .config(Config::default().frame_size(5))
            .add_header(http::header::SEC_WEBSOCKET_PROTOCOL, "chat".parse().expect("a value"))
            .expect("allowed")
            .accept(peer.0)
            .await
            .expect("a handshake");
        Self(socket)
    }

    /// The server's side of a socket that selects no subprotocol.
    pub(crate) async fn plain(peer: Peer) -> Self {
        let (_, socket) = ServerBuilder::new().accept(peer.0).await.expect("a handshake");
        Self(socket)
    }

    async fn send(&mut self, message: Wired) {
        assert!(self.try_send(message).await, "open");
    }

    /// Sends a message; whether the socket took it.
    pub(crate) async fn try_send(&mut self, message: Wired) -> bool {
        let mut socket = std::pin::Pin::new(&mut self.0);
        let ready = std::future::poll_fn(|cx| futures_sink::Sink::poll_ready(socket.as_mut(), cx)).await;
        if ready.is_err() || futures_sink::Sink::start_send(socket.as_mut(), message).is_err() {
            return false;
        }
        let _ = std::future::poll_fn(|cx| futures_sink::Sink::poll_flush(socket.as_mut(), cx)).await;
        true
    }

    pub(crate) async fn next(&mut self) -> Option<Wired> {
        std::future::poll_fn(|cx| futures_core::Stream::poll_next(std::pin::Pin::new(&mut self.0), cx)).await?.ok()
    }

    /// What the client says until it closes.
    async fn rest(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        while let Some(message) = self.next().await {
            match (message.as_text(), message.as_close()) {
                (Some(text), _) => said.push(text.to_owned()),
                (_, Some((code, reason))) => said.push(format!("close {} {reason}", u16::from(code))),
                _ => {}
            }
        }
        said
    }
}

fn close(code: CloseCode, reason: &str) -> Wired {
    Wired::close(Some(code), reason)
}

fn offered(world: &World) -> crate::client::Request {
    let mut request = world.socket("/ws");
    request.fields = vec![("Sec-WebSocket-Protocol".to_owned(), "access_token.x, chat".to_owned())];
    request
}

/// What a client that says nothing is told by a server that runs this script, and how it ended.
fn told<F: Future<Output = ()> + 'static>(script: impl Fn(Talk) -> F + 'static) -> (String, End) {
    let script = Rc::new(script);
    let network = Memory::new(move |_, peer| {
        let script = Rc::clone(&script);
        async move { script(Talk::accept(peer).await).await }
    });
    story(&network)
}

/// The same of a server that answers the handshake with these bytes (`{accept}` replaced by the right one) in these
/// pieces, and closes the connection.
fn told_by_bytes(pieces: Vec<Vec<u8>>) -> (String, End) {
    let network = Memory::new(move |_, mut peer: Peer| {
        let pieces = pieces.clone();
        async move {
            let request = peer.request().await;
            let key =
                request.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")).expect("a key").to_owned();
            let accept = accept(&key);
            for piece in pieces {
                let head = piece.windows(4).position(|four| four == b"\r\n\r\n").map_or(0, |at| at + 4);
                let (head, frames) = piece.split_at(head);
                let head = String::from_utf8_lossy(head).replace("{accept}", &accept);
                let piece = [head.as_bytes(), frames].concat();
                peer.send(piece).await;
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
    });
    story(&network)
}

fn accept(key: &str) -> String {
    use base64::Engine as _;
    let digest = sha1_smol::Sha1::from(format!("{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11")).digest();
    base64::engine::general_purpose::STANDARD.encode(digest.bytes())
}

const SWITCHED: &str = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n";

fn story(network: &Rc<Memory>) -> (String, End) {
    let mut told = None;
    on_virtual_time(async {
        let world = World::new(network);
        let token = world.send(offered(&world));
        let end = world.end(token).await;
        told = Some((world.story(token), end));
    });
    told.expect("it has run")
}

#[test]
fn messages_come_as_sent_and_code_and_text_of_the_close_with_them() {
    let (story, end) = told(|mut talk| async move {
        talk.send(Wired::text("hello, and in several frames")).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        talk.send(Wired::binary(vec![0, 255])).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        talk.send(close(CloseCode::SERVICE_RESTART, "back soon")).await;
        assert_eq!(talk.rest().await, ["close 1012 "]);
    });
    assert_eq!(
        story,
        r#"open "chat", Messages([Text("hello, and in several frames")]), Messages([Binary([0, 255])]), closed 1012 back soon"#
    );
    assert_eq!(end.timings.response_time(), Duration::from_secs(2));
    assert_eq!(end.timings.bytes_received, 30);
}

#[test]
fn data_that_comes_with_the_close_comes_before_it() {
    let (story, _) = told(|mut talk| async move {
        talk.send(Wired::text("last")).await;
        talk.send(close(CloseCode::NORMAL_CLOSURE, "")).await;
        talk.rest().await;
    });
    assert_eq!(story, r#"open "chat", Messages([Text("last")]), closed 1000 "#);
}

#[test]
fn a_close_without_a_code_is_1005() {
    let (story, _) = told(|mut talk| async move {
        talk.send(Wired::close(None, "")).await;
        talk.rest().await;
    });
    assert_eq!(story, r#"open "chat", closed 1005 "#);
}

#[test]
fn frames_are_the_same_wherever_the_bytes_are_cut() {
    let head = SWITCHED.as_bytes();
    let frames: &[u8] = b"\x81\x05hello\x01\x03ab\xC3\x89\x01p\x80\x02\xBCd\x82\x00\x88\x05\x03\xE8bye";
    let expected = r#"open "", Messages([Text("hello"), Text("abüd"), Binary([])]), closed 1000 bye"#;
    let merged = |story: &str| story.replace("]), Messages([", ", ");
    // All in one read with the head, and cut everywhere.
    let (story, _) = told_by_bytes(vec![[head, &frames[..7]].concat(), frames[7..].to_vec()]);
    assert_eq!(merged(&story), expected);
    for cut in 0..=frames.len() {
        let (story, _) = told_by_bytes(vec![head.to_vec(), frames[..cut].to_vec(), frames[cut..].to_vec()]);
        assert_eq!(merged(&story), expected, "cut at {cut}");
    }
}

#[test]
fn messages_of_one_read_come_together_and_those_of_another_at_their_own_time() {
    let network = Memory::new(|_, peer| async {
        let mut talk = Talk::accept(peer).await;
        for text in ["a", "b"] {
            tokio::time::sleep(Duration::from_secs(1)).await;
            talk.send(Wired::text(text)).await;
            talk.send(Wired::text(text)).await;
        }
        talk.send(close(CloseCode::NORMAL_CLOSURE, "")).await;
        talk.rest().await;
    });
    on_virtual_time(async {
        let world = World::new(&network);
        let token = world.send(offered(&world));
        world.end(token).await;
        let events = world.memo.events.borrow();
        let times: Vec<_> = events
            .iter()
            .filter_map(|(_, event)| match event {
                Event::Items { at, items: Items::Messages(messages) } => Some((at.0 / 1_000_000_000, messages.len())),
                _ => None,
            })
            .collect();
        assert_eq!(times, [(1, 2), (2, 2)]);
    });
}

#[test]
fn a_close_that_is_never_answered_ends_in_a_failure() {
    let network = Memory::new(|_, peer| async {
        let _talk = Talk::accept(peer).await;
        tokio::time::sleep(Duration::from_hours(1)).await;
    });
    on_virtual_time(async {
        let world = World::new(&network);
        let token = world.send(offered(&world));
        world.client.close_socket(token, 1000, "done".to_owned());
        let end = world.end(token).await;
        assert_eq!(end.text(), "101 timeout_idle: the peer did not answer the close within 5s");
        assert_eq!(end.timings.response_time(), Duration::from_secs(5));
    });
}

#[test]
fn what_comes_after_the_callers_close_still_comes_and_then_the_peers_answer() {
    let network = Memory::new(|_, peer| async {
        let mut talk = Talk::accept(peer).await;
        talk.send(Wired::text("a")).await;
        assert_eq!(talk.rest().await, ["question", "close 3001 done"]);
    });
    on_virtual_time(async {
        let world = World::new(&network);
        let token = world.send(offered(&world));
        // Both before the socket is open: they wait for it.
        world.client.write(token, Message::Text("question".to_owned()));
        world.client.close_socket(token, 3001, "done".to_owned());
        world.client.write(token, Message::Text("too late".to_owned()));
        world.end(token).await;
        assert_eq!(world.story(token), r#"open "chat", Messages([Text("a")]), closed 3001 "#);
    });
}

#[test]
fn a_connection_that_ends_without_a_close_is_truncated_but_not_after_the_callers_close() {
    let network = Memory::new(|_, peer| async { drop(Talk::accept(peer).await) });
    assert_eq!(story(&network).0, r#"open "chat", 101 truncated: the connection ended without a close frame"#);
    on_virtual_time(async {
        let world = World::new(&network);
        world.hook(|client, token, event| {
            if matches!(event, Event::Opened { .. }) {
                client.close_socket(token, 1000, String::new());
            }
        });
        let token = world.send(offered(&world));
        world.end(token).await;
        assert_eq!(world.story(token), r#"open "chat", closed 1006 "#);
    });
}

#[test]
fn pings_are_answered_and_a_connection_that_drops_after_them_is_a_failure() {
    let (story, _) = told(|mut talk| async move {
        for _ in 0..20 {
            talk.send(Wired::ping("are you there")).await;
        }
        for _ in 0..20 {
            assert!(talk.next().await.is_some_and(|message| message.is_pong()));
        }
    });
    assert_eq!(story, r#"open "chat", 101 truncated: the connection ended without a close frame"#);
}

#[test]
fn a_peer_that_pings_and_never_reads_does_not_fill_the_memory() {
    let network = Memory::new(|_, peer| async {
        let (mut reader, mut writer) = tokio::io::split(Talk::accept(peer).await.0.into_inner());
        let _ = &mut reader;
        loop {
            if tokio::io::AsyncWriteExt::write_all(&mut writer, b"\x89\x04ping").await.is_err() {
                return;
            }
        }
    });
    network.pipe.set(1024);
    assert_eq!(story(&network).0, r#"open "chat", 101 protocol: 1000 pings by a peer that does not read the answers"#);
}

#[test]
fn silence_is_a_timeout_pings_break_it_and_the_whole_has_its_own() {
    let network = Memory::new(|_, peer| async {
        let _talk = Talk::accept(peer).await;
        tokio::time::sleep(Duration::from_mins(5)).await;
    });
    on_virtual_time(async {
        let world = World::new(&network);
        let mut request = offered(&world);
        request.timeouts.total = Duration::from_secs(100);
        let end = world.ask(request).await;
        assert!(end.text().starts_with("101 timeout_idle: "), "{}", end.text());
        assert_eq!(end.timings.response_time(), Duration::from_secs(30));
    });
    let network = Memory::new(|_, peer| async {
        let mut talk = Talk::accept(peer).await;
        loop {
            tokio::time::sleep(Duration::from_secs(20)).await;
            talk.send(Wired::ping("")).await;
        }
    });
    on_virtual_time(async {
        let world = World::new(&network);
        let mut request = offered(&world);
        request.timeouts.total = Duration::from_secs(100);
        let end = world.ask(request).await;
        assert!(end.text().starts_with("101 timeout_total: "), "{}", end.text());
        assert_eq!(end.timings.response_time(), Duration::from_secs(100));
    });
}

#[test]
fn a_refused_upgrade_names_the_status() {
    for status in ["403 Forbidden", "200 OK", "302 Found\r\nlocation: /other"] {
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
        let (story, end) = told_by_bytes(vec![answer.into_bytes()]);
        let code = &status[..3];
        assert_eq!(story, format!("{code} upgrade_refused: answered with status {code}"));
        assert_eq!(end.status.map(|status| status.to_string()).as_deref(), Some(code));
    }
}

#[test]
fn an_answer_that_is_no_websockets_is_a_protocol_failure() {
    let (story, _) = told_by_bytes(vec![SWITCHED.replace("{accept}", "x").into_bytes()]);
    assert_eq!(story, "101 protocol: the upgrade's answer has a wrong `sec-websocket-accept`");
    for (frame, what) in [(&b"\x81\x81\0\0\0\0a"[..], "masked"), (b"\x83\0", "opcode"), (b"\x81\x01\xFF", "utf-8")] {
        let (story, _) = told_by_bytes(vec![SWITCHED.as_bytes().to_vec(), frame.to_vec()]);
        let failure = story.strip_prefix("open \"\", 101 ").expect("it opens");
        assert!(failure.starts_with("protocol: ") && failure.to_lowercase().contains(what), "{story}");
    }
}

#[test]
fn an_end_within_a_frame_is_truncated() {
    let (story, _) = told_by_bytes(vec![SWITCHED.as_bytes().to_vec(), b"\x81\x05he".to_vec()]);
    assert_eq!(story, "open \"\", 101 truncated: the connection ended within a frame");
}

#[test]
fn a_message_above_the_bound_fails_before_it_is_read() {
    let mut frame = b"\x82\x7F".to_vec();
    frame.extend((MOST_MESSAGE_BYTES as u64 + 1).to_be_bytes());
    let (story, _) = told_by_bytes(vec![SWITCHED.as_bytes().to_vec(), frame]);
    assert_eq!(story, "open \"\", 101 body_too_large: a larger message, where 16777216 bytes are allowed");
}

#[test]
fn a_peer_that_does_not_read_fails_the_socket_at_the_bound() {
    let network = Memory::new(|_, peer| async {
        let _talk = Talk::accept(peer).await;
        tokio::time::sleep(Duration::from_hours(1)).await;
    });
    network.pipe.set(1024);
    on_virtual_time(async {
        let world = World::new(&network);
        let token = world.send(offered(&world));
        settle().await;
        for _ in 0..=MOST_WAITING {
            world.client.write(token, Message::Text("x".to_owned()));
        }
        let end = world.end(token).await;
        assert_eq!(end.text(), "101 other: more waits to be sent than is kept: 10000 messages or 16 MiB");
    });
}

#[test]
fn a_cancelled_socket_closes_its_connection_and_tells_nothing_more() {
    let closed = Rc::new(Cell::new(false));
    let seen = Rc::clone(&closed);
    let network = Memory::new(move |_, peer| {
        let seen = Rc::clone(&seen);
        async move {
            let mut stream = Talk::accept(peer).await.0.into_inner();
            let mut rest = Vec::new();
            let _ = stream.read_to_end(&mut rest).await;
            seen.set(true);
        }
    });
    on_virtual_time(async {
        let world = World::new(&network);
        let token = world.send(offered(&world));
        settle().await;
        world.client.cancel(token);
        world.end(token).await;
        assert_eq!(world.story(token), r#"open "chat", cancelled"#);
        settle().await;
        assert!(closed.get());
    });
}

#[test]
fn a_socket_has_a_connection_of_its_own_holds_its_place_and_gives_it_back() {
    let network = Memory::new(|number, mut peer: Peer| async move {
        if number != 1 {
            peer.answer_all(OK).await;
            return;
        }
        let mut talk = Talk::accept(peer).await;
        tokio::time::sleep(Duration::from_secs(3)).await;
        talk.send(close(CloseCode::NORMAL_CLOSURE, "")).await;
        talk.rest().await;
    });
    on_virtual_time(async {
        let mut settings = settings("http://test");
        settings.connections = 1;
        let world = World::with(&network, settings);
        // Kept, and closed to make room: a socket begins on a fresh one.
        world.ask(world.get("/")).await;
        let socket = world.send(offered(&world));
        let waiting = world.send(world.get("/"));
        let end = world.end(socket).await;
        assert!(!end.timings.reused && end.timings.connect.is_some(), "{:?}", end.timings);
        let end = world.end(waiting).await;
        assert_eq!((end.text().as_str(), end.timings.queued), ("200 ok", Duration::from_secs(3)));
        assert_eq!((network.connections.get(), world.client.usage().open), (3, 1));
    });
}

#[test]
fn a_handshake_that_cannot_be_sent_is_refused() {
    let network = Memory::new(|_, _| async { panic!("nothing is to be sent") });
    on_virtual_time(async {
        let world = World::new(&network);
        let refused = async |change: &dyn Fn(&mut crate::client::Request)| {
            let mut request = world.socket("/ws");
            change(&mut request);
            world.ask(request).await.text()
        };
        assert_eq!(
            refused(&|request| request.method = "POST".to_owned()).await,
            "protocol: the handshake of a WebSocket is a GET without a body"
        );
        assert_eq!(
            refused(&|request| request.fields.push(("Sec-WebSocket-Key".to_owned(), "x".to_owned()))).await,
            "protocol: field `Sec-WebSocket-Key`: the engine sets it in a handshake"
        );
    });
}

#[test]
fn a_socket_that_is_closed_while_messages_wait_to_be_sent_is_not_opened_again() {
    let network = Memory::new(|_, peer| async {
        let mut talk = Talk::accept(peer).await;
        assert!(talk.next().await.is_some());
        talk.send(close(CloseCode::GOING_AWAY, "deploying")).await;
        // The rest lies in the pipe.
        talk.rest().await;
    });
    network.pipe.set(1024);
    on_virtual_time(async {
        let world = World::new(&network);
        let token = world.send(offered(&world));
        for _ in 0..100 {
            world.client.write(token, Message::Text("x".repeat(500)));
        }
        world.end(token).await;
        assert_eq!(world.story(token), r#"open "chat", closed 1001 deploying"#);
        settle().await;
        assert_eq!(network.connections.get(), 1);
    });
}
