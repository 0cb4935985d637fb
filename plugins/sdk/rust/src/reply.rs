//! Answers.

use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};

use serde::de::DeserializeOwned;

use crate::bindings::engine::workload::types::{FieldsResult as Fields, Level, Response};
use crate::{Exchange, Stop, backend};

/// Status and fields of an answer.
pub(crate) struct Head {
    pub(crate) exchange: Exchange,
    pub(crate) status: u16,
    pub(crate) fields: Fields,
}

impl Head {
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        find(&self.fields, name)
    }

    pub(crate) fn expect_status(&self, expected: &impl Statuses) -> Result<(), Stop> {
        if expected.accept(self.status) { Ok(()) } else { Err(Stop::FailedBy(self.exchange)) }
    }
}

/// The first value of this name, in whatever capitalisation it is asked for.
pub(crate) fn find<'a>(fields: &'a Fields, name: &str) -> Option<&'a str> {
    fields.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// A whole answer.
///
/// ```
/// # use engine_sdk::{ensure, example, testing::Script};
/// # example!(Example(ctx) {
/// let reply = ctx.get("/agents").send().await?;
/// let agents: Vec<String> = reply.expect_status(200)?.json()?;
/// ensure(agents == ["tea"], "other agents")
/// # });
/// # let run = Script::new().on("GET", "/agents").reply(200, r#"["tea"]"#).run::<Example>("{}");
/// # assert_eq!(run.reason(), None);
/// ```
pub struct Reply {
    head: Head,
    body: Vec<u8>,
    size: u64,
}

impl Reply {
    pub(crate) fn new(exchange: Exchange, response: Response) -> Self {
        let head = Head { exchange, status: response.status, fields: response.fields };
        Self { head, body: response.body, size: response.size }
    }

