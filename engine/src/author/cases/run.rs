//! Runs a case on an instance of its own: holds what the plugin asks for against the steps, and lets come what they say.

use std::collections::VecDeque;

use crate::author::piece::cut;
use crate::author::rehearsal::{Rehearsal, TakeId};
use crate::author::telling::told;
use crate::pieces::Message;
use crate::plugin::{Action, Metric, Plugin, Refused};

use super::answers::pieces;
use super::compare::{content, fits, request};
use super::counted_marks;
use super::{Answer, Ask, Case, Expect, Step};

/// One thing that is not as a case expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The line of the file at which it is expected.
    pub line: usize,
    /// Which part, in words.
    pub part: String,
    /// What is expected.
    pub expected: String,
    /// What came.
    pub got: String,
}

impl Difference {
    pub(super) fn of(line: usize, part: impl Into<String>, expected: &str, got: &str) -> Self {
        Self { line, part: part.into(), expected: expected.to_owned(), got: got.to_owned() }
    }
}

/// How a case came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseResult {
    /// Its name.
    pub name: String,
    /// The line on which it begins.
    pub line: usize,
    /// What is not as expected; empty where it passed.
    pub differences: Vec<Difference>,
    /// What happened, a line each.
    pub story: Vec<String>,
}

/// One case being run.
struct Play<'a> {
    case: &'a Case,
    rehearsal: Rehearsal,
    take: TakeId,
    metrics: &'a [Metric],
    /// Actions that have been looked at.
    seen: usize,
    /// What the plugin has asked for and no step has spoken of.
    asked: VecDeque<Action>,
}

/// Runs a case.
pub fn run(plugin: &Plugin, case: &Case) -> CaseResult {
    let result = |differences, story| CaseResult { name: case.name.clone(), line: case.line, differences, story };
    let config = case.config.to_string();
    let shared = case.shared.as_ref().map(ToString::to_string);
    let mut rehearsal = match Rehearsal::new(plugin, &config, shared.as_deref()) {
        Ok(rehearsal) => rehearsal,
        Err(refused) => {
            let what = match &refused {
                Refused::Config(_) => "refused",
                Refused::Fault(_) => "a fault",
            };
            let got = format!("{what}: {refused}");
            return result(vec![Difference::of(case.line, "configuration", "accepted", &got)], Vec::new());
        }
    };
    let Some(take) = rehearsal.begin(&case.begin) else {
        return result(vec![Difference::of(case.line, "flow", "one that runs", "the plugin has none")], Vec::new());
    };
    let metrics = &plugin.description.metrics;
    let mut play = Play { case, rehearsal, take, metrics, seen: 0, asked: VecDeque::new() };
    let differences = play.all();
    let story = play.rehearsal.forget(take).map_or(Vec::new(), |take| take.story());
    result(differences, story)
}

