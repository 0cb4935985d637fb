//! A WebSocket after its handshake, framed by `tokio-websockets` on the connection that carried it.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf, Bytes};
use futures_core::Stream;
use futures_sink::Sink;
use http::HeaderMap;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio_websockets::{ClientBuilder, CloseCode, Error, Limits, Message as Wired, WebSocketStream};

use super::body::too_large;
use super::deadline::Alarm;
use super::exchange::Exchange;
use super::failure::{Failure, Reason};
use super::http1::{Http1, Lost};
use super::outbox::{MOST_WAITING, MOST_WAITING_BYTES, Outbox, Outgoing};
use super::pool::Pool;
use super::seat::Seat;
use super::serve::Cut;
use super::stream_io::StreamIo;
use super::wire::Wire;
use super::{Event, Items};
use crate::clock::{Clock, Time};
use crate::pieces::{MOST_CLOSE_BYTES, Message};

/// The largest message, after it has been put together.
pub const MOST_MESSAGE_BYTES: usize = 16 * 1024 * 1024;
/// How long the peer may take to answer a close.
const CLOSE_WAIT: Duration = Duration::from_secs(5);
/// How long the peer may take to close the connection after the close handshake: the side that closes first keeps the
/// port for a minute, and that should be the server (RFC 6455, section 7.1.1).
const LINGER: Duration = Duration::from_secs(1);
/// Pings that may wait for their pongs to be taken: a peer that only pings and never reads must not fill the memory.
const MOST_PONGS_WAITING: u32 = 1_000;
/// Messages handed over at a time.
const MOST_AT_ONCE: usize = 1_000;
/// No code came with the close (section 7.1.5).
const NO_CODE: u16 = 1005;
/// The connection ended without the peer's part of the close handshake (section 7.1.5).
const ABNORMAL: u16 = 1006;

/// A connection whose first bytes were read with the handshake's answer.
pub(super) struct Rewound {
    read: Bytes,
    stream: StreamIo,
}

impl Rewound {
    pub(super) fn new(read: Bytes, stream: StreamIo) -> Self {
        Self { read, stream }
    }
}

