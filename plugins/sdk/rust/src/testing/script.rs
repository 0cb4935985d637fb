//! What the scripted target answers.

use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use serde_json::Value;

use super::answering::Answering;
use super::play;
use super::recorder::Sent;
use super::run::Run;
use crate::bindings::engine::workload::types::{Arrival, CloseInfoResult, Failure, Item};
use crate::{Context, Flow, Message, Workload};

/// A scripted target and the arrival that meets it. Answers are tried in the order written; the first whose method and
/// path fit and that is not used up is taken. A request that none fits is a panic that shows both.
///
/// ```
/// # engine_sdk::example!(Agents(ctx) { ctx.get("/agents").send().await?.expect_status(200)?; Ok(()) });
/// use engine_sdk::testing::Script;
///
/// let script = Script::new()
///     .on("GET", "/agents").once().reply(503, "")
///     .on("GET", "/agents").reply(200, "[]");
/// let runs = script.run_many::<Agents>("{}", 2);
/// assert_eq!(runs[0].reason(), Some("http_503"));
/// assert_eq!(runs[1].reason(), None);
/// ```
#[derive(Debug, Clone)]
pub struct Script {
    pub(super) answers: Vec<Answer>,
    pub(super) arrival: Arrival,
    pub(super) shared: Option<String>,
}

impl Default for Script {
    fn default() -> Self {
        Self::new()
    }
}

/// One scripted answer.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    method: String,
    path: String,
    /// How often it may still be used; `None` for always.
    pub(super) uses: Option<u32>,
    pub(super) steps: VecDeque<Step>,
}

/// A step of an answer: after a delay, something happens.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) after: Duration,
    pub(super) what: What,
}

/// What happens in a step.
#[derive(Debug, Clone)]
pub(super) enum What {
    Reply {
        status: u16,
        fields: Vec<(String, String)>,
        body: Vec<u8>,
    },
    Head {
        status: u16,
        fields: Vec<(String, String)>,
    },
    Open {
        subprotocol: String,
    },
    Items(Vec<Item>),
    /// A WebSocket goes no further before the plugin has written this.
    Expect(Message),
    End,
    Closed(CloseInfoResult),
    Fail(Failure),
}

impl Script {
    /// Nothing scripted yet; the arrival is the first one of client 1, with seed 1 and in a phase `test`.
    ///
    /// ```
    /// # engine_sdk::example!(Nothing(ctx) { engine_sdk::ensure(ctx.arrival().phase == "test", "another phase") });
    /// use engine_sdk::testing::Script;
    ///
    /// assert_eq!(Script::new().run::<Nothing>("{}").reason(), None);
    /// ```
    pub fn new() -> Self {
        Self {
            answers: Vec::new(),
            arrival: Arrival {
                sequence: 0,
                index: 0,
                seed: 1,
                client: 1,
                wall_time: 1_700_000_000_000_000_000,
                phase: "test".to_owned(),
                row: None,
            },
            shared: None,
        }
    }

    /// Begins the answer to requests of this method (`WS` for a WebSocket) and path. A path without `?` fits any query.
    ///
    /// ```
    /// # engine_sdk::example!(Agents(ctx) { ctx.get("/agents?limit=20").send().await?.expect_status(200)?; Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let any = Script::new().on("GET", "/agents").reply(200, "[]");
    /// let one = Script::new().on("GET", "/agents?limit=20").reply(200, "[]");
    /// assert_eq!(any.run::<Agents>("{}").request_lines(), one.run::<Agents>("{}").request_lines());
    /// ```
    pub fn on(self, method: &str, path: &str) -> Answering {
        let answer = Answer { method: method.to_owned(), path: path.to_owned(), uses: None, steps: VecDeque::new() };
        Answering::new(self, answer)
    }

    /// Changes the arrival: `script.arrival(|arrival| arrival.index = 3)`.
    ///
    /// ```
    /// # engine_sdk::example!(Agents(ctx) {
    /// #     ctx.get(format!("/agents/{}", ctx.arrival().index)).send().await?;
    /// #     Ok(())
    /// # });
    /// use engine_sdk::testing::Script;
    ///
    /// let script = Script::new().arrival(|arrival| arrival.index = 3).on("GET", "/agents/3").reply(200, "");
    /// assert_eq!(script.run::<Agents>("{}").request_lines(), ["GET /agents/3"]);
    /// ```
    #[must_use]
    pub fn arrival(mut self, change: impl FnOnce(&mut Arrival)) -> Self {
        change(&mut self.arrival);
        self
    }

