//! What came of a scripted iteration.

use std::time::Duration;

use serde_json::{Map, Value};

use super::recorder::{Action, Sent};
use crate::bindings::engine::workload::types::{Level, Since};
use crate::{CloseInfo, Exchange, Message};

/// How the iteration ended.
///
/// ```
/// # engine_sdk::example!(Agents(ctx) { ctx.get("/agents").send().await?.expect_status(200)?; Ok(()) });
/// use engine_sdk::testing::{Outcome, Script};
///
/// let run = Script::new().on("GET", "/agents").reply(200, "[]").run::<Agents>("{}");
/// assert_eq!(run.outcome(), &Outcome::Ok);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Everything was right.
    Ok,
    /// The plan ended it early.
    Cancelled,
    /// It failed, with the reason a report would count it under: `check: <text>`, `http_<status>`, `timeout_total` …,
    /// `plugin_stalled` where the flow waits for something that cannot come, `plugin_misuse`.
    Failed(String),
}

/// A recorded mark.
///
/// ```
/// # use engine_sdk::Since;
/// # engine_sdk::metrics! {
/// #     /// From due to the moment the page was there.
/// #     mark PAGE_READ = "page_read";
/// # }
/// # engine_sdk::example!(Page(ctx) [METRICS] { ctx.get("/").send().await?; ctx.mark(PAGE_READ, Since::Due); Ok(()) });
/// use std::time::Duration;
///
/// use engine_sdk::testing::Script;
///
/// let run = Script::new().on("GET", "/").after(Duration::from_millis(7)).reply(200, "").run::<Page>("{}");
/// let mark = &run.marks()[0];
/// assert_eq!((mark.name, mark.weight, mark.at), ("page_read", 1, Duration::from_millis(7)));
/// ```
#[derive(Debug, Clone)]
pub struct Marked {
    /// The metric's name.
    pub name: &'static str,
    /// From where it is measured.
    pub since: Since,
    /// As how many samples it counts.
    pub weight: u32,
    /// When the event being handled arrived, from the iteration's start.
    pub at: Duration,
}

/// One iteration as it went: how it ended, and all it asked for.
///
/// ```
/// # engine_sdk::example!(Agents(ctx) { ctx.get("/agents").send().await?.expect_status(200)?; Ok(()) });
/// use engine_sdk::testing::Script;
///
/// let run = Script::new().on("GET", "/agents").reply(503, "").run::<Agents>("{}");
/// assert_eq!(run.reason(), Some("http_503"));
/// assert_eq!(run.request_lines(), ["GET /agents"]);
/// ```
#[derive(Debug, Clone)]
pub struct Run {
    pub(super) outcome: Outcome,
    pub(super) took: Duration,
    pub(super) actions: Vec<(Duration, Action)>,
    pub(super) requests: Vec<Sent>,
    pub(super) metrics: Vec<&'static str>,
}

impl Run {
    /// How it ended.
    ///
    /// ```
    /// # engine_sdk::example!(Agents(_ctx) { Err(engine_sdk::Stop::Cancelled) });
    /// use engine_sdk::testing::{Outcome, Script};
    ///
    /// assert_eq!(Script::new().run::<Agents>("{}").outcome(), &Outcome::Cancelled);
    /// ```
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// The reason of the failure; `None` where it did not fail.
    ///
    /// ```
    /// # engine_sdk::example!(Agents(_ctx) { engine_sdk::ensure(false, "no agents") });
    /// use engine_sdk::testing::Script;
    ///
    /// assert_eq!(Script::new().run::<Agents>("{}").reason(), Some("check: no agents"));
    /// ```
    pub fn reason(&self) -> Option<&str> {
        if let Outcome::Failed(reason) = &self.outcome { Some(reason) } else { None }
    }

    /// From its start to its end, in virtual time.
    ///
    /// ```
    /// # engine_sdk::example!(Agents(ctx) { ctx.get("/agents").send().await?; Ok(()) });
    /// use std::time::Duration;
    ///
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("GET", "/agents").reply(200, "[]").run::<Agents>("{}");
    /// assert_eq!(run.took(), Duration::from_millis(1));
    /// ```
    pub fn took(&self) -> Duration {
        self.took
    }

