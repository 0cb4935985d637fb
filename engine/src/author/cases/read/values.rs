//! Single values of a case: figures, contents, fields, batches.

use std::rc::Rc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value as Json;

use crate::author::cases::{Batch, Content};
use crate::pieces::{Message, ServerSentEvent};
use crate::plugin::MetricKind;
use crate::scenario::config::json;
use crate::scenario::nearest::did_you_mean;
use crate::scenario::reader::Reader;
use crate::scenario::tree::{Node, Table, Value};
use crate::scenario::{Fault, Span, code};

use super::{BAD_STEP, BAD_VALUE, Hand, UNKNOWN_METRIC};

impl Hand<'_> {
    /// What is expected of metrics of one kind, by their names.
    pub(super) fn figures<T>(
        &self,
        node: Option<&Node>,
        kind: MetricKind,
        read: impl Fn(&Node) -> Option<T>,
    ) -> Vec<(String, T)> {
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
                let stale = "; cases of an earlier state of the plugin are mended or deleted";
                self.log.note(fault.at(entry.key_span, label).hint(there + stale));
            }
            figures.extend(read(&entry.node).map(|figure| (entry.key.clone(), figure)));
        }
        figures
    }

    pub(super) fn whole(&self, node: &Node) -> Option<u64> {
        match &node.value {
            Value::Integer(integer) if u64::try_from(*integer).is_ok() => u64::try_from(*integer).ok(),
            _ => self.bad(node, "a whole number from 0 is expected here"),
        }
    }

    pub(super) fn numbers(&self, node: &Node) -> Option<Vec<f64>> {
        let Value::Array(nodes) = &node.value else { return self.bad(node, "a list of numbers is expected here") };
        let number = |node: &Node| match &node.value {
            Value::Integer(integer) => Some(*integer as f64),
            Value::Float(float) => Some(*float),
            _ => self.bad(node, "a number is expected here"),
        };
        nodes.iter().map(number).collect()
    }

    pub(super) fn passed(&self, node: &Node) -> Option<(u64, u64)> {
        const WHAT: &str = "`{ passed = N, failed = N }` is expected here";
        let Value::Table(table) = &node.value else { return self.bad(node, WHAT) };
        if let Some(entry) = table.entries.iter().find(|entry| !["passed", "failed"].contains(&entry.key.as_str())) {
            return self.bad(&entry.node, WHAT);
        }
        let count = |key| table.get(key).map_or(Some(0), |entry| self.whole(&entry.node));
        Some((count("passed")?, count("failed")?))
    }

    /// A body or message: as text under `text`, as `json`, or as `base64`.
    pub(super) fn content(&self, reader: &Reader<'_>, text: &'static str) -> Option<Content> {
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

    pub(super) fn base64(&self, text: &str, span: Span) -> Option<Vec<u8>> {
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
    pub(super) fn json(&self, key: &str, node: &Node) -> Option<Json> {
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

    pub(super) fn object(&self, key: &str, node: &Node) -> Json {
        match self.json(key, node) {
            Some(object @ Json::Object(_)) => object,
            Some(_) => self.bad(node, &format!("`{key}` is a table")).unwrap_or_default(),
            None => Json::Null,
        }
    }

    /// Fields: one value a name, or a list of them.
    pub(super) fn fields(&self, node: &Node) -> Vec<(String, String)> {
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
    pub(super) fn batches(&self, kind: &str, node: &Node) -> Vec<Batch> {
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
    pub(super) fn piece(&self, node: &Node) -> Option<Content> {
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
    pub(super) fn event(&self, node: &Node) -> Option<ServerSentEvent> {
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

    pub(super) fn bad<T>(&self, node: &Node, what: &str) -> Option<T> {
        let found = node.value.type_name();
        self.log.note(Fault::new(BAD_VALUE, what).at(node.span, format!("this is {found}")));
        None
    }

    pub(super) fn line(&self, span: Span) -> usize {
        self.sources.position(span).0
    }
}
