//! Answers that come in pieces.

use std::future::poll_fn;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use crate::bindings::engine::workload::types::{Item, ReadMode, ServerSentEvent};
use crate::inbox::Lease;
use crate::reply::{Head, Statuses};
use crate::sending::poll_head;
use crate::{Exchange, ExchangeFailed, Stop};

/// What a [`Stream`] is made of: [`ServerSentEvent`], `String` (a line), `Vec<u8>` (a chunk) or [`Empty`]. Not to be
/// implemented elsewhere.
///
/// ```
/// use engine_sdk::{ExchangeFailed, Stream, StreamItem};
///
/// /// Counts what a stream of any kind brings.
/// async fn count<T: StreamItem>(mut stream: Stream<T>) -> Result<u64, ExchangeFailed> {
///     let mut count = 0;
///     while stream.next().await?.is_some() {
///         count += 1;
///     }
///     Ok(count)
/// }
/// ```
pub trait StreamItem: Sized + 'static {
    #[doc(hidden)]
    const READ: ReadMode;
    #[doc(hidden)]
    fn from_item(item: Item) -> Option<Self>;
}

/// The item of a stream that has none: of [`head`](crate::RequestBuilder::head).
///
/// ```
/// use engine_sdk::{Empty, ExchangeFailed, Stream};
///
/// async fn to_the_end(answer: Stream<Empty>) -> Result<(), ExchangeFailed> {
///     answer.finish().await // the body is counted and not handed over
/// }
/// ```
#[derive(Debug)]
pub enum Empty {}

impl StreamItem for Empty {
    const READ: ReadMode = ReadMode::Head;
    fn from_item(_: Item) -> Option<Self> {
        None
    }
}

impl StreamItem for ServerSentEvent {
    const READ: ReadMode = ReadMode::Events;
    fn from_item(item: Item) -> Option<Self> {
        if let Item::Event(event) = item { Some(event) } else { None }
    }
}

impl StreamItem for String {
    const READ: ReadMode = ReadMode::Lines;
    fn from_item(item: Item) -> Option<Self> {
        if let Item::Line(line) = item { Some(line) } else { None }
    }
}

impl StreamItem for Vec<u8> {
    const READ: ReadMode = ReadMode::Chunks;
    fn from_item(item: Item) -> Option<Self> {
        if let Item::Chunk(bytes) = item { Some(bytes) } else { None }
    }
}

/// A request whose status and fields have not arrived yet. Awaited, it is the [`Stream`] or the exchange's failure.
///
/// ```
/// # use engine_sdk::{example, testing::Script};
/// # example!(Example(ctx) {
/// let opening = ctx.get("/news").events();
/// let stream = opening.await?;
/// stream.expect_status(200)?;
/// stream.finish().await?;
/// # Ok(())
/// # });
/// # let run = Script::new().on("GET", "/news").stream(200).events(["tea"]).end().run::<Example>("{}");
/// # assert_eq!(run.reason(), None);
/// ```
#[must_use = "dropped, the exchange is cancelled: await it"]
pub struct OpeningStream<T> {
    /// Gone when the stream has been handed over.
    lease: Option<Lease>,
    item: PhantomData<fn() -> T>,
}

impl<T> OpeningStream<T> {
    pub(crate) fn new(lease: Lease) -> Self {
        Self { lease: Some(lease), item: PhantomData }
    }
}

impl<T> Future for OpeningStream<T> {
    type Output = Result<Stream<T>, ExchangeFailed>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let Some(lease) = &self.lease else { return Poll::Pending };
        let Poll::Ready(head) = poll_head(lease, cx) else { return Poll::Pending };
        let Some(lease) = self.lease.take() else { return Poll::Pending };
        Poll::Ready(head.map(|head| Stream { lease, head, item: PhantomData }))
    }
}

