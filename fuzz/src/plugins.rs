//! Events that could come, in arbitrary order and with arbitrary payloads, into the bundled plugins: none traps, stalls
//! or does what is not allowed, and none asks for what cannot be had.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arbitrary::{Result, Unstructured};
use engine::pieces::{Message, ServerSentEvent};
use engine::plugin::{
    Action, Arrival, Event, Flow, Host, Instance, Limits, MetricKind, Plugin, ReadMode, Refused, Since, Verdict,
};
use http::{HeaderMap, HeaderValue};

/// Each plugin with a configuration that it accepts.
const PLUGINS: [(&str, &[u8], &str); 11] = [
    (
        "http",
        include_bytes!("../../plugins/components/http.wasm"),
        r#"{"path":"/a/{index}","expect":["2xx"],"expect_body_contains":"ok","read":"whole"}"#,
    ),
    ("api_read", include_bytes!("../../plugins/components/api_read.wasm"), r#"{"token":"t","organization":"o"}"#),
    (
        "chat_stream",
        include_bytes!("../../plugins/components/chat_stream.wasm"),
        r#"{"token":"t","organization":"o","agent":"a","cancel_every":2}"#,
    ),
    (
        "agent_run",
        include_bytes!("../../plugins/components/agent_run.wasm"),
        r#"{"token":"t","organization":"o","agent":"a"}"#,
    ),
    (
        "rag_query",
        include_bytes!("../../plugins/components/rag_query.wasm"),
        r#"{"token":"t","organization":"o","collection":"c"}"#,
    ),
    (
        "ingest",
        include_bytes!("../../plugins/components/ingest.wasm"),
        r#"{"token":"t","organization":"o","collection":"c","size":100}"#,
    ),
    (
        "trigger_fire",
        include_bytes!("../../plugins/components/trigger_fire.wasm"),
        r#"{"token":"t","organization":"o","source":"s","id":"i","webhook_secret":"k"}"#,
    ),
    (
        "openai_chat",
        include_bytes!("../../plugins/components/openai_chat.wasm"),
        r#"{"model":"m","prompt":"hi","max_tokens":10}"#,
    ),
    (
        "openai_chat whole",
        include_bytes!("../../plugins/components/openai_chat.wasm"),
        r#"{"model":"m","prompts":["a","b"],"stream":false,"vary":true}"#,
    ),
    (
        "login",
        include_bytes!("../../plugins/components/login.wasm"),
        r#"{"email":"e","password":"p","collection":"manuals","trigger_source":"s","trigger_id":"i","webhook_secret":"k","model":"target"}"#,
    ),
    (
        "login plain",
        include_bytes!("../../plugins/components/login.wasm"),
        r#"{"email":"e","password":"p","model":"other:80"}"#,
    ),
];

/// Payloads that lead on, whole or as parts of a stream.
const PAYLOADS: [&str; 44] = [
    r#"{"access_token":"tok-1","token_type":"bearer"}"#,
    r#"{"items":[{"id":"org-1","name":"One"},{"id":"org-2"}]}"#,
    r#"{"items":[{"id":"a-0","status":"draft"},{"id":"a-1","status":"published"}]}"#,
    r#"{"name":"manuals","document_count":3}"#,
    r#"{"items":[{"source":"s","id":"i","name":"n"}]}"#,
    r#"{"seen":0}"#,
    r#"{"seen":1}"#,
    r#"{"id":"r","status":"completed","output":"ok"}"#,
    r#"{"status":"failed"}"#,
    r#"{"status":"completed","output":{"a":[1,null,true]}}"#,
    r#"{"items":[],"total":0}"#,
    r#"{"results":[{"text":"a","score":0.75,"id":1},{"text":"b"}]}"#,
    r#"{"results":[{"score":1e308}]}"#,
    r#"{"results":[{"score":-0.0}]}"#,
    r#"{"status":"accepted","id":"e-1"}"#,
    r#"{"status":"duplicate"}"#,
    r#"{"type":"text_delta","delta":"Hel"}"#,
    r#"{"type":"text_delta","delta":""}"#,
    r#"{"type":"text_delta","delta":null}"#,
    r#"{"type":"complete","conversation_id":"c-1"}"#,
    r#"{"type":"error","message":"no \u00e9 \ud83d\ude00"}"#,
    r#"{"type":"started"}"#,
    r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{"reasoning_content":"hm","content":null},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}}]}}]}"#,
    r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}"#,
    r#"{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}"#,
    r#"{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}"#,
    r#"{"choices":[],"usage":{"prompt_tokens":18446744073709551615,"completion_tokens":18446744073709551615}}"#,
    r#"{"choices":[],"usage":{"prompt_tokens":-1,"completion_tokens":1e30}}"#,
    r#"{"choices":[{"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":4294967296}}"#,
    r#"{"error":{"message":"busy","type":"overloaded"}}"#,
    "[DONE]",
    "ok",
    "",
    "null",
    "{}",
    "[]",
    "\u{feff}{}",
    "<html>",
    "99999999999999999999999999999999999999999999999999999999999e99999999",
    "\"\\ud800\"",
    "\u{1F600}\u{0}\u{7f}\u{202e}",
];

