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
use crate::sending::with_pairs;
use crate::{CloseInfo, Exchange, ExchangeFailed, Message, backend};

/// A WebSocket being put together. Nothing is sent before [`open`](Self::open).
///
/// ```
/// # use engine_sdk::{example, testing::Script};
/// # example!(Example(ctx) {
/// let socket = ctx.socket("/talk").name("talk").subprotocol("chat").open().await?;
/// socket.close(1000, "").await?;
/// # Ok(())
/// # });
/// # let run = Script::new().on("WS", "/talk").open("chat").until_closed().run::<Example>("{}");
/// # assert_eq!(run.reason(), None);
/// ```
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

    /// Names the series this socket belongs to, at most 128 bytes, as
    /// [`RequestBuilder::name`](crate::RequestBuilder::name).
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// let socket = ctx.socket("/rooms/7").name("room").open().await?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("WS", "/rooms/7").open("").until_closed().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.requests()[0].name.as_deref(), Some("room"));
    /// ```
    pub fn name(mut self, name: impl Into<Cow<'a, str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Adds a field to the handshake. Those of the WebSocket protocol itself are the engine's.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// let socket = ctx.socket("/talk").field("authorization", "Bearer t1").open().await?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("WS", "/talk").open("").until_closed().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.requests()[0].field("authorization"), Some("Bearer t1"));
    /// ```
    pub fn field(mut self, name: impl Into<Cow<'a, str>>, value: impl Into<Cow<'a, str>>) -> Self {
        self.fields.push((name.into(), value.into()));
        self
    }

    /// Offers a subprotocol, a token; the first one offered is preferred.
    ///
    /// ```
    /// # use engine_sdk::{ensure, example, testing::Script};
    /// # example!(Example(ctx) {
    /// let socket = ctx.socket("/talk").subprotocol("chat.v2").subprotocol("chat.v1").open().await?;
    /// ensure(socket.subprotocol() == "chat.v1", "another subprotocol")
    /// # });
    /// # let run = Script::new().on("WS", "/talk").open("chat.v1").until_closed().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn subprotocol(mut self, name: &'a str) -> Self {
        self.subprotocols.push(name);
        self
    }

    /// Goes to another host, as `host` or `host:port`, that the scenario allows; else it is the failure
    /// `host_not_allowed`.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// let socket = ctx.socket("/talk").authority("talk.example").open().await?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("WS", "/talk").open("").until_closed().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.requests()[0].authority.as_deref(), Some("talk.example"));
    /// ```
    pub fn authority(mut self, authority: impl Into<Cow<'a, str>>) -> Self {
        self.authority = Some(authority.into());
        self
    }

    /// The longest the socket may stay open; the workload's limit where not said. Past it: `timeout_total`.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// use std::time::Duration;
    ///
    /// let socket = ctx.socket("/talk").timeout(Duration::from_secs(60)).open().await?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("WS", "/talk").open("").until_closed().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.requests()[0].timeout, Some(std::time::Duration::from_secs(60)));
    /// ```
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// A setting this SDK has no method for. One the engine does not know is the failure `protocol`.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// let socket = ctx.socket("/talk").extension("future", "on").open().await?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("WS", "/talk").open("").until_closed().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.requests()[0].extensions.len(), 1);
    /// ```
    pub fn extension(mut self, name: &'a str, value: &'a str) -> Self {
        self.extensions.push((name, value));
        self
    }

    /// Starts the handshake now; the future waits for its end. A refused upgrade is the failure `upgrade_refused`.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// let socket = ctx.socket("/talk").open().await?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("WS", "/talk").fail("upgrade_refused").run::<Example>("{}");
    /// # assert_eq!(run.reason(), Some("upgrade_refused"));
    /// ```
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

/// A WebSocket whose handshake has not ended yet. Awaited, it is the [`Socket`] or the exchange's failure.
///
/// ```
/// # use engine_sdk::{example, testing::Script};
/// # example!(Example(ctx) {
/// // Both handshakes are on their way together.
/// let (a, b) = (ctx.socket("/a").open(), ctx.socket("/b").open());
/// let (a, b) = (a.await?, b.await?);
/// # Ok(())
/// # });
/// # let run =
/// #     Script::new().on("WS", "/a").open("").until_closed().on("WS", "/b").open("").until_closed()
/// #         .run::<Example>("{}");
/// # assert_eq!(run.reason(), None);
/// ```
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
///
/// ```
/// # use engine_sdk::{ensure, example, Message, testing::Script};
/// # example!(Example(ctx) {
/// let mut socket = ctx.socket("/talk").open().await?;
/// socket.send_text("hello");
/// let answer = socket.next().await?;
/// ensure(matches!(answer, Some(Message::Text(text)) if text == "bye"), "another answer")?;
/// socket.close(1000, "done").await?;
/// # Ok(())
/// # });
/// # let run =
/// #     Script::new().on("WS", "/talk").open("").expect_text("hello").text("bye").until_closed().run::<Example>("{}");
/// # assert_eq!(run.reason(), None);
/// ```
pub struct Socket {
    lease: Lease,
    subprotocol: String,
    fields: Fields,
    closed: Option<CloseInfo>,
}

