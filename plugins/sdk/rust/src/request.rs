//! Requests being put together.

use std::borrow::Cow;
use std::time::Duration;

use serde::Serialize;

use crate::bindings::engine::workload::types::{self, Body, ReadMode, ServerSentEvent};
use crate::context::{Context, nanoseconds};
use crate::encode::percent_encode;
use crate::inbox::Lease;
use crate::sending::{Blob, FEW, Sending, with_pairs};
use crate::stream::{Empty, OpeningStream, StreamItem};
use crate::{Stop, backend};

/// The most bytes a body may have in [`RequestBuilder::send`] where nothing else is said: 16 MiB.
const DEFAULT_MAX_BODY: u32 = 16 << 20;

/// A request being put together. Nothing is sent before [`send`](Self::send) or one of its kin.
///
/// ```
/// # use engine_sdk::{example, testing::Script};
/// # example!(Example(ctx) {
/// use std::time::Duration;
///
/// let request = ctx.put("/jobs/1").name("job").field("accept", "text/plain").timeout(Duration::from_secs(2));
/// request.body(b"tea").send().await?.expect_status(200)?;
/// # Ok(())
/// # });
/// # let run = Script::new().on("PUT", "/jobs/1").reply(200, "").run::<Example>("{}");
/// # assert_eq!(run.reason(), None);
/// ```
#[must_use = "nothing is sent before `send`"]
pub struct RequestBuilder<'a> {
    ctx: &'a Context,
    name: Option<Cow<'a, str>>,
    method: &'a str,
    authority: Option<Cow<'a, str>>,
    path: Cow<'a, str>,
    fields: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    body: Payload<'a>,
    read: ReadMode,
    wanted: Option<&'a [&'a str]>,
    redirects: Option<u32>,
    extensions: Vec<(&'a str, Cow<'a, str>)>,
    timeout: Option<Duration>,
}

enum Payload<'a> {
    Empty,
    Bytes(Cow<'a, [u8]>),
    Blob(Blob),
}

impl<'a> RequestBuilder<'a> {
    pub(crate) fn new(ctx: &'a Context, method: &'a str, path: Cow<'a, str>) -> Self {
        Self {
            ctx,
            name: None,
            method,
            authority: None,
            path,
            fields: Vec::new(),
            body: Payload::Empty,
            read: ReadMode::Whole(DEFAULT_MAX_BODY),
            wanted: None,
            redirects: None,
            extensions: Vec::new(),
            timeout: None,
        }
    }

