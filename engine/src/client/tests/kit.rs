//! Servers that follow a script, and a sink that remembers.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::LocalSet;

use crate::client::{
    Client, Connect, Connecting, Event, Failure, Items, ReadMode, Request, Settings, Sink, Socket, Timeouts, Timings,
    Tls, TlsFiles, Token,
};
use crate::clock::{Clock, Monotonic, Time, Virtual};

/// Runs a test in memory: time stands still while anything can happen, then jumps to the next timer.
pub(crate) fn on_virtual_time(test: impl Future<Output = ()>) {
    run(true, test);
}

/// Runs a test on real sockets.
pub(crate) fn on_sockets(test: impl Future<Output = ()>) {
    run(false, async {
        tokio::time::timeout(Duration::from_mins(1), test).await.expect("the test hangs");
    });
}

fn run(paused: bool, test: impl Future<Output = ()>) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(paused).build().expect("a runtime");
    LocalSet::new().block_on(&runtime, test);
}

/// One side of a connection, as a scripted server holds it.
pub(crate) struct Peer<T = DuplexStream>(pub(crate) T);

impl<T: AsyncRead + AsyncWrite + Unpin> Peer<T> {
    /// The next request, head and body; empty when the client has closed.
    pub(crate) async fn request(&mut self) -> String {
        let mut bytes = Vec::new();
        while !bytes.ends_with(b"\r\n\r\n") {
            match self.0.read_u8().await {
                Ok(byte) => bytes.push(byte),
                Err(_) => return String::from_utf8_lossy(&bytes).into_owned(),
            }
        }
        let head = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        self.0.read_exact(&mut body).await.expect("the announced body");
        bytes.extend(body);
        bytes.iter().map(|&byte| char::from(byte)).collect()
    }

    /// Writes exactly these bytes; the client may be gone.
    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.0.write_all(bytes.as_ref()).await;
        let _ = self.0.flush().await;
    }

    /// Answers every request with the same bytes, until the client closes. How many requests there were.
    pub(crate) async fn answer_all(&mut self, bytes: &str) -> usize {
        let mut count = 0;
        while !self.request().await.is_empty() {
            count += 1;
            self.send(bytes).await;
        }
        count
    }

    /// Waits for the client to close.
    pub(crate) async fn closed(&mut self) {
        let mut rest = Vec::new();
        let _ = self.0.read_to_end(&mut rest).await;
    }
}

/// A short answer that keeps the connection.
pub(crate) const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

type Script = dyn Fn(usize, Peer) -> Pin<Box<dyn Future<Output = ()>>>;

/// A network in memory: each connection is served by a script, which is told its number.
pub(crate) struct Memory {
    script: Box<Script>,
    pub(crate) connections: Cell<usize>,
    /// Errors that the next connections end in.
    pub(crate) refusals: RefCell<Vec<io::Error>>,
    /// What names resolve to; an error while empty.
    pub(crate) addresses: RefCell<Vec<SocketAddr>>,
    /// How long a look-up and a connection take.
    pub(crate) lookup_time: Cell<Duration>,
    pub(crate) connect_time: Cell<Duration>,
    pub(crate) lookups: Cell<usize>,
    /// How many bytes may be under way in one direction.
    pub(crate) pipe: Cell<usize>,
    /// The addresses dialled.
    pub(crate) dialled: RefCell<Vec<SocketAddr>>,
}

impl Memory {
    pub(crate) fn new<F: Future<Output = ()> + 'static>(script: impl Fn(usize, Peer) -> F + 'static) -> Rc<Self> {
        Rc::new(Self {
            script: Box::new(move |number, peer| Box::pin(script(number, peer))),
            connections: Cell::new(0),
            refusals: RefCell::default(),
            addresses: RefCell::new(vec![([127, 0, 0, 1], 80).into()]),
            lookup_time: Cell::default(),
            connect_time: Cell::default(),
            lookups: Cell::new(0),
            pipe: Cell::new(64 * 1024),
            dialled: RefCell::default(),
        })
    }
}

impl Connect for Memory {
    fn lookup<'a>(&'a self, _host: &'a str, _port: u16) -> Connecting<'a, Vec<SocketAddr>> {
        self.lookups.set(self.lookups.get() + 1);
        Box::pin(async {
            tokio::time::sleep(self.lookup_time.get()).await;
            let addresses = self.addresses.borrow().clone();
            if addresses.is_empty() { Err(io::Error::other("no such name")) } else { Ok(addresses) }
        })
    }

