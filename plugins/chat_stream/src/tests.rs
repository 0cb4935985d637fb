use std::time::Duration;

use engine_sdk::testing::{Outcome, Run, Script, SocketScript, config_schema, configure, configure_shared};
use engine_sdk::{Message, Since};
use serde_json::json;

use crate::ChatStream;

const CONFIG: &str = r#"{ "token": "t.1-x", "organization": "org/1", "agent": "a-1", "messages": ["hello"] }"#;
const OPENING: &str = r#"{"message":"hello","conversation_id":null,"agent_id":"a-1"}"#;
const COMPLETE: &str = r#"{"type":"complete","conversation_id":"c-1"}"#;
const GAP: Duration = Duration::from_millis(10);

fn delta(text: &str) -> String {
    json!({ "type": "text_delta", "delta": text }).to_string()
}

fn error(message: &str) -> String {
    json!({ "type": "error", "message": message }).to_string()
}

fn socket() -> SocketScript {
    Script::new().on("WS", "/api/v1/ws/agent").open("chat").expect_text(OPENING)
}

fn run(script: &Script) -> Run {
    script.run::<ChatStream>(CONFIG)
}

/// The fifth arrival.
fn fifth(script: Script) -> Script {
    script.arrival(|arrival| arrival.index = 4)
}

