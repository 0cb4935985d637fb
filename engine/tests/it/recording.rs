//! `engine try --record`: what is recorded passes as it is, without the target, and holds no secret.

use std::fs;

use stub_model::model;
use stub_model::platform;

use super::kit::{Place, stub};

const COMPONENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../plugins/components");

fn plugin(name: &str) -> String {
    format!("{COMPONENTS}/{name}.wasm")
}

/// The file passes; its text.
fn passes(place: &Place, name: &str, cases: usize) -> String {
    let ran = place.run(&["plugin", "test", &plugin(name), "--script", "cases.toml"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    assert!(ran.stdout.ends_with(&format!("verdict: {cases} of {cases} cases passed\n")), "{}", ran.stdout);
    fs::read_to_string(place.path().join("cases.toml")).unwrap()
}

#[test]
fn a_request_is_recorded_and_passes_without_the_target_and_holds_no_secret() {
    let target = stub();
    let url = target.url();
    let place = Place::new();
    let config = r#"{
        "method": "POST", "path": "/echo?api_key=secret-in-a-query&page=2", "read": "whole",
        "body_json": {"password": "secret-in-a-body", "note": "secret-in-a-field", "none": null},
        "fields": {"Authorization": "Bearer secret-in-a-field", "Cookie": "sid=secret-in-a-cookie", "X-Kind": "kind-a"}
    }"#;
    for _ in 0..2 {
        let arguments = ["try", &plugin("http"), "--url", &url, "--config", config, "--record", "cases.toml"];
        let ran = place.run(&arguments);
        assert_eq!(ran.status, 0, "{}", ran.stdout);
        assert!(ran.stderr.starts_with("recorded case `") && !ran.stderr.contains("warning"), "{}", ran.stderr);
    }
    let down = ["try", &plugin("http"), "--url", &url, "--config", r#"{"path": "/small?status=500"}"#];
    let ran = place.run(&[&down[..], &["--record", "cases.toml"]].concat());
    assert_eq!(ran.status, 10);
    let text = passes(&place, "http", 3);
    assert!(!text.contains("secret-in"), "{text}");
    for part in [": ok (2)\"", "kind-a", "page=2", "Authorization = \"***\"", "verdict = \"http_500\""] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_stream_is_recorded_read_by_read() {
    let target = model::start(&model::Settings::default()).unwrap();
    let place = Place::new();
    let config = r#"{"model": "stub-chat", "api_key": "sk-secret-of-a-test", "max_tokens": 12}"#;
    let arguments =
        ["try", &plugin("openai_chat"), "--url", &target.url(), "--config", config, "--record", "cases.toml"];
    let ran = place.run(&arguments);
    assert_eq!(ran.status, 0, "{}", ran.stdout);
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
    let text = passes(&place, "openai_chat", 1);
    assert!(!text.contains("secret-of-a-test"), "{text}");
    for part in ["events = [\n    [", "first_token = 1", "finish_reason = { passed = 1, failed = 0 }"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_conversation_is_recorded_with_all_that_setup_has_shared_masked() {
    let target = platform::start(&platform::Settings::default()).unwrap();
    let scenario = format!(
        r#"
[target]
url = "{}"
[[setup]]
plugin = "login"
config = {{ email = "stub", password = "${{STUB_PASSWORD}}" }}
[[workload]]
name = "chat_stream"
plugin = "{}"
share = 1
[[phase]]
name = "load"
duration = "2s"
rate = 5
"#,
        target.url(),
        plugin("chat_stream")
    );
    let place = Place::with(&scenario);
    for index in ["0", "4"] {
        let mut command = place.command(&[
            "try",
            "load.toml",
            "--plugin",
            &plugin("login"),
            "--index",
            index,
            "--record",
            "cases.toml",
        ]);
        let output = command.env("STUB_PASSWORD", "stub-password").output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{stderr}");
        assert!(!stderr.contains("warning"), "{stderr}");
    }
    let text = passes(&place, "chat_stream", 2);
    for secret in ["stub-password", "access_token.s", "stub-token"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    for part in ["access_token = \"***\"", "messages = [\n    [", "verdict = \"cancelled\"", "verdict = \"ok\""] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_file_that_holds_no_cases_is_refused_before_anything_is_sent() {
    let place = Place::with("[target]\nurl = \"http://127.0.0.1:1\"\n");
    let arguments = [
        "try",
        &plugin("http"),
        "--url",
        "http://127.0.0.1:1",
        "--config",
        r#"{"path": "/"}"#,
        "--record",
        "load.toml",
    ];
    let ran = place.run(&arguments);
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("unknown key `target` in the cases"), "{}", ran.stderr);
}
