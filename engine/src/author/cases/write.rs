//! A case as TOML, as a person would write it.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::pieces::{Message, ServerSentEvent};

use super::{Answer, Ask, Batch, Begin, Case, Content, End, Wanted};

/// The text of a case; `read` makes the same case of it.
pub fn write(case: &Case) -> String {
    let mut text = format!("[[case]]\nname = {}\n", string(&case.name));
    let empty = case.config.as_object().is_some_and(serde_json::Map::is_empty);
    if !empty {
        let _ = writeln!(text, "config = {}", free(&case.config));
    }
    if let Some(shared) = &case.shared {
        let _ = writeln!(text, "shared = {}", free(shared));
    }
    match &case.begin {
        Begin::Setup => text.push_str("flow = \"setup\"\n"),
        Begin::Teardown => text.push_str("flow = \"teardown\"\n"),
        Begin::Arrival { index, seed, phase, wall_time } => {
            let _ = writeln!(
                text,
                "arrival = {{ index = {index}, seed = {seed}, phase = {}, wall_time = {wall_time} }}",
                string(phase)
            );
        }
    }
    for step in &case.steps {
        text.push_str("\n[[case.step]]\n");
        if let Some(asked) = &step.ask {
            ask(&mut text, asked);
        }
        if let Some(answered) = &step.answer {
            let _ = writeln!(text, "answer = {}", answer(answered));
        }
        if let Some(timer) = step.fire {
            let _ = writeln!(text, "fire = {timer}");
        }
    }
    let expect = &case.expect;
    let _ = write!(text, "\n[case.expect]\nverdict = {}\n", string(&expect.verdict));
    let table = |pairs: Vec<String>| format!("{{ {} }}", pairs.join(", "));
    let numbers =
        |figures: &[(String, u64)]| table(figures.iter().map(|(name, n)| format!("{} = {n}", key(name))).collect());
    if !expect.marks.is_empty() {
        let _ = writeln!(text, "marks = {}", numbers(&expect.marks));
    }
    if !expect.counters.is_empty() {
        let _ = writeln!(text, "counters = {}", numbers(&expect.counters));
    }
    if !expect.observations.is_empty() {
        let one = |(name, values): &(String, Vec<f64>)| format!("{} = {values:?}", key(name));
        let _ = writeln!(text, "observations = {}", table(expect.observations.iter().map(one).collect()));
    }
    if !expect.checks.is_empty() {
        let one = |(name, passed, failed): &(String, u64, u64)| {
            format!("{} = {{ passed = {passed}, failed = {failed} }}", key(name))
        };
        let _ = writeln!(text, "checks = {}", table(expect.checks.iter().map(one).collect()));
    }
    if !expect.log.is_empty() {
        let _ = writeln!(text, "log = [{}]", list(expect.log.iter().map(|text| string(text))));
    }
    text
}

fn ask(text: &mut String, ask: &Ask) {
    let _ = match ask {
        Ask::Request(wanted) => writeln!(text, "request = {}", request(wanted)),
        Ask::Write { to, what } => {
            let mut pairs: Vec<String> = to.iter().map(|to| format!("to = {to}")).collect();
            pairs.extend(what.as_ref().map(|what| content("text", what)));
            writeln!(text, "write = {{ {} }}", pairs.join(", "))
        }
        Ask::Close { to, code, reason } => {
            let mut pairs: Vec<String> = to.iter().map(|to| format!("to = {to}")).collect();
            pairs.extend(code.map(|code| format!("code = {code}")));
            pairs.extend(reason.as_ref().map(|reason| format!("reason = {}", string(reason))));
            writeln!(text, "close = {{ {} }}", pairs.join(", "))
        }
        Ask::Cancel(exchange) => writeln!(text, "cancel = {exchange}"),
        Ask::Wait { length, fires } => {
            let fires = if *fires { "" } else { "fires = false\n" };
            writeln!(text, "wait = \"{}\"\n{fires}", humantime::format_duration(*length)).map(|()| {
                // One line end is enough.
                if text.ends_with("\n\n") {
                    text.pop();
                }
            })
        }
    };
}

fn request(wanted: &Wanted) -> String {
    let mut pairs = Vec::new();
    let parts = [
        ("name", &wanted.name),
        ("method", &wanted.method),
        ("path", &wanted.path),
        ("authority", &wanted.authority),
        ("read", &wanted.read),
    ];
    pairs.extend(parts.iter().filter_map(|(key, part)| Some(format!("{key} = {}", string(part.as_ref()?)))));
    if !wanted.fields.is_empty() {
        pairs.push(format!("fields = {}", fields(&wanted.fields)));
    }
    pairs.extend(wanted.body.as_ref().map(|body| content("body", body)));
    format!("{{ {} }}", pairs.join(", "))
}

