//! An exchange between its asking and its end.

use std::rc::Rc;

use http::Method;

use super::failure::{Failure, Reason};
use super::origin::{Origin, Origins};
use super::outbox::Outbox;
use super::request::{self, Facts, ReadMode, Request};
use super::timings::Timings;
use super::wire::Wire;
use super::{Event, Token};
use crate::clock::Time;

/// An exchange that has not ended.
pub(super) struct Exchange {
    pub(super) token: Token,
    /// What to send: as asked, or as a redirect has changed it.
    pub(super) request: Request,
    pub(super) facts: Facts,
    pub(super) method: Method,
    pub(super) origin: Rc<Origin>,
    /// Whether the target's base path stands before the path.
    pub(super) under_base: bool,
    pub(super) redirects_left: u32,
    /// Whether it was sent again already after a stale connection.
    pub(super) resent: bool,
    pub(super) timings: Timings,
    /// What is to be sent on it once it is open, where it is a WebSocket.
    pub(super) outbox: Option<Rc<Outbox>>,
}

impl Exchange {
    /// Checks the request and finds its origin.
    pub(super) fn new(token: Token, request: Request, origins: &Origins) -> Result<Box<Self>, Failure> {
        let impossible = |detail: String| Failure::new(Reason::Protocol, detail);
        let facts = request::check(&request).map_err(impossible)?;
        let method = Method::from_bytes(request.method.as_bytes())
            .map_err(|_| impossible(format!("method {:?} cannot be sent", request.method)))?;
        let origin = match &request.authority {
            None => Rc::clone(origins.target()),
            Some(authority) => origins.of_authority(authority)?,
        };
        Ok(Box::new(Self {
            token,
            facts,
            method,
            origin,
            under_base: request.authority.is_none(),
            redirects_left: if request.read == ReadMode::Socket { 0 } else { request.follow_redirects },
            resent: false,
            timings: Timings { asked: request.asked, ..Timings::default() },
            outbox: (request.read == ReadMode::Socket).then(|| Rc::new(Outbox::new())),
            request,
        }))
    }

    /// When the whole exchange must have ended.
    pub(super) fn deadline(&self) -> Time {
        self.request.asked + self.request.timeouts.total
    }

    /// What stands before the path of the request.
    pub(super) fn base_path(&self) -> &str {
        if self.under_base { &self.origin.base_path } else { "" }
    }

    /// Whether sending it twice does no more than sending it once (RFC 9110, section 9.2.2).
    pub(super) fn is_idempotent(&self) -> bool {
        matches!(
            self.method,
            Method::GET | Method::HEAD | Method::PUT | Method::DELETE | Method::OPTIONS | Method::TRACE
        )
    }

    /// Takes over what a connection has noted about a request of this exchange that is over.
    pub(super) fn note(&mut self, wire: &Wire) {
        self.timings.sent = self.timings.sent.or(wire.sent());
        self.timings.first_byte = wire.first_byte();
        self.note_sizes(wire);
    }

    /// Takes over the sizes, and that it was sent: all there is to note of a request that will be sent again.
    pub(super) fn note_sizes(&mut self, wire: &Wire) {
        if let Some(sent) = wire.sent() {
            self.timings.sends += 1;
            self.timings.first_sent.get_or_insert(sent);
        }
        self.timings.bytes_sent += wire.written();
        self.timings.wire_received += wire.read();
    }

    /// The final event of a failure at that moment.
    pub(super) fn failed(&mut self, status: Option<u16>, failure: Failure, at: Time) -> Event {
        self.timings.end = at;
        Event::Failed { status, failure, timings: self.timings }
    }

    /// The final event of a cancellation at that moment.
    pub(super) fn cancelled(&mut self, at: Time) -> Event {
        self.timings.end = at;
        Event::Cancelled { timings: self.timings }
    }
}
