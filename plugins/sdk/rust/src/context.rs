//! What a flow acts through.

use std::borrow::Cow;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::bindings::engine::workload::types::{Arrival, Level, Since};
use crate::inbox::{Inbox, TimerLease};
use crate::metric::{Check, Counter, Mark, Observation};
use crate::{RequestBuilder, Rng, SocketBuilder, Stop, backend};

/// An iteration's access to the engine: its arrival, its requests, timers and figures. Cheap to clone; of no use in
/// another iteration.
///
/// ```
/// # use engine_sdk::{Context, example, testing::Script, Verdict};
/// async fn list(ctx: &Context) -> Verdict {
///     ctx.get("/agents").send().await?.expect_status(200)?;
///     Ok(())
/// }
/// #
/// # example!(Example(ctx) {
/// list(&ctx).await?;
/// # Ok(())
/// # });
/// # let run = Script::new().on("GET", "/agents").reply(200, "[]").run::<Example>("{}");
/// # assert_eq!(run.reason(), None);
/// ```
#[derive(Clone)]
pub struct Context {
    pub(crate) inbox: Rc<Inbox>,
}

impl Context {
    pub(crate) fn new(inbox: Rc<Inbox>) -> Self {
        Self { inbox }
    }

    /// The arrival this iteration belongs to: `index`, `sequence`, `seed`, `client`, `wall_time`, `phase`, `row`. In
    /// setup and teardown all numbers are 0, the client is 1, the phase is empty and there is no row.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// // One of ten, the same ones in every run.
    /// if ctx.arrival().index % 10 == 0 {
    ///     ctx.get("/report").send().await?;
    /// }
    /// # Ok(())
    /// # });
    /// # let run =
    /// #     Script::new().arrival(|arrival| arrival.index = 10).on("GET", "/report").reply(200, "")
    /// #         .run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.requests().len(), 1);
    /// ```
    pub fn arrival(&self) -> &Arrival {
        &self.inbox.arrival
    }

