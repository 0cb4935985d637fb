use engine_sdk::testing::{Payload, Run, Script, config_schema, configure};
use serde_json::{Value, json};

use super::{DONE, STOP};
use crate::plan::OpenAiChat;

/// Sends to any path and answers well.
fn sent(path: &str, config: &Value, iterations: u64) -> Vec<Run> {
    let script = Script::new().on("POST", path).stream(200).events([STOP, DONE]).end();
    script.run_many::<OpenAiChat>(&config.to_string(), iterations)
}

fn body(run: &Run) -> Value {
    serde_json::from_slice(run.requests()[0].body.bytes()).expect("JSON")
}

#[test]
fn a_request_says_what_is_configured() {
    let config = json!({
        "model": "m", "api_key": "sk-1", "prompt": "hi", "system": "be brief", "max_tokens": 9,
        "extra": { "temperature": 0 }, "fields": { "X-Stamp": "1", "accept": "*/*" }
    });
    let run = &sent("/v1/chat/completions", &config, 1)[0];
    let request = &run.requests()[0];
    let names: Vec<_> = request.fields.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    assert_eq!(names, ["Content-Type: application/json", "Authorization: Bearer sk-1", "X-Stamp: 1", "accept: */*"]);
    let expected = json!({
        "model": "m",
        "messages": [{ "role": "system", "content": "be brief" }, { "role": "user", "content": "hi" }],
        "stream": true, "stream_options": { "include_usage": true }, "max_tokens": 9, "temperature": 0
    });
    assert_eq!(body(run), expected);
    assert!(matches!(request.body, Payload::Blob(_)), "what does not vary is handed over once");
    assert_eq!(request.name.as_deref(), Some("chat"));
}

#[test]
fn a_model_alone_is_enough() {
    let run = &sent("/v1/chat/completions", &json!({ "model": "m", "api_key": "" }), 1)[0];
    let request = &run.requests()[0];
    assert_eq!(request.field("authorization"), None);
    assert_eq!(request.field("accept"), Some("text/event-stream"));
    assert_eq!(body(run)["messages"][0]["role"], "user");
}

#[test]
fn usage_is_asked_for_unless_said_otherwise() {
    let asked = |more: Value| {
        let mut config = json!({ "model": "m" });
        config.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        body(&sent("/v1/chat/completions", &config, 1)[0])["stream_options"].clone()
    };
    assert_eq!(asked(json!({})), json!({ "include_usage": true }));
    assert_eq!(asked(json!({ "include_usage": false })), Value::Null);
    let own = json!({ "include_usage": true, "continuous_usage_stats": true });
    assert_eq!(asked(json!({ "extra": { "stream_options": own } })), own);
}

#[test]
fn the_base_path_may_be_another() {
    for (base, path) in
        [("/openai/v1/", "/openai/v1/chat/completions"), ("", "/chat/completions"), ("/", "/chat/completions")]
    {
        let run = &sent(path, &json!({ "model": "m", "base_path": base }), 1)[0];
        assert_eq!(run.request_lines(), [format!("POST {path}")]);
    }
}

#[test]
fn prompts_go_round_by_index_and_vary_by_seed_where_asked() {
    let said = |vary: bool| {
        let config = json!({ "model": "m", "prompts": ["a", "b"], "vary": vary });
        let runs = sent("/v1/chat/completions", &config, 3);
        let texts = runs.iter().map(|run| body(run)["messages"][0]["content"].as_str().unwrap_or_default().to_owned());
        texts.collect::<Vec<_>>()
    };
    assert_eq!(said(false), ["a", "b", "a"]);
    assert_eq!(said(true), ["[0000000000000001] a", "[0000000000000002] b", "[0000000000000003] a"]);
}

#[test]
fn a_wrong_configuration_is_refused_with_its_key() {
    let refusal = |config: &str| configure::<OpenAiChat>(config).expect_err("a refusal");
    let cases = [
        (r"{}", "config: missing field `model`"),
        (r#"{ "model": "" }"#, "config.model: must not be empty"),
        (r#"{ "model": "m", "prompt": "a", "prompts": ["b"] }"#, "config: give `prompt` or `prompts`, not both"),
        (r#"{ "model": "m", "prompts": [] }"#, "config.prompts: at least one"),
        (r#"{ "model": "m", "max_tokens": 0 }"#, "config.max_tokens: from 1"),
        (
            r#"{ "model": "m", "base_path": "v1" }"#,
            "config.base_path: must begin with / and be a path alone, such as \"/v1\"",
        ),
        (
            r#"{ "model": "m", "base_path": "/v1?a=b" }"#,
            "config.base_path: must begin with / and be a path alone, such as \"/v1\"",
        ),
        (
            r#"{ "model": "m", "extra": { "stream": false } }"#,
            "config.extra.stream: this has a key of its own in `config`, or is made by the plugin",
        ),
        (r#"{ "model": "m", "api_key": "a b" }"#, "config.api_key: must be printable ASCII without spaces"),
        (r#"{ "model": "m", "fields": { "a b": "" } }"#, "config.fields: \"a b\" is no field name"),
        (r#"{ "model": "m", "fields": { "a": "x\ny" } }"#, "config.fields.a: must be one line of printable ASCII"),
    ];
    for (config, text) in cases {
        assert_eq!(refusal(config), text, "{config}");
    }
}

#[test]
fn the_schema_knows_the_keys() {
    let schema = config_schema::<OpenAiChat>();
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["required"], json!(["model"]));
    assert_eq!(schema["properties"]["base_path"]["default"], "/v1");
    assert_eq!(schema["properties"]["include_usage"]["default"], true);
}
