//! Bodies of answers: whole, generated piece by piece, compressed, slow, or broken on purpose.

mod gzip;
mod journal;
mod pattern;

use std::fmt;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep};

use crate::exchange::Exchange;
use crate::traffic::Traffic;
use crate::wire::{Abandoned, Line};

pub use gzip::Gzip;
pub use journal::JournalLines;
pub use pattern::{PIECE, Source, pattern};

/// What a body consists of.
#[derive(Debug)]
enum Kind {
    /// A known length.
    Plain(Source),
    /// The same without telling the length beforehand.
    Chunked(Source),
    /// Compressed while it is sent, length unknown.
    Gzip(Box<Gzip>),
    /// Slow: one byte at a time.
    Drip(Box<Drip>),
    /// A length is told and nothing comes.
    Held(u64),
    /// A length is told and less comes, then the connection ends. A pause between the two lets hyper write.
    Truncated { told: u64, start: Option<Bytes>, paused: bool },
    /// The arrival log.
    Journal(JournalLines),
    /// Made while it is sent, length unknown.
    Made(Box<dyn Pieces>),
}

/// A body that is made while it is sent, each piece when it is due.
pub trait Pieces: fmt::Debug {
    /// The next piece; none after the last.
    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>>;
}

/// Bytes with a pause before each.
#[derive(Debug)]
struct Drip {
    source: Source,
    gap: Duration,
    pause: Pin<Box<Sleep>>,
}

/// The body of one answer. Ends its exchange when it is dropped.
#[derive(Debug)]
pub struct Body {
    kind: Kind,
    /// The last piece has been taken.
    ended: bool,
    exchange: Option<Exchange>,
    line: Option<Rc<Line>>,
}

impl Body {
    fn new(kind: Kind, exchange: Option<Exchange>, line: impl Into<Option<Rc<Line>>>) -> Self {
        Self { kind, ended: false, exchange, line: line.into() }
    }

    /// A body of known length. `exchange` is none for answers that are not on the books, `line` where the connection has
    /// none.
    pub fn plain(source: Source, exchange: Option<Exchange>, line: impl Into<Option<Rc<Line>>>) -> Self {
        Self::new(Kind::Plain(source), exchange, line)
    }

    /// A body whose length is not told.
    pub fn chunked(source: Source, exchange: Exchange, line: Rc<Line>) -> Self {
        Self::new(Kind::Chunked(source), Some(exchange), line)
    }

    /// A body that is compressed while it is sent; its length is not told.
    pub fn gzip(gzip: Gzip, exchange: Exchange, line: Rc<Line>) -> Self {
        Self::new(Kind::Gzip(Box::new(gzip)), Some(exchange), line)
    }

    /// A body of known length that comes one byte after each `gap`. Must be called within a tokio runtime.
    pub fn drip(source: Source, gap: Duration, exchange: Exchange, line: Rc<Line>) -> Self {
        let drip = Drip { source, gap, pause: Box::pin(sleep(gap)) };
        Self::new(Kind::Drip(Box::new(drip)), Some(exchange), line)
    }

    /// A body of this length of which nothing ever comes.
    pub fn held(told: u64, exchange: Exchange, line: Rc<Line>) -> Self {
        Self::new(Kind::Held(told), Some(exchange), line)
    }

    /// A body of this length of which only the start comes before the connection ends.
    pub fn truncated(told: u64, start: Bytes, exchange: Exchange, line: Rc<Line>) -> Self {
        Self::new(Kind::Truncated { told, start: Some(start), paused: false }, Some(exchange), line)
    }

    /// The arrival log as JSON lines, after one of what it is about.
    pub fn journal(traffic: Rc<Traffic>, line: Option<Rc<Line>>) -> Self {
        Self::new(Kind::Journal(JournalLines::new(traffic)), None, line)
    }

    /// A body that is made while it is sent, on a connection without a line.
    pub fn made(pieces: Box<dyn Pieces>, exchange: Exchange) -> Self {
        Self::new(Kind::Made(pieces), Some(exchange), None)
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        if (self.ended || self.is_end_stream())
            && let Some(exchange) = &mut self.exchange
        {
            exchange.set_complete();
        }
        if let Some(line) = &self.line {
            line.next_head();
        }
    }
}

impl Kind {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Abandoned>>> {
        let piece = match self {
            Self::Plain(source) | Self::Chunked(source) => source.piece(usize::MAX),
            Self::Gzip(gzip) => gzip.next(),
            Self::Journal(lines) => lines.next(),
            Self::Drip(drip) => {
                if drip.source.left() > 0 {
                    ready!(drip.pause.as_mut().poll(cx));
                    let gap = drip.gap;
                    drip.pause.as_mut().reset(Instant::now() + gap);
                }
                drip.source.piece(1)
            }
            Self::Made(pieces) => ready!(pieces.poll_piece(cx)),
            Self::Held(_) => return Poll::Pending,
            Self::Truncated { start, paused, .. } => {
                if let Some(start) = start.take() {
                    return Poll::Ready(Some(Ok(start)));
                }
                if *paused {
                    return Poll::Ready(Some(Err(Abandoned)));
                }
                *paused = true;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
        };
        Poll::Ready(piece.map(Ok))
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = Abandoned;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Abandoned>>> {
        let piece = ready!(self.kind.poll(cx));
        self.ended = piece.is_none();
        if let (Some(Ok(piece)), Some(exchange)) = (&piece, &mut self.exchange) {
            exchange.sent(piece.len());
        }
        Poll::Ready(piece.map(|piece| piece.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        // A body of untold length never says so beforehand: hyper would tell the length 0 for an empty one.
        match &self.kind {
            Kind::Plain(source) => source.left() == 0,
            Kind::Drip(drip) => drip.source.left() == 0,
            _ => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.kind {
            Kind::Plain(source) => SizeHint::with_exact(source.left()),
            Kind::Drip(drip) => SizeHint::with_exact(drip.source.left()),
            Kind::Held(told) | Kind::Truncated { told, .. } => SizeHint::with_exact(*told),
            Kind::Chunked(_) | Kind::Gzip(_) | Kind::Journal(_) | Kind::Made(_) => SizeHint::default(),
        }
    }
}
