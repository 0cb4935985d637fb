//! What of a recording is secret.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::client::{self, Items};
use crate::credentials::is_credential;
use crate::pieces::{Message, SUBPROTOCOL};
use crate::plugin::Action;
use crate::report::{Mask, ReportError};
use crate::worker::Taped;

use super::Recording;

/// Parts of credentials from this many bytes on are secrets by themselves.
const LONG: usize = 8;

impl Recording<'_> {
    /// All values that are secrets: `known` ones, and those that stand under the name of a credential in the
    /// configuration, in what was shared, in paths and bodies of requests, and in the fields of requests and answers.
    ///
    /// # Errors
    /// Where there are more than can be searched for.
    pub fn mask(&self, known: &[String]) -> Result<Mask, ReportError> {
        let mut secrets = known.to_vec();
        for value in std::iter::once(self.config).chain(self.shared) {
            gather(value, false, &mut secrets);
            gather_texts(value, &mut secrets);
        }
        for text in self.texts() {
            gather_text(&text, &mut secrets);
        }
        for taped in self.tape {
            if let Taped::Did(Action::Send { request, .. }) = taped {
                let query = request.path_with_query.split_once('?').map_or("", |(_, query)| query);
                gather_form(query, &mut secrets);
                match std::str::from_utf8(&request.body) {
                    Err(_) => {}
                    Ok(body) => match serde_json::from_str(body) {
                        Ok(value) => gather(&value, false, &mut secrets),
                        Err(_) => gather_form(body, &mut secrets),
                    },
                }
            }
        }
        // What a log-in gave stands in later requests, wherever the plugin put it. Short ones are words.
        for taped in self.tape {
            if let Taped::Heard(_, event) = taped
                && let client::Event::Response { body, .. } = &**event
                && let Ok(value) = serde_json::from_slice(body)
            {
                let mut given = Vec::new();
                gather(&value, false, &mut given);
                secrets.extend(given.into_iter().filter(|text| text.len() >= LONG));
            }
        }
        let mut field = |name: &str, value: &str| {
            if is_credential(name) && !name.eq_ignore_ascii_case(SUBPROTOCOL) {
                // What follows the first pair of a cookie that is set is no secret: where, how long.
                let set = name.eq_ignore_ascii_case("set-cookie");
                let value = if set { value.split(';').next().unwrap_or_default() } else { value };
                // `Bearer x`, `a=b; c=d`: the parts stand elsewhere by themselves.
                for part in value.split([' ', ';', ',']) {
                    let value = part.split_once('=').map_or("", |(_, value)| value);
                    let long = [part, value].into_iter().filter(|part| part.len() >= LONG);
                    secrets.extend(long.map(str::to_owned));
                }
                secrets.push(value.to_owned());
            }
        };
        for taped in self.tape {
            match taped {
                Taped::Did(Action::Send { request, .. }) => {
                    request.fields.iter().for_each(|(name, value)| field(name, value));
                }
                Taped::Heard(_, event) => {
                    let (client::Event::Head { fields, .. }
                    | client::Event::Opened { fields, .. }
                    | client::Event::Response { fields, .. }) = &**event
                    else {
                        continue;
                    };
                    for (name, value) in fields {
                        field(name.as_str(), &String::from_utf8_lossy(value.as_bytes()));
                    }
                }
                _ => {}
            }
        }
        Mask::new(secrets)
    }
}