    /// The exchange, for marks and verdicts.
    ///
    /// ```
    /// # use engine_sdk::{example, Since, testing::Script};
    /// engine_sdk::metrics! {
    ///     /// From when the page was asked for.
    ///     mark PAGE_TOOK = "page_took";
    /// }
    /// #
    /// # example!(Example(ctx) [METRICS] {
    /// let reply = ctx.get("/page").send().await?;
    /// ctx.mark(PAGE_TOOK, Since::Asked(reply.exchange()));
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/page").reply(200, "").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn exchange(&self) -> Exchange {
        self.head.exchange
    }

    /// The status of the final answer, 100 to 999. None is a failure by itself: a 503 is an answer.
    ///
    /// ```
    /// # use engine_sdk::{example, Stop, testing::Script};
    /// # example!(Example(ctx) {
    /// if ctx.get("/agents/1").send().await?.status() == 404 {
    ///     return Err(Stop::failed("gone"));
    /// }
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/agents/1").reply(404, "").run::<Example>("{}");
    /// # assert_eq!(run.reason(), Some("check: gone"));
    /// ```
    pub fn status(&self) -> u16 {
        self.head.status
    }

    /// The first response field of this name, in any capitalisation. Only those of
    /// [`wanted_fields`](crate::RequestBuilder::wanted_fields) are there, where these were said.
    ///
    /// ```
    /// # use engine_sdk::{ensure, example, testing::Script};
    /// # example!(Example(ctx) {
    /// let reply = ctx.get("/page").send().await?;
    /// ensure(reply.field("ETag") == Some("v1"), "another version")
    /// # });
    /// # let run = Script::new().on("GET", "/page").field("ETag", "v1").reply(200, "").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn field(&self, name: &str) -> Option<&str> {
        self.head.field(name)
    }

    /// All wanted response fields in order; names in lower case.
    ///
    /// ```
    /// # use engine_sdk::{ensure, example, testing::Script};
    /// # example!(Example(ctx) {
    /// let reply = ctx.get("/page").send().await?;
    /// ensure(reply.fields() == [("etag".to_owned(), "v1".to_owned())], "other fields")
    /// # });
    /// # let run = Script::new().on("GET", "/page").field("ETag", "v1").reply(200, "").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn fields(&self) -> &[(String, String)] {
        &self.head.fields
    }

    /// The body after decompression; empty where it was only counted.
    ///
    /// ```
    /// # use engine_sdk::{ensure, example, testing::Script};
    /// # example!(Example(ctx) {
    /// let reply = ctx.get("/page").send().await?;
    /// ensure(reply.body() == b"tea", "another body")
    /// # });
    /// # let run = Script::new().on("GET", "/page").reply(200, "tea").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The body, to keep.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// let picture = ctx.get("/picture").send().await?.into_body();
    /// ctx.post("/picture").body(picture).send().await?.expect_status(201)?;
    /// # Ok(())
    /// # });
    /// # let run =
    /// #     Script::new().on("GET", "/picture").reply(200, "tea").on("POST", "/picture").reply(201, "")
    /// #         .run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn into_body(self) -> Vec<u8> {
        self.body
    }

    /// Bytes of the body as they came off the wire, before decompression.
    ///
    /// ```
    /// # use engine_sdk::{ensure, example, testing::Script};
    /// # example!(Example(ctx) {
    /// let reply = ctx.get("/picture").count_body().send().await?;
    /// ensure(reply.size() > 0, "no picture")
    /// # });
    /// # let run = Script::new().on("GET", "/picture").reply(200, "tea").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The body as text; bytes that are not UTF-8 become U+FFFD.
    ///
    /// ```
    /// # use engine_sdk::{ensure, example, testing::Script};
    /// # example!(Example(ctx) {
    /// let reply = ctx.get("/jobs/1").send().await?;
    /// ensure(reply.text() == "done", "not done")
    /// # });
    /// # let run = Script::new().on("GET", "/jobs/1").reply(200, "done").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }

    /// The body as JSON of this shape.
    ///
    /// # Errors
    /// [`Stop::Failed`] with `unexpected JSON`; the log says what is wrong with it.
    ///
    /// ```
    /// # use engine_sdk::{ensure, example, testing::Script};
    /// # example!(Example(ctx) {
    /// #[derive(serde::Deserialize)]
    /// struct Answer {
    ///     total: u64,
    /// }
    ///
    /// let answer: Answer = ctx.get("/total").send().await?.json()?;
    /// ensure(answer.total == 3, "wrong total")
    /// # });
    /// # let run = Script::new().on("GET", "/total").reply(200, r#"{"total":3}"#).run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Stop> {
        serde_json::from_slice(&self.body).map_err(|error| {
            backend::log(Level::Debug, &format!("unexpected JSON: {error}"));
            Stop::failed("unexpected JSON")
        })
    }

    /// Stops the iteration unless the status is an expected one: `200`, `200..=299`, `[200, 404]`. The failure is the
    /// engine's `http_<status>`.
    ///
    /// # Errors
    /// [`Stop::FailedBy`] this exchange.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// let reply = ctx.get("/page").send().await?;
    /// reply.expect_status(200..=299)?; // ends the iteration: `http_503`
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/page").reply(503, "").run::<Example>("{}");
    /// # assert_eq!(run.reason(), Some("http_503"));
    /// ```
    #[allow(clippy::needless_pass_by_value)] // so that a call reads `expect_status(200)`
    pub fn expect_status(&self, expected: impl Statuses) -> Result<&Self, Stop> {
        self.head.expect_status(&expected).map(|()| self)
    }

    /// The verdict that blames this exchange, with the engine's reason: `http_<status>`.
    ///
    /// ```
    /// # use engine_sdk::{example, Level, testing::Script};
    /// # example!(Example(ctx) {
    /// let reply = ctx.get("/page").send().await?;
    /// if reply.status() != 200 {
    ///     ctx.log(Level::Warn, &reply.text());
    ///     return Err(reply.failed());
    /// }
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/page").reply(503, "busy").run::<Example>("{}");
    /// # assert_eq!(run.reason(), Some("http_503"));
    /// ```
    pub fn failed(&self) -> Stop {
        Stop::FailedBy(self.head.exchange)
    }
}

/// Statuses that are right: one, a range, or a list of them. A type of your own may say so too.
///
/// ```
/// use engine_sdk::Statuses;
///
/// struct Cached;
///
/// impl Statuses for Cached {
///     fn accept(&self, status: u16) -> bool {
///         status == 200 || status == 304
///     }
/// }
///
/// assert!(Cached.accept(304) && (200..=299).accept(204) && [200, 404].accept(404));
/// assert!(!200.accept(503));
/// ```
pub trait Statuses {
    /// Whether this one is.
    fn accept(&self, status: u16) -> bool;
}

impl Statuses for u16 {
    fn accept(&self, status: u16) -> bool {
        *self == status
    }
}

impl Statuses for Range<u16> {
    fn accept(&self, status: u16) -> bool {
        self.contains(&status)
    }
}

impl Statuses for RangeInclusive<u16> {
    fn accept(&self, status: u16) -> bool {
        self.contains(&status)
    }
}

impl<const N: usize> Statuses for [u16; N] {
    fn accept(&self, status: u16) -> bool {
        self.contains(&status)
    }
}

impl Statuses for &[u16] {
    fn accept(&self, status: u16) -> bool {
        self.contains(&status)
    }
}
