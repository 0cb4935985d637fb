//! What a server sends, as far as it matters here. Servers differ: what is not looked at may have any shape, and what is
//! may be absent or null.

use std::fmt;

use engine_sdk::Stop;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// A chunk of a stream, or a whole answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Chunk {
    choices: Option<Vec<Choice>>,
    pub(crate) usage: Option<Usage>,
    error: Option<Value>,
    // Of servers whose error is the whole object: `{"object": "error", "type": …}`.
    object: Option<Value>,
    #[serde(rename = "type")]
    kind: Option<Value>,
    code: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Choice {
    /// In a stream.
    delta: Option<Delta>,
    /// In a whole answer.
    message: Option<Delta>,
    finish_reason: Presence,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Delta {
    content: Presence,
    refusal: Presence,
    reasoning_content: Presence,
    reasoning: Presence,
    tool_calls: Presence,
    function_call: Presence,
}

/// The server's count of tokens.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Usage {
    pub(crate) prompt_tokens: Option<u64>,
    pub(crate) completion_tokens: Option<u64>,
}

/// What a chunk has in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Output {
    /// Text that people see.
    pub(crate) text: bool,
    /// Thoughts.
    pub(crate) reasoning: bool,
    /// Calls of tools.
    pub(crate) tools: bool,
}

impl Output {
    /// What is in this or in that.
    pub(crate) fn add(&mut self, other: Self) {
        self.text |= other.text;
        self.reasoning |= other.reasoning;
        self.tools |= other.tools;
    }

    /// Whether the model has said anything in it.
    pub(crate) fn any(self) -> bool {
        self.text || self.reasoning || self.tools
    }
}

impl Chunk {
    /// What all its choices have in them.
    pub(crate) fn output(&self) -> Output {
        let mut output = Output::default();
        for choice in self.choices.iter().flatten() {
            for delta in choice.delta.iter().chain(&choice.message) {
                output.text |= delta.content.0 || delta.refusal.0;
                output.reasoning |= delta.reasoning_content.0 || delta.reasoning.0;
                output.tools |= delta.tool_calls.0 || delta.function_call.0;
            }
        }
        output
    }

    /// Whether one of its choices says why it ended.
    pub(crate) fn finished(&self) -> bool {
        self.choices.iter().flatten().any(|choice| choice.finish_reason.0)
    }

    /// The error it is or holds.
    pub(crate) fn error(&self) -> Option<Stop> {
        match &self.error {
            Some(Value::Object(error)) => Some(error_of(error.get("type"), error.get("code"))),
            Some(_) => Some(Stop::failed("error")),
            None if self.object.as_ref().is_some_and(|object| object == "error") => {
                Some(error_of(self.kind.as_ref(), self.code.as_ref()))
            }
            None => None,
        }
    }
}

/// The failure for an error: its type, else its code where that is a word.
fn error_of(kind: Option<&Value>, code: Option<&Value>) -> Stop {
    let word = [kind, code].into_iter().flatten().find_map(Value::as_str);
    Stop::quoting("error", word.unwrap_or_default())
}

/// Whether a value has something in it: a text that is not empty, or a list or object that holds such a one. Null, flags
/// and numbers have not, and neither has what only says how the rest is to be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Presence(bool);

impl<'de> Deserialize<'de> for Presence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PresenceVisitor).map(Self)
    }
}

struct PresenceVisitor;

impl<'de> Visitor<'de> for PresenceVisitor {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_bool<E>(self, _: bool) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_i64<E>(self, _: i64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_u64<E>(self, _: u64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_f64<E>(self, _: f64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_str<E>(self, text: &str) -> Result<bool, E> {
        Ok(!text.is_empty())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<bool, A::Error> {
        let mut any = false;
        while let Some(Presence(present)) = items.next_element()? {
            any |= present;
        }
        Ok(any)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<bool, A::Error> {
        let mut any = false;
        while let Some((key, Presence(present))) = entries.next_entry::<String, Presence>()? {
            any |= present && !matches!(key.as_str(), "type" | "id" | "index");
        }
        Ok(any)
    }
}
