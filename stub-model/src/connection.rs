//! A connection as the books see it: which exchange is on it, and when what was answered had left.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

use hyper::Request;
use tokio::net::TcpStream;

use crate::clock::monotonic_ns;
use crate::exchange::Exchange;
use crate::faults::Kind;
use crate::journal::End;
use crate::socket::{Marks, Socket};
use crate::traffic::{Arrival, Traffic};

/// One connection, shared by the exchanges on it and whoever serves it.
#[derive(Debug)]
pub struct Connection {
    number: u64,
    traffic: Rc<Traffic>,
    marks: Arc<Marks>,
    /// Exchanges whose answer hyper has, but not yet the socket. More than one only where a client pipelines.
    unflushed: RefCell<Vec<(Arrival, End)>>,
    closed: Cell<bool>,
}

impl Connection {
    /// Puts an accepted connection on the books. Numbers begin with 1.
    pub(crate) fn accept(number: u64, stream: TcpStream, traffic: &Rc<Traffic>) -> (Rc<Self>, Socket) {
        let marks = Arc::<Marks>::default();
        let socket = Socket::new(stream, number, Arc::clone(&marks), Arc::clone(&traffic.gate));
        traffic.metrics.connection_opened();
        let traffic = Rc::clone(traffic);
        (Rc::new(Self { number, traffic, marks, unflushed: RefCell::default(), closed: Cell::new(false) }), socket)
    }

    /// The books it is on.
    pub(crate) fn traffic(&self) -> &Rc<Traffic> {
        &self.traffic
    }

    pub(crate) fn marks(&self) -> &Marks {
        &self.marks
    }

    /// Enters an arrival: its head has just been parsed. `pattern` names its path in the metrics.
    pub(crate) fn arrive<B>(self: &Rc<Self>, pattern: &'static str, request: &Request<B>) -> Exchange {
        self.marks.request(true);
        if self.unflushed.borrow().is_empty() {
            // Those of an answer that is not on the books.
            self.marks.take_bytes();
        }
        let id = request.headers().get("x-request-id").and_then(|value| value.to_str().ok());
        let arrival = self.traffic.arrived(self.number, pattern, request.method(), request.uri(), id);
        Exchange::new(Rc::clone(self), arrival, request.method())
    }

    /// A request has come that is not on the books, and that no pause holds.
    pub(crate) fn look(&self) {
        self.marks.request(false);
    }

    /// Waits while the stub is paused. True where it was.
    pub(crate) async fn opened(&self) -> bool {
        self.traffic.gate.opened(self.number).await
    }

    /// Takes an exchange that has ended. Where its answer is still to leave, it ends with that.
    pub(crate) fn take(&self, arrival: Arrival, mut end: End) {
        // A WebSocket's answer left long ago, and hyper has nothing more to do with it.
        if end.complete && end.status != Some(101) && !self.closed.get() {
            self.marks.more_to_flush();
            self.unflushed.borrow_mut().push((arrival, end));
            return;
        }
        end.wire_bytes = self.marks.take_bytes();
        self.note_pause(&mut end);
        self.traffic.ended(arrival, &end);
    }

    fn note_pause(&self, end: &mut End) {
        if self.marks.take_held() {
            end.faults.add(Kind::Pause);
        }
    }

    /// Enters the ends of those whose answers have left by now.
    pub(crate) fn settle(&self) {
        if self.marks.is_flushed() {
            self.end_all(self.marks.last(), true);
        }
    }

    /// Ends all whose answers hyper had. The bytes of pipelined answers, which leave together, count for the first.
    fn end_all(&self, finished_ns: u64, complete: bool) {
        for (arrival, mut end) in self.unflushed.borrow_mut().drain(..) {
            end.sent_ns = end.sent_ns.or(self.marks.first()).or(complete.then_some(finished_ns));
            end.finished_ns = finished_ns.max(arrival.ns);
            end.complete = complete;
            end.wire_bytes = self.marks.take_bytes();
            self.note_pause(&mut end);
            self.traffic.ended(arrival, &end);
        }
    }

    /// Polls what serves the connection, and settles each time.
    pub(crate) async fn settling<F: Future>(&self, mut serving: Pin<&mut F>) -> F::Output {
        poll_fn(|cx| {
            let polled: Poll<F::Output> = serving.as_mut().poll(cx);
            self.settle();
            polled
        })
        .await
    }

    /// The connection has ended: what has not left never will.
    pub(crate) fn close(&self) {
        if self.closed.replace(true) {
            return;
        }
        self.settle();
        self.end_all(monotonic_ns(), false);
        self.traffic.metrics.connection_closed();
    }
}
