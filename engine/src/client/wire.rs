//! What is seen on the wire: moments and sizes of the request being served, stamped at the socket before anything else
//! looks at the bytes.

use std::cell::{Cell, RefCell};
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::connect::Socket;
use crate::clock::{Clock, Time};

/// The notes of one connection about the request it serves.
pub(super) struct Wire {
    clock: Rc<dyn Clock>,
    /// When bytes were last read from the socket, whatever they were.
    socket_read: Cell<Time>,
    sent: Cell<Option<Time>>,
    last_write: Cell<Time>,
    first_byte: Cell<Option<Time>>,
    last_read: Cell<Time>,
    closed: Cell<Option<Time>>,
    written: Cell<u64>,
    read: Cell<u64>,
    write_error: RefCell<Option<io::Error>>,
    /// The head to send in place of hyper's.
    head: RefCell<Vec<u8>>,
    /// Bytes of it already written.
    head_written: Cell<usize>,
}

impl Wire {
    /// Notes of a connection that serves nothing yet.
    pub(super) fn new(clock: Rc<dyn Clock>) -> Rc<Self> {
        let now = clock.now();
        Rc::new(Self {
            clock,
            socket_read: Cell::new(now),
            sent: Cell::new(None),
            last_write: Cell::new(now),
            first_byte: Cell::new(None),
            last_read: Cell::new(now),
            closed: Cell::new(None),
            written: Cell::new(0),
            read: Cell::new(0),
            write_error: RefCell::new(None),
            head: RefCell::new(Vec::new()),
            head_written: Cell::new(0),
        })
    }

    /// A new request begins, with the head that `encode` writes.
    pub(super) fn begin(&self, encode: impl FnOnce(&mut Vec<u8>)) {
        self.sent.set(None);
        self.first_byte.set(None);
        self.closed.set(None);
        self.written.set(0);
        self.read.set(0);
        let mut head = self.head.borrow_mut();
        head.clear();
        encode(&mut head);
        self.head_written.set(0);
    }

    /// First byte of the request handed to the socket.
    pub(super) fn sent(&self) -> Option<Time> {
        self.sent.get()
    }

    /// The last time the socket took bytes of the request.
    pub(super) fn last_write(&self) -> Time {
        self.last_write.get()
    }

    /// First byte of the answer.
    pub(super) fn first_byte(&self) -> Option<Time> {
        self.first_byte.get()
    }

    /// The last bytes read so far, of this answer or the one before.
    pub(super) fn last_read(&self) -> Time {
        self.last_read.get()
    }

    /// When the peer closed its side.
    pub(super) fn closed(&self) -> Option<Time> {
        self.closed.get()
    }

    /// Request bytes the connection took, head and body.
    pub(super) fn written(&self) -> u64 {
        self.written.get()
    }

    /// Answer bytes read, heads and framing included.
    pub(super) fn read(&self) -> u64 {
        self.read.get()
    }

    /// Why nothing more can be written, as an error of the same kind.
    pub(super) fn write_error(&self) -> Option<io::Error> {
        self.write_error.borrow().as_ref().map(|error| match error.raw_os_error() {
            Some(code) => io::Error::from_raw_os_error(code),
            None => io::Error::new(error.kind(), error.to_string()),
        })
    }

    /// Whether writing has failed for good.
    pub(super) fn is_write_broken(&self) -> bool {
        self.write_error.borrow().is_some()
    }

    /// Writing has failed for good.
    pub(super) fn break_write(&self, error: io::Error) {
        *self.write_error.borrow_mut() = Some(error);
    }

    /// Whether the head has been written to its end.
    pub(super) fn is_head_written(&self) -> bool {
        self.head_written.get() == self.head.borrow().len()
    }

    /// Calls `write` with what is left of the head.
    pub(super) fn with_head_left<T>(&self, write: impl FnOnce(&[u8]) -> T) -> T {
        write(&self.head.borrow()[self.head_written.get()..])
    }

    /// That many request bytes were taken.
    pub(super) fn note_written(&self, head: usize, body: usize) {
        self.head_written.set(self.head_written.get() + head);
        self.written.set(self.written.get() + (head + body) as u64);
    }

    /// That many answer bytes were read; none means that the peer closed its side. Under TLS the moment is that of the
    /// socket read they came with.
    pub(super) fn note_read(&self, bytes: usize) {
        let at = self.socket_read.get();
        if bytes == 0 {
            self.closed.set(Some(at));
            return;
        }
        if self.first_byte.get().is_none() {
            self.first_byte.set(Some(at));
        }
        self.last_read.set(at);
        self.read.set(self.read.get() + bytes as u64);
    }

    fn note_socket_write(&self, at: Time) {
        if self.sent.get().is_none() {
            self.sent.set(Some(at));
        }
        self.last_write.set(at);
    }
}

/// A socket that stamps what passes. Lies directly on the transport, under TLS where there is TLS.
pub(super) struct Stamped {
    socket: Socket,
    wire: Rc<Wire>,
}

impl Stamped {
    /// Stamps that socket's bytes on that wire.
    pub(super) fn new(socket: Socket, wire: Rc<Wire>) -> Self {
        Self { socket, wire }
    }
}

impl AsyncRead for Stamped {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let result = ready!(Pin::new(&mut this.socket).poll_read(cx, buf));
        this.wire.socket_read.set(this.wire.clock.now());
        Poll::Ready(result)
    }
}

impl AsyncWrite for Stamped {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let at = this.wire.clock.now();
        let taken = ready!(Pin::new(&mut this.socket).poll_write(cx, buf))?;
        this.wire.note_socket_write(at);
        Poll::Ready(Ok(taken))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let at = this.wire.clock.now();
        let taken = ready!(Pin::new(&mut this.socket).poll_write_vectored(cx, bufs))?;
        this.wire.note_socket_write(at);
        Poll::Ready(Ok(taken))
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_shutdown(cx)
    }
}
