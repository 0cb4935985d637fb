//! How the scripted target answers: at once, in pieces, or as a WebSocket.

use std::time::Duration;

use serde_json::Value;

use super::script::{Answer, Script, Step, What};
use crate::bindings::engine::workload::types::{CloseInfoResult, Failure, Item};
use crate::{Message, ServerSentEvent};

/// How long an answer takes where nothing else is said.
const LATENCY: Duration = Duration::from_millis(1);

/// An answer being written.
///
/// ```
/// # engine_sdk::example!(Agents(ctx) { ctx.get("/agents").send().await?.expect_status(200)?; Ok(()) });
/// use std::time::Duration;
///
/// use engine_sdk::testing::Script;
///
/// let script = Script::new().on("GET", "/agents").after(Duration::from_secs(2)).field("etag", "v1").reply(200, "[]");
/// assert_eq!(script.run::<Agents>("{}").took(), Duration::from_secs(2));
/// ```
#[must_use = "nothing is scripted before `reply`, `fail` or the end of a stream"]
pub struct Answering {
    script: Script,
    answer: Answer,
    after: Duration,
    fields: Vec<(String, String)>,
}

impl Answering {
    pub(super) fn new(script: Script, answer: Answer) -> Self {
        Self { script, answer, after: LATENCY, fields: Vec::new() }
    }

    /// Used for one request only; the next one takes a later answer.
    ///
    /// ```
    /// # engine_sdk::example!(Agents(ctx) {
    /// #     ctx.get("/agents").send().await?;
    /// #     ctx.get("/agents").send().await?.expect_status(200)?;
    /// #     Ok(())
    /// # });
    /// use engine_sdk::testing::Script;
    ///
    /// let script = Script::new().on("GET", "/agents").once().reply(200, "").on("GET", "/agents").reply(503, "");
    /// assert_eq!(script.run::<Agents>("{}").reason(), Some("http_503")); // the second one is judged
    /// ```
    pub fn once(self) -> Self {
        self.times(1)
    }

    /// Used for so many requests.
    ///
    /// ```
    /// # engine_sdk::example!(Agents(ctx) { ctx.get("/agents").send().await?.expect_status(200)?; Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let script = Script::new().on("GET", "/agents").times(2).reply(200, "").on("GET", "/agents").reply(503, "");
    /// let runs = script.run_many::<Agents>("{}", 3);
    /// assert_eq!(runs.iter().filter(|run| run.reason().is_none()).count(), 2);
    /// ```
    pub fn times(mut self, uses: u32) -> Self {
        self.answer.uses = Some(uses);
        self
    }

    /// Comes this long after the request; 1 ms where not said.
    ///
    /// ```
    /// # engine_sdk::example!(Agents(ctx) { ctx.get("/agents").send().await?.expect_status(200)?; Ok(()) });
    /// use std::time::Duration;
    ///
    /// use engine_sdk::testing::Script;
    ///
    /// let slow = Script::new().on("GET", "/agents").after(Duration::from_secs(30)).fail("timeout_total");
    /// assert_eq!(slow.run::<Agents>("{}").took(), Duration::from_secs(30));
    /// ```
    pub fn after(mut self, latency: Duration) -> Self {
        self.after = latency;
        self
    }

    /// Adds a response field, its name in lower case. All are handed over, whichever the plugin asked for. Of no effect
    /// on a failure and on a WebSocket.
    ///
    /// ```
    /// # engine_sdk::example!(Page(ctx) {
    /// #     engine_sdk::ensure(ctx.get("/").send().await?.field("etag") == Some("v1"), "none")
    /// # });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("GET", "/").field("ETag", "v1").reply(200, "").run::<Page>("{}");
    /// assert_eq!(run.reason(), None);
    /// ```
    pub fn field(mut self, name: &str, value: &str) -> Self {
        self.fields.push((name.to_ascii_lowercase(), value.to_owned()));
        self
    }

    /// Answers with this status and body. Where the plugin reads in pieces, the body comes in one read: as lines, as
    /// one chunk, or, as events, only where it is JSON.
    ///
    /// ```
    /// # engine_sdk::example!(Agents(ctx) { ctx.get("/agents").send().await?.expect_status(200)?; Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("GET", "/agents").reply(503, "busy").run::<Agents>("{}");
    /// assert_eq!(run.reason(), Some("http_503"));
    /// ```
    pub fn reply(mut self, status: u16, body: impl Into<Vec<u8>>) -> Script {
        let fields = std::mem::take(&mut self.fields);
        self.step(What::Reply { status, fields, body: body.into() });
        self.done()
    }

