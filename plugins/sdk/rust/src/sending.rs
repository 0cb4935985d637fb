//! What a request is sent with, and the wait for its answer.

use std::borrow::Cow;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use crate::inbox::{Answer, Lease};
use crate::reply::Head;
use crate::{Exchange, ExchangeFailed, Reply, backend};

/// Room for fields on the stack, so that the usual request allocates nothing for the hand-over.
pub(crate) const FEW: usize = 16;

/// A body registered once and sent many times without being copied again.
///
/// ```
/// # use engine_sdk::{Blob, example, testing::Script};
/// # example!(Example(ctx) {
/// let file = Blob::register(&[0; 4096]); // in a plugin: in `configure`, kept in the plan
/// # Ok(())
/// # });
/// # let run = Script::new().run::<Example>("{}");
/// # assert_eq!(run.reason(), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blob(u32);

impl Blob {
    /// Keeps these bytes. Only in [`configure`](crate::Workload::configure): elsewhere it is misuse. At most 64 MiB in
    /// all.
    ///
    /// # Panics
    /// Natively, outside of what [`testing`](crate::testing) runs.
    ///
    /// ```
    /// use engine_sdk::{Blob, NoConfig, Shared};
    ///
    /// struct Upload {
    ///     file: Blob,
    /// }
    ///
    /// fn configure(_: NoConfig, _: Shared) -> Result<Upload, String> {
    ///     Ok(Upload { file: Blob::register(&[0; 4096]) })
    /// }
    /// ```
    pub fn register(bytes: &[u8]) -> Self {
        Self(backend::register_blob(bytes))
    }

    pub(crate) fn id(self) -> u32 {
        self.0
    }
}

/// Lends the fields as the interface takes them, from the stack where they are few.
pub(crate) fn with_pairs<T>(fields: &[(Cow<'_, str>, Cow<'_, str>)], lend: impl FnOnce(&[(&str, &str)]) -> T) -> T {
    let pairs = fields.iter().map(|(name, value)| (&**name, &**value));
    if fields.len() > FEW {
        return lend(&pairs.collect::<Vec<_>>());
    }
    let mut few = [("", ""); FEW];
    few.iter_mut().zip(pairs).for_each(|(place, pair)| *place = pair);
    lend(&few[..fields.len()])
}

/// A request on its way: what [`RequestBuilder::send`](crate::RequestBuilder::send) gives. Awaited, it is the whole
/// answer.
///
/// ```
/// # use engine_sdk::{example, testing::Script};
/// # example!(Example(ctx) {
/// let sending = ctx.get("/page").send();
/// let reply = sending.await?;
/// # Ok(())
/// # });
/// # let run = Script::new().on("GET", "/page").reply(200, "").run::<Example>("{}");
/// # assert_eq!(run.reason(), None);
/// ```
#[must_use = "dropped, the exchange is cancelled: await it"]
pub struct Sending {
    lease: Lease,
}

impl Sending {
    pub(crate) fn new(lease: Lease) -> Self {
        Self { lease }
    }

    /// The exchange, for marks.
    ///
    /// ```
    /// # use engine_sdk::{example, Since, testing::Script};
    /// engine_sdk::metrics! {
    ///     /// From when the page was asked for.
    ///     mark WAITED = "waited";
    /// }
    /// #
    /// # example!(Example(ctx) [METRICS] {
    /// let page = ctx.get("/page").send();
    /// let asked = page.exchange();
    /// page.await?;
    /// ctx.mark(WAITED, Since::Asked(asked));
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/page").reply(200, "").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.marks().len(), 1);
    /// ```
    pub fn exchange(&self) -> Exchange {
        self.lease.exchange
    }
}

impl Future for Sending {
    type Output = Result<Reply, ExchangeFailed>;

    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let exchange = self.lease.exchange;
        self.lease.poll(cx, |slot| match (slot.answer.take(), &mut slot.end) {
            (Some(Answer::Whole(response)), _) => Some(Ok(Reply::new(exchange, response))),
            (_, Some(Err(failure))) => Some(Err(ExchangeFailed::new(exchange, failure.clone()))),
            _ => None,
        })
    }
}

/// Waits for the head of an answer that comes in pieces.
pub(crate) fn poll_head(lease: &Lease, cx: &TaskContext<'_>) -> Poll<Result<Head, ExchangeFailed>> {
    lease.poll(cx, |slot| match (slot.answer.take(), &slot.end) {
        (Some(Answer::Head { status, fields }), _) => Some(Ok(Head { exchange: lease.exchange, status, fields })),
        (_, Some(Err(failure))) => Some(Err(ExchangeFailed::new(lease.exchange, failure.clone()))),
        _ => None,
    })
}