/// An answer whose status and fields have arrived. Dropped before its end, the exchange is cancelled, which is no
/// failure.
///
/// ```
/// # use engine_sdk::{ensure, example, testing::Script};
/// # example!(Example(ctx) {
/// let mut stream = ctx.get("/news").events().await?;
/// stream.expect_status(200)?;
/// let mut tokens = 0;
/// while let Some(event) = stream.next().await? {
///     tokens += usize::from(event.event == "token");
/// }
/// ensure(tokens == 1, "other tokens")
/// # });
/// # let run =
/// #     Script::new().on("GET", "/news").stream(200).event("token", "tea").event("end", "").end()
/// #         .run::<Example>("{}");
/// # assert_eq!(run.reason(), None);
/// ```
pub struct Stream<T> {
    lease: Lease,
    head: Head,
    item: PhantomData<fn() -> T>,
}

impl<T: StreamItem> Stream<T> {
    /// The exchange, for marks and verdicts.
    ///
    /// ```
    /// # use engine_sdk::{example, Since, testing::Script};
    /// engine_sdk::metrics! {
    ///     /// From asking to the first event.
    ///     mark FIRST = "first";
    /// }
    /// #
    /// # example!(Example(ctx) [METRICS] {
    /// let mut stream = ctx.get("/news").events().await?;
    /// if stream.next().await?.is_some() {
    ///     ctx.mark(FIRST, Since::Asked(stream.exchange()));
    /// }
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/news").stream(200).events(["tea"]).end().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.marks().len(), 1);
    /// ```
    pub fn exchange(&self) -> Exchange {
        self.head.exchange
    }