    /// Answers with this status and JSON, and with `content-type: application/json`.
    ///
    /// ```
    /// # engine_sdk::example!(Agents(ctx) { ctx.get("/agents").send().await?.json::<Vec<String>>()?; Ok(()) });
    /// use engine_sdk::testing::Script;
    /// use serde_json::json;
    ///
    /// let run = Script::new().on("GET", "/agents").reply_json(200, &json!(["tea"])).run::<Agents>("{}");
    /// assert_eq!(run.reason(), None);
    /// ```
    pub fn reply_json(self, status: u16, body: &Value) -> Script {
        self.field("content-type", "application/json").reply(status, body.to_string())
    }

    /// Fails with the engine's reason, such as `timeout_total` or `refused`.
    ///
    /// ```
    /// # engine_sdk::example!(Agents(ctx) { ctx.get("/agents").send().await?.expect_status(200)?; Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("GET", "/agents").fail("refused").run::<Agents>("{}");
    /// assert_eq!(run.reason(), Some("refused"));
    /// ```
    pub fn fail(mut self, reason: &str) -> Script {
        self.step(failure(reason));
        self.done()
    }

    /// Answers with this status and a body in pieces. For plugins that read in pieces: one that wants the answer whole
    /// panics.
    ///
    /// ```
    /// # engine_sdk::example!(News(ctx) { ctx.get("/news").events().await?.finish().await?; Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("GET", "/news").stream(200).events(["tea"]).end().run::<News>("{}");
    /// assert_eq!(run.reason(), None);
    /// ```
    pub fn stream(mut self, status: u16) -> StreamScript {
        let fields = std::mem::take(&mut self.fields);
        self.step(What::Head { status, fields });
        StreamScript { answering: self }
    }

    /// Opens the WebSocket, with this subprotocol or an empty one.
    ///
    /// ```
    /// # engine_sdk::example!(Talk(ctx) { ctx.socket("/talk").open().await?.close(1000, "").await?; Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("WS", "/talk").open("").until_closed().run::<Talk>("{}");
    /// assert_eq!(run.request_lines(), ["WS /talk"]);
    /// ```
    pub fn open(mut self, subprotocol: &str) -> SocketScript {
        self.step(What::Open { subprotocol: subprotocol.to_owned() });
        SocketScript { answering: self }
    }

    /// The delay counts once: what follows in the same answer comes at the same moment unless it says otherwise.
    fn step(&mut self, what: What) {
        let after = std::mem::take(&mut self.after);
        self.answer.steps.push_back(Step { after, what });
    }

    fn done(mut self) -> Script {
        self.script.answers.push(self.answer);
        self.script
    }
}

fn failure(reason: &str) -> What {
    What::Fail(Failure { reason: reason.to_owned(), detail: "scripted".to_owned() })
}

/// A body in pieces being written. Each call is one read off the wire.
///
/// ```
/// # engine_sdk::example!(News(ctx) { ctx.get("/news").events().await?.finish().await?; Ok(()) });
/// use std::time::Duration;
///
/// use engine_sdk::testing::Script;
///
/// let script = Script::new()
///     .on("GET", "/news")
///     .stream(200)
///     .events(["tea", "cake"])
///     .pause(Duration::from_secs(1))
///     .event("end", "")
///     .end();
/// assert!(script.run::<News>("{}").took() > Duration::from_secs(1));
/// ```
#[must_use = "nothing is scripted before `end` or `fail`"]
pub struct StreamScript {
    answering: Answering,
}

impl StreamScript {
    /// The next piece comes this much later than the one before it; several pauses add up.
    ///
    /// ```
    /// # engine_sdk::example!(News(ctx) { ctx.get("/news").events().await?.finish().await?; Ok(()) });
    /// use std::time::Duration;
    ///
    /// use engine_sdk::testing::Script;
    ///
    /// let script = Script::new().on("GET", "/news").stream(200).pause(Duration::from_millis(9)).events(["tea"]).end();
    /// assert_eq!(script.run::<News>("{}").took(), Duration::from_millis(10)); // 1 ms to the head
    /// ```
    pub fn pause(mut self, pause: Duration) -> Self {
        self.answering.after += pause;
        self
    }