fn answer(answer: &Answer) -> String {
    let mut pairs = Vec::new();
    pairs.extend(answer.to.map(|to| format!("to = {to}")));
    pairs.extend(answer.status.map(|status| format!("status = {status}")));
    pairs.extend(answer.subprotocol.as_ref().map(|text| format!("subprotocol = {}", string(text))));
    if !answer.fields.is_empty() {
        pairs.push(format!("fields = {}", fields(&answer.fields)));
    }
    pairs.extend(answer.body.as_ref().map(|body| content("body", body)));
    pairs.extend(answer.size.map(|size| format!("size = {size}")));
    if let Some(first) = answer.batches.first() {
        let key = match first {
            Batch::Events(_) => "events",
            Batch::Lines(_) => "lines",
            Batch::Messages(_) => "messages",
            Batch::Chunk(_) => "chunks",
        };
        pairs.push(format!("{key} = [\n{}]", answer.batches.iter().map(batch).collect::<String>()));
    }
    match &answer.end {
        End::Natural => {}
        End::Later => pairs.push("more = true".to_owned()),
        End::Cancelled => pairs.push("cancelled = true".to_owned()),
        End::Closed { code, reason } if reason.is_empty() => pairs.push(format!("close = {{ code = {code} }}")),
        End::Closed { code, reason } => {
            pairs.push(format!("close = {{ code = {code}, reason = {} }}", string(reason)));
        }
        End::Failed { reason, detail } => {
            pairs.push(format!("failure = {}", string(reason)));
            if !detail.is_empty() {
                pairs.push(format!("detail = {}", string(detail)));
            }
        }
    }
    if pairs.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", pairs.join(", ")) }
}

/// One read, on a line of its own.
fn batch(batch: &Batch) -> String {
    let pieces = match batch {
        Batch::Events(events) => list(events.iter().map(event)),
        Batch::Lines(lines) => list(lines.iter().map(|line| string(line))),
        Batch::Messages(messages) => list(messages.iter().map(|message| match message {
            Message::Text(text) => string(text),
            Message::Binary(bytes) => format!("{{ base64 = \"{}\" }}", STANDARD.encode(bytes)),
        })),
        Batch::Chunk(bytes) => {
            let chunk = std::str::from_utf8(bytes)
                .map_or_else(|_| format!("{{ base64 = \"{}\" }}", STANDARD.encode(bytes)), string);
            return format!("    {chunk},\n");
        }
    };
    format!("    [{pieces}],\n")
}

fn event(event: &ServerSentEvent) -> String {
    if event.kind() == "message" && event.id.is_empty() {
        return string(&event.data);
    }
    let mut pairs = Vec::new();
    if event.kind() != "message" {
        pairs.push(format!("event = {}", string(event.kind())));
    }
    pairs.push(format!("data = {}", string(&event.data)));
    if !event.id.is_empty() {
        pairs.push(format!("id = {}", string(&event.id)));
    }
    format!("{{ {} }}", pairs.join(", "))
}

fn content(text_key: &str, content: &Content) -> String {
    match content {
        Content::Text(text) => format!("{text_key} = {}", string(text)),
        Content::Json(value) => format!("json = {}", string(&value.to_string())),
        Content::Bytes(bytes) => format!("base64 = \"{}\"", STANDARD.encode(bytes)),
    }
}

/// Fields in their order; those of one name become a list at the place of the first.
fn fields(fields: &[(String, String)]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in fields {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let one = |name: &str| {
        let values: Vec<_> = fields.iter().filter(|(other, _)| other == name).map(|(_, value)| string(value)).collect();
        match values.as_slice() {
            [value] => format!("{} = {value}", key(name)),
            _ => format!("{} = [{}]", key(name), values.join(", ")),
        }
    };
    format!("{{ {} }}", names.into_iter().map(one).collect::<Vec<_>>().join(", "))
}

/// A JSON value as TOML where TOML has it, else as the text of it.
fn free(value: &Value) -> String {
    toml_of(value).unwrap_or_else(|| string(&value.to_string()))
}

/// None where TOML has no such value: null, or an integer beyond 64 bits with a sign.
fn toml_of(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => integer.to_string(),
            (None, Some(float)) if number.is_f64() => format!("{float:?}"),
            _ => return None,
        },
        Value::String(text) => string(text),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(toml_of).collect::<Option<Vec<_>>>()?.join(", "))
        }
        Value::Object(entries) if entries.is_empty() => "{}".to_owned(),
        Value::Object(entries) => {
            let entry = |(name, value): (&String, &Value)| Some(format!("{} = {}", key(name), toml_of(value)?));
            format!("{{ {} }}", entries.iter().map(entry).collect::<Option<Vec<_>>>()?.join(", "))
        }
    })
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if bare { name.to_owned() } else { basic(name) }
}