impl Play<'_> {
    /// All steps, up to the first that is not as expected; then the outcome.
    fn all(&mut self) -> Vec<Difference> {
        for step in &self.case.steps {
            let differences = self.step(step);
            if !differences.is_empty() {
                return differences;
            }
        }
        self.look();
        let mut differences = Vec::new();
        if let Some(first) = self.asked.front() {
            let got = told(first, self.metrics);
            let last = self.case.steps.last().map_or(self.case.line, |step| step.line);
            differences.push(Difference::of(last, "after the last step", "nothing more is asked for", &got));
        }
        differences.extend(self.outcome(&self.case.expect));
        differences
    }

    /// Takes up what was asked for since this was last called.
    fn look(&mut self) {
        let acts = &self.rehearsal.take(self.take).acts;
        for action in &acts[self.seen..] {
            let asks = matches!(
                action,
                Action::Send { .. }
                    | Action::Impossible { .. }
                    | Action::Write { .. }
                    | Action::Close { .. }
                    | Action::Cancel(_)
                    | Action::Wait { .. }
            );
            if asks {
                self.asked.push_back(action.clone());
            }
        }
        self.seen = acts.len();
    }

    fn step(&mut self, step: &Step) -> Vec<Difference> {
        self.look();
        let mut exchange = None;
        let mut timer = step.fire;
        if let Some(ask) = &step.ask {
            let Some(action) = self.asked.pop_front() else {
                let got = self.rehearsal.take(self.take).ending().map_or_else(
                    || "nothing: it waits for what may come".to_owned(),
                    |ending| {
                        format!("nothing: it has ended as {} {}", ending.outcome, ending.detail).trim_end().to_owned()
                    },
                );
                return vec![Difference::of(step.line, "what is asked for", &expected(ask), &got)];
            };
            match matches(ask, &action, step.line, self.metrics) {
                Ok(Matched { to, timer: set }) => {
                    exchange = to;
                    timer = timer.or(set);
                }
                Err(differences) => return differences,
            }
        }
        let wrong = |what: String| vec![Difference::of(step.line, "what comes", "something that can come", &what)];
        if let Some(timer) = timer
            && let Err(why) = self.rehearsal.fire(self.take, timer)
        {
            return wrong(why);
        }
        if let Some(answer) = &step.answer
            && let Err(why) = self.answer(answer, exchange)
        {
            return wrong(why);
        }
        Vec::new()
    }

    /// Lets an answer come, piece by piece. What is left of it when the iteration has ended finds nobody.
    fn answer(&mut self, answer: &Answer, exchange: Option<u32>) -> Result<(), String> {
        let take = self.rehearsal.take(self.take);
        let open = take.open();
        let to = match (answer.to.or(exchange), open) {
            (Some(to), _) => to,
            (None, [only]) => only.id,
            (None, []) => return Err("no exchange is open".to_owned()),
            (None, several) => {
                let ids: Vec<_> = several.iter().map(|open| open.id.to_string()).collect();
                return Err(format!("several exchanges are open: say which with `to`, one of {}", ids.join(", ")));
            }
        };
        let Some(open) = open.iter().find(|open| open.id == to) else {
            return take.place(to).map(drop);
        };
        let mut first = true;
        for piece in pieces(answer, open)? {
            if !first && self.rehearsal.take(self.take).ending().is_some() {
                break;
            }
            first = false;
            self.rehearsal.deliver(self.take, to, &piece)?;
        }
        Ok(())
    }

    /// What must have come of it.
    fn outcome(&self, expect: &Expect) -> Vec<Difference> {
        let take = self.rehearsal.take(self.take);
        let mut differences = Vec::new();
        let mut differ = |part: String, expected: String, got: String| {
            if expected != got {
                differences.push(Difference::of(expect.line, part, &expected, &got));
            }
        };
        let got = take.ending().map_or_else(
            || ("it has not ended".to_owned(), ""),
            |ending| (ending.outcome.clone(), ending.detail.as_str()),
        );
        if !fits(&expect.verdict, &got.0) {
            let separator = if got.1.is_empty() { "" } else { ": " };
            differ("verdict".to_owned(), expect.verdict.clone(), format!("{}{separator}{}", got.0, got.1));
        }
        let named = |metric: u32| self.metrics.get(metric as usize).map_or("", |metric| metric.name.as_str());
        for (name, times) in &expect.marks {
            let marks = counted_marks(&take.acts).filter(|&metric| named(metric) == name).count();
            differ(format!("mark `{name}`"), format!("counted {times} times"), format!("counted {marks} times"));
        }
        for (name, sum) in &expect.counters {
            let got: u64 = take
                .acts
                .iter()
                .map(|act| match act {
                    Action::Count { metric, n } if named(*metric) == name => *n,
                    _ => 0,
                })
                .sum();
            differ(format!("counter `{name}`"), sum.to_string(), got.to_string());
        }
        for (name, values) in &expect.observations {
            let got = take.acts.iter().filter_map(|act| match act {
                Action::Observe { metric, value } if named(*metric) == name => Some(*value),
                _ => None,
            });
            differ(format!("observation `{name}`"), format!("{values:?}"), format!("{:?}", got.collect::<Vec<_>>()));
        }
        for (name, passed, failed) in &expect.checks {
            let times = |want: bool| {
                let is = |act: &&Action| matches!(act, Action::Check { metric, passed } if named(*metric) == name && *passed == want);
                take.acts.iter().filter(is).count()
            };
            let shown = |passed: String, failed: String| format!("passed {passed}, failed {failed}");
            let got = shown(times(true).to_string(), times(false).to_string());
            differ(format!("check `{name}`"), shown(passed.to_string(), failed.to_string()), got);
        }
        for text in &expect.log {
            if !take.log.iter().any(|line| fits(&format!("***{text}***"), &line.text)) {
                let lines: Vec<_> = take.log.iter().map(|line| line.text.as_str()).collect();
                let got = if lines.is_empty() { "no line".to_owned() } else { lines.join("\n") };
                differ("log".to_owned(), format!("a line with {text:?}"), got);
            }
        }
        differences
    }
}

