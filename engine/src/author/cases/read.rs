//! From the text of a file of cases to cases: every fault with its place.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value as Json};

use crate::client::Reason;
use crate::pieces::{Message, ServerSentEvent};
use crate::plugin::{Metric, MetricKind};
use crate::scenario::code;
use crate::scenario::config::json;
use crate::scenario::nearest::did_you_mean;
use crate::scenario::reader::{Log, Reader, check_unique};
use crate::scenario::syntax;
use crate::scenario::tree::{Node, Table, Value};
use crate::scenario::{Fault, Faults, Sources, Span};

use super::spec;
use super::{Answer, Ask, Batch, Begin, Case, Content, End, Expect, Step, Wanted};

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

    /// What is expected of metrics of one kind, by their names.
    fn figures<T>(&self, node: Option<&Node>, kind: MetricKind, read: impl Fn(&Node) -> Option<T>) -> Vec<(String, T)> {
        let Some(Node { value: Value::Table(table), .. }) = node else { return Vec::new() };
        let known: Vec<&str> =
            self.metrics.iter().filter(|metric| metric.kind == kind).map(|metric| metric.name.as_str()).collect();
        let mut figures = Vec::new();
        for entry in &table.entries {
            if !known.contains(&entry.key.as_str()) {
                let label = did_you_mean(&entry.key, known.iter().copied(), "not known");
                let kind = kind.as_str();
                let fault = Fault::new(UNKNOWN_METRIC, format!("the plugin has no {kind} `{}`", entry.key));
                let there =
                    if known.is_empty() { "it has none".to_owned() } else { format!("it has: {}", known.join(", ")) };
                self.log.note(fault.at(entry.key_span, label).hint(there));
            }
            figures.extend(read(&entry.node).map(|figure| (entry.key.clone(), figure)));
        }
        figures
    }

    fn whole(&self, node: &Node) -> Option<u64> {
        match &node.value {
            Value::Integer(integer) if u64::try_from(*integer).is_ok() => u64::try_from(*integer).ok(),
            _ => self.bad(node, "a whole number from 0 is expected here"),
        }
    }

    fn numbers(&self, node: &Node) -> Option<Vec<f64>> {
        let Value::Array(nodes) = &node.value else { return self.bad(node, "a list of numbers is expected here") };
        let number = |node: &Node| match &node.value {
            Value::Integer(integer) => Some(*integer as f64),
            Value::Float(float) => Some(*float),
            _ => self.bad(node, "a number is expected here"),
        };
        nodes.iter().map(number).collect()
    }

    fn passed(&self, node: &Node) -> Option<(u64, u64)> {
        const WHAT: &str = "`{ passed = N, failed = N }` is expected here";
        let Value::Table(table) = &node.value else { return self.bad(node, WHAT) };
        if let Some(entry) = table.entries.iter().find(|entry| !["passed", "failed"].contains(&entry.key.as_str())) {
            return self.bad(&entry.node, WHAT);
        }
        let count = |key| table.get(key).map_or(Some(0), |entry| self.whole(&entry.node));
        Some((count("passed")?, count("failed")?))
    }

    /// A body or message: as text under `text`, as `json`, or as `base64`.
    fn content(&self, reader: &Reader<'_>, text: &'static str) -> Option<Content> {
        let as_text = reader.text(text).map(|field| Content::Text(field.value.value.clone()));
        let as_json = reader.any("json").and_then(|node| self.json("json", node)).map(Content::Json);
        let as_bytes = reader.text("base64").and_then(|field| self.base64(&field.value.value, field.span));
        let given: Vec<_> = [text, "json", "base64"].into_iter().filter(|key| reader.has(key)).collect();
        if given.len() > 1 {
            let message = format!("there is one body, not `{}`", given.join("` and `"));
            self.log.note(Fault::new(BAD_STEP, message).at(reader.place_of(given[1]), "one too many"));
        }
        as_text.or(as_json).or(as_bytes.map(Content::Bytes))
    }

    fn base64(&self, text: &str, span: Span) -> Option<Vec<u8>> {
        match STANDARD.decode(text) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                let fault = Fault::new(BAD_VALUE, format!("not base64: {error}")).at(span, "here");
                self.log.note(fault.hint("letters, digits, `+` and `/`, filled up with `=` (RFC 4648, section 4)"));
                None
            }
        }
    }

    /// A value as JSON: a string is the text of it.
    fn json(&self, key: &str, node: &Node) -> Option<Json> {
        let Value::Text(text) = &node.value else { return Some(json(node, |text| &text.value, self.log)) };
        match serde_json::from_str(&text.value) {
            Ok(value) => Some(value),
            Err(error) => {
                let message = format!("a string under `{key}` is the text of a JSON value, and this is none: {error}");
                let fault = Fault::new(BAD_VALUE, message).at(node.span, "here");
                self.log.note(fault.hint(format!("the string `hello` is written {key} = '\"hello\"'")));
                None
            }
        }
    }

    fn object(&self, key: &str, node: &Node) -> Json {
        match self.json(key, node) {
            Some(object @ Json::Object(_)) => object,
            Some(_) => self.bad(node, &format!("`{key}` is a table")).unwrap_or_default(),
            None => Json::Null,
        }
    }

    /// Fields: one value a name, or a list of them.
    fn fields(&self, node: &Node) -> Vec<(String, String)> {
        let Value::Table(table) = &node.value else { return Vec::new() };
        let mut fields = Vec::new();
        for entry in &table.entries {
            let values = match &entry.node.value {
                Value::Array(nodes) => nodes.iter().collect(),
                _ => vec![&entry.node],
            };
            for node in values {
                let value = match &node.value {
                    Value::Text(text) => Some(text.value.clone()),
                    Value::Integer(integer) => Some(integer.to_string()),
                    _ => self.bad(node, "a field's value is a string"),
                };
                let name = http::HeaderName::from_bytes(entry.key.as_bytes());
                if name.is_err() {
                    let fault = Fault::new(BAD_VALUE, format!("`{}` is no field's name", entry.key));
                    self.log.note(fault.at(entry.key_span, "letters, digits and `-`"));
                }
                fields.extend(value.map(|value| (entry.key.clone(), value)));
            }
        }
        fields
    }

    /// What came read by read: each entry is a read, a list of several pieces or a single one.
    fn batches(&self, kind: &str, node: &Node) -> Vec<Batch> {
        let Value::Array(reads) = &node.value else {
            self.bad::<()>(node, &format!("`{kind}` is a list, an entry for each read"));
            return Vec::new();
        };
        let mut batches = Vec::new();
        for read in reads {
            let pieces = match &read.value {
                Value::Array(pieces) => pieces.iter().collect(),
                _ => vec![read],
            };
            match kind {
                "events" => {
                    batches.push(Batch::Events(pieces.into_iter().filter_map(|node| self.event(node)).collect()));
                }
                "lines" => {
                    let line = |node: &Node| match &node.value {
                        Value::Text(text) => Some(text.value.clone()),
                        _ => self.bad(node, "a line is a string"),
                    };
                    batches.push(Batch::Lines(pieces.into_iter().filter_map(line).collect()));
                }
                "messages" => {
                    let message = |node| match self.piece(node)? {
                        Content::Bytes(bytes) => Some(Message::Binary(bytes)),
                        content => Some(Message::Text(String::from_utf8_lossy(&content.bytes()).into_owned())),
                    };
                    batches.push(Batch::Messages(pieces.into_iter().filter_map(message).collect()));
                }
                // A read of bytes is one chunk, so that several are several reads.
                _ => batches.extend(
                    pieces.into_iter().filter_map(|node| self.piece(node)).map(|piece| Batch::Chunk(piece.bytes())),
                ),
            }
        }
        batches
    }

    /// A string, `{ json = … }` or `{ base64 = … }`.
    fn piece(&self, node: &Node) -> Option<Content> {
        const WHAT: &str = "a string, `{ json = … }` or `{ base64 = \"…\" }` is expected here";
        let table = match &node.value {
            Value::Text(text) => return Some(Content::Text(text.value.clone())),
            Value::Table(table) if table.entries.len() == 1 => table,
            _ => return self.bad(node, WHAT),
        };
        let entry = &table.entries[0];
        match (entry.key.as_str(), &entry.node.value) {
            ("json", _) => self.json("json", &entry.node).map(Content::Json),
            ("base64", Value::Text(text)) => self.base64(&text.value, entry.node.span).map(Content::Bytes),
            _ => self.bad(node, WHAT),
        }
    }

    /// A string, which is its data, or `{ event, data, id }`, whose data may be given as `json`.
    fn event(&self, node: &Node) -> Option<ServerSentEvent> {
        const WHAT: &str = "a string, or `{ data = \"…\" }` or `{ json = … }` with `event` and `id`, is expected here";
        let table: &Table = match &node.value {
            Value::Text(text) => return Some(ServerSentEvent::new(String::new(), text.value.clone(), Rc::from(""))),
            Value::Table(table) => table,
            _ => return self.bad(node, WHAT),
        };
        if let Some(entry) = table.entries.iter().find(|entry| !["event", "data", "json", "id"].contains(&&*entry.key))
        {
            let label = did_you_mean(&entry.key, ["event", "data", "json", "id"], "not known here");
            let fault = Fault::new(code::UNKNOWN_KEY, format!("unknown key `{}` in an event", entry.key));
            self.log.note(fault.at(entry.key_span, label).hint("known keys: event, data, json, id"));
            return None;
        }
        let text = |key| match table.get(key).map(|entry| &entry.node) {
            None => Some(String::new()),
            Some(Node { value: Value::Text(text), .. }) => Some(text.value.clone()),
            Some(node) => self.bad(node, "a string is expected here"),
        };
        let data = match table.get("json") {
            Some(entry) => self.json("json", &entry.node)?.to_string(),
            None => text("data")?,
        };
        Some(ServerSentEvent::new(text("event")?, data, Rc::from(text("id")?)))
    }

    fn bad<T>(&self, node: &Node, what: &str) -> Option<T> {
        let found = node.value.type_name();
        self.log.note(Fault::new(BAD_VALUE, what).at(node.span, format!("this is {found}")));
        None
    }

    fn line(&self, span: Span) -> usize {
        self.sources.position(span).0
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