    /// The status, 100 to 999.
    ///
    /// ```
    /// # use engine_sdk::{ensure, example, testing::Script};
    /// # example!(Example(ctx) {
    /// let stream = ctx.get("/news").events().await?;
    /// ensure(stream.status() == 204, "there are news")
    /// # });
    /// # let run = Script::new().on("GET", "/news").stream(204).end().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn status(&self) -> u16 {
        self.head.status
    }

    /// The first response field of this name, in any capitalisation.
    ///
    /// ```
    /// # use engine_sdk::{ensure, example, testing::Script};
    /// # example!(Example(ctx) {
    /// let stream = ctx.get("/news").events().await?;
    /// ensure(stream.field("X-Model") == Some("small"), "another model")
    /// # });
    /// # let run = Script::new().on("GET", "/news").field("x-model", "small").stream(200).end().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn field(&self, name: &str) -> Option<&str> {
        self.head.field(name)
    }

    /// Stops the iteration unless the status is an expected one, as [`crate::Reply::expect_status`].
    ///
    /// # Errors
    /// [`Stop::FailedBy`] this exchange.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// let stream = ctx.get("/news").events().await?;
    /// stream.expect_status(200)?; // ends the iteration: `http_503`
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/news").stream(503).end().run::<Example>("{}");
    /// # assert_eq!(run.reason(), Some("http_503"));
    /// ```
    #[allow(clippy::needless_pass_by_value)] // so that a call reads `expect_status(200)`
    pub fn expect_status(&self, expected: impl Statuses) -> Result<&Self, Stop> {
        self.head.expect_status(&expected).map(|()| self)
    }

    /// The next item; `None` when the answer is complete.
    ///
    /// # Errors
    /// The exchange's failure, after the items that came before it.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// let mut lines = ctx.get("/export").lines().await?;
    /// let first = lines.next().await?;
    /// drop(lines); // the rest is not wanted: the exchange is cancelled
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/export").stream(200).lines(["1", "2"]).end().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub async fn next(&mut self) -> Result<Option<T>, ExchangeFailed> {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    /// All items at hand, at least one: those of one read share its time. `None` when the answer is complete.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    ///
    /// ```
    /// # use engine_sdk::{ensure, example, testing::Script};
    /// # example!(Example(ctx) {
    /// let mut stream = ctx.get("/news").events().await?;
    /// let mut sizes = Vec::new();
    /// while let Some(batch) = stream.next_batch().await? {
    ///     sizes.push(batch.len());
    /// }
    /// ensure(sizes == [2, 1], "other batches")
    /// # });
    /// # let run =
    /// #     Script::new().on("GET", "/news").stream(200).events(["a", "b"]).events(["c"]).end().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub async fn next_batch(&mut self) -> Result<Option<Vec<T>>, ExchangeFailed> {
        let Some(first) = self.next().await? else { return Ok(None) };
        let mut batch = vec![first];
        poll_fn(|cx| {
            // Ready at once: takes what is there, waits for nothing.
            self.lease.poll(cx, |slot| {
                batch.extend(slot.items.drain(..).filter_map(T::from_item));
                Some(())
            })
        })
        .await;
        Ok(Some(batch))
    }

    /// Reads to the end, whatever still comes.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// let mut stream = ctx.get("/news").events().await?;
    /// let first = stream.next().await?;
    /// stream.finish().await?; // an end that is cut off is a failure
    /// # Ok(())
    /// # });
    /// # let run =
    /// #     Script::new().on("GET", "/news").stream(200).events(["a", "b"]).fail("truncated").run::<Example>("{}");
    /// # assert_eq!(run.reason(), Some("truncated"));
    /// ```
    pub async fn finish(mut self) -> Result<(), ExchangeFailed> {
        while self.next().await?.is_some() {}
        Ok(())
    }

    /// Reads to the end and gives the bytes that came in the place of items, at most so many: the whole body of an
    /// answer in JSON to a request for events, which is no stream of them.
    ///
    /// # Errors
    /// As [`next`](Self::next); or [`Stop::Failed`] with `answer too large`.
    ///
    /// ```
    /// # use engine_sdk::{example, Stop, testing::Script};
    /// # example!(Example(ctx) {
    /// let stream = ctx.get("/news").events().await?;
    /// if stream.status() != 200 {
    ///     let said = stream.into_bytes(4096).await?;
    ///     return Err(Stop::quoting("refused", &String::from_utf8_lossy(&said)));
    /// }
    /// # Ok(())
    /// # });
    /// # let run =
    /// #     Script::new().on("GET", "/news").reply_json(400, &serde_json::json!({ "error": "no tea" }))
    /// #         .run::<Example>("{}");
    /// # assert_eq!(run.reason(), Some(r#"check: refused: {"error":"no tea"}"#));
    /// ```
    pub async fn into_bytes(self, most: usize) -> Result<Vec<u8>, Stop> {
        let (exchange, mut bytes) = (self.lease.exchange, Vec::new());
        poll_fn(|cx| {
            self.lease.poll(cx, |slot| {
                for item in slot.items.drain(..) {
                    if let Item::Chunk(chunk) = item {
                        if chunk.len() > most - bytes.len() {
                            return Some(Err(Stop::failed("answer too large")));
                        }
                        bytes.extend(chunk);
                    }
                }
                match &slot.end {
                    None => None,
                    Some(Ok(_)) => Some(Ok(std::mem::take(&mut bytes))),
                    Some(Err(failure)) => Some(Err(ExchangeFailed::new(exchange, failure.clone()).into())),
                }
            })
        })
        .await
    }

    /// The next item, for a future of your own: as `poll_next` of other crates' streams. `None` when the answer is
    /// complete.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    ///
    /// ```
    /// # use engine_sdk::{ensure, example, testing::Script};
    /// # example!(Example(ctx) {
    /// use std::future::poll_fn;
    ///
    /// let mut stream = ctx.get("/news").events().await?;
    /// let first = poll_fn(|cx| stream.poll_next(cx)).await?;
    /// ensure(first.is_some_and(|event| event.data == "a"), "another event")
    /// # });
    /// # let run = Script::new().on("GET", "/news").stream(200).events(["a"]).end().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn poll_next(&mut self, cx: &mut TaskContext<'_>) -> Poll<Result<Option<T>, ExchangeFailed>> {
        let exchange = self.lease.exchange;
        self.lease.poll(cx, |slot| {
            while let Some(item) = slot.items.pop_front() {
                if let Some(item) = T::from_item(item) {
                    return Some(Ok(Some(item)));
                }
            }
            match &slot.end {
                None => None,
                Some(Ok(_)) => Some(Ok(None)),
                Some(Err(failure)) => Some(Err(ExchangeFailed::new(exchange, failure.clone()))),
            }
        })
    }
}