    /// Server-sent events of type `message` with these data, all in one read.
    ///
    /// ```
    /// # engine_sdk::example!(News(ctx) {
    /// #     let batch = ctx.get("/news").events().await?.next_batch().await?;
    /// #     engine_sdk::ensure(batch.is_some_and(|batch| batch.len() == 2), "other events")
    /// # });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("GET", "/news").stream(200).events(["tea", "cake"]).end().run::<News>("{}");
    /// assert_eq!(run.reason(), None);
    /// ```
    pub fn events<T: AsRef<str>>(self, data: impl IntoIterator<Item = T>) -> Self {
        self.items(data.into_iter().map(|data| {
            let (event, data) = ("message".to_owned(), data.as_ref().to_owned());
            Item::Event(ServerSentEvent { event, data, id: String::new() })
        }))
    }

    /// One server-sent event of this type with these data, in a read of its own.
    ///
    /// ```
    /// # engine_sdk::example!(News(ctx) {
    /// #     let event = ctx.get("/news").events().await?.next().await?;
    /// #     engine_sdk::ensure(event.is_some_and(|event| event.event == "token"), "another event")
    /// # });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("GET", "/news").stream(200).event("token", "tea").end().run::<News>("{}");
    /// assert_eq!(run.reason(), None);
    /// ```
    pub fn event(self, event: &str, data: &str) -> Self {
        let (event, data) = (event.to_owned(), data.to_owned());
        self.items([Item::Event(ServerSentEvent { event, data, id: String::new() })])
    }

    /// Lines, all in one read.
    ///
    /// ```
    /// # engine_sdk::example!(Export(ctx) { ctx.get("/export").lines().await?.finish().await?; Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("GET", "/export").stream(200).lines(["[1]", "[2]"]).end().run::<Export>("{}");
    /// assert_eq!(run.reason(), None);
    /// ```
    pub fn lines<T: AsRef<str>>(self, lines: impl IntoIterator<Item = T>) -> Self {
        self.items(lines.into_iter().map(|line| Item::Line(line.as_ref().to_owned())))
    }

    /// Bytes, in a read of their own.
    ///
    /// ```
    /// # engine_sdk::example!(Sound(ctx) { ctx.get("/sound").chunks().await?.finish().await?; Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("GET", "/sound").stream(200).chunk([1, 2]).chunk("tea").end().run::<Sound>("{}");
    /// assert_eq!(run.reason(), None);
    /// ```
    pub fn chunk(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.items([Item::Chunk(bytes.into())])
    }

    fn items(mut self, items: impl IntoIterator<Item = Item>) -> Self {
        self.answering.step(What::Items(items.into_iter().collect()));
        self
    }

    /// The answer is complete.
    ///
    /// ```
    /// # engine_sdk::example!(File(ctx) { ctx.get("/file").head().await?.finish().await?; Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("GET", "/file").stream(200).end().run::<File>("{}");
    /// assert_eq!(run.reason(), None);
    /// ```
    pub fn end(mut self) -> Script {
        self.answering.step(What::End);
        self.answering.done()
    }

    /// The exchange fails here, with the engine's reason.
    ///
    /// ```
    /// # engine_sdk::example!(News(ctx) { ctx.get("/news").events().await?.finish().await?; Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("GET", "/news").stream(200).events(["tea"]).fail("reset").run::<News>("{}");
    /// assert_eq!(run.reason(), Some("reset"));
    /// ```
    pub fn fail(mut self, reason: &str) -> Script {
        self.answering.step(failure(reason));
        self.answering.done()
    }
}

/// A WebSocket's course being written.
///
/// ```
/// # engine_sdk::example!(Talk(ctx) {
/// #     let mut socket = ctx.socket("/talk").open().await?;
/// #     socket.send_text("hello");
/// #     while socket.next().await?.is_some() {}
/// #     Ok(())
/// # });
/// use engine_sdk::testing::Script;
///
/// let script = Script::new().on("WS", "/talk").open("").expect_text("hello").text("hi").close(1000, "");
/// assert_eq!(script.run::<Talk>("{}").reason(), None);
/// ```
#[must_use = "nothing is scripted before `close`, `until_closed` or `fail`"]
pub struct SocketScript {
    answering: Answering,
}

impl SocketScript {
    /// What follows comes this much later; several pauses add up.
    ///
    /// ```
    /// # engine_sdk::example!(Talk(ctx) { ctx.socket("/talk").open().await?.next().await?; Ok(()) });
    /// use std::time::Duration;
    ///
    /// use engine_sdk::testing::Script;
    ///
    /// let script = Script::new().on("WS", "/talk").open("").pause(Duration::from_secs(5)).text("hi").until_closed();
    /// assert!(script.run::<Talk>("{}").took() > Duration::from_secs(5));
    /// ```
    pub fn pause(mut self, pause: Duration) -> Self {
        self.answering.after += pause;
        self
    }