    /// Names the series this request belongs to, at most 128 bytes; the method and the path without its query where not
    /// said. Give it where paths carry ids: at most 100 names of a workload are told apart.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// ctx.get("/agents/17").name("agent").send().await?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/agents/17").reply(200, "").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.requests()[0].name.as_deref(), Some("agent"));
    /// ```
    pub fn name(mut self, name: impl Into<Cow<'a, str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Adds a request field. It leaves as written, in the order of the calls; a name may repeat. At most 256 fields and
    /// 64 KiB in all. A name that is no token, or a value with CR, LF or NUL, is the failure `protocol`.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// ctx.get("/agents").field("accept", "application/json").send().await?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/agents").reply(200, "[]").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.requests()[0].field("Accept"), Some("application/json"));
    /// ```
    pub fn field(mut self, name: impl Into<Cow<'a, str>>, value: impl Into<Cow<'a, str>>) -> Self {
        if self.fields.capacity() == 0 {
            self.fields.reserve_exact(FEW / 2);
        }
        self.fields.push((name.into(), value.into()));
        self
    }

    /// Adds request fields that the plan keeps, after those added before.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// let kept = [("accept", "application/json"), ("x-tenant", "tea")]; // a plan has them from `configure`
    /// ctx.get("/agents").fields(&kept).send().await?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/agents").reply(200, "[]").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.requests()[0].fields.len(), 2);
    /// ```
    pub fn fields<N: AsRef<str>, V: AsRef<str>>(mut self, fields: &'a [(N, V)]) -> Self {
        let borrowed = fields.iter().map(|(n, v)| (Cow::Borrowed(n.as_ref()), Cow::Borrowed(v.as_ref())));
        self.fields.extend(borrowed);
        self
    }

    /// Sends these bytes, at most 64 MiB, in the place of a body given before.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// ctx.post("/jobs").body(b"tea").send().await?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("POST", "/jobs").reply(202, "").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.requests()[0].body.bytes(), b"tea");
    /// ```
    pub fn body(mut self, bytes: impl Into<Cow<'a, [u8]>>) -> Self {
        self.body = Payload::Bytes(bytes.into());
        self
    }

    /// Sends a registered body, in the place of one given before.
    ///
    /// ```
    /// use engine_sdk::{Blob, Context, NoConfig, Shared, Verdict, Workload};
    ///
    /// struct Upload {
    ///     file: Blob,
    /// }
    ///
    /// impl Workload for Upload {
    ///     // …
    /// #     type Config = NoConfig;
    /// #     const NAME: &str = "upload";
    /// #     const VERSION: &str = "0.1.0";
    /// #     const SUMMARY: &str = "Sends a file";
    ///     fn configure(_: NoConfig, _: Shared) -> Result<Self, String> {
    ///         Ok(Self { file: Blob::register(&[0; 4096]) })
    ///     }
    ///
    ///     async fn iterate(&self, ctx: Context) -> Verdict {
    ///         ctx.post("/files").blob(self.file).send().await?.expect_status(201)?;
    ///         Ok(())
    ///     }
    /// }
    /// # let run = engine_sdk::testing::Script::new().on("POST", "/files").reply(201, "").run::<Upload>("{}");
    /// # assert_eq!(run.requests()[0].body.bytes().len(), 4096);
    /// ```
    pub fn blob(mut self, blob: Blob) -> Self {
        self.body = Payload::Blob(blob);
        self
    }

    /// Sends this value as JSON, with `content-type: application/json` unless a content type was given before.
    ///
    /// # Errors
    /// [`Stop::Failed`] where the value has no JSON form, such as a map whose keys are no strings.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// #[derive(serde::Serialize)]
    /// struct Question<'a> {
    ///     text: &'a str,
    /// }
    ///
    /// ctx.post("/chat").json(&Question { text: "tea?" })?.send().await?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("POST", "/chat").reply(200, "").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.requests()[0].body.bytes(), br#"{"text":"tea?"}"#);
    /// ```
    pub fn json<T: Serialize + ?Sized>(self, value: &T) -> Result<Self, Stop> {
        let bytes = serde_json::to_vec(value).map_err(|_| Stop::failed("body has no JSON form"))?;
        let typed = self.fields.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let request = if typed { self } else { self.field("content-type", "application/json") };
        Ok(request.body(bytes))
    }

    /// Sends these pairs as a form (`application/x-www-form-urlencoded`), in this order. A space is sent as `%20`,
    /// which every reader of forms takes as well as `+`: the engine masks a secret in its percent-encoded form too.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// ctx.post("/login").form(&[("user", "ann"), ("password", "green tea")]).send().await?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("POST", "/login").reply(200, "").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.requests()[0].body.bytes(), b"user=ann&password=green%20tea");
    /// ```
    pub fn form(self, pairs: &[(&str, &str)]) -> Self {
        let pairs = pairs.iter().map(|(name, value)| format!("{}={}", percent_encode(name), percent_encode(value)));
        let body = pairs.collect::<Vec<_>>().join("&");
        self.field("content-type", "application/x-www-form-urlencoded").body(body.into_bytes())
    }

    /// The most bytes the answer's body may have, after decompression, 1 to 64 MiB; 16 MiB where not said. A larger one
    /// is the failure `body_too_large`, and the connection is closed. Of no effect on an answer that comes in pieces.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// ctx.get("/export").max_body(64 << 20).send().await?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/export").reply(200, "tea").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.requests()[0].max_body(), Some(64 << 20));
    /// ```
    pub fn max_body(mut self, bytes: u32) -> Self {
        self.read = ReadMode::Whole(bytes);
        self
    }

    /// Has the body counted and not handed over: the cheapest way to see a status.
    ///
    /// ```
    /// # use engine_sdk::{ensure, example, testing::Script};
    /// # example!(Example(ctx) {
    /// let reply = ctx.get("/picture").count_body().send().await?;
    /// ensure(reply.size() == 3 && reply.body().is_empty(), "not counted")
    /// # });
    /// # let run = Script::new().on("GET", "/picture").reply(200, "tea").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn count_body(mut self) -> Self {
        self.read = ReadMode::Count;
        self
    }