    fn connect(&self, address: SocketAddr) -> Connecting<'_, Socket> {
        Box::pin(async move {
            self.dialled.borrow_mut().push(address);
            tokio::time::sleep(self.connect_time.get()).await;
            if let Some(error) = self.refusals.borrow_mut().pop() {
                return Err(error);
            }
            let (ours, theirs) = tokio::io::duplex(self.pipe.get());
            let number = self.connections.replace(self.connections.get() + 1);
            tokio::task::spawn_local((self.script)(number, Peer(theirs)));
            Ok(Socket::Memory(ours))
        })
    }
}

/// A clock that a test can let jump, as when the machine has stopped a worker for a while: timers have not fired yet.
pub(crate) struct Jumping {
    pub(crate) clock: Virtual,
    pub(crate) ahead: Rc<Cell<Duration>>,
}

impl Clock for Jumping {
    fn now(&self) -> Time {
        self.clock.now() + self.ahead.get()
    }
}

type Hook = Box<dyn Fn(&Client, Token, &Event)>;

/// Remembers every event; a hook sees each first.
#[derive(Default)]
pub(crate) struct Memo {
    pub(crate) events: RefCell<Vec<(Token, Event)>>,
    arrived: Notify,
    hook: RefCell<Option<Hook>>,
    client: RefCell<Option<Client>>,
}

impl Sink for Memo {
    fn deliver(&self, token: Token, event: Event) {
        if let (Some(hook), Some(client)) = (&*self.hook.borrow(), &*self.client.borrow()) {
            hook(client, token, &event);
        }
        self.events.borrow_mut().push((token, event));
        self.arrived.notify_waiters();
    }
}

/// A client with its sink.
pub(crate) struct World {
    pub(crate) client: Client,
    pub(crate) memo: Rc<Memo>,
    pub(crate) clock: Rc<dyn Clock>,
    next: Cell<u64>,
}

/// Settings for a target.
pub(crate) fn settings(url: &str) -> Settings {
    Settings::new(url.parse().expect("a URL"), Tls::load(&TlsFiles::default()).expect("the public roots"))
}

impl World {
    /// In memory, as `http://test`.
    pub(crate) fn new(network: &Rc<Memory>) -> Self {
        Self::with(network, settings("http://test"))
    }

    pub(crate) fn with(network: &Rc<Memory>, settings: Settings) -> Self {
        Self::on_clock(network, settings, Rc::new(Virtual::start()))
    }

    pub(crate) fn on_clock(network: &Rc<Memory>, settings: Settings, clock: Rc<dyn Clock>) -> Self {
        let memo = Rc::new(Memo::default());
        let sink = Rc::clone(&memo) as Rc<dyn Sink>;
        let client = Client::with_network(Arc::new(settings), Rc::clone(&clock), sink, network.clone());
        Self { client, memo, clock, next: Cell::new(0) }
    }

    /// On sockets.
    pub(crate) fn on_sockets(settings: Settings) -> Self {
        let clock: Rc<dyn Clock> = Rc::new(Monotonic::start());
        let memo = Rc::new(Memo::default());
        let client = Client::new(Arc::new(settings), Rc::clone(&clock), Rc::clone(&memo) as Rc<dyn Sink>);
        Self { client, memo, clock, next: Cell::new(0) }
    }

    /// Lets a hook see each event as it is delivered.
    pub(crate) fn hook(&self, hook: impl Fn(&Client, Token, &Event) + 'static) {
        *self.memo.client.borrow_mut() = Some(self.client.clone());
        *self.memo.hook.borrow_mut() = Some(Box::new(hook));
    }

    /// A GET whose answer is handed over whole.
    pub(crate) fn get(&self, path: &str) -> Request {
        Request {
            authority: None,
            method: "GET".to_owned(),
            path_with_query: path.to_owned(),
            fields: Vec::new(),
            body: Bytes::new(),
            read: ReadMode::Whole(1024 * 1024),
            peek: 0,
            follow_redirects: 0,
            asked: self.clock.now(),
            timeouts: Timeouts::default(),
        }
    }

    /// The handshake of a WebSocket.
    pub(crate) fn socket(&self, path: &str) -> Request {
        Request { read: ReadMode::Socket, ..self.get(path) }
    }

    /// Sends without waiting.
    pub(crate) fn send(&self, request: Request) -> Token {
        let token = Token(self.next.replace(self.next.get() + 1));
        self.client.send(token, request);
        token
    }

