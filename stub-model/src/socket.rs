//! A connection's socket: stamps what leaves it, holds it back while the stub is paused, and lets it trickle on request.
//!
//! hyper wants what it hands over at an upgrade to be `Send`, so what socket and books share is made of atomics, although
//! only one thread ever looks.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

use crate::clock::monotonic_ns;
use crate::gate::Gate;

/// What is known of the bytes that left a socket, and what is to befall the next ones.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// The next bytes are the first of an answer.
    expecting: AtomicBool,
    /// When the first byte of the latest answer was handed over.
    first_ns: AtomicU64,
    /// When bytes were last handed over.
    last_ns: AtomicU64,
    /// Bytes handed over that nobody has counted yet.
    bytes: AtomicU64,
    /// All there was to hand over has been.
    flushed: AtomicBool,
    /// The answer is one that the books know, which a pause holds.
    on_books: AtomicBool,
    /// A pause has held it.
    held: AtomicBool,
    /// Nanoseconds between one byte and the next; 0 for no such thing.
    trickle_ns: AtomicU64,
    /// The end of the connection is a reset.
    reset: AtomicBool,
}

impl Marks {
    /// A request has come; nothing of what befell the one before goes on.
    pub(crate) fn request(&self, on_books: bool) {
        self.on_books.store(on_books, Relaxed);
        self.trickle_ns.store(0, Relaxed);
    }

    /// What is written from now on is the answer.
    pub(crate) fn answer_begins(&self) {
        self.expecting.store(true, Relaxed);
    }

    /// When the first byte of the latest answer was handed over; none where nothing of it has been.
    pub(crate) fn first(&self) -> Option<u64> {
        (!self.expecting.load(Relaxed)).then(|| self.first_ns.load(Relaxed))
    }

    /// When bytes were last handed over.
    pub(crate) fn last(&self) -> u64 {
        self.last_ns.load(Relaxed)
    }

    /// Bytes handed over since this was asked before.
    pub(crate) fn take_bytes(&self) -> u64 {
        self.bytes.swap(0, Relaxed)
    }

    /// There is something to hand over that has not been.
    pub(crate) fn more_to_flush(&self) {
        self.flushed.store(false, Relaxed);
    }

    /// All there was to hand over has been.
    pub(crate) fn all_flushed(&self) {
        self.flushed.store(true, Relaxed);
    }

    /// Whether all there was to hand over has been.
    pub(crate) fn is_flushed(&self) -> bool {
        self.flushed.load(Relaxed)
    }

    /// Whether a pause has held anything since this was asked before.
    pub(crate) fn take_held(&self) -> bool {
        self.held.swap(false, Relaxed)
    }

    /// Lets the answer leave byte by byte.
    pub(crate) fn trickle(&self, gap: Duration) {
        self.trickle_ns.store(u64::try_from(gap.as_nanos()).unwrap_or(u64::MAX), Relaxed);
    }

    /// Makes the end of the connection a reset (RST) instead of an orderly end (FIN).
    pub(crate) fn reset_on_close(&self) {
        self.reset.store(true, Relaxed);
    }

    /// Bytes have been handed over. The moment is that before the call, so that no peer can have read them earlier.
    fn wrote(&self, before_ns: u64, count: usize) {
        if self.expecting.swap(false, Relaxed) {
            self.first_ns.store(before_ns, Relaxed);
        }
        self.last_ns.store(before_ns, Relaxed);
        self.bytes.fetch_add(count as u64, Relaxed);
    }
}

/// One accepted connection.
#[derive(Debug)]
pub struct Socket {
    stream: TcpStream,
    number: u64,
    marks: Arc<Marks>,
    gate: Arc<Gate>,
    /// Runs between one byte and the next of an answer that trickles.
    pause: Option<Pin<Box<Sleep>>>,
}

impl Socket {
    pub(crate) fn new(stream: TcpStream, number: u64, marks: Arc<Marks>, gate: Arc<Gate>) -> Self {
        Self { stream, number, marks, gate, pause: None }
    }

    /// Waits for whatever holds bytes back; then how many may go at most.
    fn poll_leave(&mut self, cx: &mut Context<'_>) -> Poll<usize> {
        if self.marks.on_books.load(Relaxed) && self.gate.poll(self.number, cx).is_pending() {
            self.marks.held.store(true, Relaxed);
            return Poll::Pending;
        }
        if self.marks.trickle_ns.load(Relaxed) == 0 {
            return Poll::Ready(usize::MAX);
        }
        if self.marks.expecting.load(Relaxed) {
            // What may be left of the answer before.
            self.pause = None;
        }
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(cx));
        }
        Poll::Ready(1)
    }

    fn left(&mut self, before_ns: u64, written: &io::Result<usize>) {
        let Ok(count) = *written else { return };
        self.marks.wrote(before_ns, count);
        let gap = self.marks.trickle_ns.load(Relaxed);
        if gap == 0 {
            self.pause = None;
            return;
        }
        let gap = Duration::from_nanos(gap);
        match &mut self.pause {
            Some(pause) => pause.as_mut().reset(Instant::now() + gap),
            None => self.pause = Some(Box::pin(sleep(gap))),
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if self.marks.reset.load(Relaxed) {
            // Fails only where the peer has closed already; then there is nobody to see the difference.
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let most = ready!(self.poll_leave(cx)).min(buf.len());
        let before_ns = monotonic_ns();
        let written = ready!(Pin::new(&mut self.stream).poll_write(cx, &buf[..most]));
        self.left(before_ns, &written);
        Poll::Ready(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let most = ready!(self.poll_leave(cx));
        let before_ns = monotonic_ns();
        let stream = Pin::new(&mut self.stream);
        let written = if most == usize::MAX {
            ready!(stream.poll_write_vectored(cx, bufs))
        } else {
            let first = bufs.iter().find(|buf| !buf.is_empty()).map_or(&[][..], |buf| buf);
            ready!(stream.poll_write(cx, &first[..most.min(first.len())]))
        };
        self.left(before_ns, &written);
        Poll::Ready(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
        // hyper asks for this only once it has nothing left to write.
        self.marks.all_flushed();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