    /// Every request and WebSocket in the order asked: the position is its exchange.
    ///
    /// ```
    /// # engine_sdk::example!(Agents(ctx) { ctx.get("/agents").field("accept", "text/plain").send().await?; Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("GET", "/agents").reply(200, "[]").run::<Agents>("{}");
    /// assert_eq!(run.requests()[0].field("accept"), Some("text/plain"));
    /// ```
    pub fn requests(&self) -> &[Sent] {
        &self.requests
    }

    /// Method and path of every request in order, such as `GET /agents`.
    ///
    /// ```
    /// # engine_sdk::example!(Agents(ctx) { ctx.get("/agents?limit=20").send().await?; Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("GET", "/agents").reply(200, "[]").run::<Agents>("{}");
    /// assert_eq!(run.request_lines(), ["GET /agents?limit=20"]);
    /// ```
    pub fn request_lines(&self) -> Vec<String> {
        self.requests.iter().map(|sent| format!("{} {}", sent.method, sent.path)).collect()
    }

    /// Every mark in order.
    ///
    /// # Panics
    /// Where a metric is not in the workload's `METRICS`.
    ///
    /// ```
    /// # engine_sdk::metrics! {
    /// #     /// From line to line.
    /// #     mark LINE_GAP = "line_gap";
    /// # }
    /// # engine_sdk::example!(Export(ctx) [METRICS] { ctx.lap(LINE_GAP, 1); ctx.lap(LINE_GAP, 4); Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let marks = Script::new().run::<Export>("{}").marks();
    /// assert_eq!((marks[1].name, marks[1].weight), ("line_gap", 4));
    /// ```
    pub fn marks(&self) -> Vec<Marked> {
        self.pick(|at, action| match action {
            Action::Mark { metric, since, weight } => {
                Some(Marked { name: self.metric(*metric), since: *since, weight: *weight, at })
            }
            _ => None,
        })
    }

    /// The sum of a counter; 0 where nothing was added.
    ///
    /// # Panics
    /// As [`marks`](Self::marks).
    ///
    /// ```
    /// # engine_sdk::metrics! {
    /// #     /// Tokens received.
    /// #     counter TOKENS = "tokens" in "tokens";
    /// # }
    /// # engine_sdk::example!(Chat(ctx) [METRICS] { ctx.count(TOKENS, 1); ctx.count(TOKENS, 2); Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// assert_eq!(Script::new().run::<Chat>("{}").counted("tokens"), 3);
    /// ```
    pub fn counted(&self, name: &str) -> u64 {
        let adds = self.pick(|_, action| match action {
            Action::Count { metric, n } if self.metric(*metric) == name => Some(*n),
            _ => None,
        });
        adds.iter().sum()
    }

    /// The values of an observation in order, those too that the engine would refuse.
    ///
    /// # Panics
    /// As [`marks`](Self::marks).
    ///
    /// ```
    /// # engine_sdk::metrics! {
    /// #     /// Results of a search.
    /// #     observation RESULTS = "results" in "results";
    /// # }
    /// # engine_sdk::example!(Search(ctx) [METRICS] { ctx.observe(RESULTS, 3.0); Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// assert_eq!(Script::new().run::<Search>("{}").observed("results"), [3.0]);
    /// ```
    pub fn observed(&self, name: &str) -> Vec<f64> {
        self.pick(|_, action| match action {
            Action::Observe { metric, value } if self.metric(*metric) == name => Some(*value),
            _ => None,
        })
    }

    /// The outcomes of a check in order.
    ///
    /// # Panics
    /// As [`marks`](Self::marks).
    ///
    /// ```
    /// # engine_sdk::metrics! {
    /// #     /// The list is sorted.
    /// #     check SORTED = "sorted";
    /// # }
    /// # engine_sdk::example!(List(ctx) [METRICS] { ctx.check(SORTED, true); Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// assert_eq!(Script::new().run::<List>("{}").checked("sorted"), [true]);
    /// ```
    pub fn checked(&self, name: &str) -> Vec<bool> {
        self.pick(|_, action| match action {
            Action::Check { metric, passed } if self.metric(*metric) == name => Some(*passed),
            _ => None,
        })
    }

