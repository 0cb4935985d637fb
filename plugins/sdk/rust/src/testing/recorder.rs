//! Takes the actions of the plugin under test in the engine's place. One per thread, as long as a script runs.
#![allow(clippy::needless_pass_by_value)] // the signatures are those of the generated imports

use std::cell::RefCell;
use std::time::Duration;

use crate::bindings::engine::workload::types::{
    Body, CloseInfoParam, Level, MessageParam, ReadMode, Request, Since, SocketRequest, Verdict,
};
use crate::{CloseInfo, Message};

/// A request as the plugin asked for it; a WebSocket's handshake too, with the method `WS`.
///
/// ```
/// # engine_sdk::example!(Order(ctx) { ctx.post("/orders").name("order").body(b"tea").send().await?; Ok(()) });
/// use engine_sdk::testing::Script;
///
/// let run = Script::new().on("POST", "/orders").reply(201, "").run::<Order>("{}");
/// let sent = &run.requests()[0];
/// assert_eq!((sent.method.as_str(), sent.path.as_str()), ("POST", "/orders"));
/// assert_eq!((sent.name.as_deref(), sent.body.bytes()), (Some("order"), &b"tea"[..]));
/// ```
#[derive(Debug, Clone)]
pub struct Sent {
    /// The series it belongs to, where the plugin named one.
    pub name: Option<String>,
    /// The method; `WS` for a WebSocket.
    pub method: String,
    /// Another host than the target's.
    pub authority: Option<String>,
    /// Path and query as sent.
    pub path: String,
    /// Request fields in order.
    pub fields: Vec<(String, String)>,
    /// What it carries.
    pub body: Payload,
    /// How the answer is to be handed over; `None` for a WebSocket.
    pub(crate) read: Option<ReadMode>,
    /// The response fields asked for; `None` for all.
    pub wanted_fields: Option<Vec<String>>,
    /// The most redirects to follow, where said.
    pub follow_redirects: Option<u32>,
    /// Offered subprotocols of a WebSocket.
    pub subprotocols: Vec<String>,
    /// Settings by name.
    pub extensions: Vec<(String, String)>,
    /// The exchange's own time limit.
    pub timeout: Option<Duration>,
}

impl Sent {
    /// The first field of this name, in any capitalisation.
    ///
    /// ```
    /// # engine_sdk::example!(Agents(ctx) { ctx.get("/agents").field("Accept", "text/plain").send().await?; Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("GET", "/agents").reply(200, "").run::<Agents>("{}");
    /// assert_eq!(run.requests()[0].field("accept"), Some("text/plain"));
    /// ```
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The path without its query.
    ///
    /// ```
    /// # engine_sdk::example!(Agents(ctx) { ctx.get("/agents?limit=20").send().await?; Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("GET", "/agents").reply(200, "").run::<Agents>("{}");
    /// assert_eq!(run.requests()[0].path_only(), "/agents");
    /// ```
    pub fn path_only(&self) -> &str {
        self.path.split('?').next().unwrap_or_default()
    }

    /// The most bytes the answer's body may have; `None` where it is not handed over whole.
    ///
    /// ```
    /// # engine_sdk::example!(Agents(ctx) { ctx.get("/agents").send().await?; Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("GET", "/agents").reply(200, "").run::<Agents>("{}");
    /// assert_eq!(run.requests()[0].max_body(), Some(16 << 20)); // where nothing else is said
    /// ```
    pub fn max_body(&self) -> Option<u32> {
        if let Some(ReadMode::Whole(most)) = self.read { Some(most) } else { None }
    }

    /// Whether the answer's body is only counted.
    ///
    /// ```
    /// # engine_sdk::example!(Picture(ctx) { ctx.get("/picture").count_body().send().await?; Ok(()) });
    /// use engine_sdk::testing::Script;
    ///
    /// let run = Script::new().on("GET", "/picture").reply(200, "").run::<Picture>("{}");
    /// assert!(run.requests()[0].counts_body());
    /// ```
    pub fn counts_body(&self) -> bool {
        matches!(self.read, Some(ReadMode::Count))
    }
}