/// What an ask was matched to.
struct Matched {
    to: Option<u32>,
    timer: Option<u32>,
}

/// Holds an action against what is expected.
fn matches(ask: &Ask, action: &Action, line: usize, metrics: &[Metric]) -> Result<Matched, Vec<Difference>> {
    let same = |part: &str, expected: Option<u32>, got: u32| match expected {
        Some(expected) if expected != got => {
            Err(vec![Difference::of(line, part, &expected.to_string(), &got.to_string())])
        }
        _ => Ok(()),
    };
    let to = |exchange: u32| Ok(Matched { to: Some(exchange), timer: None });
    match (ask, action) {
        (Ask::Request(wanted), Action::Send { exchange, request: got }) => {
            let differences = request(wanted, got, line);
            if differences.is_empty() { to(*exchange) } else { Err(differences) }
        }
        // One that cannot be had has no parts to compare.
        (Ask::Request(_), Action::Impossible { exchange, .. }) => to(*exchange),
        (Ask::Write { to: wanted, what }, Action::Write { exchange, message }) => {
            same("exchange that is written to", *wanted, *exchange)?;
            let bytes = match message {
                Message::Text(text) => text.as_bytes(),
                Message::Binary(bytes) => bytes,
            };
            match what.as_ref().and_then(|what| content(what, bytes)) {
                Some((expected, got)) => Err(vec![Difference::of(line, "message", &expected, &got)]),
                None => to(*exchange),
            }
        }
        (Ask::Close { to: wanted, code, reason }, Action::Close { exchange, code: got, reason: text }) => {
            same("exchange that is closed", *wanted, *exchange)?;
            same("code of the close", code.map(u32::from), (*got).into())?;
            match reason {
                Some(reason) if !fits(reason, text) => {
                    Err(vec![Difference::of(line, "text of the close", reason, text)])
                }
                _ => to(*exchange),
            }
        }
        (Ask::Cancel(wanted), Action::Cancel(exchange)) => {
            same("exchange that is given up", Some(*wanted), *exchange)?;
            to(*exchange)
        }
        (Ask::Wait { length, fires }, Action::Wait { timer, nanoseconds }) => {
            let got = std::time::Duration::from_nanos(*nanoseconds);
            if *length == got {
                return Ok(Matched { to: None, timer: fires.then_some(*timer) });
            }
            let show = |length| humantime::format_duration(length).to_string();
            Err(vec![Difference::of(line, "length of the timer", &show(*length), &show(got))])
        }
        _ => Err(vec![Difference::of(line, "what is asked for", &expected(ask), &told(action, metrics))]),
    }
}

/// What a step expects, in a few words.
fn expected(ask: &Ask) -> String {
    match ask {
        Ask::Request(wanted) => {
            let method = wanted.method.as_deref().unwrap_or("a request");
            let path = wanted.path.as_deref().or(wanted.name.as_deref()).unwrap_or_default();
            format!("asks for {method} {path}").trim_end().to_owned()
        }
        Ask::Write { what: Some(what), .. } => format!("writes {}", cut(&String::from_utf8_lossy(&what.bytes()))),
        Ask::Write { .. } => "writes a message".to_owned(),
        Ask::Close { .. } => "closes a WebSocket".to_owned(),
        Ask::Cancel(exchange) => format!("gives #{exchange} up"),
        Ask::Wait { length, .. } => format!("waits {}", humantime::format_duration(*length)),
    }
}
