//! What the platform says.

use std::borrow::Cow;

use engine_sdk::{Message, Stop};
use serde::Deserialize;
use serde_json::Value;

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
    message: Option<Value>,
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
            "error" => Self::Error(match wire.message {
                Some(Value::String(text)) => text,
                _ => String::new(),
            }),
            _ => Self::Other,
        })
    }
}