impl AsyncRead for Rewound {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.read.is_empty() {
            return Pin::new(&mut this.stream).poll_read(cx, buf);
        }
        let length = this.read.len().min(buf.remaining());
        buf.put_slice(&this.read[..length]);
        this.read.advance(length);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Rewound {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

/// How a conversation stands.
struct Conversation<'a> {
    socket: WebSocketStream<Rewound>,
    wire: Rc<Wire>,
    outbox: &'a Outbox,
    pongs_waiting: u32,
    /// When the caller's close was handed to the socket.
    close_sent: Option<Time>,
    /// Payload bytes received.
    received: u64,
    /// Read after what was handed over last, at a moment of its own.
    held: Option<(Time, Item)>,
}

/// One thing that comes from a socket.
enum Item {
    Message(Message),
    End(Result<Close, Failure>),
}

/// Code and text of a close.
struct Close(u16, String);

/// What came in one read.
#[derive(Default)]
struct Read {
    at: Time,
    messages: Vec<Message>,
    /// What ended the conversation after them.
    end: Option<Result<Close, Failure>>,
}

impl Read {
    fn add(&mut self, at: Time, item: Item) {
        self.at = at;
        match item {
            Item::Message(message) => self.messages.push(message),
            Item::End(end) => self.end = Some(end),
        }
    }
}

/// Turns a connection into a WebSocket, if the answer to the handshake allows it, and serves that to its end. Its final
/// event.
pub(super) async fn serve(
    http: &mut Http1,
    pool: &Pool,
    seat: &Seat,
    exchange: &mut Exchange,
    (status, fields): (u16, HeaderMap),
    outbox: &Outbox,
) -> Result<Event, Cut> {
    if status != 101 {
        return Err(Failure::new(Reason::UpgradeRefused, format!("answered with status {status}")).into());
    }
    let (key, stream) = http.upgrade().ok_or_else(|| Failure::new(Reason::Protocol, "no connection to upgrade"))?;
    let subprotocol = key.check(&fields, &exchange.request.fields)?;
    let at = http.wire.last_read();
    exchange.note(&http.wire);
    exchange.timings.end = at;
    pool.deliver(exchange.token, Event::Opened { at, subprotocol, fields, timings: exchange.timings });
    // The wire goes on counting, and is noted again when the conversation ends, however it does.
    (exchange.timings.bytes_sent, exchange.timings.wire_received, exchange.timings.sends) = (0, 0, 0);
    let limits = Limits::default().max_payload_len(Some(MOST_MESSAGE_BYTES));
    let mut talk = Conversation {
        socket: ClientBuilder::new().limits(limits).take_over(stream),
        wire: Rc::clone(&http.wire),
        outbox,
        pongs_waiting: 0,
        close_sent: None,
        received: 0,
        held: None,
    };
    let ended = talk.run(pool, seat, exchange).await;
    exchange.timings.bytes_received = talk.received;
    let Close(code, reason) = ended?;
    Http1::check(seat)?;
    exchange.note_sizes(&talk.wire);
    exchange.timings.end = talk.wire.closed().filter(|_| code == ABNORMAL).unwrap_or_else(|| talk.wire.last_read());
    tokio::task::spawn_local(linger(talk.socket));
    Ok(Event::Closed { code, reason, timings: exchange.timings })
}

/// Leaves it to the peer to close the connection first.
async fn linger(mut socket: WebSocketStream<Rewound>) {
    let farewell = async {
        // What the peer must still be told: the answer to its close.
        let _ = poll_fn(|cx| Pin::new(&mut socket).poll_flush(cx)).await;
        let mut rest = [0; 256];
        while socket.get_mut().read(&mut rest).await.is_ok_and(|length| length > 0) {}
    };
    // Whichever comes first, the connection is closed then.
    let _ = tokio::time::timeout(LINGER, farewell).await;
}

impl Conversation<'_> {
    /// Sends and hands over to the end.
    async fn run(&mut self, pool: &Pool, seat: &Seat, exchange: &Exchange) -> Result<Close, Cut> {
        let mut alarm = Alarm::new();
        loop {
            let Read { at, messages, end } = poll_fn(|cx| {
                // The task's own waker: hyper, whose wakes are noted only, has left this connection.
                seat.set_waker(cx.waker().clone());
                self.outbox.set_waker(cx.waker());
                Http1::check(seat)?;
                self.write(cx, &*pool.clock);
                let read = self.read(cx)?;
                if read.end.is_some() || !read.messages.is_empty() {
                    return Poll::Ready(Ok::<_, Cut>(read));
                }
                let (until, cut) = self.deadline(exchange);
                if alarm.passed(until, &*pool.clock, cx) { Poll::Ready(Err(cut)) } else { Poll::Pending }
            })
            .await?;
            if !messages.is_empty() {
                self.received += messages.iter().map(|message| message.len() as u64).sum::<u64>();
                pool.deliver(exchange.token, Event::Items { at, items: Items::Messages(messages) });
            }
            if let Some(end) = end {
                return Ok(end?);
            }
        }
    }

    /// When to give up as things stand, and why.
    fn deadline(&self, exchange: &Exchange) -> (Time, Cut) {
        let idle = exchange.request.timeouts.idle;
        // Bytes in either direction: who has just been asked has the whole time to answer, and a ping shows a live peer.
        let quiet = self.wire.last_read().max(self.wire.last_write()) + idle;
        let total = exchange.deadline();
        let mut next = (quiet, Cut::Lost(Lost::TimedOut(Reason::TimeoutIdle)));
        if let Some(sent) = self.close_sent
            && sent + CLOSE_WAIT < next.0
        {
            let detail = format!("the peer did not answer the close within {CLOSE_WAIT:?}");
            next = (sent + CLOSE_WAIT, Failure::new(Reason::TimeoutIdle, detail).into());
        }
        if next.0 < total { next } else { (total, Cut::Lost(Lost::TimedOut(Reason::TimeoutTotal))) }
    }