/// What a request carried.
///
/// ```
/// # engine_sdk::example!(Order(ctx) { ctx.post("/orders").body(b"tea").send().await?; Ok(()) });
/// use engine_sdk::testing::{Payload, Script};
///
/// let run = Script::new().on("POST", "/orders").reply(201, "").run::<Order>("{}");
/// assert_eq!(run.requests()[0].body, Payload::Bytes(b"tea".to_vec()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// Nothing.
    Empty,
    /// These bytes.
    Bytes(Vec<u8>),
    /// The bytes of a registered blob.
    Blob(Vec<u8>),
}

impl Payload {
    /// The bytes, whichever way they were given.
    ///
    /// ```
    /// use engine_sdk::testing::Payload;
    ///
    /// assert_eq!(Payload::Bytes(b"tea".to_vec()).bytes(), b"tea");
    /// assert!(Payload::Empty.bytes().is_empty());
    /// ```
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Empty => &[],
            Self::Bytes(bytes) | Self::Blob(bytes) => bytes,
        }
    }
}

/// One action, as it was asked for.
#[derive(Debug, Clone)]
pub(crate) enum Action {
    Send { request: Box<Sent> },
    Write { exchange: u32, message: Message },
    Close { exchange: u32, info: CloseInfo },
    Cancel { exchange: u32 },
    Wait { timer: u32, nanoseconds: u64 },
    Clear { timer: u32 },
    Mark { metric: u32, since: Since, weight: u32 },
    Count { metric: u32, n: u64 },
    Observe { metric: u32, value: f64 },
    Check { metric: u32, passed: bool },
    Share { json: String },
    Log { level: Level, text: String },
    Finish { verdict: Finished },
}

/// A verdict, owned.
#[derive(Debug, Clone)]
pub(crate) enum Finished {
    Ok,
    Cancelled,
    Failed(String),
    FailedBy(u32),
}

#[derive(Default)]
struct Recorder {
    actions: Vec<Action>,
    blobs: Vec<Vec<u8>>,
    exchanges: u32,
    timers: u32,
}

thread_local! {
    static RECORDER: RefCell<Option<Recorder>> = const { RefCell::new(None) };
}

/// The time in which actions are recorded; ends with its drop, a panicking test's as well.
pub(crate) struct Recording(());

impl Recording {
    pub(crate) fn start() -> Self {
        RECORDER.with_borrow_mut(|recorder| *recorder = Some(Recorder::default()));
        Self(())
    }

    /// The actions since the last call.
    #[allow(clippy::unused_self)] // they exist only while there is a recording
    pub(crate) fn take(&self) -> Vec<Action> {
        with(|recorder| std::mem::take(&mut recorder.actions))
    }

    /// Exchanges and timers count from 0 again: the next iteration.
    #[allow(clippy::unused_self)]
    pub(crate) fn next_iteration(&self) {
        with(|recorder| (recorder.exchanges, recorder.timers) = (0, 0));
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        RECORDER.with_borrow_mut(Option::take);
    }
}

fn with<T>(act: impl FnOnce(&mut Recorder) -> T) -> T {
    RECORDER.with_borrow_mut(|recorder| match recorder {
        Some(recorder) => act(recorder),
        None => panic!("an action outside of a script: natively, run the plugin with `engine_sdk::testing::Script`"),
    })
}

fn record(action: Action) {
    with(|recorder| recorder.actions.push(action));
}

/// The number to give out, and counts on.
fn next(counter: &mut u32) -> u32 {
    let given = *counter;
    *counter += 1;
    given
}

fn ask(request: Sent) -> u32 {
    with(|recorder| {
        let exchange = next(&mut recorder.exchanges);
        recorder.actions.push(Action::Send { request: Box::new(request) });
        exchange
    })
}