    /// Waits until the plugin has written this text; another message is a panic that shows both.
    ///
    /// ```
    /// # engine_sdk::example!(Talk(ctx) {
    /// #     let mut socket = ctx.socket("/talk").open().await?;
    /// #     socket.send_text("hello");
    /// #     socket.next().await?;
    /// #     Ok(())
    /// # });
    /// use engine_sdk::testing::Script;
    ///
    /// let script = Script::new().on("WS", "/talk").open("").expect_text("hello").text("hi").until_closed();
    /// assert_eq!(script.run::<Talk>("{}").reason(), None);
    /// ```
    pub fn expect_text(mut self, text: &str) -> Self {
        self.answering.step(What::Expect(Message::Text(text.to_owned())));
        self
    }

    /// The peer sends a text message, in a read of its own.
    ///
    /// ```
    /// # engine_sdk::example!(Talk(ctx) { ctx.socket("/talk").open().await?.next().await?; Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("WS", "/talk").open("").text("hi").until_closed().run::<Talk>("{}");
    /// assert_eq!(run.reason(), None);
    /// ```
    pub fn text(mut self, text: &str) -> Self {
        self.answering.step(What::Items(vec![Item::Message(Message::Text(text.to_owned()))]));
        self
    }

    /// The peer sends several text messages that come in one read.
    ///
    /// ```
    /// # engine_sdk::example!(Talk(ctx) {
    /// #     let batch = ctx.socket("/talk").open().await?.next_batch().await?;
    /// #     engine_sdk::ensure(batch.is_some_and(|batch| batch.len() == 2), "other messages")
    /// # });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("WS", "/talk").open("").texts(["a", "b"]).until_closed().run::<Talk>("{}");
    /// assert_eq!(run.reason(), None);
    /// ```
    pub fn texts<T: AsRef<str>>(mut self, texts: impl IntoIterator<Item = T>) -> Self {
        let messages = texts.into_iter().map(|text| Item::Message(Message::Text(text.as_ref().to_owned())));
        self.answering.step(What::Items(messages.collect()));
        self
    }

    /// The peer sends a binary message, in a read of its own.
    ///
    /// ```
    /// # engine_sdk::example!(Talk(ctx) { ctx.socket("/talk").open().await?.next().await?; Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("WS", "/talk").open("").binary([1, 2]).until_closed().run::<Talk>("{}");
    /// assert_eq!(run.reason(), None);
    /// ```
    pub fn binary(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.answering.step(What::Items(vec![Item::Message(Message::Binary(bytes.into()))]));
        self
    }

    /// The peer closes, with this code and reason.
    ///
    /// ```
    /// # engine_sdk::example!(Talk(ctx) {
    /// #     let mut socket = ctx.socket("/talk").open().await?;
    /// #     while socket.next().await?.is_some() {}
    /// #     engine_sdk::ensure(socket.close_info().is_some_and(|info| info.code == 1001), "closed otherwise")
    /// # });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("WS", "/talk").open("").close(1001, "restart").run::<Talk>("{}");
    /// assert_eq!(run.reason(), None);
    /// ```
    pub fn close(mut self, code: u16, reason: &str) -> Script {
        self.answering.step(What::Closed(CloseInfoResult { code, reason: reason.to_owned() }));
        self.answering.done()
    }

    /// The peer says nothing more and answers the plugin's close.
    ///
    /// ```
    /// # engine_sdk::example!(Talk(ctx) { ctx.socket("/talk").open().await?.close(1000, "").await?; Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("WS", "/talk").open("").until_closed().run::<Talk>("{}");
    /// assert!(run.closed(0).is_some());
    /// ```
    pub fn until_closed(self) -> Script {
        self.answering.done()
    }

    /// The exchange fails here, with the engine's reason.
    ///
    /// ```
    /// # engine_sdk::example!(Talk(ctx) { ctx.socket("/talk").open().await?.next().await?; Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("WS", "/talk").open("").fail("reset").run::<Talk>("{}");
    /// assert_eq!(run.reason(), Some("reset"));
    /// ```
    pub fn fail(mut self, reason: &str) -> Script {
        self.answering.step(failure(reason));
        self.answering.done()
    }
}