impl Recording<'_> {
    /// Everything that was sent and received as text: of each exchange what came piece by piece as one.
    fn texts(&self) -> Vec<String> {
        let mut texts = Vec::new();
        let mut streams: BTreeMap<u32, String> = BTreeMap::new();
        for taped in self.tape {
            match taped {
                Taped::Did(Action::Send { request, .. }) => {
                    texts.push(request.path_with_query.clone());
                    texts.push(String::from_utf8_lossy(&request.body).into_owned());
                    texts.extend(request.fields.iter().map(|(_, value)| value.clone()));
                }
                Taped::Did(Action::Write { message: Message::Text(text), .. }) => texts.push(text.clone()),
                Taped::Heard(exchange, event) => match &**event {
                    client::Event::Response { body, fields, .. } => {
                        texts.push(String::from_utf8_lossy(body).into_owned());
                        texts.extend(
                            fields.values().map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()),
                        );
                    }
                    client::Event::Items { items, .. } => {
                        streams.entry(*exchange).or_default().push_str(&text_of(items));
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        texts.extend(streams.into_values());
        texts
    }
}

/// Pieces of a stream as one text: bytes as they follow each other, everything else in lines.
fn text_of(items: &Items) -> String {
    let mut text = String::new();
    let mut line = |line: &str| {
        text.push_str(line);
        text.push('\n');
    };
    match items {
        Items::Lines(lines) => lines.iter().for_each(|one| line(one)),
        Items::Events(events) => events.iter().for_each(|event| line(&event.data)),
        Items::Messages(messages) => {
            for message in messages {
                if let Message::Text(text) = message {
                    line(text);
                }
            }
        }
        Items::Chunk(bytes) => text.push_str(&String::from_utf8_lossy(bytes)),
    }
    text
}

/// What the texts of a value hold.
fn gather_texts(value: &Value, secrets: &mut Vec<String>) {
    match value {
        Value::String(text) => gather_text(text, secrets),
        Value::Array(items) => items.iter().for_each(|item| gather_texts(item, secrets)),
        Value::Object(entries) => entries.values().for_each(|value| gather_texts(value, secrets)),
        _ => {}
    }
}

/// Values that stand behind the name of a credential in whatever form a text has: JSON, also within JSON or cut off, forms,
/// queries, multipart, lines of any of them.
fn gather_text(text: &str, secrets: &mut Vec<String>) {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let mut rest = text;
    while let Some(start) = rest.find(is_name) {
        let word = &rest[start..];
        let length = word.find(|c| !is_name(c)).unwrap_or(word.len());
        let (name, behind) = word.split_at(length);
        rest = behind;
        // Such a name is a short one, and what is counted in tokens is no secret.
        if name.len() > 64 || !is_credential(name) {
            continue;
        }
        let value = behind.trim_start_matches(['"', '\'', '\\', ':', '=', ' ', '\t', '\r', '\n']);
        let between = &behind[..behind.len() - value.len()];
        if !(between.contains([':', '=']) || between.contains("\r\n\r\n")) {
            continue;
        }
        let ends = |c: char| c.is_whitespace() || "\"'\\&,;{}[]<>".contains(c);
        let value = &value[..value.find(ends).unwrap_or(value.len())];
        let is_count =
            value.chars().all(|c| c.is_ascii_digit() || c == '.') && name.to_ascii_lowercase().contains("token");
        if !is_count && !["true", "false", "null"].contains(&value) {
            secrets.push(value.to_owned());
        }
    }
}

/// Texts under the name of a credential.
fn gather(value: &Value, secret: bool, secrets: &mut Vec<String>) {
    match value {
        Value::String(text) if secret => secrets.push(text.clone()),
        Value::Number(number) if secret => secrets.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| gather(item, secret, secrets)),
        Value::Object(entries) => {
            entries.iter().for_each(|(key, value)| gather(value, secret || is_secret(key, value), secrets));
        }
        _ => {}
    }
}

/// Values under the name of a credential in a query or a form, as they stand and as they are meant.
fn gather_form(form: &str, secrets: &mut Vec<String>) {
    for (name, value) in form.split('&').filter_map(|pair| pair.split_once('=')) {
        // Such a name is a short one: what is longer is text that happens to hold these characters.
        if name.len() <= 64 && is_credential(name) {
            secrets.push(value.to_owned());
            secrets.extend(
                url::form_urlencoded::parse(format!("a={value}").as_bytes()).map(|(_, value)| value.into_owned()),
            );
        }
    }
}

/// Whether a value of this name is a secret: not one that counts tokens.
fn is_secret(name: &str, value: &Value) -> bool {
    is_credential(name) && !(value.is_number() && name.to_ascii_lowercase().contains("token"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_found_behind_its_name_whatever_the_form() {
        let found = |text: &str| {
            let mut secrets = Vec::new();
            gather_text(text, &mut secrets);
            secrets
        };
        for text in [
            r#"{"access_token": "s3cret-value"}"#,
            r#"{"data":"{\"token\":\"s3cret-value\"}"}"#,
            r#"{"error":"x","access_token":"s3cret-value"#,
            "a=1&api_key=s3cret-value&b=2",
            "/x?token=s3cret-value",
            "name=\"password\"\r\n\r\ns3cret-value\r\n--b",
            "data: {'secret':'s3cret-value'}\n",
        ] {
            assert_eq!(found(text), ["s3cret-value"], "{text}");
        }
        assert_eq!(found(r#"{"password":918273645}"#), ["918273645"]);
        for text in [r#"{"max_tokens": 1024}"#, "the token was good", r#"{"key_ok":true}"#, "monkey"] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
    }
}