impl Socket {
    /// The exchange, for marks and verdicts.
    ///
    /// ```
    /// # use engine_sdk::{example, Since, testing::Script};
    /// engine_sdk::metrics! {
    ///     /// From asking for the socket to the first message.
    ///     mark FIRST = "first";
    /// }
    /// #
    /// # example!(Example(ctx) [METRICS] {
    /// let mut socket = ctx.socket("/talk").open().await?;
    /// if socket.next().await?.is_some() {
    ///     ctx.mark(FIRST, Since::Asked(socket.exchange()));
    /// }
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("WS", "/talk").open("").text("hi").until_closed().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.marks().len(), 1);
    /// ```
    pub fn exchange(&self) -> Exchange {
        self.lease.exchange
    }

    /// The subprotocol the peer chose; empty where it chose none.
    ///
    /// ```
    /// # use engine_sdk::{ensure, example, testing::Script};
    /// # example!(Example(ctx) {
    /// let socket = ctx.socket("/talk").subprotocol("chat").open().await?;
    /// ensure(socket.subprotocol().is_empty(), "one was chosen")
    /// # });
    /// # let run = Script::new().on("WS", "/talk").open("").until_closed().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn subprotocol(&self) -> &str {
        &self.subprotocol
    }

    /// The first field of this name in the handshake's answer, in any capitalisation.
    ///
    /// ```
    /// # use engine_sdk::{ensure, example, testing::Script};
    /// # example!(Example(ctx) {
    /// let socket = ctx.socket("/talk").open().await?;
    /// ensure(socket.field("x-node").is_none(), "a field of the handshake")
    /// # });
    /// # let run = Script::new().on("WS", "/talk").open("").until_closed().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn field(&self, name: &str) -> Option<&str> {
        find(&self.fields, name)
    }

    /// Sends a text message. Of no effect on a socket that has ended. Where more than 10,000
    /// messages or 16 MiB wait for a peer that does not read, the socket fails with the reason `other`.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// let socket = ctx.socket("/talk").open().await?;
    /// socket.send_text("hello");
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("WS", "/talk").open("").expect_text("hello").until_closed().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.written(0).len(), 1);
    /// ```
    pub fn send_text(&self, text: &str) {
        backend::write(self.lease.exchange, MessageParam::Text(text));
    }

    /// Sends a binary message, as [`send_text`](Self::send_text).
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// let socket = ctx.socket("/talk").open().await?;
    /// socket.send_binary(&[1, 2, 3]);
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("WS", "/talk").open("").until_closed().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.written(0).len(), 1);
    /// ```
    pub fn send_binary(&self, bytes: &[u8]) {
        backend::write(self.lease.exchange, MessageParam::Binary(bytes));
    }

    /// The next message, of at most 16 MiB; `None` when the socket was closed by the close handshake, see
    /// [`close_info`](Self::close_info). Pings are answered by the engine and not handed over.
    ///
    /// # Errors
    /// The exchange's failure, after the messages that came before it; `body_too_large` for a larger message.
    ///
    /// ```
    /// # use engine_sdk::{ensure, example, Message, testing::Script};
    /// # example!(Example(ctx) {
    /// let mut socket = ctx.socket("/talk").open().await?;
    /// let mut bytes = 0;
    /// while let Some(message) = socket.next().await? {
    ///     bytes += match message {
    ///         Message::Text(text) => text.len(),
    ///         Message::Binary(bytes) => bytes.len(),
    ///     };
    /// }
    /// ensure(bytes == 5, "other messages")
    /// # });
    /// # let run =
    /// #     Script::new().on("WS", "/talk").open("").text("tea").binary([1, 2]).close(1000, "").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
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
    ///
    /// ```
    /// # use engine_sdk::{ensure, example, testing::Script};
    /// # example!(Example(ctx) {
    /// let mut socket = ctx.socket("/talk").open().await?;
    /// let mut messages = 0;
    /// while let Some(batch) = socket.next_batch().await? {
    ///     messages += batch.len();
    /// }
    /// ensure(messages == 3, "other messages")
    /// # });
    /// # let run =
    /// #     Script::new().on("WS", "/talk").open("").texts(["a", "b"]).text("c").close(1000, "").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
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

    /// Starts the close handshake, after what waits to be sent, and waits for its end; messages that still come are
    /// dropped. `code` is 1000 to 1003, 1007 to 1014 or 3000 to 4999, another one is misuse; `reason` has at most 123
    /// bytes. Gives the peer's code and reason; `None` where the socket had ended otherwise.
    ///
    /// # Errors
    /// The exchange's failure: `timeout_idle` where the peer does not answer within 5 s.
    ///
    /// ```
    /// # use engine_sdk::{ensure, example, testing::Script};
    /// # example!(Example(ctx) {
    /// let socket = ctx.socket("/talk").open().await?;
    /// let closed = socket.close(1000, "done").await?;
    /// ensure(closed.is_some_and(|info| info.code == 1000), "closed otherwise")
    /// # });
    /// # let run = Script::new().on("WS", "/talk").open("").until_closed().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.closed(0).map(|info| info.code), Some(1000));
    /// ```
    pub async fn close(mut self, code: u16, reason: &str) -> Result<Option<CloseInfo>, ExchangeFailed> {
        backend::close(self.lease.exchange, CloseInfoParam { code, reason });
        while self.next().await?.is_some() {}
        Ok(self.closed.take())
    }

    /// Code and reason of the close, once [`next`](Self::next) has given `None`. Code 1005: the peer gave none.
    ///
    /// ```
    /// # use engine_sdk::{ensure, example, testing::Script};
    /// # example!(Example(ctx) {
    /// let mut socket = ctx.socket("/talk").open().await?;
    /// while socket.next().await?.is_some() {}
    /// ensure(socket.close_info().is_some_and(|info| info.reason == "restart"), "closed otherwise")
    /// # });
    /// # let run = Script::new().on("WS", "/talk").open("").close(1001, "restart").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn close_info(&self) -> Option<&CloseInfo> {
        self.closed.as_ref()
    }
}
