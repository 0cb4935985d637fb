//! From the text of a file of cases to cases: every fault with its place.

mod values;

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::client::Reason;
use crate::plugin::{Metric, MetricKind};
use crate::scenario::code;
use crate::scenario::nearest::did_you_mean;
use crate::scenario::reader::{Log, Reader, check_unique};
use crate::scenario::syntax;
use crate::scenario::{Fault, Faults, Sources};

use super::spec;
use super::{Answer, Ask, Begin, Case, End, Expect, Step, Wanted};

/// A value that cannot be used as it is.
const BAD_VALUE: &str = "case.bad_value";
/// A step that says too much, or nothing.
const BAD_STEP: &str = "case.bad_step";
/// A metric that the plugin does not have.
const UNKNOWN_METRIC: &str = "case.unknown_metric";
/// The most bytes of a file.
const LONGEST: u64 = 64 << 20;

/// The cases of a file, for a plugin with these metrics.
///
/// # Errors
/// Everything that is wrong with it, also where it cannot be read.
pub fn load(path: &Path, metrics: &[Metric]) -> Result<Vec<Case>, Faults> {
    use std::io::Read as _;
    let mut text = String::new();
    let file = std::fs::File::open(path).and_then(|file| file.take(LONGEST).read_to_string(&mut text));
    if let Err(error) = file {
        let message = format!("the cases `{}` cannot be read: {error}", path.display());
        let fault =
            Fault::new(code::NOT_READABLE, message).hint("give a file of UTF-8 text; docs/cases.md has the format");
        return Err(Faults::new(Arc::new(Sources::default()), vec![fault]));
    }
    read(&path.display().to_string(), &text, metrics)
}

/// The cases of a text that `name` names.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read(name: &str, text: &str, metrics: &[Metric]) -> Result<Vec<Case>, Faults> {
    let (mut sources, log) = (Sources::default(), Log::default());
    let whole = sources.add(name, text);
    let root = match syntax::document(text, whole) {
        Ok(root) => root,
        Err(faults) => return Err(Faults::new(Arc::new(sources), faults)),
    };
    let file = Reader::new(&spec::ROOT, &root, whole.part(0..0), &log);
    let readers = file.tables("case");
    check_unique(&readers, BAD_VALUE, "cases");
    let hand = Hand { sources: &sources, log: &log, metrics };
    let cases = readers.into_iter().map(|reader| hand.case(reader)).collect();
    file.finish();
    let faults = log.into_faults();
    if faults.is_empty() { Ok(cases) } else { Err(Faults::new(Arc::new(sources), faults)) }
}

/// What reading needs beside the table it reads.
struct Hand<'a> {
    sources: &'a Sources,
    log: &'a Log,
    metrics: &'a [Metric],
}

