//! One iteration being rehearsed: its open exchanges and timers, what its plugin asked for, how it ended.
//!
//! The rules are those of `worker/heed.rs` and `worker/hear.rs`, in the same words.

use std::collections::VecDeque;
use std::time::Duration;

use crate::client;
use crate::clock::Time;
use crate::plugin::{Action, Flow, LogLine, Metric, MetricKind, ReadMode, Request, Since, Verdict};
use crate::worker::{OPEN_MOST, TIMERS_MOST, check_reason, read_mode};

use super::open::{Open, Past, Stage, Timer};
use super::piece::Piece;
use super::telling::told;

/// Lines of a story that are kept: the last ones.
const STORY: usize = 40;

/// How an iteration ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// `ok`, `cancelled`, or the reason of its failure, such as `http_503` or `plugin_trap`; `lost` where another
    /// iteration's fault took the instance, `abandoned` where it was given up.
    pub outcome: String,
    /// What the fault or misuse was, with the plugin's functions; empty where there was none.
    pub detail: String,
}

impl Ending {
    fn plain(outcome: impl Into<String>) -> Self {
        Self { outcome: outcome.into(), detail: String::new() }
    }

    /// Whether it is the plugin's doing: a trap, a misuse, a stall.
    pub fn is_fault(&self) -> bool {
        self.outcome.starts_with("plugin_")
    }
}

/// One iteration being rehearsed.
#[derive(Debug, Default)]
pub struct Take {
    pub(super) flow: Option<Flow>,
    pub(super) open: Vec<Open>,
    past: Vec<Past>,
    pub(super) timers: Vec<Timer>,
    /// Bytes that its open requests hold.
    held: usize,
    /// The most bytes they may hold.
    pub(super) most_held: usize,
    /// Nanoseconds since its start: only timers make time go by.
    pub(super) now: u64,
    /// All it asked for, in order.
    pub acts: Vec<Action>,
    /// JSON texts it shared.
    pub shared: Vec<String>,
    /// What it logged.
    pub log: Vec<LogLine>,
    /// Requests that cannot be sent, with why.
    pub unsendable: Vec<String>,
    /// Hosts it asked beside the target.
    pub elsewhere: Vec<String>,
    /// Events it was given.
    pub events: usize,
    ending: Option<Ending>,
    story: VecDeque<String>,
    forgotten: usize,
}

/// What the actions of one call came to.
enum After {
    GoesOn,
    Finished(Verdict),
    Misuse(String),
}

impl Take {
    /// How it ended; none while it goes on.
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    /// Exchanges that have not ended, in the order they were asked for.
    pub fn open(&self) -> &[Open] {
        &self.open
    }

    /// Timers that run, the next one first.
    pub fn timers(&self) -> Vec<Timer> {
        let mut timers = self.timers.clone();
        timers.sort_by_key(|timer| (timer.due, timer.id));
        timers
    }

    /// How long it has waited for timers.
    pub fn waited(&self) -> Duration {
        Duration::from_nanos(self.now)
    }

    /// What happened, a line each, the last ones.
    pub fn story(&self) -> Vec<String> {
        let cut = (self.forgotten > 0).then(|| format!("… {} earlier lines", self.forgotten));
        cut.into_iter().chain(self.story.iter().cloned()).collect()
    }

    pub(super) fn tell(&mut self, line: String) {
        if self.story.len() == STORY {
            self.story.pop_front();
            self.forgotten += 1;
        }
        self.story.push_back(line);
    }

    /// Ends it; the plugin's side is the caller's to end.
    pub(super) fn end(&mut self, outcome: impl Into<String>, detail: impl Into<String>) {
        let ending = Ending { outcome: outcome.into(), detail: detail.into() };
        let detail = ending.detail.lines().next().map_or(String::new(), |line| format!(": {line}"));
        self.tell(format!("ended as {}{detail}", ending.outcome));
        self.ending = Some(ending);
        self.open.clear();
        self.timers.clear();
    }

    /// The exchange that has not ended, or why nothing can come to it.
    pub(super) fn place(&self, exchange: u32) -> Result<usize, String> {
        if let Some(Ending { outcome, .. }) = &self.ending {
            return Err(format!("the iteration has ended as {outcome}"));
        }
        let place = self.open.iter().position(|open| open.id == exchange);
        place.ok_or_else(|| {
            let past = self.past.iter().any(|past| past.id == exchange);
            format!("exchange {exchange} has {}", if past { "ended" } else { "not been asked for" })
        })
    }