    /// Waits for the end of an exchange.
    pub(crate) async fn end(&self, token: Token) -> End {
        loop {
            let arrived = self.memo.arrived.notified();
            if let Some(end) = self.ended(token) {
                return end;
            }
            arrived.await;
        }
    }

    /// Sends and waits for the end.
    pub(crate) async fn ask(&self, request: Request) -> End {
        let token = self.send(request);
        self.end(token).await
    }

    /// The final event of an exchange, if it has come.
    pub(crate) fn ended(&self, token: Token) -> Option<End> {
        let events = self.memo.events.borrow();
        let mut ends = events.iter().filter(|(of, _)| *of == token).filter_map(|(_, event)| End::of(event));
        let end = ends.next();
        assert!(ends.next().is_none(), "{token:?} has ended twice");
        end
    }

    /// What came for an exchange, in one line: for comparing with what should.
    pub(crate) fn story(&self, token: Token) -> String {
        let events = self.memo.events.borrow();
        let told = events.iter().filter(|(of, _)| *of == token).map(|(_, event)| match event {
            Event::Head { status, .. } => format!("head {status}"),
            Event::Opened { subprotocol, .. } => format!("open {subprotocol:?}"),
            Event::Items { items: Items::Events(events), .. } => {
                let told = events.iter().map(|event| format!("{} {:?}", event.kind(), event.data));
                format!("events [{}]", told.collect::<Vec<_>>().join(", "))
            }
            Event::Items { items, .. } => format!("{items:?}"),
            other => End::of(other).expect("a final event").text(),
        });
        told.collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn now(&self) -> Time {
        self.clock.now()
    }
}

/// A final event, comparable.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub(crate) status: Option<u16>,
    pub(crate) body: Bytes,
    pub(crate) fields: http::HeaderMap,
    pub(crate) failure: Option<Failure>,
    pub(crate) cancelled: bool,
    pub(crate) closed: Option<(u16, String)>,
    pub(crate) timings: Timings,
}

impl End {
    fn of(event: &Event) -> Option<Self> {
        let mut end = Self {
            status: None,
            body: Bytes::new(),
            fields: http::HeaderMap::new(),
            failure: None,
            cancelled: false,
            closed: None,
            timings: Timings::default(),
        };
        match event {
            Event::Head { .. } | Event::Opened { .. } | Event::Items { .. } => return None,
            Event::Response { status, fields, body, timings } => {
                (end.status, end.fields, end.body, end.timings) =
                    (Some(*status), fields.clone(), body.clone(), *timings);
            }
            Event::End { status, timings } => (end.status, end.timings) = (Some(*status), *timings),
            Event::Failed { status, failure, timings } => {
                (end.status, end.failure, end.timings) = (*status, Some(failure.clone()), *timings);
            }
            Event::Closed { code, reason, timings } => {
                (end.closed, end.timings) = (Some((*code, reason.clone())), *timings);
            }
            Event::Cancelled { timings } => (end.cancelled, end.timings) = (true, *timings),
        }
        let timings = &end.timings;
        let moments = [Some(timings.asked), timings.sent, Some(timings.end)];
        assert!(moments.iter().flatten().is_sorted(), "the moments go backwards: {timings:?}");
        assert!(timings.first_byte.is_none_or(|at| at <= timings.end && at >= timings.asked), "{timings:?}");
        Some(end)
    }

    /// In one line.
    pub(crate) fn text(&self) -> String {
        if let Some((code, reason)) = &self.closed {
            return format!("closed {code} {reason}");
        }
        match (&self.failure, self.cancelled, self.status) {
            (Some(failure), _, None) => failure.to_string(),
            (Some(failure), _, Some(status)) => format!("{status} {failure}"),
            (None, true, _) => "cancelled".to_owned(),
            (None, false, status) => {
                format!("{} {}", status.unwrap_or_default(), self.body.escape_ascii())
            }
        }
    }
}

/// A server on a loopback address; each connection is served by a script, which is told its number.
pub(crate) async fn listen<F: Future<Output = ()> + 'static>(
    address: &str,
    script: impl Fn(usize, Peer<tokio::net::TcpStream>) -> F + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind(address).await.expect("a loopback port");
    let bound = listener.local_addr().expect("its address");
    tokio::task::spawn_local(async move {
        for number in 0.. {
            let (socket, _) = listener.accept().await.expect("a connection");
            tokio::task::spawn_local(script(number, Peer(socket)));
        }
    });
    bound
}

/// Lets everything happen that can happen without time passing.
pub(crate) async fn settle() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}