const REASONS: [&str; 8] = [
    "timeout_total",
    "reset",
    "refused",
    "protocol",
    "body_too_large",
    "truncated",
    "upgrade_refused",
    "of a later version",
];
const STATUSES: [u16; 14] = [200, 202, 201, 204, 301, 400, 401, 403, 404, 422, 429, 500, 503, 999];
/// Events of one input.
const EVENTS: usize = 300;
/// Iterations of one input.
const FLOWS: usize = 5;

/// One input, read by `arbitrary` as the events ask for it: the plugin, its configuration, then one event after the
/// other.
///
/// # Panics
/// On a finding.
pub fn run(data: &[u8]) {
    // An input that ends in the middle of an event ends there.
    let _ = play(&mut Unstructured::new(data));
}

fn plugins() -> &'static [Arc<Plugin>] {
    static LOADED: OnceLock<(Host, Vec<Arc<Plugin>>)> = OnceLock::new();
    let load = || {
        // The deadline alone depends on how busy the machine is.
        let limits = Limits { call: Duration::from_secs(2), ..Limits::default() };
        let host = Host::new(limits, None).expect("a host");
        let load = |(name, bytes, _): &(&str, &[u8], &str)| {
            Arc::new(host.load_bytes(name.as_ref(), bytes).expect("it is committed as a plugin"))
        };
        let plugins = PLUGINS.iter().map(load).collect();
        (host, plugins)
    };
    &LOADED.get_or_init(load).1
}

fn play(u: &mut Unstructured<'_>) -> Result<()> {
    let at = usize::from(u.arbitrary::<u8>()?) % PLUGINS.len();
    let plugin = &plugins()[at];
    let shape: u8 = u.arbitrary()?;
    let shared = match shape >> 1 & 7 {
        0..=4 => None,
        5 => Some(r#"{"access_token":"t","organization":"o","agent":"a"}"#.to_owned()),
        6 => Some(payload(u)?),
        _ => Some(String::from_utf8_lossy(u.arbitrary()?).into_owned()),
    };
    let config = if shape & 0x70 == 0x70 { payload(u)? } else { PLUGINS[at].2.to_owned() };
    let instance = match Instance::new(plugin, &config, shared.as_deref()) {
        Ok(instance) => instance,
        Err(Refused::Config(words)) => {
            assert!(!words.is_empty(), "{}: refused without a word", PLUGINS[at].0);
            return Ok(());
        }
        Err(Refused::Fault(fault)) => panic!("{}: {fault}", PLUGINS[at].0),
    };
    let mut stage = Stage { name: PLUGINS[at].0, plugin, instance, flows: Vec::new(), begun: 0, told: Vec::new() };
    if shape & 1 == 0 || plugin.description.name == "login" {
        stage.begin_setup();
    }
    let played = (0..EVENTS).try_for_each(|_| stage.event(u));
    stage.give_up();
    played
}

/// A payload: one that leads on, one with a few bytes changed, or any.
fn payload(u: &mut Unstructured<'_>) -> Result<String> {
    let how: u8 = u.arbitrary()?;
    let canned = PAYLOADS[usize::from(how) % PAYLOADS.len()];
    Ok(match u.arbitrary::<u8>()? % 8 {
        0..=4 => canned.to_owned(),
        5 => {
            let mut bytes = canned.as_bytes().to_vec();
            for _ in 0..=how / 64 {
                let at = usize::from(u.arbitrary::<u8>()?) % (bytes.len() + 1);
                let byte = u.arbitrary()?;
                if at == bytes.len() { bytes.push(byte) } else { bytes[at] = byte }
            }
            String::from_utf8_lossy(&bytes).into_owned()
        }
        6 => canned.chars().chain("[{\"a\":".chars().cycle().take(usize::from(how) * 200)).collect(),
        _ => String::from_utf8_lossy(u.arbitrary()?).into_owned(),
    })
}

/// How far an exchange is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Asked,
    /// Its head has come, or it is open.
    Begun,
}

