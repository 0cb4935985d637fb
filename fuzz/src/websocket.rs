//! Arbitrary bytes from a peer, in arbitrary pieces, into the client: as frames after a right handshake, as the answer to
//! a handshake, as the answer to a request. Every exchange ends exactly once, in order and in time, and leaves no
//! connection behind.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use arbitrary::{Result, Unstructured};
use bytes::Bytes;
use engine::client::{Client, Event, Items, MOST_MESSAGE_BYTES, ReadMode, Request, Sink, Timeouts, Timings, Token};
use engine::clock::{Clock, Virtual};
use engine::pieces::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::sync::Notify;

use crate::network::{Memory, accept, on_virtual_time, request_head, settings, with_accept};
use crate::pieces::cut;

const SWITCHED: &[u8] = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\nSec-WebSocket-Protocol: chat\r\n\r\n";
/// The most bytes an answer may have that is handed over whole.
const WHOLE: u32 = 64 * 1024;
/// All time-outs of an exchange are shorter.
const HANGS: Duration = Duration::from_mins(3);

/// What the peer sends, and how the client behaves.
struct Input<'a> {
    /// What the bytes are: frames, the answer to a handshake, the answer to a request read in one of the modes.
    mode: u8,
    /// What the client does: see [`Manner`].
    manner: u8,
    /// What the peer does: bit 0 keeps the connection, bit 1 never reads, bits 2 and up pause between pieces.
    peer: u8,
    /// Where the bytes are cut.
    seed: u16,
    bytes: &'a [u8],
}

fn read(data: &[u8]) -> Result<Input<'_>> {
    let mut u = Unstructured::new(data);
    Ok(Input {
        mode: u.arbitrary()?,
        manner: u.arbitrary()?,
        peer: u.arbitrary()?,
        seed: u.arbitrary()?,
        bytes: u.take_rest(),
    })
}

/// What the client does while it hears, bit by bit.
#[derive(Clone, Copy)]
struct Manner(u8);

impl Manner {
    fn greets(self) -> bool {
        self.0 & 1 != 0
    }
    fn echoes(self) -> bool {
        self.0 & 2 != 0
    }
    fn closes(self) -> bool {
        self.0 & 4 != 0
    }
    fn cancels(self) -> bool {
        self.0 & 8 != 0
    }
    /// After so many events it closes or cancels.
    fn after(self) -> u32 {
        u32::from(self.0 >> 4)
    }
}

/// One input: mode, manner, peer, two bytes for the cuts, then the peer's bytes, in which `{accept}` stands for the
/// right answer to the handshake's key.
///
/// # Panics
/// On a finding.
pub fn run(data: &[u8]) {
    let Ok(input) = self::read(data) else { return };
    let frames = input.mode % 8 == 0;
    let read = match input.mode % 8 {
        0 | 1 => ReadMode::Socket,
        2 => ReadMode::Whole(WHOLE),
        3 => ReadMode::Head,
        4 => ReadMode::Events,
        5 => ReadMode::Lines,
        6 => ReadMode::Chunks,
        _ => ReadMode::Count,
    };
    let bytes: Rc<[u8]> = if frames { [SWITCHED, input.bytes].concat().into() } else { input.bytes.into() };
    let (peer, seed) = (input.peer, input.seed);
    let network = Memory::new(if peer & 0x80 == 0 { 64 * 1024 } else { 300 }, move |stream| {
        let bytes = Rc::clone(&bytes);
        serve(stream, bytes, peer, seed)
    });
    on_virtual_time(async move {
        let clock: Rc<dyn Clock> = Rc::new(Virtual::start());
        let ear = Rc::new(Ear::new(read, Manner(input.manner)));
        let client = Client::with_network(Arc::new(settings()), Rc::clone(&clock), Rc::clone(&ear) as _, network);
        *ear.client.borrow_mut() = Some(client.clone());
        // A second one, which may come upon what the first has left on its connection.
        for token in 0..2 {
            ear.begin(Token(token));
            client.send(Token(token), request(read, clock.now(), u32::from(input.mode >> 6)));
            tokio::time::timeout(HANGS, ear.ended.notified()).await.expect("an exchange hangs");
        }
        client.close();
        tokio::time::sleep(HANGS).await;
        let usage = client.usage();
        assert_eq!((usage.open, usage.idle, usage.waiting), (0, 0, 0), "something is left: {usage:?}");
        assert_eq!(ear.ends.get(), 2);
        ear.client.borrow_mut().take();
    });
}

/// Answers one request with these bytes.
async fn serve(mut stream: DuplexStream, bytes: Rc<[u8]>, peer: u8, seed: u16) {
    let Some(head) = request_head(&mut stream).await else { return };
    let bytes = with_accept(&bytes, &accept(&head));
    let (mut reading, mut writing) = tokio::io::split(stream);
    let reads = async move {
        if peer & 2 == 0 {
            let mut rest = [0; 4096];
            while reading.read(&mut rest).await.is_ok_and(|length| length > 0) {}
        }
        reading
    };
    let reads = tokio::task::spawn_local(reads);
    let pause = Duration::from_millis(u64::from(peer >> 2 & 0x1f) * 100);
    for piece in cut(&bytes, seed) {
        if writing.write_all(piece).await.is_err() {
            return;
        }
        if pause.is_zero() {
            tokio::task::yield_now().await;
        } else {
            tokio::time::sleep(pause).await;
        }
    }
    if peer & 1 == 0 {
        let _ = writing.shutdown().await;
    } else if let Ok(reading) = reads.await {
        tokio::time::sleep(HANGS).await;
        drop(reading);
    }
}