    /// The arrival's row of the workload's data file, as a value of this shape.
    ///
    /// # Errors
    /// [`Stop::Failed`] with `no data row` or, where it is of another shape, `unexpected data row`; the log says what
    /// is wrong with it.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// #[derive(serde::Deserialize)]
    /// struct Row {
    ///     user: String,
    /// }
    ///
    /// let row: Row = ctx.row()?;
    /// ctx.get(format!("/users/{}", row.user)).name("user").send().await?;
    /// # Ok(())
    /// # });
    /// # let run =
    /// #     Script::new().arrival(|a| a.row = Some(r#"{"user":"ann"}"#.into())).on("GET", "/users/ann").reply(200, "")
    /// #         .run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn row<T: DeserializeOwned>(&self) -> Result<T, Stop> {
        let Some(row) = &self.inbox.arrival.row else { return Err(Stop::failed("no data row")) };
        serde_json::from_str(row).map_err(|error| {
            self.log(Level::Debug, &format!("unexpected data row: {error}"));
            Stop::failed("unexpected data row")
        })
    }

    /// Randomness of this iteration, from the arrival's seed: each call starts the same sequence again. Keep the
    /// generator where several draws are to differ.
    ///
    /// ```
    /// # use engine_sdk::{ensure, example, testing::Script};
    /// # example!(Example(ctx) {
    /// let mut rng = ctx.rng();
    /// let item = rng.pick(&["tea", "cake"]);
    /// ensure(item == ctx.rng().pick(&["tea", "cake"]), "another sequence")
    /// # });
    /// # let run = Script::new().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn rng(&self) -> Rng {
        Rng::from_seed(self.inbox.arrival.seed)
    }

    /// Begins a request. `method` is a token as sent; `CONNECT` is refused. `path` is path and query as sent: it begins
    /// with `/`, and is printable ASCII without spaces of at most 64 KiB ([`percent_encode`](crate::percent_encode)
    /// makes it so). What cannot be sent comes back as the failure `protocol`.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// ctx.request("OPTIONS", "/agents").send().await?.expect_status(204)?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("OPTIONS", "/agents").reply(204, "").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn request<'a>(&'a self, method: &'a str, path: impl Into<Cow<'a, str>>) -> RequestBuilder<'a> {
        RequestBuilder::new(self, method, path.into())
    }

    /// Begins a `GET`; `path` as in [`request`](Self::request).
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// ctx.get("/agents?limit=20").send().await?.expect_status(200)?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/agents").reply(200, "[]").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn get<'a>(&'a self, path: impl Into<Cow<'a, str>>) -> RequestBuilder<'a> {
        self.request("GET", path)
    }

    /// Begins a `POST`; `path` as in [`request`](Self::request).
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// ctx.post("/jobs").body(b"tea").send().await?.expect_status(202)?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("POST", "/jobs").reply(202, "").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn post<'a>(&'a self, path: impl Into<Cow<'a, str>>) -> RequestBuilder<'a> {
        self.request("POST", path)
    }

    /// Begins a `PUT`; `path` as in [`request`](Self::request).
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// ctx.put("/jobs/1").name("job").body(b"tea").send().await?.expect_status(200)?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("PUT", "/jobs/1").reply(200, "").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn put<'a>(&'a self, path: impl Into<Cow<'a, str>>) -> RequestBuilder<'a> {
        self.request("PUT", path)
    }

    /// Begins a `PATCH`; `path` as in [`request`](Self::request).
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// ctx.patch("/jobs/1").name("job").body(b"cake").send().await?.expect_status(200)?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("PATCH", "/jobs/1").reply(200, "").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn patch<'a>(&'a self, path: impl Into<Cow<'a, str>>) -> RequestBuilder<'a> {
        self.request("PATCH", path)
    }

    /// Begins a `DELETE`; `path` as in [`request`](Self::request).
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// ctx.delete("/jobs/1").name("job").send().await?.expect_status(204)?;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("DELETE", "/jobs/1").reply(204, "").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn delete<'a>(&'a self, path: impl Into<Cow<'a, str>>) -> RequestBuilder<'a> {
        self.request("DELETE", path)
    }

    /// Begins a WebSocket; `path` as in [`request`](Self::request).
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// let mut socket = ctx.socket("/talk").open().await?;
    /// socket.send_text("hello");
    /// let answer = socket.next().await?;
    /// # Ok(())
    /// # });
    /// # let run =
    /// #     Script::new().on("WS", "/talk").open("").expect_text("hello").text("hi").until_closed()
    /// #         .run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// ```
    pub fn socket<'a>(&'a self, path: impl Into<Cow<'a, str>>) -> SocketBuilder<'a> {
        SocketBuilder::new(self, path.into())
    }

    /// Waits this long, counted from the event being handled; in tests the time is virtual. Of more than 2^63 - 1 ns it
    /// waits for so long. Dropped before its end, the timer is cleared. At most 10,000 may run in one iteration.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// # example!(Example(ctx) {
    /// use std::time::Duration;
    ///
    /// ctx.wait(Duration::from_secs(30)).await;
    /// # Ok(())
    /// # });
    /// # let run = Script::new().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.took(), std::time::Duration::from_secs(30));
    /// ```
    pub fn wait(&self, duration: Duration) -> Wait {
        Wait { timer: TimerLease::new(&self.inbox, backend::wait(nanoseconds(duration))) }
    }

    /// Records a time: the moment the bytes of the event being handled were read, measured from `since`.
    ///
    /// ```
    /// # use engine_sdk::{example, Since, testing::Script};
    /// engine_sdk::metrics! {
    ///     /// From due to the moment the page was there.
    ///     mark PAGE_READ = "page_read";
    ///     /// The same from when it was asked for.
    ///     mark PAGE_TOOK = "page_took";
    /// }
    /// #
    /// # example!(Example(ctx) [METRICS] {
    /// let reply = ctx.get("/page").send().await?;
    /// ctx.mark(PAGE_READ, Since::Due);
    /// ctx.mark(PAGE_TOOK, Since::Asked(reply.exchange()));
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/page").reply(200, "").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.marks().len(), 2);
    /// ```
    pub fn mark(&self, mark: Mark, since: Since) {
        backend::mark(mark.id(), since, 1);
    }

    /// Records a time since the mark of the same metric before it in this iteration, as `weight` samples of an equal
    /// part each (tokens that came in one chunk); 0 counts nothing. The first one only sets the start.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// engine_sdk::metrics! {
    ///     /// From line to line.
    ///     mark LINE_GAP = "line_gap";
    /// }
    /// #
    /// # example!(Example(ctx) [METRICS] {
    /// let mut lines = ctx.get("/lines").lines().await?;
    /// while let Some(batch) = lines.next_batch().await? {
    ///     ctx.lap(LINE_GAP, batch.len() as u32);
    /// }
    /// # Ok(())
    /// # });
    /// # let run =
    /// #     Script::new().on("GET", "/lines").stream(200).lines(["a"]).lines(["b", "c"]).end().run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.marks().iter().map(|mark| mark.weight).collect::<Vec<_>>(), [1, 2]);
    /// ```
    pub fn lap(&self, mark: Mark, weight: u32) {
        backend::mark(mark.id(), Since::Previous, weight);
    }

    /// Adds to a counter.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// engine_sdk::metrics! {
    ///     /// Bytes of the answers.
    ///     counter BYTES = "bytes" in "bytes";
    /// }
    /// #
    /// # example!(Example(ctx) [METRICS] {
    /// let reply = ctx.get("/page").send().await?;
    /// ctx.count(BYTES, reply.size());
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/page").reply(200, "tea").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.counted("bytes"), 3);
    /// ```
    pub fn count(&self, counter: Counter, n: u64) {
        backend::count(counter.id(), n);
    }

    /// Records a value, 0 to 2^53. NaN, infinite and negative values are refused, and counted as refused.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// engine_sdk::metrics! {
    ///     /// Agents of the list.
    ///     observation AGENTS = "agents" in "agents";
    /// }
    /// #
    /// # example!(Example(ctx) [METRICS] {
    /// let agents: Vec<u64> = ctx.get("/agents").send().await?.json()?;
    /// ctx.observe(AGENTS, agents.len() as f64);
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/agents").reply(200, "[1,2]").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.observed("agents"), [2.0]);
    /// ```
    pub fn observe(&self, observation: Observation, value: f64) {
        backend::observe(observation.id(), value);
    }

    /// Counts a check as passed or failed without deciding the iteration.
    ///
    /// ```
    /// # use engine_sdk::{example, testing::Script};
    /// engine_sdk::metrics! {
    ///     /// The list is sorted.
    ///     check SORTED = "sorted";
    /// }
    /// #
    /// # example!(Example(ctx) [METRICS] {
    /// let agents: Vec<u64> = ctx.get("/agents").send().await?.json()?;
    /// ctx.check(SORTED, agents.is_sorted());
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/agents").reply(200, "[1,2]").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.checked("sorted"), [true]);
    /// ```
    pub fn check(&self, check: Check, passed: bool) {
        backend::check(check.id(), passed);
    }

    /// In setup only: merges the keys of this object (a struct, a map) into what every later `configure` is given, at
    /// most 1 MiB in one flow. Each text in it is masked wherever text leaves the engine. In an iteration it is the
    /// failure `plugin_misuse`.
    ///
    /// # Errors
    /// [`Stop::Failed`] where the value has no form as a JSON object.
    ///
    /// ```
    /// use std::rc::Rc;
    ///
    /// use engine_sdk::testing::Script;
    /// use engine_sdk::{Context, Flow, NoConfig, Shared, Verdict, Workload};
    ///
    /// struct Login;
    ///
    /// impl Workload for Login {
    ///     // …
    /// #     type Config = NoConfig;
    /// #     const NAME: &str = "login";
    /// #     const VERSION: &str = "0.1.0";
    /// #     const SUMMARY: &str = "Logs in";
    /// #     fn configure(_: NoConfig, _: Shared) -> Result<Self, String> { Ok(Self) }
    /// #     async fn iterate(&self, _: Context) -> Verdict { Ok(()) }
    ///     fn setup(self: Rc<Self>, ctx: Context) -> Option<Flow> {
    ///         Some(Box::pin(async move {
    ///             let reply = ctx.post("/login").send().await?;
    ///             ctx.share(&serde_json::json!({ "token": reply.text() }))
    ///         }))
    ///     }
    /// }
    ///
    /// let script = Script::new().on("POST", "/login").reply(200, "t1");
    /// let run = script.setup::<Login>("{}").expect("a setup flow");
    /// assert_eq!(run.shared()["token"], "t1");
    /// ```
    pub fn share<T: Serialize + ?Sized>(&self, object: &T) -> Result<(), Stop> {
        match serde_json::to_value(object) {
            Ok(value @ serde_json::Value::Object(_)) => {
                backend::share(&value.to_string());
                Ok(())
            }
            _ => Err(Stop::failed("what is shared is no JSON object")),
        }
    }

    /// A line for the plugin's author: shown by `engine try`, rate-limited in a run. At most 4 KiB, the rest is cut.
    ///
    /// ```
    /// # use engine_sdk::{example, Level, testing::Script};
    /// # example!(Example(ctx) {
    /// let reply = ctx.get("/page").send().await?;
    /// ctx.log(Level::Info, &format!("{} bytes", reply.size()));
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/page").reply(200, "tea").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.logs(), [(Level::Info, "3 bytes")]);
    /// ```
    pub fn log(&self, level: Level, text: &str) {
        backend::log(level, text);
    }
}

/// As the interface has it: nanoseconds, at most 2^63 - 1.
pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).map_or(i64::MAX as u64, |n| n.min(i64::MAX as u64))
}

/// A timer that runs: what [`Context::wait`] gives. It may be started first and awaited later.
///
/// ```
/// # use engine_sdk::{example, testing::Script};
/// # example!(Example(ctx) {
/// use std::time::Duration;
///
/// // A second from here on, however long the answer takes.
/// let second = ctx.wait(Duration::from_secs(1));
/// ctx.get("/page").send().await?;
/// second.await;
/// # Ok(())
/// # });
/// # let run = Script::new().on("GET", "/page").reply(200, "").run::<Example>("{}");
/// # assert_eq!(run.reason(), None);
/// # assert_eq!(run.took(), std::time::Duration::from_secs(1));
/// ```
#[must_use = "dropped, the timer is cleared: await it"]
pub struct Wait {
    timer: TimerLease,
}

impl Future for Wait {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<()> {
        self.timer.poll(cx)
    }
}
