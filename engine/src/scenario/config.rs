//! The configuration of a plugin: any table, handed over as JSON.

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::{Map, Number, Value as Json};

use super::code;
use super::fault::Fault;
use super::reader::Log;
use super::source::Span;
use super::tree::{Node, Text, Value};

/// A plugin's configuration.
///
/// Serialized (and printed for debugging) it shows what is written in the scenario, with `${NAME}` in the place of what
/// came from the environment.
#[derive(Clone)]
pub struct Config {
    value: Json,
    shown: Json,
    span: Span,
    /// As it was written, for the places of its parts.
    node: Option<Node>,
}

/// One step into a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// To the value of a key.
    Key(Cow<'a, str>),
    /// To an element of an array, from 0.
    Index(usize),
}

impl Config {
    /// The configuration of a `config` table; `{}` standing at `place` where there is none.
    pub(super) fn of(node: Option<&Node>, place: Span, log: &Log) -> Self {
        let empty = || Json::Object(Map::new());
        let value = node.map_or_else(empty, |node| json(node, |text| &text.value, log));
        // The same faults again: noted once is enough.
        let shown = node.map_or_else(empty, |node| json(node, |text| &text.raw, &Log::default()));
        Self { value, shown, span: node.map_or(place, |node| node.span), node: node.cloned() }
    }

    /// What the plugin is given: always an object.
    pub fn value(&self) -> &Json {
        &self.value
    }

    /// What may be shown.
    pub fn shown(&self) -> &Json {
        &self.shown
    }

    /// Where it stands.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Where the value at a path stands, or as much of the path as there is.
    pub fn value_span<'a>(&self, path: impl IntoIterator<Item = Step<'a>>) -> Span {
        self.walk(path).map_or(self.span, |node| node.span)
    }

    /// Where a key of the table at a path stands; the table, where it has no such key.
    pub fn key_span<'a>(&self, path: impl IntoIterator<Item = Step<'a>>, key: &str) -> Span {
        let Some(node) = self.walk(path) else { return self.span };
        match &node.value {
            Value::Table(table) => table.get(key).map_or(node.span, |entry| entry.key_span),
            _ => node.span,
        }
    }

    fn walk<'a>(&self, path: impl IntoIterator<Item = Step<'a>>) -> Option<&Node> {
        let mut node = self.node.as_ref()?;
        for step in path {
            let next = match (&node.value, step) {
                (Value::Table(table), Step::Key(key)) => table.get(&key).map(|entry| &entry.node),
                (Value::Table(table), Step::Index(at)) => table.get(&at.to_string()).map(|entry| &entry.node),
                (Value::Array(nodes), Step::Index(at)) => nodes.get(at),
                _ => None,
            };
            match next {
                Some(next) => node = next,
                None => break,
            }
        }
        Some(node)
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Config").field("shown", &self.shown).finish_non_exhaustive()
    }
}

impl Serialize for Config {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.shown.serialize(serializer)
    }
}

pub(crate) fn json(node: &Node, pick: fn(&Text) -> &str, log: &Log) -> Json {
    match &node.value {
        Value::Text(text) => Json::String(pick(text).to_owned()),
        Value::Integer(integer) => {
            let number =
                i64::try_from(*integer).map(Number::from).or_else(|_| u64::try_from(*integer).map(Number::from));
            number.map_or_else(|_| refuse(node, "integers here must fit in 64 bits", log), Json::Number)
        }
        Value::Float(float) => Number::from_f64(*float).map_or_else(
            || refuse(node, "JSON, in which plugins are configured, has no such number", log),
            Json::Number,
        ),
        Value::Boolean(boolean) => Json::Bool(*boolean),
        Value::Datetime(datetime) => Json::String(datetime.clone()),
        Value::Array(nodes) => Json::Array(nodes.iter().map(|node| json(node, pick, log)).collect()),
        Value::Table(table) => {
            Json::Object(table.entries.iter().map(|entry| (entry.key.clone(), json(&entry.node, pick, log))).collect())
        }
    }
}

fn refuse(node: &Node, message: &str, log: &Log) -> Json {
    log.note(Fault::new(code::CONFIG, message).at(node.span, "cannot be handed over"));
    Json::Null
}