    /// Hands over to the socket what is to be sent, as far as it takes it. What goes wrong here shows when reading.
    fn write(&mut self, cx: &mut Context<'_>, clock: &dyn Clock) {
        let mut socket = Pin::new(&mut self.socket);
        while let Poll::Ready(Ok(())) = socket.as_mut().poll_ready(cx) {
            let message = match self.outbox.pop() {
                None => break,
                Some(Outgoing::Message(Message::Text(text))) => Wired::text(text),
                Some(Outgoing::Message(Message::Binary(bytes))) => Wired::binary(bytes),
                Some(Outgoing::Close(code, reason)) => {
                    self.close_sent = Some(clock.now());
                    let code = CloseCode::try_from(code).ok().filter(|code| !code.is_reserved());
                    Wired::close(code, &reason[..reason.floor_char_boundary(MOST_CLOSE_BYTES)])
                }
            };
            // Fails only after a close, when there is nobody to tell.
            let _ = socket.as_mut().start_send(message);
        }
        if socket.poll_flush(cx).is_ready() {
            self.pongs_waiting = 0;
        }
    }

    /// Takes what has arrived: messages of one read, so that they share its time, and what ended the conversation.
    fn read(&mut self, cx: &mut Context<'_>) -> Result<Read, Failure> {
        if self.outbox.has_overflowed() {
            let bound = MOST_WAITING_BYTES >> 20;
            let detail = format!("more waits to be sent than is kept: {MOST_WAITING} messages or {bound} MiB");
            return Err(Failure::new(Reason::Other, detail));
        }
        let mut read = Read::default();
        if let Some((at, item)) = self.held.take() {
            read.add(at, item);
        }
        while read.end.is_none() && read.messages.len() < MOST_AT_ONCE {
            let Poll::Ready(next) = Pin::new(&mut self.socket).poll_next(cx) else { break };
            let Some(item) = self.take(next, cx) else { continue };
            let at = self.wire.last_read();
            if !read.messages.is_empty() && at != read.at {
                self.held = Some((at, item));
                break;
            }
            read.add(at, item);
        }
        Ok(read)
    }

    /// What the socket's next item means; nothing where it only keeps the connection alive.
    fn take(&mut self, next: Option<Result<Wired, Error>>, cx: &mut Context<'_>) -> Option<Item> {
        let message = match next {
            Some(Ok(message)) => message,
            Some(Err(error)) => return Some(Item::End(Err(explain(&error)))),
            // After the caller's close an end is an end, if an impolite one.
            None if self.close_sent.is_some() => {
                return Some(Item::End(Ok(Close(ABNORMAL, String::new()))));
            }
            None => {
                let failure = Failure::new(Reason::Truncated, "the connection ended without a close frame");
                return Some(Item::End(Err(failure)));
            }
        };
        if let Some((code, reason)) = message.as_close() {
            let code = if message.as_payload().is_empty() { NO_CODE } else { code.into() };
            return Some(Item::End(Ok(Close(code, reason.to_owned()))));
        }
        if message.is_ping() {
            self.pongs_waiting += 1;
            if Pin::new(&mut self.socket).poll_flush(cx).is_ready() {
                self.pongs_waiting = 0;
            }
            let too_many = self.pongs_waiting > MOST_PONGS_WAITING;
            let detail = format!("{MOST_PONGS_WAITING} pings by a peer that does not read the answers");
            return too_many.then(|| Item::End(Err(Failure::new(Reason::Protocol, detail))));
        }
        if let Some(text) = message.as_text() {
            return Some(Item::Message(Message::Text(text.to_owned())));
        }
        message.is_binary().then(|| Item::Message(Message::Binary(message.as_payload().to_vec())))
    }
}

/// An error of the framing as a failure.
fn explain(error: &Error) -> Failure {
    match error {
        Error::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Failure::new(Reason::Truncated, "the connection ended without a close frame")
        }
        // The framing's word for an end within a frame.
        Error::Io(error) if error.to_string() == "bytes remaining on stream" => {
            Failure::new(Reason::Truncated, "the connection ended within a frame")
        }
        Error::Io(error) => Failure::of_io(error),
        Error::PayloadTooLong { .. } => too_large("a larger message", MOST_MESSAGE_BYTES),
        error => Failure::new(Reason::Protocol, error.to_string()),
    }
}