    /// The log's lines in order.
    ///
    /// ```
    /// # engine_sdk::example!(Agents(ctx) { ctx.log(engine_sdk::Level::Warn, "no agents"); Ok(()) });
    /// use engine_sdk::Level;
    /// use engine_sdk::testing::Script;
    ///
    /// assert_eq!(Script::new().run::<Agents>("{}").logs(), [(Level::Warn, "no agents")]);
    /// ```
    pub fn logs(&self) -> Vec<(Level, &str)> {
        self.pick(|_, action| match action {
            Action::Log { level, text } => Some((*level, text.as_str())),
            _ => None,
        })
    }

    /// What a setup flow has shared, merged: give it to [`Script::shared`](super::Script::shared).
    ///
    /// ```
    /// # engine_sdk::example!(Login(ctx) { ctx.share(&serde_json::json!({ "token": "t1" })) });
    /// use engine_sdk::testing::Script;
    ///
    /// let shared = Script::new().run::<Login>("{}").shared(); // of a plugin: `setup::<Login>("{}")`
    /// assert_eq!(shared["token"], "t1");
    /// ```
    pub fn shared(&self) -> Value {
        let shares = self.pick(|_, action| match action {
            Action::Share { json } => serde_json::from_str::<Map<String, Value>>(json).ok(),
            _ => None,
        });
        Value::Object(shares.into_iter().flatten().collect())
    }

    /// The messages written to a WebSocket in order.
    ///
    /// ```
    /// # engine_sdk::example!(Talk(ctx) { ctx.socket("/talk").open().await?.send_text("hello"); Ok(()) });
    /// use engine_sdk::Message;
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("WS", "/talk").open("").until_closed().run::<Talk>("{}");
    /// assert!(matches!(run.written(0)[..], [Message::Text(text)] if text == "hello"));
    /// ```
    pub fn written(&self, exchange: Exchange) -> Vec<&Message> {
        self.pick(|_, action| match action {
            Action::Write { exchange: of, message } if *of == exchange => Some(message),
            _ => None,
        })
    }

    /// The close the plugin started on a WebSocket; `None` where it started none.
    ///
    /// ```
    /// # engine_sdk::example!(Talk(ctx) { ctx.socket("/talk").open().await?.close(1000, "done").await?; Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("WS", "/talk").open("").until_closed().run::<Talk>("{}");
    /// assert_eq!(run.closed(0).map(|info| info.reason.as_str()), Some("done"));
    /// ```
    pub fn closed(&self, exchange: Exchange) -> Option<&CloseInfo> {
        self.pick(|_, action| match action {
            Action::Close { exchange: of, info } if *of == exchange => Some(info),
            _ => None,
        })
        .first()
        .copied()
    }

    /// The exchanges the plugin gave up while it went on.
    ///
    /// ```
    /// # engine_sdk::example!(Page(ctx) {
    /// #     drop(ctx.get("/slow").send());
    /// #     ctx.get("/page").send().await?;
    /// #     Ok(())
    /// # });
    /// use engine_sdk::testing::Script;
    ///
    /// let script = Script::new().on("GET", "/slow").reply(200, "").on("GET", "/page").reply(200, "");
    /// assert_eq!(script.run::<Page>("{}").cancelled(), [0]);
    /// ```
    pub fn cancelled(&self) -> Vec<Exchange> {
        self.pick(|_, action| if let Action::Cancel { exchange } = action { Some(*exchange) } else { None })
    }

    fn pick<'a, T>(&'a self, choose: impl Fn(Duration, &'a Action) -> Option<T>) -> Vec<T> {
        self.actions.iter().filter_map(|(at, action)| choose(*at, action)).collect()
    }

    fn metric(&self, id: u32) -> &'static str {
        match self.metrics.get(id as usize) {
            Some(name) => name,
            None => panic!("metric {id} is not in the list `METRICS` of the workload: {:?}", self.metrics),
        }
    }
}
