//! One HTTP/1.1 connection: drives hyper's connection together with the request it serves, in one task.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::{HeaderValue, Request, Response, header};
use http_body_util::Full;
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1::{Builder, Connection, SendRequest};
use hyper_util::rt::TokioIo;

use super::deadline::Alarm;
use super::exchange::Exchange;
use super::failure::{Failure, Reason};
use super::handshake::Key;
use super::pool::Pool;
use super::relay::Relay;
use super::request::{Timeouts, encode_head};
use super::seat::Seat;
use super::socket::Rewound;
use super::stream_io::StreamIo;
use super::wire::Wire;
use crate::clock::{Clock, Time};

// Bounds the head of an answer, and what is read at a time.
const MOST_BUFFERED: usize = 64 * 1024;

// How often a task looks again in one turn because hyper is not done yet.
const MOST_ROUNDS: u32 = 16;

/// Why a request got no further.
pub(super) enum Lost {
    /// The caller gave it up.
    Cancelled,
    /// The client is gone.
    Aborted,
    /// A deadline passed.
    TimedOut(Reason),
    /// The connection failed.
    Broken(hyper::Error),
}

/// The deadlines of a request.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    total: Time,
    timeouts: Timeouts,
}

impl Limits {
    /// Those of an exchange.
    pub(super) fn of(exchange: &Exchange) -> Self {
        Self { total: exchange.deadline(), timeouts: exchange.request.timeouts }
    }

    /// The deadline that holds as things stand on the wire.
    fn next(&self, wire: &Wire) -> (Time, Reason) {
        let (at, reason) = match (wire.first_byte(), wire.sent()) {
            (Some(_), _) => (wire.last_read() + self.timeouts.idle, Reason::TimeoutIdle),
            (None, Some(_)) => (wire.last_write() + self.timeouts.first_byte, Reason::TimeoutFirstByte),
            (None, None) => (self.total, Reason::TimeoutTotal),
        };
        if at < self.total { (at, reason) } else { (self.total, Reason::TimeoutTotal) }
    }
}

/// A connection.
pub(super) struct Http1 {
    /// None once it has ended. Only its drop tells a request that it never began with.
    connection: Option<Connection<TokioIo<StreamIo>, Full<Bytes>>>,
    /// What was asked for with the request being served, where that is a handshake.
    key: Option<Key>,
    /// One that has ended while a handshake was being served: the stream in it may be wanted.
    ended: Option<Connection<TokioIo<StreamIo>, Full<Bytes>>>,
    sender: SendRequest<Full<Bytes>>,
    relay: Arc<Relay>,
    waker: Waker,
    alarm: Alarm,
    clock: Rc<dyn Clock>,
    pub(super) wire: Rc<Wire>,
}

