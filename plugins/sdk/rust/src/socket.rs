//! A WebSocket: its handshake, its messages, its close.

use std::borrow::Cow;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use crate::bindings::engine::workload::types::SocketRequest;
use crate::bindings::engine::workload::types::{CloseInfoParam, End, FieldsResult as Fields, Item, MessageParam};
use crate::context::{Context, nanoseconds};
use crate::inbox::{Answer, Lease};
use crate::reply::find;
use crate::request::with_pairs;
use crate::{CloseInfo, Exchange, ExchangeFailed, Message, backend};

/// A WebSocket being put together. Nothing is sent before [`open`](Self::open).
#[must_use = "nothing is sent before `open`"]
pub struct SocketBuilder<'a> {
    ctx: &'a Context,
    name: Option<Cow<'a, str>>,
    authority: Option<Cow<'a, str>>,
    path: Cow<'a, str>,
    fields: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    subprotocols: Vec<&'a str>,
    extensions: Vec<(&'a str, &'a str)>,
    timeout: Option<Duration>,
}

impl<'a> SocketBuilder<'a> {
    pub(crate) fn new(ctx: &'a Context, path: Cow<'a, str>) -> Self {
        Self {
            ctx,
            name: None,
            authority: None,
            path,
            fields: Vec::new(),
            subprotocols: Vec::new(),
            extensions: Vec::new(),
            timeout: None,
        }
    }

    /// Names the series this socket belongs to.
    pub fn name(mut self, name: impl Into<Cow<'a, str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Adds a field to the handshake.
    pub fn field(mut self, name: impl Into<Cow<'a, str>>, value: impl Into<Cow<'a, str>>) -> Self {
        self.fields.push((name.into(), value.into()));
        self
    }

    /// Offers a subprotocol; the first one offered is preferred.
    pub fn subprotocol(mut self, name: &'a str) -> Self {
        self.subprotocols.push(name);
        self
    }

    /// Goes to another host, as `host` or `host:port`, that the scenario allows.
    pub fn authority(mut self, authority: impl Into<Cow<'a, str>>) -> Self {
        self.authority = Some(authority.into());
        self
    }

    /// The longest the socket may stay open; the workload's limit where not said.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// A setting this SDK has no method for. One the engine does not know is the failure `protocol`.
    pub fn extension(mut self, name: &'a str, value: &'a str) -> Self {
        self.extensions.push((name, value));
        self
    }

    /// Starts the handshake now; the future waits for its end. A refused upgrade is a failure.
    pub fn open(self) -> OpeningSocket {
        let exchange = with_pairs(&self.fields, |fields| {
            backend::open(SocketRequest {
                name: self.name.as_deref(),
                authority: self.authority.as_deref(),
                path_with_query: &self.path,
                fields,
                subprotocols: &self.subprotocols,
                extensions: &self.extensions,
                timeout: self.timeout.map(nanoseconds),
            })
        });
        OpeningSocket { lease: Some(self.ctx.inbox.lease(exchange)) }
    }
}

/// A WebSocket whose handshake has not ended yet.
#[must_use = "dropped, the exchange is cancelled: await it"]
pub struct OpeningSocket {
    /// Gone when the socket has been handed over.
    lease: Option<Lease>,
}

impl Future for OpeningSocket {
    type Output = Result<Socket, ExchangeFailed>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let Some(lease) = &self.lease else { return Poll::Pending };
        let opened = lease.poll(cx, |slot| match (slot.answer.take(), &slot.end) {
            (Some(Answer::Open { subprotocol, fields }), _) => Some(Ok((subprotocol, fields))),
            (_, Some(Err(failure))) => Some(Err(ExchangeFailed::new(lease.exchange, failure.clone()))),
            _ => None,
        });
        let Poll::Ready(opened) = opened else { return Poll::Pending };
        let Some(lease) = self.lease.take() else { return Poll::Pending };
        Poll::Ready(opened.map(|(subprotocol, fields)| Socket { lease, subprotocol, fields, closed: None }))
    }
}

/// An open WebSocket. Dropped before it was closed, it is cancelled, which is no failure.
pub struct Socket {
    lease: Lease,
    subprotocol: String,
    fields: Fields,
    closed: Option<CloseInfo>,
}

impl Socket {
    /// The exchange, for marks and verdicts.
    pub fn exchange(&self) -> Exchange {
        self.lease.exchange
    }

    /// The subprotocol the peer chose; empty where it chose none.
    pub fn subprotocol(&self) -> &str {
        &self.subprotocol
    }

    /// The first field of this name in the handshake's answer, in any capitalisation.
    pub fn field(&self, name: &str) -> Option<&str> {
        find(&self.fields, name)
    }

    /// Sends a text message.
    pub fn send_text(&self, text: &str) {
        backend::write(self.lease.exchange, MessageParam::Text(text));
    }

    /// Sends a binary message.
    pub fn send_binary(&self, bytes: &[u8]) {
        backend::write(self.lease.exchange, MessageParam::Binary(bytes));
    }

    /// The next message; `None` when the socket was closed by the close handshake, see [`close_info`](Self::close_info).
    ///
    /// # Errors
    /// The exchange's failure, after the messages that came before it.
    pub async fn next(&mut self) -> Result<Option<Message>, ExchangeFailed> {
        let (exchange, closed, lease) = (self.lease.exchange, &mut self.closed, &self.lease);
        poll_fn(|cx| {
            lease.poll(cx, |slot| {
                while let Some(item) = slot.items.pop_front() {
                    if let Item::Message(message) = item {
                        return Some(Ok(Some(message)));
                    }
                }
                match &slot.end {
                    None => None,
                    Some(Err(failure)) => Some(Err(ExchangeFailed::new(exchange, failure.clone()))),
                    Some(Ok(end)) => {
                        if let End::Closed(info) = end {
                            *closed = Some(info.clone());
                        }
                        Some(Ok(None))
                    }
                }
            })
        })
        .await
    }

    /// All messages at hand, at least one: those of one read share its time. `None` as of [`next`](Self::next).
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub async fn next_batch(&mut self) -> Result<Option<Vec<Message>>, ExchangeFailed> {
        let Some(first) = self.next().await? else { return Ok(None) };
        let mut batch = vec![first];
        poll_fn(|cx| {
            // Ready at once: takes what is there, waits for nothing.
            self.lease.poll(cx, |slot| {
                batch.extend(slot.items.drain(..).filter_map(|item| match item {
                    Item::Message(message) => Some(message),
                    _ => None,
                }));
                Some(())
            })
        })
        .await;
        Ok(Some(batch))
    }

    /// Starts the close handshake and waits for its end; messages that still come are dropped.
    ///
    /// # Errors
    /// The exchange's failure, where the peer does not answer the handshake.
    pub async fn close(mut self, code: u16, reason: &str) -> Result<Option<CloseInfo>, ExchangeFailed> {
        backend::close(self.lease.exchange, CloseInfoParam { code, reason });
        while self.next().await?.is_some() {}
        Ok(self.closed.take())
    }

    /// Code and reason of the close, once [`next`](Self::next) has given `None`.
    pub fn close_info(&self) -> Option<&CloseInfo> {
        self.closed.as_ref()
    }
}
