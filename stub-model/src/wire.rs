//! The socket under hyper's connection, shared with the request handlers.
//!
//! hyper's server cannot send interim answers, answer without a length on HTTP/1.1 or show header names as they were
//! written. [`Line`] gives handlers these by sharing the socket that hyper reads and writes through [`Wire`]. Raw writes
//! are in order: when a handler runs, hyper has nothing of that exchange to write, unless the client pipelines.

use std::cell::{Cell, Ref, RefCell};
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;

use crate::connection::Connection;
use crate::socket::Socket;

/// Most bytes of a head that are kept: 64 KiB of target and 64 KiB of fields, and a little.
const HEAD_LIMIT: usize = 136 * 1024;

/// A handler's answer when nothing more is to be written: the connection ends here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("connection ended on purpose")]
pub struct Abandoned;

/// One connection's socket, shared by hyper and the handlers of its requests.
#[derive(Debug)]
pub struct Line {
    stream: RefCell<Socket>,
    connection: Rc<Connection>,
    head: RefCell<Vec<u8>>,
    keeping_head: Cell<bool>,
    close_after: Cell<Duration>,
    close_asked: Notify,
}

impl Line {
    /// Wraps an accepted connection.
    pub(crate) fn new(socket: Socket, connection: Rc<Connection>) -> Rc<Self> {
        Rc::new(Self {
            stream: RefCell::new(socket),
            connection,
            head: RefCell::default(),
            keeping_head: Cell::new(true),
            close_after: Cell::default(),
            close_asked: Notify::new(),
        })
    }

    /// Tells that a request head has been parsed: what follows is body and need not be kept.
    pub fn head_parsed(&self) {
        self.keeping_head.set(false);
    }

    /// Tells that the answer has been handed over: what comes next is a new head.
    pub fn next_head(&self) {
        self.head.borrow_mut().clear();
        self.keeping_head.set(true);
    }

    /// The bytes that came since the answer before, beginning with the head of the request being handled. Where the
    /// client pipelines or went on sending a body after its answer, they begin with something else.
    pub fn head(&self) -> Ref<'_, [u8]> {
        Ref::map(self.head.borrow(), Vec::as_slice)
    }

    /// Writes bytes past hyper.
    ///
    /// # Errors
    /// The peer is gone.
    pub async fn send(&self, mut bytes: &[u8]) -> Result<(), Abandoned> {
        while !bytes.is_empty() {
            // The borrow must not be held while waiting, since hyper polls the same socket for reading.
            let written = poll_fn(|cx| Pin::new(&mut *self.stream.borrow_mut()).poll_write(cx, bytes)).await;
            match written {
                Ok(count) if count > 0 => bytes = &bytes[count..],
                _ => return Err(Abandoned),
            }
        }
        Ok(())
    }

    /// Tells that an answer written past hyper is all there.
    pub(crate) fn all_sent(&self) {
        self.connection.marks().all_flushed();
    }

    /// The connection as the books see it.
    pub(crate) fn connection(&self) -> &Rc<Connection> {
        &self.connection
    }

    /// Asks for the connection to be closed after a while, whatever happens on it.
    pub fn close_in(&self, after: Duration) {
        self.close_after.set(after);
        self.close_asked.notify_one();
    }

    /// Waits until the connection is to be closed because of [`Line::close_in`], and the stub is not paused.
    pub async fn close_due(&self) {
        self.close_asked.notified().await;
        tokio::time::sleep(self.close_after.get()).await;
        self.connection.opened().await;
    }
}

/// What hyper reads and writes: the socket of a [`Line`].
#[derive(Debug)]
pub struct Wire(pub Rc<Line>);

impl AsyncRead for Wire {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let line = &self.0;
        let before = buf.filled().len();
        ready!(Pin::new(&mut *line.stream.borrow_mut()).poll_read(cx, buf))?;
        if line.keeping_head.get() {
            let mut head = line.head.borrow_mut();
            let new = &buf.filled()[before..];
            let room = HEAD_LIMIT.saturating_sub(head.len());
            head.extend_from_slice(&new[..new.len().min(room)]);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.0.stream.borrow_mut()).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.0.stream.borrow_mut()).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.stream.borrow().is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0.stream.borrow_mut()).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0.stream.borrow_mut()).poll_shutdown(cx)
    }
}