impl Http1 {
    /// hyper over that stream.
    pub(super) async fn open(pool: &Pool, stream: StreamIo, wire: Rc<Wire>) -> Result<Self, Failure> {
        let (sender, connection) = Builder::new()
            .max_buf_size(MOST_BUFFERED)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|error| Failure::new(Reason::Other, error.to_string()))?;
        let relay = Relay::new(Waker::noop().clone());
        Ok(Self {
            connection: Some(connection),
            key: None,
            ended: None,
            sender,
            waker: Waker::from(Arc::clone(&relay)),
            relay,
            alarm: Alarm::new(),
            clock: Rc::clone(&pool.clock),
            wire,
        })
    }

    /// Sends an exchange's request and waits for the head of its answer.
    pub(super) async fn ask(&mut self, seat: &Seat, exchange: &Exchange) -> Result<Response<Incoming>, Lost> {
        self.key = exchange.outbox.is_some().then(Key::new);
        self.wire.begin(|head| {
            let (base_path, host) = (exchange.base_path(), &exchange.origin.host_field);
            encode_head(head, &exchange.request, exchange.facts, base_path, host, self.key.as_ref());
        });
        let mut request = Request::new(Full::new(exchange.request.body.clone()));
        *request.method_mut() = exchange.method.clone();
        if exchange.facts.closes {
            request.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        let limits = Limits::of(exchange);
        let mut answer = pin!(self.sender.send_request(request));
        match poll_fn(|cx| self.turn(cx, seat, limits, |quiet| answer.as_mut().poll(quiet))).await? {
            Ok(response) => Ok(response),
            Err(error) => Err(Lost::Broken(error)),
        }
    }

    /// Waits for the next bytes of a body; none at its end. Trailers are passed over.
    pub(super) async fn next(
        &mut self,
        seat: &Seat,
        limits: Limits,
        body: &mut Incoming,
    ) -> Result<Option<Bytes>, Lost> {
        loop {
            Self::check(seat)?;
            if body.is_end_stream() {
                return Ok(None);
            }
            let frame = poll_fn(|cx| self.turn(cx, seat, limits, |quiet| Pin::new(&mut *body).poll_frame(quiet)));
            match frame.await? {
                None => return Ok(None),
                Some(Err(error)) => return Err(Lost::Broken(error)),
                Some(Ok(frame)) => {
                    if let Ok(bytes) = frame.into_data() {
                        return Ok(Some(bytes));
                    }
                }
            }
        }
    }

    /// Whether the exchange still has a listener.
    pub(super) fn check(seat: &Seat) -> Result<(), Lost> {
        if seat.is_aborted() {
            Err(Lost::Aborted)
        } else if seat.is_cancelled() {
            Err(Lost::Cancelled)
        } else {
            Ok(())
        }
    }

    /// Waits for the pool to put an exchange here; none when the connection should go or has gone.
    pub(super) async fn idle(&mut self, seat: &Seat, until: Time) -> Option<Box<Exchange>> {
        poll_fn(|cx| {
            self.enter(cx, seat);
            loop {
                if let Some(exchange) = seat.take_job() {
                    return Poll::Ready(Some(exchange));
                }
                if seat.is_closing() {
                    return Poll::Ready(None);
                }
                self.drive();
                if self.connection.is_none() {
                    return Poll::Ready(None);
                }
                if !self.relay.open() {
                    break;
                }
                self.relay.mute();
            }
            if self.alarm.passed(until, &*self.clock, cx) {
                return Poll::Ready(None);
            }
            Poll::Pending
        })
        .await
    }

    /// Whether the connection can carry another request.
    pub(super) fn is_reusable(&mut self) -> bool {
        if !self.sender.is_ready() {
            self.drive();
        }
        // Not ready: the answer came before the upload was over, or one side asked to close.
        self.connection.is_some() && self.sender.is_ready() && !self.wire.is_write_broken()
    }

    /// The stream of a connection whose answer changes the protocol, and the key of the handshake.
    pub(super) fn upgrade(&mut self) -> Option<(Key, Rewound)> {
        let parts = self.ended.take()?.into_parts();
        Some((self.key.take()?, Rewound::new(parts.read_buf, parts.io.into_inner())))
    }

    /// Closes the connection, with the farewell of TLS as far as it can be written at once.
    pub(super) fn close(self) {
        let Self { connection, sender, .. } = self;
        drop(sender);
        if let Some(mut connection) = connection {
            let _ = Pin::new(&mut connection).poll(&mut Context::from_waker(Waker::noop()));
        }
    }

    /// One turn of the task: hyper and `step` by turns until both wait, or a deadline has passed. `step` needs no
    /// waker, for it gets on only through hyper's connection.
    fn turn<T>(
        &mut self,
        cx: &mut Context<'_>,
        seat: &Seat,
        limits: Limits,
        mut step: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<Result<T, Lost>> {
        self.enter(cx, seat);
        let mut quiet = Context::from_waker(Waker::noop());
        let mut rounds = 0;
        loop {
            if let Err(lost) = Self::check(seat) {
                return Poll::Ready(Err(lost));
            }
            if let Poll::Ready(outcome) = step(&mut quiet) {
                return Poll::Ready(Ok(outcome));
            }
            self.drive();
            if let Poll::Ready(outcome) = step(&mut quiet) {
                return Poll::Ready(Ok(outcome));
            }
            if self.ended.is_some() {
                self.ended = None;
                // No answer came of it; the request hears of that now.
                continue;
            }
            if !self.relay.open() {
                break;
            }
            rounds += 1;
            if rounds == MOST_ROUNDS {
                // A peer that never stops talking: the others, and the deadline, have their turn first.
                cx.waker().wake_by_ref();
                break;
            }
            self.relay.mute();
        }
        let (deadline, reason) = limits.next(&self.wire);
        if self.alarm.passed(deadline, &*self.clock, cx) {
            return Poll::Ready(Err(Lost::TimedOut(reason)));
        }
        Poll::Pending
    }

    /// The task runs: until it waits again, wakes are only noted.
    fn enter(&mut self, cx: &Context<'_>, seat: &Seat) {
        if !self.relay.leads_to(cx.waker()) {
            self.relay = Relay::new(cx.waker().clone());
            self.waker = Waker::from(Arc::clone(&self.relay));
            seat.set_waker(self.waker.clone());
        }
        self.relay.mute();
    }

    /// Lets hyper do what it can.
    fn drive(&mut self) {
        let Some(connection) = &mut self.connection else { return };
        // hyper's own wakes must count: it asks for another turn when it has had enough of this one.
        self.relay.open();
        let polled = Pin::new(connection).poll(&mut Context::from_waker(&self.waker));
        if polled.is_ready() {
            // What went wrong is told to the request, if there is one.
            self.ended = self.connection.take().filter(|_| self.key.is_some());
        }
        self.relay.mute();
    }
}