fn owned(fields: &[(&str, &str)]) -> Vec<(String, String)> {
    fields.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn strings(list: &[&str]) -> Vec<String> {
    list.iter().map(|&text| text.to_owned()).collect()
}

pub(crate) fn register_blob(bytes: &[u8]) -> u32 {
    with(|recorder| {
        recorder.blobs.push(bytes.to_vec());
        u32::try_from(recorder.blobs.len() - 1).unwrap_or(u32::MAX)
    })
}

pub(crate) fn send(request: Request<'_>) -> u32 {
    let body = match request.body {
        Body::Empty => Payload::Empty,
        Body::Bytes(bytes) => Payload::Bytes(bytes.to_vec()),
        Body::Blob(blob) => with(|recorder| match recorder.blobs.get(blob as usize) {
            Some(bytes) => Payload::Blob(bytes.clone()),
            None => panic!("blob {blob} was never registered"),
        }),
    };
    ask(Sent {
        name: request.name.map(str::to_owned),
        method: request.method.to_owned(),
        authority: request.authority.map(str::to_owned),
        path: request.path_with_query.to_owned(),
        fields: owned(request.fields),
        body,
        read: Some(request.read),
        wanted_fields: request.wanted_fields.map(strings),
        follow_redirects: request.follow_redirects,
        subprotocols: Vec::new(),
        extensions: owned(request.extensions),
        timeout: request.timeout.map(Duration::from_nanos),
    })
}

pub(crate) fn open(request: SocketRequest<'_>) -> u32 {
    ask(Sent {
        name: request.name.map(str::to_owned),
        method: "WS".to_owned(),
        authority: request.authority.map(str::to_owned),
        path: request.path_with_query.to_owned(),
        fields: owned(request.fields),
        body: Payload::Empty,
        read: None,
        wanted_fields: None,
        follow_redirects: None,
        subprotocols: strings(request.subprotocols),
        extensions: owned(request.extensions),
        timeout: request.timeout.map(Duration::from_nanos),
    })
}

pub(crate) fn write(exchange: u32, message: MessageParam<'_>) {
    let message = match message {
        MessageParam::Text(text) => Message::Text(text.to_owned()),
        MessageParam::Binary(bytes) => Message::Binary(bytes.to_vec()),
    };
    record(Action::Write { exchange, message });
}

pub(crate) fn close(exchange: u32, info: CloseInfoParam<'_>) {
    record(Action::Close { exchange, info: CloseInfo { code: info.code, reason: info.reason.to_owned() } });
}

pub(crate) fn cancel(exchange: u32) {
    record(Action::Cancel { exchange });
}

pub(crate) fn wait(nanoseconds: u64) -> u32 {
    with(|recorder| {
        let timer = next(&mut recorder.timers);
        recorder.actions.push(Action::Wait { timer, nanoseconds });
        timer
    })
}

pub(crate) fn clear(timer: u32) {
    record(Action::Clear { timer });
}

pub(crate) fn mark(metric: u32, since: Since, weight: u32) {
    record(Action::Mark { metric, since, weight });
}

pub(crate) fn count(metric: u32, n: u64) {
    record(Action::Count { metric, n });
}

pub(crate) fn observe(metric: u32, value: f64) {
    record(Action::Observe { metric, value });
}

pub(crate) fn check(metric: u32, passed: bool) {
    record(Action::Check { metric, passed });
}

pub(crate) fn share(json: &str) {
    record(Action::Share { json: json.to_owned() });
}

pub(crate) fn log(level: Level, text: &str) {
    record(Action::Log { level, text: text.to_owned() });
}

pub(crate) fn finish(verdict: Verdict<'_>) {
    let verdict = match verdict {
        Verdict::Ok => Finished::Ok,
        Verdict::Cancelled => Finished::Cancelled,
        Verdict::Failed(text) => Finished::Failed(text.to_owned()),
        Verdict::FailedBy(exchange) => Finished::FailedBy(exchange),
    };
    record(Action::Finish { verdict });
}
