//! What a client asks of the model, read field by field so that an error names the one at fault.

use serde_json::{Map, Value};

use super::refusal::Refusal;

/// Most inputs of one request for embeddings, as with `OpenAI`.
const MAX_INPUTS: usize = 2_048;

/// Characters that count as a token of what is sent here, as a rule of thumb.
const CHARACTERS_PER_TOKEN: usize = 4;

/// Reads a body as a JSON object.
pub(super) fn object(body: &[u8]) -> Result<Map<String, Value>, Refusal> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(Refusal::not_json("it is not an object")),
        Err(error) => Err(Refusal::not_json(&error.to_string())),
    }
}

/// How many tokens a text counts as: a quarter of its characters, rounded up.
pub(super) fn tokens(text: &str) -> u64 {
    text.chars().count().div_ceil(CHARACTERS_PER_TOKEN) as u64
}

/// A request for a chat completion.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Chat {
    /// As given; every name is taken.
    pub(super) model: String,
    /// What all messages say, a line each.
    pub(super) text: String,
    /// What the messages count as.
    pub(super) prompt_tokens: u64,
    /// Whether the answer is to come token by token.
    pub(super) stream: bool,
    /// Whether a stream is to end with what was used.
    pub(super) include_usage: bool,
    /// Most tokens of the answer.
    pub(super) max_tokens: Option<u64>,
}

impl Chat {
    /// Reads one. Fields that the stub does not know are ignored.
    pub(super) fn read(object: &Map<String, Value>) -> Result<Self, Refusal> {
        let model = model(object)?;
        let messages = match present(object, "messages") {
            Some(Value::Array(messages)) if !messages.is_empty() => messages,
            Some(Value::Array(_)) => return Err(Refusal::field("messages", "'messages' must not be empty.")),
            Some(_) => return Err(Refusal::field("messages", "'messages' must be an array.")),
            None => return Err(Refusal::missing("messages")),
        };
        let mut text = String::new();
        for (position, message) in messages.iter().enumerate() {
            if position > 0 {
                text.push('\n');
            }
            append(message, &mut text, &format!("messages[{position}]"))?;
        }
        if count(object, "n")?.is_some_and(|n| n != 1) {
            return Err(Refusal::field("n", "'n' must be 1: this server gives one choice."));
        }
        let include_usage = match present(object, "stream_options") {
            None => false,
            Some(Value::Object(options)) => switch(options, "include_usage", "stream_options.include_usage")?,
            Some(_) => return Err(Refusal::field("stream_options", "'stream_options' must be an object.")),
        };
        let max_tokens = match count(object, "max_completion_tokens")? {
            None => count(object, "max_tokens")?,
            some => some,
        };
        // Four more for what frames a message, as OpenAI's own recipe has it.
        let prompt_tokens = tokens(&text) + 4 * messages.len() as u64;
        Ok(Self { model, text, prompt_tokens, stream: switch(object, "stream", "stream")?, include_usage, max_tokens })
    }
}

/// A request for embeddings.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Embeddings {
    /// As given; every name is taken.
    pub(super) model: String,
    /// What is to be embedded, one at least.
    pub(super) inputs: Vec<String>,
    /// Whether vectors are to be sent in base64 instead of as numbers.
    pub(super) base64: bool,
    /// Places of a vector, where fewer are wanted.
    pub(super) dimensions: Option<u64>,
}

impl Embeddings {
    /// Reads one. Fields that the stub does not know are ignored.
    pub(super) fn read(object: &Map<String, Value>) -> Result<Self, Refusal> {
        let model = model(object)?;
        let inputs = inputs(present(object, "input").ok_or_else(|| Refusal::missing("input"))?)?;
        let base64 = match present(object, "encoding_format").map(Value::as_str) {
            None | Some(Some("float")) => false,
            Some(Some("base64")) => true,
            Some(_) => return Err(Refusal::field("encoding_format", "'encoding_format' is 'float' or 'base64'.")),
        };
        Ok(Self { model, inputs, base64, dimensions: count(object, "dimensions")? })
    }
}

/// A field that is there and not null.
fn present<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    object.get(name).filter(|value| !value.is_null())
}

fn model(object: &Map<String, Value>) -> Result<String, Refusal> {
    match present(object, "model") {
        Some(Value::String(model)) if !model.is_empty() => Ok(model.clone()),
        Some(_) => Err(Refusal::field("model", "'model' must be a string that is not empty.")),
        None => Err(Refusal::missing("model")),
    }
}

/// A switch that is off where it is absent.
fn switch(object: &Map<String, Value>, name: &str, path: &str) -> Result<bool, Refusal> {
    match present(object, name) {
        None => Ok(false),
        Some(Value::Bool(on)) => Ok(*on),
        Some(_) => Err(Refusal::field(path, format!("'{path}' must be true or false."))),
    }
}

/// A whole number from 1 on.
fn count(object: &Map<String, Value>, name: &str) -> Result<Option<u64>, Refusal> {
    match present(object, name) {
        None => Ok(None),
        Some(value) => match value.as_u64() {
            Some(count) if count > 0 => Ok(Some(count)),
            _ => Err(Refusal::field(name, format!("'{name}' must be a whole number of 1 or more."))),
        },
    }
}

