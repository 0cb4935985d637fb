//! `/fault?kind=…`: answers that break off, come too slowly or are none at all, for tests of clients.

use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use hyper::Response;
use hyper::header::CONTENT_TYPE;

use crate::body::{Body, Source};
use crate::control::JSON;
use crate::exchange::Exchange;
use crate::faults::Kind;
use crate::query::{BadParameter, Query};
use crate::wire::{Abandoned, Line};

use super::answer::SMALL;

/// Most milliseconds of a wait.
pub(super) const MAX_MS: u64 = 600_000;

/// Most bytes of a slow answer.
const MAX_DRIP: u64 = 1024 * 1024;

/// What is sent in place of HTTP.
const GARBAGE: &[u8] = b"\x00\x01 this is not HTTP \xff\xfe\r\n\r\n";

/// A way to fail a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The connection is reset (RST) without an answer.
    Reset,
    /// The connection is closed (FIN) without an answer.
    Close,
    /// A head that tells 100 bytes, 50 of them, then the end of the connection.
    Truncate,
    /// Bytes that are not HTTP, then the end of the connection.
    Garbage,
    /// No answer, ever, on an open connection.
    Hold,
    /// A head that tells 100 bytes, then nothing, on an open connection.
    HoldBody,
    /// An answer as of `/small` that keeps the connection, which is then closed while idle.
    IdleClose {
        /// How long after the answer.
        after: Duration,
    },
    /// An answer of one byte at a time.
    Drip {
        /// Between one byte and the next.
        gap: Duration,
        /// Bytes in all.
        bytes: u64,
    },
}

impl Fault {
    /// Reads a fault from a query: `kind`, and for some `ms` (0 to 600,000) and `bytes` (0 to 1,048,576).
    ///
    /// # Errors
    /// The kind is missing or unknown, or a number is malformed.
    pub fn parse(query: &Query<'_>) -> Result<Self, BadParameter> {
        let ms = |default| Ok(Duration::from_millis(query.number("ms", 0..=MAX_MS)?.unwrap_or(default)));
        match query.text("kind")?.unwrap_or("") {
            "reset" => Ok(Self::Reset),
            "close" => Ok(Self::Close),
            "truncate" => Ok(Self::Truncate),
            "garbage" => Ok(Self::Garbage),
            "hold" => Ok(Self::Hold),
            "hold_body" => Ok(Self::HoldBody),
            "idle_close" => Ok(Self::IdleClose { after: ms(5)? }),
            "drip" => Ok(Self::Drip { gap: ms(100)?, bytes: query.number("bytes", 0..=MAX_DRIP)?.unwrap_or(10) }),
            other => {
                let kinds = "reset, close, truncate, garbage, hold, hold_body, idle_close, drip";
                Err(BadParameter::new("kind", format!("{other:?} is none of {kinds}")))
            }
        }
    }

    /// What the journal calls it.
    fn kind(self) -> Kind {
        match self {
            Self::Reset => Kind::Reset,
            Self::Close => Kind::Close,
            Self::Truncate => Kind::Truncate,
            Self::Garbage => Kind::Garbage,
            Self::Hold => Kind::Hold,
            Self::HoldBody => Kind::HoldBody,
            Self::IdleClose { .. } => Kind::IdleClose,
            Self::Drip { .. } => Kind::Drip,
        }
    }

    /// Carries it out. An error ends the connection at once.
    pub(super) async fn play(self, mut exchange: Exchange, line: Rc<Line>) -> Result<Response<Body>, Abandoned> {
        exchange.note(self.kind());
        // What ends a connection does not go through the socket, where a pause holds the rest.
        exchange.opened().await;
        let small = Bytes::from_static(SMALL.as_bytes());
        match self {
            Self::Reset => Err(exchange.reset().await),
            Self::Close => Err(Abandoned),
            Self::Garbage => {
                line.send(GARBAGE).await?;
                Err(Abandoned)
            }
            Self::Hold => std::future::pending().await,
            Self::Truncate => {
                exchange.set_status(200);
                Ok(answer(Body::truncated(small.len() as u64, small.slice(..50), exchange, line)))
            }
            Self::HoldBody => {
                exchange.set_status(200);
                Ok(answer(Body::held(small.len() as u64, exchange, line)))
            }
            Self::IdleClose { after } => {
                exchange.set_status(200);
                line.close_in(after);
                Ok(answer(Body::plain(Source::Whole(small), Some(exchange), line)))
            }
            Self::Drip { gap, bytes } => {
                exchange.set_status(200);
                Ok(answer(Body::drip(Source::pattern(bytes), gap, exchange, line)))
            }
        }
    }
}

fn answer(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}