    /// Notes that a piece comes to the exchange at `place`, which it ends where it is the last: then it is taken out.
    pub(super) fn note(&mut self, place: usize, piece: &Piece) -> Result<(), String> {
        let open = &mut self.open[place];
        if let Some(why) = open.cannot_come(piece) {
            return Err(format!("{piece} cannot come to exchange {}: {why}", open.id));
        }
        let id = open.id;
        if let Piece::Head { status, fields } = piece {
            open.status = Some(*status);
            let kind = fields.get(http::header::CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()));
            open.content_type = kind.map_or(String::new(), std::borrow::Cow::into_owned);
        }
        if matches!(piece, Piece::Head { .. } | Piece::Opened { .. }) {
            open.stage = Stage::Begun;
        }
        let reason = match piece {
            Piece::Failed { reason, .. } => Some(reason.clone()),
            _ => piece.status().or(open.status).map(|status| format!("http_{status}")),
        };
        if piece.is_final() {
            self.held -= open.request.held();
        }
        self.events += 1;
        self.tell(format!("  #{id} {piece}"));
        if piece.is_final() {
            self.past.push(Past { id, reason });
        }
        Ok(())
    }

    /// After a call: does what the plugin asked for, in order, and ends the iteration where that ends it.
    pub(super) fn heed(&mut self, actions: Vec<Action>, misuse: Option<String>, metrics: &[Metric]) {
        let mut after = misuse.map_or(After::GoesOn, After::Misuse);
        for action in actions {
            if !matches!(after, After::GoesOn) {
                break;
            }
            self.tell(format!("    {}", told(&action, metrics)));
            self.acts.push(action.clone());
            after = self.act(action, metrics);
        }
        match after {
            After::Misuse(text) => self.end("plugin_misuse", text),
            After::Finished(verdict) => self.finish(&verdict),
            After::GoesOn if self.open.is_empty() && self.timers.is_empty() => {
                self.end("plugin_stalled", "it has nothing open, no timer, and has not finished");
            }
            After::GoesOn => {}
        }
    }

    fn act(&mut self, action: Action, metrics: &[Metric]) -> After {
        match action {
            Action::Send { exchange, request } => {
                if let Some(misuse) = self.too_much(request.held()) {
                    return After::Misuse(misuse);
                }
                self.send(exchange, *request, None);
            }
            Action::Impossible { exchange, name, detail } => {
                if let Some(misuse) = self.too_much(0) {
                    return After::Misuse(misuse);
                }
                self.send(exchange, nothing(name), Some(detail));
            }
            Action::Write { exchange, .. } => {
                if let Err(misuse) = self.socket(exchange, "write") {
                    return After::Misuse(misuse);
                }
            }
            Action::Close { exchange, code, reason } => match self.socket(exchange, "close") {
                Ok(Some(open)) => open.closing = Some((code, reason)),
                Ok(None) => {}
                Err(misuse) => return After::Misuse(misuse),
            },
            Action::Cancel(exchange) => {
                if !self.knows_exchange(exchange) {
                    return After::Misuse(format!("`cancel` of exchange {exchange}, which was never opened"));
                }
                if let Some(open) = self.open.iter_mut().find(|open| open.id == exchange) {
                    open.stage = Stage::GivenUp;
                }
            }
            Action::Wait { timer, nanoseconds } => {
                if self.timers.len() >= TIMERS_MOST {
                    return After::Misuse(format!("more than {TIMERS_MOST} timers of one iteration running at once"));
                }
                self.timers.push(Timer { id: timer, due: self.now.saturating_add(nanoseconds) });
            }
            Action::Clear(timer) => {
                if !self.flow.as_ref().is_some_and(|flow| flow.knows_timer(timer)) {
                    return After::Misuse(format!("`clear` of timer {timer}, which was never set"));
                }
                self.timers.retain(|running| running.id != timer);
            }
            Action::Mark { metric, since, .. } => {
                if let Some(misuse) = wrong_metric(metrics, metric, MetricKind::Mark) {
                    return misuse;
                }
                if let Since::Asked(exchange) = since
                    && !self.knows_exchange(exchange)
                {
                    return After::Misuse(format!("`mark` since exchange {exchange}, which was never asked for"));
                }
            }
            Action::Count { metric, .. } => return checked(metrics, metric, MetricKind::Counter),
            Action::Observe { metric, .. } => return checked(metrics, metric, MetricKind::Observation),
            Action::Check { metric, .. } => return checked(metrics, metric, MetricKind::Check),
            Action::Finish(verdict) => return After::Finished(verdict),
        }
        After::GoesOn
    }

    /// Why it may not have one more exchange open that holds `bytes`.
    fn too_much(&self, bytes: usize) -> Option<String> {
        let (held, most) = (self.held, self.most_held);
        if self.open.len() >= OPEN_MOST {
            Some(format!("more than {OPEN_MOST} exchanges of one iteration open at once"))
        } else if held.saturating_add(bytes) > most {
            Some(format!("the open exchanges of one iteration hold more than {most} bytes (limits.plugin.string)"))
        } else {
            None
        }
    }

    fn send(&mut self, exchange: u32, request: Request, impossible: Option<String>) {
        let impossible = impossible.or_else(|| unsendable(&request).err());
        if let Some(why) = &impossible {
            self.unsendable.push(why.clone());
        }
        self.elsewhere.extend(request.authority.clone());
        self.held += request.held();
        self.open.push(Open {
            id: exchange,
            request,
            impossible,
            closing: None,
            content_type: String::new(),
            status: None,
            stage: Stage::Asked,
        });
    }

    fn knows_exchange(&self, exchange: u32) -> bool {
        self.flow.as_ref().is_some_and(|flow| flow.knows_exchange(exchange))
    }

    /// The WebSocket that has not ended; none where it has, which a plugin may not know yet.
    fn socket(&mut self, exchange: u32, action: &str) -> Result<Option<&mut Open>, String> {
        if !self.knows_exchange(exchange) {
            return Err(format!("`{action}` on exchange {exchange}, which was never opened"));
        }
        match self.open.iter_mut().find(|open| open.id == exchange) {
            None => Ok(None),
            Some(open) if open.impossible.is_some() || open.is_given_up() => Ok(None),
            Some(open) if open.request.read == ReadMode::Socket => Ok(Some(open)),
            Some(_) => Err(format!("`{action}` on exchange {exchange}, which is no WebSocket")),
        }
    }

    /// Ends it as its plugin says.
    fn finish(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Ok => self.end("ok", ""),
            Verdict::Cancelled => self.end("cancelled", ""),
            Verdict::Failed(text) => self.end(check_reason(text), ""),
            Verdict::FailedBy(exchange) => {
                let past = self.past.iter().find(|past| past.id == *exchange).and_then(|past| past.reason.clone());
                let open = self.open.iter().find(|open| open.id == *exchange).and_then(|open| open.status);
                match past.or_else(|| open.map(|status| format!("http_{status}"))) {
                    Some(reason) => self.end(reason, ""),
                    None => self.end(
                        "plugin_misuse",
                        format!("`finish` by exchange {exchange}, which has neither failed nor been answered"),
                    ),
                }
            }
        }
    }

    /// One of which nothing is known but how it ended.
    pub(super) fn of_ending(outcome: &str) -> Self {
        Self { ending: Some(Ending::plain(outcome)), ..Self::default() }
    }
}