    /// What setup has shared, a JSON object, given to `configure`.
    ///
    /// ```
    /// use engine_sdk::testing::Script;
    /// use engine_sdk::{Context, NoConfig, Shared, Verdict, Workload};
    ///
    /// struct Orders {
    ///     token: String,
    /// }
    ///
    /// impl Workload for Orders {
    ///     // …
    /// #     type Config = NoConfig;
    /// #     const NAME: &str = "orders";
    /// #     const VERSION: &str = "0.1.0";
    /// #     const SUMMARY: &str = "Reads orders";
    ///     fn configure(_: NoConfig, shared: Shared) -> Result<Self, String> {
    ///         Ok(Self { token: shared.text("token").ok_or("shared: no token")?.to_owned() })
    ///     }
    ///
    ///     async fn iterate(&self, ctx: Context) -> Verdict {
    ///         ctx.get("/orders").field("x-token", &self.token).send().await?.expect_status(200)?;
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let script = Script::new().shared(&serde_json::json!({ "token": "t1" })).on("GET", "/orders").reply(200, "[]");
    /// assert_eq!(script.run::<Orders>("{}").requests()[0].field("x-token"), Some("t1"));
    /// ```
    #[must_use]
    pub fn shared(mut self, shared: &Value) -> Self {
        self.shared = Some(shared.to_string());
        self
    }

    /// Runs one iteration of a workload with this configuration, as JSON.
    ///
    /// # Panics
    /// Where the workload refuses its configuration or asks for what is not scripted.
    ///
    /// ```
    /// # engine_sdk::example!(Agents(ctx) { ctx.get("/agents").send().await?.expect_status(200)?; Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("GET", "/agents").reply(200, "[]").run::<Agents>("{}");
    /// assert_eq!(run.reason(), None);
    /// ```
    pub fn run<W: Workload>(&self, config: &str) -> Run {
        play::iterations::<W>(self, config, 1).remove(0)
    }

    /// Runs this many iterations one after the other on one plan; index, sequence and seed count on.
    ///
    /// # Panics
    /// As [`run`](Self::run).
    ///
    /// ```
    /// # engine_sdk::example!(Agents(ctx) { ctx.get("/agents").send().await?.expect_status(200)?; Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let runs = Script::new().on("GET", "/agents").reply(200, "[]").run_many::<Agents>("{}", 3);
    /// assert!(runs.len() == 3 && runs.iter().all(|run| run.reason().is_none()));
    /// ```
    pub fn run_many<W: Workload>(&self, config: &str, iterations: u64) -> Vec<Run> {
        play::iterations::<W>(self, config, iterations)
    }

    /// Runs the setup flow; `None` where the workload has none.
    ///
    /// # Panics
    /// As [`run`](Self::run).
    ///
    /// ```
    /// use std::rc::Rc;
    ///
    /// use engine_sdk::testing::Script;
    /// use engine_sdk::{Context, Flow, NoConfig, Shared, Verdict, Workload};
    ///
    /// struct Warm;
    ///
    /// impl Workload for Warm {
    ///     // …
    /// #     type Config = NoConfig;
    /// #     const NAME: &str = "warm";
    /// #     const VERSION: &str = "0.1.0";
    /// #     const SUMMARY: &str = "Fills a cache";
    /// #     fn configure(_: NoConfig, _: Shared) -> Result<Self, String> { Ok(Self) }
    /// #     async fn iterate(&self, _: Context) -> Verdict { Ok(()) }
    ///     fn setup(self: Rc<Self>, ctx: Context) -> Option<Flow> {
    ///         Some(Box::pin(async move { ctx.post("/cache").send().await?.expect_status(204).map(drop) }))
    ///     }
    /// }
    ///
    /// let run = Script::new().on("POST", "/cache").reply(204, "").setup::<Warm>("{}").expect("a setup flow");
    /// assert_eq!(run.request_lines(), ["POST /cache"]);
    /// ```
    pub fn setup<W: Workload>(&self, config: &str) -> Option<Run> {
        self.once(config, W::setup)
    }

    /// Runs the teardown flow; `None` where the workload has none.
    ///
    /// # Panics
    /// As [`run`](Self::run).
    ///
    /// ```
    /// # engine_sdk::example!(Agents(_ctx) { Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// // This workload has none.
    /// assert!(Script::new().teardown::<Agents>("{}").is_none());
    /// ```
    pub fn teardown<W: Workload>(&self, config: &str) -> Option<Run> {
        self.once(config, W::teardown)
    }

    fn once<W: Workload>(&self, config: &str, flow: fn(Rc<W>, Context) -> Option<Flow>) -> Option<Run> {
        play::once(self, config, flow)
    }

    /// Takes the answer to a request.
    pub(super) fn answer(&mut self, request: &Sent) -> VecDeque<Step> {
        let fitting = self.answers.iter_mut().find(|answer| answer.fits(request));
        let Some(answer) = fitting else { self.unexpected(request) };
        answer.uses = answer.uses.map(|uses| uses - 1);
        answer.steps.clone()
    }

    fn unexpected(&self, request: &Sent) -> ! {
        let lines = self.answers.iter().map(|answer| {
            let used_up = if answer.uses == Some(0) { " (used up)" } else { "" };
            format!("\n  {} {}{used_up}", answer.method, answer.path)
        });
        let scripted = if self.answers.is_empty() { "\n  nothing".to_owned() } else { lines.collect() };
        panic!("unexpected request\n  {} {}\nscripted are, in this order:{scripted}", request.method, request.path)
    }
}

impl Answer {
    fn fits(&self, request: &Sent) -> bool {
        let path = if self.path.contains('?') { request.path.as_str() } else { request.path_only() };
        self.method == request.method && self.path == path && self.uses != Some(0)
    }
}