/// An exchange that a plugin has asked for.
#[derive(Clone, Debug)]
struct Open {
    id: u32,
    read: ReadMode,
    wanted: Option<Vec<String>>,
    progress: Progress,
    cancelled: bool,
}

/// An iteration that has not ended.
struct Running {
    flow: Flow,
    open: Vec<Open>,
    timers: Vec<u32>,
    /// Exchanges that ended with a status or a failure, or have a status: those an iteration may fail by.
    reasons: Vec<u32>,
    sockets: Vec<u32>,
}

/// One instance and its iterations.
struct Stage<'a> {
    name: &'static str,
    plugin: &'a Plugin,
    instance: Instance,
    flows: Vec<Running>,
    begun: usize,
    /// What has been told, for a finding's text.
    told: Vec<String>,
}

/// What a step came to.
enum Step {
    Goes(Running),
    Ended(Flow),
}

impl Stage<'_> {
    fn begin_setup(&mut self) {
        self.told.push("setup".to_owned());
        match self.instance.setup() {
            Ok(Some(flow)) => self.heed_new(flow),
            Ok(None) => {}
            Err(fault) => self.finding(&fault.to_string()),
        }
    }

    fn begin(&mut self, index: u64, seed: u64) {
        self.told.push(format!("start {index} {seed}"));
        let arrival =
            Arrival { sequence: index, index, seed, client: 1, wall_time: seed.rotate_left(7), phase: "load" };
        match self.instance.start(&arrival) {
            Ok(flow) => self.heed_new(flow),
            Err(fault) => self.finding(&fault.to_string()),
        }
    }

    fn heed_new(&mut self, flow: Flow) {
        self.begun += 1;
        let running = Running { flow, open: Vec::new(), timers: Vec::new(), reasons: Vec::new(), sockets: Vec::new() };
        let step = self.heed(running);
        self.keep(step);
    }

    fn keep(&mut self, step: Step) {
        match step {
            Step::Goes(running) => self.flows.push(running),
            Step::Ended(flow) => {
                if let Err(fault) = self.instance.end(flow) {
                    self.finding(&fault.to_string());
                }
            }
        }
    }

    #[track_caller]
    fn finding(&mut self, what: &str) -> ! {
        let log = self.instance.take_log();
        panic!("{}: {what}\nafter {:#?}\nit logged {log:?}", self.name, self.told)
    }

    /// Takes what the last call asked for.
    fn heed(&mut self, mut running: Running) -> Step {
        if let Some(misuse) = self.instance.take_misuse() {
            self.finding(&misuse);
        }
        let mut actions = Vec::new();
        self.instance.take_actions(&mut actions);
        let _ = (self.instance.take_log(), self.instance.take_shared());
        let mut finished = false;
        for action in actions {
            assert!(!finished, "{}: an action after the end", self.name);
            if let Err(what) = self.act(&mut running, &action, &mut finished) {
                self.finding(&format!("{what}: {action:?}"));
            }
        }
        if finished {
            return Step::Ended(running.flow);
        }
        if running.open.is_empty() && running.timers.is_empty() {
            self.finding("it stalls");
        }
        Step::Goes(running)
    }

    fn act(
        &self,
        running: &mut Running,
        action: &Action,
        finished: &mut bool,
    ) -> std::result::Result<(), &'static str> {
        let metric = |at: u32, kind: MetricKind| {
            let found = self.plugin.description.metrics.get(at as usize).map(|metric| metric.kind);
            if found == Some(kind) { Ok(()) } else { Err("a metric of another kind") }
        };
        match action {
            Action::Send { exchange, request } => {
                let sendable = request.path_with_query.starts_with('/')
                    && request.path_with_query.bytes().all(|byte| byte.is_ascii_graphic());
                if !sendable || !request.extensions.is_empty() {
                    return Err("a request that cannot be sent");
                }
                let text = |text: &str| !text.contains(['\r', '\n', '\0']);
                if !request.fields.iter().all(|(name, value)| text(name) && text(value)) {
                    return Err("a field that cannot be sent");
                }
                if request.read == ReadMode::Socket {
                    running.sockets.push(*exchange);
                }
                running.open.push(Open {
                    id: *exchange,
                    read: request.read,
                    wanted: request.wanted_fields.clone(),
                    progress: Progress::Asked,
                    cancelled: false,
                });
            }
            Action::Impossible { .. } => return Err("an impossible request"),
            Action::Write { exchange, .. } | Action::Close { exchange, .. } => {
                if !running.sockets.contains(exchange) {
                    return Err("no WebSocket");
                }
            }
            Action::Cancel(exchange) => {
                if !running.flow.knows_exchange(*exchange) {
                    return Err("an exchange that was never asked for");
                }
                if let Some(open) = running.open.iter_mut().find(|open| open.id == *exchange) {
                    open.cancelled = true;
                }
            }
            Action::Wait { timer, .. } => running.timers.push(*timer),
            Action::Clear(timer) => {
                if !running.flow.knows_timer(*timer) {
                    return Err("a timer that was never set");
                }
                running.timers.retain(|running| running != timer);
            }
            Action::Mark { metric: at, since, .. } => {
                metric(*at, MetricKind::Mark)?;
                if matches!(since, Since::Asked(exchange) if !running.flow.knows_exchange(*exchange)) {
                    return Err("since an exchange that was never asked for");
                }
            }
            Action::Count { metric: at, .. } => metric(*at, MetricKind::Counter)?,
            Action::Observe { metric: at, value } => {
                metric(*at, MetricKind::Observation)?;
                if !value.is_finite() || *value < 0.0 {
                    return Err("a value that is refused");
                }
            }
            Action::Check { metric: at, .. } => metric(*at, MetricKind::Check)?,
            Action::Finish(verdict) => {
                *finished = true;
                if matches!(verdict, Verdict::FailedBy(exchange) if !running.reasons.contains(exchange)) {
                    return Err("fails by an exchange that has no reason");
                }
            }
        }
        Ok(())
    }

    /// One event that could come now: an arrival, or something for an iteration.
    fn event(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let choice: u8 = u.arbitrary()?;
        if self.flows.is_empty() || choice & 0xf0 == 0xf0 {
            if self.begun < FLOWS {
                let index = u64::from(choice & 0x0f);
                let seed = u64::from(u.arbitrary::<u8>()?).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                self.begin(index, seed);
                return Ok(());
            }
            if self.flows.is_empty() {
                return Err(arbitrary::Error::NotEnoughData);
            }
        }
        let mut running = self.flows.swap_remove(usize::from(choice) % self.flows.len());
        let which = usize::from(choice >> 2) % (running.open.len() + running.timers.len());
        let told = if let Some(timer) = which.checked_sub(running.open.len()) {
            let timer = running.timers.remove(timer);
            self.tell(&mut running, &Event::Timer { timer });
            Ok(())
        } else if running.open[which].cancelled {
            let open = running.open.remove(which);
            self.tell(&mut running, &Event::Cancelled { exchange: open.id });
            Ok(())
        } else {
            self.answer(&mut running, which, u)
        };
        match told {
            Ok(()) => {
                let step = self.heed(running);
                self.keep(step);
                Ok(())
            }
            Err(end) => {
                self.flows.push(running);
                Err(end)
            }
        }
    }

    fn tell(&mut self, running: &mut Running, event: &Event<'_>) {
        self.told.push(format!("{event:?}"));
        if let Err(fault) = self.instance.deliver(&mut running.flow, event) {
            self.finding(&fault.to_string());
        }
    }

    /// Tells what could happen to an open exchange next.
    fn answer(&mut self, running: &mut Running, which: usize, u: &mut Unstructured<'_>) -> Result<()> {
        let what: u8 = u.arbitrary()?;
        let Open { id: exchange, read, wanted, progress, .. } = running.open[which].clone();
        let wanted = wanted.as_deref();
        if what >= 0xe0 {
            let reason = REASONS[usize::from(what) % REASONS.len()];
            let detail = payload(u)?;
            running.open.remove(which);
            running.reasons.push(exchange);
            self.tell(running, &Event::Failed { exchange, reason, detail: &detail });
            return Ok(());
        }
        match (progress, read) {
            (Progress::Asked, ReadMode::Whole(_) | ReadMode::Count) => {
                let (status, fields) = head(u)?;
                let body = if read == ReadMode::Count { String::new() } else { payload(u)? };
                running.open.remove(which);
                running.reasons.push(exchange);
                let (body, size) = (body.as_bytes(), body.len() as u64);
                self.tell(running, &Event::Response { exchange, status, fields: &fields, wanted, body, size });
            }
            (Progress::Asked, ReadMode::Socket) => {
                let (_, fields) = head(u)?;
                running.open[which].progress = Progress::Begun;
                let subprotocol = if what & 1 == 0 { "chat" } else { "" };
                self.tell(running, &Event::Opened { exchange, subprotocol, fields: &fields });
            }
            (Progress::Asked, _) => {
                let (status, fields) = head(u)?;
                running.open[which].progress = Progress::Begun;
                running.reasons.push(exchange);
                self.tell(running, &Event::Head { exchange, status, fields: &fields, wanted });
            }
            (Progress::Begun, ReadMode::Socket) if what.is_multiple_of(8) => {
                let reason: String = payload(u)?.chars().take(30).collect();
                running.open.remove(which);
                let code = [1000, 1001, 1005, 1006, 1011, 4000][usize::from(what >> 3) % 6];
                self.tell(running, &Event::Closed { exchange, code, reason: &reason });
            }
            (Progress::Begun, _) if what.is_multiple_of(8) || read == ReadMode::Head => {
                running.open.remove(which);
                self.tell(running, &Event::Complete { exchange });
            }
            (Progress::Begun, _) => {
                let payloads = (0..=what / 64).map(|_| payload(u)).collect::<Result<Vec<_>>>()?;
                self.items(running, exchange, read, what, payloads);
            }
        }
        Ok(())
    }

    /// Tells what came in one read.
    fn items(&mut self, running: &mut Running, exchange: u32, read: ReadMode, what: u8, payloads: Vec<String>) {
        match read {
            ReadMode::Socket => {
                let message = |text: String| {
                    if what & 0x38 == 0x38 { Message::Binary(text.into_bytes()) } else { Message::Text(text) }
                };
                let messages: Vec<_> = payloads.into_iter().map(message).collect();
                self.tell(running, &Event::Messages { exchange, messages: &messages });
            }
            ReadMode::Events if what & 0x38 == 0x38 => {
                let bytes = payloads.concat();
                if !bytes.is_empty() {
                    self.tell(running, &Event::Chunk { exchange, bytes: bytes.as_bytes() });
                }
            }
            ReadMode::Events => {
                let kind = if what & 0x38 == 0x30 { "error" } else { "" };
                let event = |data| ServerSentEvent::new(kind.to_owned(), data, "7".into());
                let events: Vec<_> = payloads.into_iter().map(event).collect();
                self.tell(running, &Event::Events { exchange, events: &events });
            }
            ReadMode::Lines => {
                let lines: Vec<_> = payloads.into_iter().filter(|line| !line.is_empty()).collect();
                if !lines.is_empty() {
                    self.tell(running, &Event::Lines { exchange, lines: &lines });
                }
            }
            _ => {
                let bytes = payloads.concat();
                if !bytes.is_empty() {
                    self.tell(running, &Event::Chunk { exchange, bytes: bytes.as_bytes() });
                }
            }
        }
    }

    /// Lets all that is open fail and all that waits go on, for a while; then the iterations are dropped, as at the end
    /// of a run.
    fn give_up(&mut self) {
        for _ in 0..50 {
            let Some(mut running) = self.flows.pop() else { return };
            if let Some(open) = running.open.pop() {
                running.reasons.push(open.id);
                let event = if open.cancelled {
                    Event::Cancelled { exchange: open.id }
                } else {
                    Event::Failed { exchange: open.id, reason: "timeout_total", detail: "" }
                };
                self.tell(&mut running, &event);
            } else if let Some(timer) = running.timers.pop() {
                self.tell(&mut running, &Event::Timer { timer });
            }
            let step = self.heed(running);
            self.keep(step);
        }
        while let Some(running) = self.flows.pop() {
            self.keep(Step::Ended(running.flow));
        }
    }
}

/// A status, and fields.
fn head(u: &mut Unstructured<'_>) -> Result<(u16, HeaderMap)> {
    let choice: u8 = u.arbitrary()?;
    // The right one for the most part: it leads on.
    let status = match choice % 8 {
        0..=4 => STATUSES[usize::from(choice >> 3) % 2],
        5 | 6 => STATUSES[usize::from(choice >> 3) % STATUSES.len()],
        _ => 200 + u.arbitrary::<u16>()? % 800,
    };
    let mut fields = HeaderMap::new();
    let kind = ["text/event-stream", "application/json", "text/html; charset=utf-8", ""][usize::from(choice >> 6)];
    if !kind.is_empty() {
        fields.insert("content-type", HeaderValue::from_static(kind));
    }
    fields.insert("date", HeaderValue::from_static("Mon, 30 Nov 2026 08:00:00 GMT"));
    if choice % 16 == 7
        && let Ok(value) = HeaderValue::from_bytes(u.arbitrary()?)
    {
        fields.append("content-type", value.clone());
        fields.append("retry-after", value);
    }
    Ok((status, fields))
}