/// The misuse of a metric that is not there, or of another kind.
fn wrong_metric(metrics: &[Metric], metric: u32, kind: MetricKind) -> Option<After> {
    match metrics.get(metric as usize) {
        Some(found) if found.kind == kind => None,
        Some(found) => Some(After::Misuse(format!("metric {metric} is a {:?}, not a {kind:?}", found.kind))),
        None => Some(After::Misuse(format!("metric {metric} of {}", metrics.len()))),
    }
}

fn checked(metrics: &[Metric], metric: u32, kind: MetricKind) -> After {
    wrong_metric(metrics, metric, kind).unwrap_or(After::GoesOn)
}

/// Looks whether the engine could send a request as asked.
fn unsendable(request: &Request) -> Result<(), String> {
    let read = read_mode(request)?;
    client::sendable(&client::Request {
        authority: None,
        method: request.method.clone(),
        path_with_query: request.path_with_query.clone(),
        fields: request.fields.clone(),
        body: request.body.clone(),
        read,
        peek: 0,
        follow_redirects: request.follow_redirects.unwrap_or(0),
        asked: Time(0),
        timeouts: client::Timeouts::default(),
    })
}

/// What stands for a request that the interface could not even take.
fn nothing(name: String) -> Request {
    Request {
        name: Some(name),
        method: String::new(),
        authority: None,
        path_with_query: String::new(),
        fields: Vec::new(),
        body: bytes::Bytes::new(),
        shares_body: false,
        read: ReadMode::Count,
        wanted_fields: None,
        follow_redirects: None,
        extensions: Vec::new(),
        timeout: None,
    }
}