/// Appends what one message says: its content as text, or the texts among its parts.
fn append(message: &Value, text: &mut String, path: &str) -> Result<(), Refusal> {
    let Value::Object(message) = message else {
        return Err(Refusal::field(path, format!("'{path}' must be an object.")));
    };
    if !present(message, "role").is_some_and(Value::is_string) {
        return Err(Refusal::field(format!("{path}.role"), format!("'{path}.role' must be a string.")));
    }
    match present(message, "content") {
        // An assistant that called a tool said nothing.
        None => {}
        Some(Value::String(content)) => text.push_str(content),
        Some(Value::Array(parts)) => {
            for part in parts.iter().filter_map(|part| part.get("text")?.as_str()) {
                text.push_str(part);
            }
        }
        Some(_) => {
            let path = format!("{path}.content");
            return Err(Refusal::field(path.clone(), format!("'{path}' must be a string or an array of parts.")));
        }
    }
    Ok(())
}

/// Texts, or texts as token numbers; one or several.
fn inputs(input: &Value) -> Result<Vec<String>, Refusal> {
    let wrong = || {
        let message =
            "'input' must be a string that is not empty, an array of such strings, or tokens as whole numbers.";
        Refusal::field("input", message)
    };
    let one = |value: &Value| match value {
        Value::String(text) if !text.is_empty() => Ok(text.clone()),
        Value::Array(tokens) if !tokens.is_empty() => as_text(tokens).ok_or_else(wrong),
        _ => Err(wrong()),
    };
    match input {
        Value::Array(items) if items.first().is_some_and(Value::is_number) => {
            Ok(vec![as_text(items).ok_or_else(wrong)?])
        }
        Value::Array(items) if items.len() > MAX_INPUTS => {
            Err(Refusal::field("input", format!("'input' may have {MAX_INPUTS} items at most.")))
        }
        Value::Array(items) if !items.is_empty() => items.iter().map(one).collect(),
        Value::String(_) => Ok(vec![one(input)?]),
        _ => Err(wrong()),
    }
}

/// Token numbers, written out.
fn as_text(tokens: &[Value]) -> Option<String> {
    let numbers: Option<Vec<String>> = tokens.iter().map(|token| Some(token.as_u64()?.to_string())).collect();
    numbers.map(|numbers| numbers.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::Reply;
    use serde_json::json;

    fn refused(refusal: Refusal) -> (u16, String) {
        let reply = Reply::from(refusal);
        let error: Value = serde_json::from_slice(&reply.body).unwrap();
        (reply.status.as_u16(), error["error"]["param"].as_str().unwrap_or("").to_owned())
    }

    fn chat(body: &Value) -> Result<Chat, (u16, String)> {
        object(body.to_string().as_bytes()).and_then(|object| Chat::read(&object)).map_err(refused)
    }

    fn embeddings(body: &Value) -> Result<Vec<String>, (u16, String)> {
        let read = object(body.to_string().as_bytes()).and_then(|object| Embeddings::read(&object));
        read.map(|embeddings| embeddings.inputs).map_err(refused)
    }

    #[test]
    fn a_chat_says_what_its_messages_say() {
        let parts = json!([{"type": "text", "text": "b"}, {"type": "image_url"}, {"type": "text", "text": "c"}]);
        let body = json!({"model": "m", "max_tokens": 9, "max_completion_tokens": 5, "stream": true, "messages": [
            {"role": "system", "content": "a"}, {"role": "user", "content": parts}, {"role": "assistant"}]});
        let expected = Chat {
            model: "m".to_owned(),
            text: "a\nbc\n".to_owned(),
            prompt_tokens: 14,
            stream: true,
            include_usage: false,
            max_tokens: Some(5),
        };
        assert_eq!(chat(&body), Ok(expected));
    }

    #[test]
    fn a_bad_chat_names_the_field_at_fault() {
        let good = json!({"model": "m", "messages": [{"role": "user", "content": "hi"}]});
        assert!(chat(&good).is_ok());
        for (field, value, param) in [
            ("model", Value::Null, "model"),
            ("model", json!(3), "model"),
            ("messages", Value::Null, "messages"),
            ("messages", json!([]), "messages"),
            ("messages", json!("hi"), "messages"),
            ("messages", json!(["hi"]), "messages[0]"),
            ("messages", json!([{"content": "hi"}]), "messages[0].role"),
            ("messages", json!([{"role": "user", "content": 3}]), "messages[0].content"),
            ("stream", json!("yes"), "stream"),
            ("stream_options", json!([]), "stream_options"),
            ("stream_options", json!({"include_usage": 1}), "stream_options.include_usage"),
            ("max_tokens", json!(0), "max_tokens"),
            ("max_completion_tokens", json!(-1), "max_completion_tokens"),
            ("n", json!(2), "n"),
        ] {
            let mut body = good.clone();
            body[field] = value;
            assert_eq!(chat(&body), Err((400, param.to_owned())), "{body}");
        }
    }

    #[test]
    fn what_is_no_json_object_is_refused() {
        for body in ["", "{", "[]", "3", "\u{feff}{}"] {
            assert_eq!(object(body.as_bytes()).map_err(refused), Err((400, String::new())), "{body}");
        }
    }

    #[test]
    fn inputs_are_texts_or_tokens() {
        let of = |input: Value| embeddings(&json!({"model": "m", "input": input}));
        assert_eq!(of(json!("a")), Ok(vec!["a".to_owned()]));
        assert_eq!(of(json!(["a", "b"])), Ok(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(of(json!([1, 2])), Ok(vec!["1 2".to_owned()]));
        assert_eq!(of(json!([[1, 2], [3]])), Ok(vec!["1 2".to_owned(), "3".to_owned()]));
        let refused =
            [json!(""), json!([]), json!([""]), json!([1, "a"]), json!(3), json!([[]]), json!([-1]), json!({})];
        for input in refused.into_iter().chain([Value::Null, Value::from(vec!["a"; MAX_INPUTS + 1])]) {
            assert_eq!(of(input), Err((400, "input".to_owned())));
        }
    }
}
