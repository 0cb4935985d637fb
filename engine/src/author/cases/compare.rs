//! Whether what a plugin asked for is what a case expects: part by part, with `***` for any run of characters.

use serde_json::Value;

use crate::plugin::Request;

use super::run::Difference;
use super::{ANY, Content, Wanted};
use crate::author::telling::read_name;

/// Whether a text is as expected; `***` in `expected` stands for any run of characters, also for none.
pub(super) fn fits(expected: &str, got: &str) -> bool {
    let mut parts = expected.split(ANY);
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = got.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Whether a JSON value is as expected: the same value, its texts as [`fits`] has it.
pub(super) fn fits_json(expected: &Value, got: &Value) -> bool {
    match (expected, got) {
        (Value::String(expected), Value::String(got)) => fits(expected, got),
        (Value::String(expected), _) => expected == ANY,
        (Value::Array(expected), Value::Array(got)) => {
            expected.len() == got.len() && expected.iter().zip(got).all(|(expected, got)| fits_json(expected, got))
        }
        (Value::Object(expected), Value::Object(got)) => {
            expected.len() == got.len()
                && expected.iter().all(|(key, value)| got.get(key).is_some_and(|got| fits_json(value, got)))
        }
        (Value::Number(expected), Value::Number(got)) => expected == got || expected.as_f64() == got.as_f64(),
        _ => expected == got,
    }
}

/// Where a body or message is not as expected: expected and got, for people.
pub(super) fn content(expected: &Content, got: &[u8]) -> Option<(String, String)> {
    let text = || match std::str::from_utf8(got) {
        Ok(text) => text.to_owned(),
        Err(_) => format!("({} bytes that are not text)", got.len()),
    };
    match expected {
        Content::Text(expected) => {
            let right = std::str::from_utf8(got).is_ok_and(|got| fits(expected, got));
            (!right).then(|| (expected.clone(), text()))
        }
        Content::Bytes(expected) => (expected != got).then(|| {
            let at = expected.iter().zip(got).take_while(|(one, other)| one == other).count();
            (format!("{} bytes", expected.len()), format!("{} bytes, other ones from byte {at}", got.len()))
        }),
        Content::Json(expected) => match serde_json::from_slice::<Value>(got) {
            Ok(got) if fits_json(expected, &got) => None,
            Ok(got) => Some((pretty(expected), pretty(&got))),
            Err(error) => Some((pretty(expected), format!("{} (not JSON: {error})", text()))),
        },
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// The parts of a request that are not as expected.
pub(super) fn request(wanted: &Wanted, got: &Request, line: usize) -> Vec<Difference> {
    let mut differences = Vec::new();
    let mut part = |part: &str, expected: &Option<String>, got: &str| {
        if let Some(expected) = expected
            && !fits(expected, got)
        {
            differences.push(Difference::of(line, format!("{part} of the request"), expected, got));
        }
    };
    part("name", &wanted.name, got.name.as_deref().unwrap_or_default());
    part("method", &wanted.method, &got.method);
    part("path", &wanted.path, &got.path_with_query);
    part("authority", &wanted.authority, got.authority.as_deref().unwrap_or("(the target's own)"));
    part("read mode", &wanted.read, read_name(got.read));
    for (name, value) in &wanted.fields {
        let values: Vec<&str> = got
            .fields
            .iter()
            .filter(|(got, _)| got.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
            .collect();
        if !values.iter().any(|got| fits(value, got)) {
            let got = if values.is_empty() { "(no such field)".to_owned() } else { values.join("\n") };
            differences.push(Difference::of(line, format!("field `{name}` of the request"), value, &got));
        }
    }
    if let Some((expected, got)) = wanted.body.as_ref().and_then(|body| content(body, &got.body)) {
        differences.push(Difference::of(line, "body of the request", &expected, &got));
    }
    differences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_run_of_characters_and_nothing_else_does() {
        for (expected, got) in
            [("a", "a"), ("***", ""), ("***", "x y"), ("a***", "abc"), ("***c", "abc"), ("a***b***c", "a1b2b3c")]
        {
            assert!(fits(expected, got), "{expected} {got}");
        }
        for (expected, got) in [("a", "ab"), ("a***", "ba"), ("***c", "cb"), ("a***a", "a"), ("**", "x"), ("", "x")] {
            assert!(!fits(expected, got), "{expected} {got}");
        }
    }

    #[test]
    fn json_is_compared_by_value_and_not_by_its_text() {
        let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert!(fits_json(&json(r#"{"a": 1, "b": ["***"]}"#), &json(r#"{"b":["x"],"a":1.0}"#)));
        assert!(!fits_json(&json(r#"{"a": 1}"#), &json(r#"{"a": 1, "b": 2}"#)));
        assert!(!fits_json(&json("[1, 2]"), &json("[2, 1]")));
    }
}
