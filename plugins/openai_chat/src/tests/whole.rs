use engine_sdk::testing::{Outcome, Run, Script};

use super::PATH;
use crate::plan::OpenAiChat;

const CONFIG: &str = r#"{ "model": "m", "prompt": "hi", "stream": false }"#;

fn answering(status: u16, body: &str) -> Run {
    Script::new().on("POST", PATH).reply(status, body).run::<OpenAiChat>(CONFIG)
}

#[test]
fn a_whole_answer_is_counted_and_has_no_first_token() {
    let body = r#"{
        "object": "chat.completion",
        "choices": [{ "message": { "role": "assistant", "content": "a", "tool_calls": null }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13 }
    }"#;
    let run = answering(200, body);
    assert_eq!(run.outcome(), &Outcome::Ok);
    assert_eq!((run.counted("tokens_in"), run.counted("tokens_out")), (9, 4));
    assert_eq!(run.checked("finish_reason"), [true]);
    assert!(run.marks().is_empty());
    assert_eq!(
        run.requests()[0].body.bytes(),
        br#"{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":false}"#
    );
    assert_eq!(run.requests()[0].field("accept"), Some("application/json"));
}

#[test]
fn tools_alone_are_an_answer_and_so_is_an_empty_one_with_its_reason() {
    let tools = r#"{"choices":[{"message":{"content":null,"tool_calls":[{"function":{"name":"f"}}]}}]}"#;
    let run = answering(200, tools);
    assert_eq!((run.outcome(), run.checked("finish_reason")), (&Outcome::Ok, vec![false]));
    let empty = r#"{"choices":[{"message":{"content":""},"finish_reason":"length"}]}"#;
    assert_eq!(answering(200, empty).outcome(), &Outcome::Ok);
}

#[test]
fn what_is_no_answer_is_a_failure() {
    assert_eq!(answering(200, "").reason(), Some("check: empty answer"));
    assert_eq!(answering(200, " \n").reason(), Some("check: empty answer"));
    assert_eq!(answering(200, r#"{"choices":[]}"#).reason(), Some("check: empty answer"));
    assert_eq!(answering(200, r#"{"choices":[{"message":null}]}"#).reason(), Some("check: empty answer"));
    assert_eq!(answering(200, "data: {}\n\n").reason(), Some("check: unexpected JSON"));
    assert_eq!(answering(200, r#"{"error":{"type":"server_error"}}"#).reason(), Some("check: error: server_error"));
    assert_eq!(answering(500, r#"{"error":{"type":"server_error"}}"#).reason(), Some("http_500"));
    let run = Script::new().on("POST", PATH).fail("timeout_first_byte").run::<OpenAiChat>(CONFIG);
    assert_eq!(run.reason(), Some("timeout_first_byte"));
}