impl Hand<'_> {
    fn case(&self, reader: Reader<'_>) -> Case {
        let name = reader.text("name").map_or(String::new(), |field| field.value.value.clone());
        reader.text("why");
        let config = reader.any("config").map_or_else(|| Json::Object(Map::new()), |node| self.object("config", node));
        let shared = reader.any("shared").map(|node| self.object("shared", node));
        let flow = reader.choice("flow").map_or("arrival", |field| field.value);
        let line = self.line(reader.place());
        let arrival = self.arrival(reader.table("arrival"));
        if flow != "arrival" && reader.has("arrival") {
            let message = format!("the {flow} flow belongs to no arrival");
            self.log.note(Fault::new(BAD_VALUE, message).at(reader.place_of("arrival"), "take it out"));
        }
        let steps = reader.tables("step").into_iter().map(|step| self.step(step)).collect();
        let expect = self.expect(reader.table("expect"), line);
        reader.finish();
        let begin = match flow {
            "setup" => Begin::Setup,
            "teardown" => Begin::Teardown,
            _ => arrival,
        };
        Case { name, line, config, shared, begin, steps, expect }
    }

    fn arrival(&self, reader: Option<Reader<'_>>) -> Begin {
        let _ = self;
        let Some(reader) = reader else {
            return Begin::Arrival { index: 0, seed: 0, phase: "case".to_owned(), wall_time: 0 };
        };
        let begin = Begin::Arrival {
            index: reader.integer("index").map_or(0, |field| field.value),
            seed: reader.integer("seed").map_or(0, |field| field.value),
            phase: reader.text("phase").map_or_else(|| "case".to_owned(), |field| field.value.value.clone()),
            wall_time: reader.integer("wall_time").map_or(0, |field| field.value),
        };
        reader.finish();
        begin
    }

    fn step(&self, reader: Reader<'_>) -> Step {
        let place = reader.place();
        let asks = ["request", "write", "close", "cancel", "wait"];
        let given: Vec<_> = asks.into_iter().filter(|key| reader.has(key)).collect();
        if given.len() > 1 {
            let message = format!("a step is one thing that is asked for, not `{}`", given.join("` and `"));
            let fault = Fault::new(BAD_STEP, message).at(reader.place_of(given[1]), "give it a step of its own");
            self.log.note(fault);
        }
        let request = reader.table("request").map(|reader| Ask::Request(Box::new(self.wanted(reader))));
        let write = reader.table("write").map(|reader| self.write(reader));
        let close = reader.table("close").map(close);
        let cancel = reader.integer("cancel").map(|field| Ask::Cancel(id(field.value)));
        let wait = reader.duration("wait");
        let fires = reader.boolean("fires");
        if let (Some(fires), false) = (&fires, reader.has("wait")) {
            let message = "`fires` is about the timer of `wait`, and there is none";
            self.log.note(Fault::new(BAD_STEP, message).at(fires.span, "to fire an earlier one: `fire = NUMBER`"));
        }
        let fires = fires.is_none_or(|field| field.value);
        let wait = wait.map(|field| Ask::Wait { length: field.value, fires });
        let answer = reader.table("answer").map(|reader| self.answer(reader));
        let fire = reader.integer("fire").map(|field| id(field.value));
        if let (Some(_), true) = (&fire, reader.has("answer")) {
            let message = "a step has `answer` or `fire`, not both";
            self.log.note(Fault::new(BAD_STEP, message).at(reader.place_of("fire"), "give it a step of its own"));
        }
        if given.is_empty() && !reader.has("answer") && !reader.has("fire") {
            let fault = Fault::new(BAD_STEP, "a step without anything in it").at(place, "here");
            self.log.note(fault.hint(
                "what is asked for: `request`, `write`, `close`, `cancel` or `wait`; what comes: `answer` or `fire`",
            ));
        }
        reader.finish();
        let ask = request.or(write).or(close).or(cancel).or(wait);
        Step { line: self.line(place), ask, answer, fire }
    }

    fn wanted(&self, reader: Reader<'_>) -> Wanted {
        let text = |key| reader.text(key).map(|field| field.value.value.clone());
        let wanted = Wanted {
            name: text("name"),
            method: text("method"),
            path: text("path"),
            authority: text("authority"),
            fields: reader.free("fields").map_or(Vec::new(), |node| self.fields(node)),
            body: self.content(&reader, "body"),
            read: reader.choice("read").map(|field| field.value.to_owned()),
        };
        reader.finish();
        wanted
    }

    fn write(&self, reader: Reader<'_>) -> Ask {
        let to = reader.integer("to").map(|field| id(field.value));
        let ask = Ask::Write { to, what: self.content(&reader, "text") };
        reader.finish();
        ask
    }

    fn answer(&self, reader: Reader<'_>) -> Answer {
        let mut batches = Vec::new();
        let kinds = ["events", "lines", "messages", "chunks"];
        for kind in kinds {
            if let Some(node) = reader.any(kind) {
                batches.extend(self.batches(kind, node));
            }
        }
        let given: Vec<_> = kinds.into_iter().filter(|key| reader.has(key)).collect();
        if given.len() > 1 {
            let message = format!("an answer comes in one form, not as `{}`", given.join("` and `"));
            self.log.note(Fault::new(BAD_STEP, message).at(reader.place_of(given[1]), "one too many"));
        }
        let close = reader.table("close").map(|reader| {
            let code = reader.integer("code").map_or(1000, |field| u16::try_from(field.value).unwrap_or(1000));
            let reason = reader.text("reason").map_or(String::new(), |field| field.value.value.clone());
            reader.finish();
            End::Closed { code, reason }
        });
        let failure = reader.text("failure");
        let detail = reader.text("detail");
        if let (Some(detail), None) = (&detail, &failure) {
            let message = "`detail` is about a `failure`, and there is none";
            self.log.note(Fault::new(BAD_STEP, message).at(detail.span, "take it out"));
        }
        let failure = failure.map(|field| {
            let reason = field.value.value.clone();
            let known = Reason::ALL.map(Reason::as_str);
            if !known.contains(&reason.as_str()) {
                let label = did_you_mean(&reason, known, "none of the documented reasons");
                let fault = Fault::new(BAD_VALUE, format!("no exchange fails by `{reason}`")).at(field.span, label);
                self.log.note(fault.hint(format!("there are: {}", known.join(", "))));
            }
            End::Failed { reason, detail: detail.map_or(String::new(), |detail| detail.value.value.clone()) }
        });
        let cancelled = reader.boolean("cancelled").filter(|field| field.value).map(|_| End::Cancelled);
        let more = reader.boolean("more").filter(|field| field.value).map(|_| End::Later);
        let ends: Vec<_> = [close, failure, cancelled, more].into_iter().flatten().collect();
        if ends.len() > 1 {
            let message = "an answer has one end: `close`, `failure`, `cancelled` or `more`";
            self.log.note(Fault::new(BAD_STEP, message).at(reader.place(), "more than one in here"));
        }
        let text = |key| reader.text(key).map(|field| field.value.value.clone());
        let answer = Answer {
            to: reader.integer("to").map(|field| id(field.value)),
            status: reader.integer("status").and_then(|field| u16::try_from(field.value).ok()),
            fields: reader.free("fields").map_or(Vec::new(), |node| self.fields(node)),
            body: self.content(&reader, "body"),
            size: reader.integer("size").map(|field| field.value),
            subprotocol: text("subprotocol"),
            batches,
            end: ends.into_iter().next().unwrap_or_default(),
        };
        reader.finish();
        answer
    }

    fn expect(&self, reader: Option<Reader<'_>>, line: usize) -> Expect {
        let mut expect = Expect {
            line,
            verdict: "ok".to_owned(),
            marks: Vec::new(),
            counters: Vec::new(),
            observations: Vec::new(),
            checks: Vec::new(),
            log: Vec::new(),
        };
        let Some(reader) = reader else { return expect };
        expect.line = self.line(reader.place());
        if let Some(verdict) = reader.text("verdict") {
            expect.verdict.clone_from(&verdict.value.value);
        }
        expect.marks = self.figures(reader.free("marks"), MetricKind::Mark, |node| self.whole(node));
        expect.counters = self.figures(reader.free("counters"), MetricKind::Counter, |node| self.whole(node));
        expect.observations =
            self.figures(reader.free("observations"), MetricKind::Observation, |node| self.numbers(node));
        let checks = self.figures(reader.free("checks"), MetricKind::Check, |node| self.passed(node));
        expect.checks = checks.into_iter().map(|(name, (passed, failed))| (name, passed, failed)).collect();
        let log = reader.texts("log").unwrap_or_default();
        expect.log = log.into_iter().map(|field| field.value.value.clone()).collect();
        reader.finish();
        expect
    }
}

fn close(reader: Reader<'_>) -> Ask {
    let ask = Ask::Close {
        to: reader.integer("to").map(|field| id(field.value)),
        code: reader.integer("code").and_then(|field| u16::try_from(field.value).ok()),
        reason: reader.text("reason").map(|field| field.value.value.clone()),
    };
    reader.finish();
    ask
}

/// The reader has held it against its range.
fn id(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
