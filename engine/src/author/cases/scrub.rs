//! Takes secrets out of what is recorded: what the run's mask knows, and what names of fields and keys say is one.

use std::borrow::Cow;

use serde_json::Value;

use crate::credentials::is_credential;
use crate::report::Mask;

use super::ANY;

/// Replaces secrets by `***`.
#[derive(Clone, Copy)]
pub struct Scrub<'a> {
    /// Knows the values of secrets.
    pub mask: &'a Mask,
}

impl Scrub<'_> {
    /// A text that is what it is.
    pub fn text(self, text: &str) -> String {
        self.mask.apply(text).into_owned()
    }

    /// The value of a field or key.
    pub fn named(self, name: &str, value: &str) -> String {
        if is_credential(name) && !value.is_empty() { ANY.to_owned() } else { self.text(value) }
    }

    /// A JSON value: texts under the name of a credential go, all others by the mask.
    pub fn json(self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.text(text).into(),
            Value::Array(items) => items.iter().map(|item| self.json(item)).collect(),
            Value::Object(entries) => {
                let entry = |(key, value): (&String, &Value)| {
                    // What counts tokens is no secret.
                    let counts = value.is_number() && key.to_ascii_lowercase().contains("token");
                    let value = if is_credential(key) && !counts { starred(value) } else { self.json(value) };
                    (self.text(key), value)
                };
                Value::Object(entries.iter().map(entry).collect())
            }
            other => other.clone(),
        }
    }

    /// Path and query: values of a query by their names.
    pub fn path(self, path: &str) -> String {
        match path.split_once('?') {
            Some((path, query)) => format!("{}?{}", self.text(path), self.form(query)),
            None => self.text(path),
        }
    }

    /// A body or message that is text: as JSON, as a form, or as it is.
    pub fn body(self, text: &str) -> String {
        if let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str::<Value>(text) {
            let scrubbed = self.json(&value);
            return if scrubbed == value { text.to_owned() } else { scrubbed.to_string() };
        }
        if is_form(text) { self.form(text) } else { self.text(text) }
    }

    /// Bytes that are no text: none where a secret stands in them.
    pub fn bytes(self, bytes: &[u8]) -> Option<&[u8]> {
        let text: String = bytes.iter().map(|&byte| char::from(byte)).collect();
        let whole = matches!(self.mask.apply(&text), Cow::Borrowed(_))
            && matches!(self.mask.apply(&String::from_utf8_lossy(bytes)), Cow::Borrowed(_));
        whole.then_some(bytes)
    }

    fn form(self, form: &str) -> String {
        let pair = |pair: &str| match pair.split_once('=') {
            Some((name, value)) => format!("{}={}", self.text(name), self.named(name, value)),
            None => self.text(pair),
        };
        form.split('&').map(pair).collect::<Vec<_>>().join("&")
    }
}

/// All texts within a credential go.
fn starred(value: &Value) -> Value {
    match value {
        Value::String(text) if text.is_empty() => Value::String(String::new()),
        Value::String(_) | Value::Number(_) => ANY.into(),
        Value::Array(items) => items.iter().map(starred).collect(),
        Value::Object(entries) => {
            Value::Object(entries.iter().map(|(key, value)| (key.clone(), starred(value))).collect())
        }
        other => other.clone(),
    }
}

/// Whether a text is one of names and values, as a form sends it.
fn is_form(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-._~%+*=&@:/".contains(c);
    text.contains('=') && text.chars().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_by_name_and_by_value_and_everything_else_stays() {
        let mask = Mask::new(["open-sesame"]).unwrap();
        let scrub = Scrub { mask: &mask };
        assert_eq!(scrub.path("/a/open-sesame?page=2&api_key=k1"), "/a/***?page=2&api_key=***");
        assert_eq!(
            scrub.body(r#"{"password": "p", "max_tokens": 5, "say": "open-sesame!", "tokens": [{"a": "b"}]}"#),
            r#"{"max_tokens":5,"password":"***","say":"***!","tokens":[{"a":"***"}]}"#
        );
        assert_eq!(scrub.body("username=a&password=p%40&x=1"), "username=a&password=***&x=1");
        assert_eq!(scrub.body("{\"a\":  1}"), "{\"a\":  1}");
        assert_eq!(scrub.body("plain text"), "plain text");
        assert_eq!(scrub.named("Authorization", "Bearer x"), "***");
        assert_eq!(scrub.bytes(b"\xff\x00open-sesame"), None);
        assert_eq!(scrub.bytes(b"\xff\x00open"), Some(&b"\xff\x00open"[..]));
    }
}
