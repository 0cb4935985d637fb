//! The stream hyper sees.
//!
//! hyper frames requests and answers well but writes a request's fields in its own order and in lower case. So it is
//! given only what it needs for the framing, and the head it writes (everything up to the first empty line of each
//! request) is replaced here by the head the request asks for. Body bytes pass unchanged.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::client::TlsStream;

use super::wire::{Stamped, Wire};

/// What carries the bytes.
pub(super) enum Layer {
    /// The socket itself.
    Plain(Stamped),
    /// TLS over the socket.
    Tls(Box<TlsStream<Stamped>>),
}

/// The stream of one connection.
pub(super) struct StreamIo {
    layer: Layer,
    wire: Rc<Wire>,
}

// As many slices as one call passes on; hyper brings a handful at most, and what is left it brings again.
const SLICES: usize = 8;

impl StreamIo {
    /// A stream over that layer, whose bytes are noted on that wire.
    pub(super) fn new(layer: Layer, wire: Rc<Wire>) -> Self {
        Self { layer, wire }
    }

    fn pass(&mut self, cx: &mut Context<'_>, bufs: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        match (&mut self.layer, bufs) {
            (Layer::Plain(socket), [one]) => Pin::new(socket).poll_write(cx, one),
            (Layer::Plain(socket), _) => Pin::new(socket).poll_write_vectored(cx, bufs),
            (Layer::Tls(tls), [one]) => Pin::new(tls).poll_write(cx, one),
            (Layer::Tls(tls), _) => Pin::new(tls).poll_write_vectored(cx, bufs),
        }
    }

    fn write(&mut self, cx: &mut Context<'_>, bufs: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        if self.wire.is_head_written() {
            let taken = ready!(self.pass(cx, bufs))?;
            self.wire.note_written(0, taken);
            return Poll::Ready(Ok(taken));
        }
        let Some((first, rest)) = bufs.split_first() else { return Poll::Ready(Ok(0)) };
        // hyper fills its buffer with the whole head before it writes any of it.
        let Some(end) = first.windows(4).position(|four| four == b"\r\n\r\n") else {
            return Poll::Ready(Err(io::Error::other("a request head in pieces")));
        };
        let body = &first[end + 4..];
        let wire = Rc::clone(&self.wire);
        // hyper hears of its own head's bytes only once all of ours are written: it must never see a part of them.
        loop {
            let left = wire.with_head_left(<[u8]>::len);
            let taken = ready!(wire.with_head_left(|head| {
                if body.is_empty() && rest.is_empty() {
                    return self.pass(cx, &[IoSlice::new(head)]);
                }
                let mut slices = [IoSlice::new(&[]); SLICES];
                slices[0] = IoSlice::new(head);
                slices[1] = IoSlice::new(body);
                let further = rest.len().min(SLICES - 2);
                slices[2..2 + further].copy_from_slice(&rest[..further]);
                self.pass(cx, &slices[..2 + further])
            }))?;
            if taken == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            let of_body = taken.saturating_sub(left);
            wire.note_written(taken - of_body, of_body);
            if wire.is_head_written() {
                return Poll::Ready(Ok(end + 4 + of_body));
            }
        }
    }

    /// Writes, and after a failed write pretends to: the answer may already be there (a refusal sent before the upload
    /// was over), and if it is not, reading says that the peer is gone.
    fn write_or_pretend(&mut self, cx: &mut Context<'_>, bufs: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        if !self.wire.is_write_broken() {
            match ready!(self.write(cx, bufs)) {
                Ok(taken) => return Poll::Ready(Ok(taken)),
                Err(error) => self.wire.break_write(error),
            }
        }
        Poll::Ready(Ok(bufs.iter().map(|buf| buf.len()).sum()))
    }
}

impl AsyncRead for StreamIo {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        ready!(match &mut this.layer {
            Layer::Plain(socket) => Pin::new(socket).poll_read(cx, buf),
            Layer::Tls(tls) => Pin::new(tls).poll_read(cx, buf),
        })?;
        this.wire.note_read(buf.filled().len() - before);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for StreamIo {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.get_mut().write_or_pretend(cx, &[IoSlice::new(buf)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.get_mut().write_or_pretend(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        match &self.layer {
            Layer::Plain(socket) => socket.is_write_vectored(),
            Layer::Tls(tls) => tls.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.wire.is_write_broken() {
            return Poll::Ready(Ok(()));
        }
        let flushed = ready!(match &mut this.layer {
            Layer::Plain(socket) => Pin::new(socket).poll_flush(cx),
            Layer::Tls(tls) => Pin::new(tls).poll_flush(cx),
        });
        if let Err(error) = flushed {
            this.wire.break_write(error);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().layer {
            Layer::Plain(socket) => Pin::new(socket).poll_shutdown(cx),
            Layer::Tls(tls) => Pin::new(tls).poll_shutdown(cx),
        }
    }
}