fn request(read: ReadMode, asked: engine::clock::Time, follow_redirects: u32) -> Request {
    let socket = read == ReadMode::Socket;
    Request {
        authority: None,
        method: "GET".to_owned(),
        path_with_query: "/a?b=c".to_owned(),
        fields: if socket { vec![("Sec-WebSocket-Protocol".to_owned(), "chat".to_owned())] } else { Vec::new() },
        body: Bytes::new(),
        read,
        peek: 0,
        follow_redirects,
        asked,
        timeouts: Timeouts::default(),
    }
}

/// Hears the events of one exchange after the other and checks their order.
struct Ear {
    read: ReadMode,
    manner: Manner,
    client: RefCell<Option<Client>>,
    /// The exchange that is open.
    token: Cell<Option<Token>>,
    heard: Cell<u32>,
    /// Whether its head, or its opening, has come.
    begun: Cell<bool>,
    last: Cell<u64>,
    ends: Cell<u32>,
    ended: Notify,
}

impl Ear {
    fn new(read: ReadMode, manner: Manner) -> Self {
        Self {
            read,
            manner,
            client: RefCell::default(),
            token: Cell::default(),
            heard: Cell::default(),
            begun: Cell::default(),
            last: Cell::default(),
            ends: Cell::default(),
            ended: Notify::new(),
        }
    }

    fn begin(&self, token: Token) {
        self.token.set(Some(token));
        self.heard.set(0);
        self.begun.set(false);
    }

    fn at(&self, at: engine::clock::Time) {
        assert!(at.0 >= self.last.get(), "time goes backwards");
        self.last.set(at.0);
    }

    fn end(&self, timings: &Timings) {
        let moments = [Some(timings.asked), timings.sent, Some(timings.end)];
        assert!(moments.iter().flatten().is_sorted(), "the moments go backwards: {timings:?}");
        assert!(timings.first_byte.is_none_or(|at| at <= timings.end && at >= timings.asked), "{timings:?}");
        self.token.set(None);
        self.ends.set(self.ends.get() + 1);
        self.ended.notify_one();
    }

    fn streamed(&self) -> bool {
        matches!(self.read, ReadMode::Head | ReadMode::Events | ReadMode::Lines | ReadMode::Chunks)
    }

    fn react(&self, token: Token, event: &Event) {
        let client = self.client.borrow();
        let Some(client) = &*client else { return };
        match event {
            Event::Opened { .. } if self.manner.greets() => {
                client.write(token, Message::Text("hello".to_owned()));
                client.write(token, Message::Binary(vec![7; 70_000]));
            }
            Event::Items { items: Items::Messages(messages), .. } if self.manner.echoes() => {
                for message in messages {
                    client.write(token, message.clone());
                }
            }
            _ => {}
        }
        if self.heard.get() > self.manner.after() {
            if self.manner.closes() {
                client.close_socket(token, 1000, "that is enough".to_owned());
            }
            if self.manner.cancels() {
                client.cancel(token);
            }
        }
    }
}

impl Sink for Ear {
    fn deliver(&self, token: Token, event: Event) {
        assert_eq!(self.token.get(), Some(token), "an event of an exchange that has ended: {event:?}");
        self.heard.set(self.heard.get() + 1);
        match &event {
            Event::Head { at, status, .. } => {
                assert!(self.streamed() && !self.begun.replace(true), "{event:?}");
                assert!((200..=999).contains(status), "{status}");
                self.at(*at);
            }
            Event::Opened { at, subprotocol, .. } => {
                assert!(self.read == ReadMode::Socket && !self.begun.replace(true), "{event:?}");
                assert!(matches!(subprotocol.as_str(), "" | "chat"), "{subprotocol:?}");
                self.at(*at);
            }
            Event::Items { at, items } => {
                assert!(self.begun.get(), "items before the head");
                self.at(*at);
                check_items(self.read, items);
            }
            Event::Response { status, body, timings, .. } => {
                assert!(matches!(self.read, ReadMode::Whole(_) | ReadMode::Count), "{event:?}");
                assert!((200..=999).contains(status) && body.len() <= WHOLE as usize);
                self.end(timings);
            }
            Event::End { status, timings } => {
                assert!(self.streamed() && self.begun.get(), "{event:?}");
                assert!((200..=999).contains(status), "{status}");
                self.end(timings);
            }
            Event::Closed { code, reason, timings } => {
                assert!(self.read == ReadMode::Socket && self.begun.get(), "{event:?}");
                assert!((1000..=4999).contains(code) && reason.len() <= 123, "{code} {reason:?}");
                self.end(timings);
            }
            Event::Failed { failure, timings, .. } => {
                assert!(!failure.reason.as_str().is_empty() && !failure.detail.is_empty(), "{failure:?}");
                self.end(timings);
            }
            Event::Cancelled { timings } => {
                assert!(self.manner.cancels(), "cancelled by nobody");
                self.end(timings);
            }
        }
        if self.token.get().is_some() {
            self.react(token, &event);
        }
    }
}

fn check_items(read: ReadMode, items: &Items) {
    match (read, items) {
        (ReadMode::Lines, Items::Lines(lines)) => {
            assert!(!lines.is_empty() && lines.iter().all(|line| !line.is_empty()));
        }
        (ReadMode::Events, Items::Events(events)) => assert!(!events.is_empty()),
        // An answer that is JSON is handed over as it is.
        (ReadMode::Chunks | ReadMode::Events, Items::Chunk(bytes)) => assert!(!bytes.is_empty()),
        (ReadMode::Socket, Items::Messages(messages)) => {
            assert!(!messages.is_empty() && messages.iter().all(|message| message.len() <= MOST_MESSAGE_BYTES));
        }
        _ => panic!("{items:?} in mode {read:?}"),
    }
}