#[test]
fn an_answer_is_timed_by_its_texts() {
    let script = socket()
        .text(r#"{"type":"started"}"#)
        .pause(GAP)
        .text(&delta(""))
        .text(r#"{"type":"text_delta","delta":null}"#)
        .pause(GAP)
        .text(&delta("Hel"))
        .pause(GAP)
        .texts([delta("lo"), delta(" there")])
        .text(r#"{"type":"tool_call","delta":"x"}"#)
        .pause(GAP)
        .texts([delta("!"), COMPLETE.to_owned()])
        .until_closed();
    let run = run(&script);
    assert_eq!(run.outcome(), &Outcome::Ok);
    let marks: Vec<_> = run.marks().iter().map(|mark| (mark.name, mark.weight, mark.at.as_millis())).collect();
    let laps: Vec<_> = marks.iter().filter(|mark| mark.0 == "token_gap").collect();
    assert_eq!(laps, [&("token_gap", 1, 21), &("token_gap", 2, 31), &("token_gap", 1, 41)]);
    let first: Vec<_> = run.marks().into_iter().filter(|mark| mark.name == "first_token").collect();
    assert_eq!(first.len(), 1);
    assert!(matches!(first[0].since, Since::Due), "{first:?}");
    assert_eq!(first[0].at.as_millis(), 21, "an empty text is no token");
    assert_eq!(run.counted("deltas"), 4);
}

#[test]
fn the_handshake_carries_token_and_organization_as_a_browser_would() {
    let run = run(&socket().texts([delta("x"), COMPLETE.to_owned()]).until_closed());
    let handshake = &run.requests()[0];
    assert_eq!(handshake.path, "/api/v1/ws/agent?organization_id=org%2F1");
    assert_eq!(handshake.subprotocols, ["access_token.t.1-x", "chat"]);
    assert_eq!(handshake.name.as_deref(), Some("chat"));
    assert_eq!(handshake.fields, []);
}

#[test]
fn every_fifth_stops_after_its_first_text_and_waits_for_the_end() {
    let script = || {
        let script = socket().text(&delta("")).pause(GAP).text(&delta("a")).expect_text(r#"{"type":"stop"}"#);
        script.pause(GAP).text(&delta("b")).text(COMPLETE).until_closed()
    };
    let run = run(&fifth(script()));
    assert_eq!(run.outcome(), &Outcome::Cancelled);
    assert_eq!(run.written(0).len(), 2);
    assert_eq!(run.took(), 2 * GAP + Duration::from_millis(1));
    assert!(run.marks().iter().any(|mark| mark.name == "first_token"));
}

#[test]
fn the_others_do_not_stop() {
    let script = socket().text(&delta("a")).text(COMPLETE).until_closed();
    let stopped = |index: u64, every: u32| {
        let mut config: serde_json::Value = serde_json::from_str(CONFIG).expect("JSON");
        config["cancel_every"] = every.into();
        let run = script.clone().arrival(|arrival| arrival.index = index).run::<ChatStream>(&config.to_string());
        let stop = |message: &&Message| matches!(message, Message::Text(text) if text == super::STOP);
        assert_eq!(run.outcome() == &Outcome::Cancelled, run.written(0).iter().any(stop));
        run.outcome() == &Outcome::Cancelled
    };
    let of = |every| (0..20).filter(|&index| stopped(index, every)).collect::<Vec<_>>();
    assert_eq!(of(5), [4, 9, 14, 19]);
    assert_eq!(of(0).len(), 0);
    assert_eq!(of(1).len(), 20);
}

#[test]
fn a_whole_answer_in_one_read_needs_no_stop_and_is_cancelled_all_the_same() {
    let run = run(&fifth(socket().texts([delta("a"), COMPLETE.to_owned()]).until_closed()));
    assert_eq!(run.outcome(), &Outcome::Cancelled);
    assert_eq!(run.written(0).len(), 1);
}

#[test]
fn a_stop_that_nothing_answers_is_a_failure() {
    let script = fifth(socket().text(&delta("a")).expect_text(r#"{"type":"stop"}"#).fail("timeout_idle"));
    assert_eq!(run(&script).reason(), Some("timeout_idle"));
    let script = fifth(socket().text(&delta("a")).expect_text(r#"{"type":"stop"}"#).close(1000, ""));
    assert_eq!(run(&script).reason(), Some("check: closed without complete, code 1000"));
}

#[test]
fn an_error_frame_fails_with_its_words_and_without_its_ids() {
    let reason = |frame: &str| run(&socket().text(&delta("a")).text(frame).until_closed()).reason().map(str::to_owned);
    assert_eq!(
        reason(&error("model answered 500 for run 7b1c-44")).as_deref(),
        Some("check: error frame: model answered # for run #")
    );
    assert_eq!(reason(&error("token t.1-x expired")).as_deref(), Some("check: error frame: token *** expired"));
    assert_eq!(reason(r#"{"type":"error"}"#).as_deref(), Some("check: error frame"));
    assert_eq!(reason(r#"{"type":"error","message":{"code":3}}"#).as_deref(), Some("check: error frame"));
}

#[test]
fn an_answer_without_its_end_is_a_failure() {
    let script = socket().text(&delta("a")).close(1000, "");
    assert_eq!(run(&script).reason(), Some("check: closed without complete, code 1000"));
    let script = socket().close(1011, "worker 12 died");
    assert_eq!(run(&script).reason(), Some("check: closed without complete, code 1011: worker # died"));
    assert_eq!(run(&socket().text(&delta("a")).fail("reset")).reason(), Some("reset"));
    assert_eq!(run(&socket().text(COMPLETE).until_closed()).reason(), Some("check: complete without text"));
}

#[test]
fn what_is_no_frame_is_a_failure() {
    for text in ["", "hello", "3", r#"{"type":3}"#, r#"{"type":"text_delta","delta":["a"]}"#] {
        assert_eq!(run(&socket().text(text).until_closed()).reason(), Some("check: unexpected frame"), "{text}");
    }
    let binary = socket().binary(delta("a")).text(COMPLETE).until_closed();
    assert_eq!(run(&binary).outcome(), &Outcome::Ok, "a frame may come as bytes");
    let unknown = socket().text("{}").text(&delta("a")).text(COMPLETE).until_closed();
    assert_eq!(run(&unknown).outcome(), &Outcome::Ok, "what has no type is passed over");
}

#[test]
fn a_refused_handshake_keeps_the_engines_reason() {
    let refused = Script::new().on("WS", "/api/v1/ws/agent").fail("upgrade_refused");
    assert_eq!(run(&refused).reason(), Some("upgrade_refused"));
}

#[test]
fn messages_are_chosen_by_the_seed() {
    let shared = json!({ "access_token": "t", "organization": "o", "agent": "a" });
    let said = |seed| {
        let script = Script::new().shared(&shared).arrival(|arrival| arrival.seed = seed);
        let script =
            script.on("WS", "/api/v1/ws/agent").open("").texts([delta("x"), COMPLETE.to_owned()]).until_closed();
        let run = script.run::<ChatStream>("{}");
        assert_eq!(run.requests()[0].subprotocols[0], "access_token.t");
        format!("{:?}", run.written(0))
    };
    assert_eq!(said(1), said(1));
    assert_ne!(said(1), said(2));
}

#[test]
fn what_is_missing_is_refused_with_what_to_do() {
    let refusal = |config| configure::<ChatStream>(config).expect_err("a refusal");
    assert_eq!(
        refusal(r#"{ "token": "t", "organization": "o" }"#),
        "config.agent: missing; add [[setup]] plugin = \"login\", or give it here"
    );
    assert_eq!(
        refusal(r#"{ "token": "a/b", "organization": "o", "agent": "a" }"#),
        "config.token: has characters that a WebSocket's subprotocol cannot carry"
    );
    assert!(refusal(r#"{ "cancel": 3 }"#).starts_with("config.cancel: unknown field `cancel`, expected one of "));
    let shared = json!({ "access_token": 3 });
    assert_eq!(
        configure_shared::<ChatStream>("{}", &shared).expect_err("a refusal"),
        "shared.access_token: invalid type: integer `3`, expected a string"
    );
}

#[test]
fn the_schema_knows_the_keys() {
    let schema = config_schema::<ChatStream>();
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["properties"]["cancel_every"]["default"], 5);
}