    /// Has only these response fields handed over (names in lower case). Cheaper than all of them.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// let reply = ctx.get("/page").wanted_fields(&["etag"]).send().await?;
    /// let version = reply.field("etag").unwrap_or_default();
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/page").field("etag", "v1").reply(200, "").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.requests()[0].wanted_fields.as_deref(), Some(&["etag".to_owned()][..]));
    /// ```
    pub fn wanted_fields(mut self, names: &'a [&'a str]) -> Self {
        self.wanted = Some(names);
        self
    }

    /// Follows at most so many redirects, 0 to 20; the workload's setting where not said. Credentials (`authorization`,
    /// `cookie`) never go to another origin.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// // The redirect itself is what is looked at.
    /// ctx.get("/old").follow_redirects(0).send().await?.expect_status(302)?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/old").reply(302, "").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn follow_redirects(mut self, most: u32) -> Self {
        self.redirects = Some(most);
        self
    }

    /// The longest the whole exchange may take, from when it was asked for to its end; the workload's limit where not
    /// said. Past it: `timeout_total`.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// use std::time::Duration;
    ///
    /// ctx.get("/slow").timeout(Duration::from_secs(2)).send().await?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/slow").fail("timeout_total").run::<Example>("{}");
    /// # assert_eq!(run.reason(), Some("timeout_total"));
    /// # assert_eq!(run.requests()[0].timeout, Some(std::time::Duration::from_secs(2)));
    /// ```
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Goes to another host, as `host` or `host:port`, that the scenario allows; else it is the failure
    /// `host_not_allowed`.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// ctx.post("/token").authority("login.example:8443").send().await?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("POST", "/token").reply(200, "").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.requests()[0].authority.as_deref(), Some("login.example:8443"));
    /// ```
    pub fn authority(mut self, authority: impl Into<Cow<'a, str>>) -> Self {
        self.authority = Some(authority.into());
        self
    }

    /// A setting this SDK has no method for. One the engine does not know is the failure `protocol`.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// ctx.get("/page").extension("future", "on").send().await?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/page").reply(200, "").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.requests()[0].extensions.len(), 1);
    /// ```
    pub fn extension(mut self, name: &'a str, value: impl Into<Cow<'a, str>>) -> Self {
        self.extensions.push((name, value.into()));
        self
    }

    /// Sends the request now; the future waits for the whole answer. Dropped before that, the exchange is cancelled. At
    /// most 10,000 exchanges may be open in one iteration.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// // Both are open together: they leave here, not where they are awaited.
    /// let (a, b) = (ctx.get("/a").send(), ctx.get("/b").send());
    /// a.await?.expect_status(200)?;
    /// b.await?.expect_status(200)?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/a").reply(200, "").on("GET", "/b").reply(200, "").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn send(self) -> Sending {
        let read = self.read;
        Sending::new(self.ask(read))
    }

    /// Sends the request now and reads the answer as server-sent events, each of at most 1 MiB. An answer whose
    /// `content-type` is JSON is no stream of them: [`into_bytes`](crate::Stream::into_bytes) reads it.
    ///
    /// ```
    /// # use engine_sdk::{example, Level, testing::Script};
    /// # example!(Example(ctx) {
    /// let mut events = ctx.get("/news").events().await?;
    /// while let Some(event) = events.next().await? {
    ///     ctx.log(Level::Debug, &event.data);
    /// }
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/news").stream(200).events(["tea", "cake"]).end().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.logs().len(), 2);
    /// ```
    pub fn events(self) -> OpeningStream<ServerSentEvent> {
        self.stream()
    }

    /// Sends the request now and reads the answer line by line, each of at most 1 MiB: split at LF, a CR before it
    /// dropped, empty lines left out.
    ///
    /// ```
    /// # use engine_sdk::{ensure, example, testing::Script};
    /// # example!(Example(ctx) {
    /// let mut lines = ctx.get("/export").lines().await?;
    /// let mut count = 0;
    /// while lines.next().await?.is_some() {
    ///     count += 1;
    /// }
    /// ensure(count == 2, "other lines")
    /// # });
    /// # let run = Script::new().on("GET", "/export").stream(200).lines(["[1]", "[2]"]).end().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn lines(self) -> OpeningStream<String> {
        self.stream()
    }

    /// Sends the request now and reads the answer's bytes as they arrive.
    ///
    /// ```
    /// # use engine_sdk::{ensure, example, testing::Script};
    /// # example!(Example(ctx) {
    /// let mut chunks = ctx.get("/sound").chunks().await?;
    /// let mut bytes = Vec::new();
    /// while let Some(chunk) = chunks.next().await? {
    ///     bytes.extend(chunk);
    /// }
    /// ensure(bytes == [1, 2, 3], "other bytes")
    /// # });
    /// # let run = Script::new().on("GET", "/sound").stream(200).chunk([1, 2]).chunk([3]).end().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn chunks(self) -> OpeningStream<Vec<u8>> {
        self.stream()
    }

    /// Sends the request now and hands over status and fields when they have arrived; the body is read, counted and
    /// dropped.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// let answer = ctx.get("/file").head().await?;
    /// answer.expect_status(200)?;
    /// answer.finish().await?; // the body has ended as well
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/file").stream(200).chunk("tea").end().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn head(self) -> OpeningStream<Empty> {
        self.stream()
    }

    fn stream<T: StreamItem>(self) -> OpeningStream<T> {
        OpeningStream::new(self.ask(T::READ))
    }

    fn ask(self, read: ReadMode) -> Lease {
        let extensions: Vec<(&str, &str)> = self.extensions.iter().map(|(name, value)| (*name, &**value)).collect();
        let exchange = with_pairs(&self.fields, |fields| {
            backend::send(types::Request {
                name: self.name.as_deref(),
                method: self.method,
                authority: self.authority.as_deref(),
                path_with_query: &self.path,
                fields,
                body: match &self.body {
                    Payload::Empty => Body::Empty,
                    Payload::Bytes(bytes) => Body::Bytes(bytes),
                    Payload::Blob(blob) => Body::Blob(blob.id()),
                },
                read,
                wanted_fields: self.wanted,
                follow_redirects: self.redirects,
                extensions: &extensions,
                timeout: self.timeout.map(nanoseconds),
            })
        });
        self.ctx.inbox.lease(exchange)
    }
}
