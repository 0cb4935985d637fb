//! What the platform says.

use std::borrow::Cow;
use std::fmt;

use engine_sdk::{Message, Stop};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A message of the platform's, as far as it matters here.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// `text_delta` with text that is not empty.
    Text,
    /// `complete`: the answer is whole.
    Complete,
    /// `error` with its message, empty where it has none.
    Error(String),
    /// Anything else, an empty `text_delta` among it.
    Other,
}

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    delta: Option<Cow<'a, str>>,
    #[serde(default)]
    message: Said,
}

/// A text, or nothing for a value of another kind, which is read over without being kept: a frame may have megabytes.
#[derive(Default)]
struct Said(String);

impl<'de> Deserialize<'de> for Said {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl<'de> Visitor<'de> for Text {
            type Value = Said;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }

            fn visit_str<E>(self, text: &str) -> Result<Said, E> {
                Ok(Said(text.to_owned()))
            }

            fn visit_bool<E>(self, _: bool) -> Result<Said, E> {
                Ok(Said::default())
            }

            fn visit_i64<E>(self, _: i64) -> Result<Said, E> {
                Ok(Said::default())
            }

            fn visit_u64<E>(self, _: u64) -> Result<Said, E> {
                Ok(Said::default())
            }

            fn visit_f64<E>(self, _: f64) -> Result<Said, E> {
                Ok(Said::default())
            }

            fn visit_unit<E>(self) -> Result<Said, E> {
                Ok(Said::default())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, values: A) -> Result<Said, A::Error> {
                IgnoredAny.visit_seq(values).map(|_| Said::default())
            }

            fn visit_map<A: MapAccess<'de>>(self, values: A) -> Result<Said, A::Error> {
                IgnoredAny.visit_map(values).map(|_| Said::default())
            }
        }

        deserializer.deserialize_any(Text)
    }
}

impl Frame {
    /// Reads a message.
    ///
    /// # Errors
    /// [`Stop::Failed`] where it is no JSON object of that shape.
    pub(crate) fn read(message: &Message) -> Result<Self, Stop> {
        let bytes = match message {
            Message::Text(text) => text.as_bytes(),
            Message::Binary(bytes) => bytes,
        };
        let wire: Wire = serde_json::from_slice(bytes).map_err(|_| Stop::failed("unexpected frame"))?;
        Ok(match &*wire.kind {
            "text_delta" if wire.delta.is_some_and(|delta| !delta.is_empty()) => Self::Text,
            "complete" => Self::Complete,
            "error" => Self::Error(wire.message.0),
            _ => Self::Other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_any_kind_is_read_over() {
        let read = |text: &str| Frame::read(&Message::Text(text.to_owned())).ok();
        assert_eq!(read(r#"{"type":"error","message":"no"}"#), Some(Frame::Error("no".to_owned())));
        for other in ["1", "-1", "0.5", "true", "null", "[1,[2]]", r#"{"a":{"b":1}}"#] {
            let text = format!(r#"{{"type":"error","message":{other}}}"#);
            assert_eq!(read(&text), Some(Frame::Error(String::new())), "{other}");
        }
    }
}
