//! Each test that answers a case of a fault list names it: M1 to M15 of the project's cases. How events are cut out of
//! bytes (M1, M2, M4, M15) is the engine's doing and is tested there.

mod configured;
mod streamed;
mod whole;

use engine_sdk::testing::{Run, Script, StreamScript};

use crate::plan::OpenAiChat;

const PATH: &str = "/v1/chat/completions";
const CONFIG: &str = r#"{ "model": "m", "prompt": "hi" }"#;

/// The role, as it comes first.
const ROLE: &str = r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}"#;
const STOP: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}"#;
const DONE: &str = "[DONE]";

fn text(content: &str) -> String {
    delta(&format!(r#"{{"content":"{content}"}}"#))
}

/// A chunk with this delta.
fn delta(delta: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#)
}

/// The chunk of counts at the end, without choices.
fn usage(prompt: u64, completion: u64) -> String {
    format!(r#"{{"choices":[],"usage":{{"prompt_tokens":{prompt},"completion_tokens":{completion}}}}}"#)
}

fn stream() -> StreamScript {
    Script::new().on("POST", PATH).field("content-type", "text/event-stream").stream(200)
}

fn run(script: &Script) -> Run {
    script.run::<OpenAiChat>(CONFIG)
}

/// Times of one mark in milliseconds, with their weights.
fn marks(run: &Run, name: &str) -> Vec<(u128, u32)> {
    let marks = run.marks().into_iter().filter(|mark| mark.name == name);
    marks.map(|mark| (mark.at.as_millis(), mark.weight)).collect()
}