/// A string on one line: literal where that is the easier to read.
fn string(text: &str) -> String {
    let plain = !text.contains('\'') && !text.chars().any(char::is_control);
    if plain && (text.contains('"') || text.contains('\\')) { format!("'{text}'") } else { basic(text) }
}

/// A basic string: JSON's escapes are TOML's, but for DEL, which TOML wants escaped.
fn basic(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;
    use std::time::Duration;

    use super::*;
    use crate::author::cases::{Expect, Step, read};

    /// Everything a case can hold.
    fn rich() -> Case {
        let step = |ask, answer| Step { line: 0, ask, answer, fire: None };
        let wanted = Wanted {
            name: Some("a 'b' \"c\"\n\u{7f}".to_owned()),
            method: Some("GET".to_owned()),
            path: Some("/x?y=z".to_owned()),
            authority: Some("h:1".to_owned()),
            fields: vec![("accept".into(), "*/*".into()), ("X.y".into(), "1".into()), ("accept".into(), "b".into())],
            body: Some(Content::Json(serde_json::json!({ "a": null, "b": [1.5] }))),
            read: Some("events".to_owned()),
        };
        let events = vec![
            Batch::Events(vec![
                ServerSentEvent::new(String::new(), "one".to_owned(), Rc::from("")),
                ServerSentEvent::new("x".to_owned(), "two\nlines".to_owned(), Rc::from("7")),
            ]),
            Batch::Events(vec![ServerSentEvent::new(String::new(), "[DONE]".to_owned(), Rc::from(""))]),
        ];
        let messages = vec![Batch::Messages(vec![Message::Text("{}".into()), Message::Binary(vec![0, 255])])];
        let failed = End::Failed { reason: "reset".into(), detail: "by peer".into() };
        Case {
            name: "all".to_owned(),
            line: 0,
            config: serde_json::json!({ "a": "b", "list": [1, -2], "deep": { "x y": true }, "none": {} }),
            shared: Some(serde_json::json!({ "n": null })),
            begin: Begin::Arrival { index: 3, seed: u64::MAX, phase: "load".into(), wall_time: 5 },
            steps: vec![
                step(
                    Some(Ask::Request(Box::new(wanted))),
                    Some(Answer { status: Some(200), batches: events, end: End::Later, ..Answer::default() }),
                ),
                step(None, Some(Answer { to: Some(0), end: failed, ..Answer::default() })),
                step(Some(Ask::Wait { length: Duration::from_nanos(1_500_000_001), fires: false }), None),
                Step { fire: Some(0), ..Step::default() },
                step(Some(Ask::Write { to: Some(1), what: Some(Content::Text("hi".into())) }), None),
                step(Some(Ask::Cancel(2)), Some(Answer { end: End::Cancelled, ..Answer::default() })),
                step(
                    Some(Ask::Close { to: Some(1), code: Some(1000), reason: Some("bye".into()) }),
                    Some(Answer {
                        batches: messages,
                        subprotocol: Some("chat".into()),
                        end: End::Closed { code: 1001, reason: "gone".into() },
                        ..Answer::default()
                    }),
                ),
                step(
                    None,
                    Some(Answer {
                        body: Some(Content::Bytes(vec![1, 2, 255])),
                        size: Some(9),
                        fields: vec![("etag".into(), "\"x\"".into())],
                        ..Answer::default()
                    }),
                ),
            ],
            expect: Expect {
                line: 0,
                verdict: "check: no 'x'".to_owned(),
                marks: Vec::new(),
                counters: Vec::new(),
                observations: Vec::new(),
                checks: Vec::new(),
                log: vec!["a".to_owned()],
            },
        }
    }

    #[test]
    fn what_is_written_is_read_as_the_same_case() {
        let case = rich();
        let text = write(&case);
        let mut cases = read("cases.toml", &text, &[]).unwrap_or_else(|faults| panic!("{faults}\n{text}"));
        let again = cases.pop().unwrap();
        assert_eq!((&again.name, &again.config, &again.shared), (&case.name, &case.config, &case.shared), "{text}");
        assert_eq!(again.begin, case.begin);
        assert_eq!(again.steps.len(), case.steps.len());
        for (again, before) in again.steps.iter().zip(&case.steps) {
            // Fields of one name stand together when read.
            let sorted = |step: &Step| {
                let mut ask = step.ask.clone();
                if let Some(Ask::Request(wanted)) = &mut ask {
                    wanted.fields.sort();
                }
                ask
            };
            assert_eq!(sorted(again), sorted(before), "{text}");
            assert_eq!((&again.answer, again.fire), (&before.answer, before.fire), "{text}");
        }
        assert_eq!(Expect { line: 0, ..again.expect }, case.expect);
    }
}
