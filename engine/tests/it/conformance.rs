//! `engine plugin check`: every plugin of the project passes, and each way to misbehave fails the check that is about it.

use serde_json::Value;

use super::kit::{Place, Ran};

const COMPONENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../plugins/components");

/// What `login` shares with the plugins of the platform.
const SHARED: &str = r#"{
    "access_token": "token-of-a-test", "organization": "910a2dec-8902-4cc1-bfcd-5625358f25c6", "agent": "agent-1",
    "collection": "handbook", "trigger": { "id": "trigger-1", "source": "github" }, "webhook_secret": "secret-of-a-test"
}"#;

fn check(plugin: &str, more: &[&str]) -> Ran {
    let file = format!("{COMPONENTS}/{plugin}.wasm");
    let mut arguments = vec!["plugin", "check", &file];
    arguments.extend(more);
    Place::new().run(&arguments)
}

/// The checks by name with their verdicts.
fn verdicts(plugin: &str, more: &[&str]) -> (i32, Vec<(String, String)>) {
    let mut arguments = more.to_vec();
    arguments.extend(["--format", "json"]);
    let ran = check(plugin, &arguments);
    assert_eq!(ran.stderr, "", "{plugin}");
    let sheet: Value = serde_json::from_str(&ran.stdout).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let checks = sheet["checks"].as_array().unwrap();
    (ran.status, checks.iter().map(|check| (text(&check["name"]), text(&check["verdict"]))).collect())
}

#[test]
fn every_plugin_of_the_project_passes() {
    let openai_plain = r#"{"model": "m", "stream": false}"#;
    let login = r#"{"email": "e", "password": "p", "collection": "c", "trigger_source": "s", "trigger_id": "t",
        "webhook_secret": "w", "model": "target"}"#;
    let post = r#"{"method": "POST", "path": "/echo", "body_json": {"a": 1}, "read": "whole"}"#;
    let cases: [(&str, &[&str]); 16] = [
        ("http", &["--config", r#"{"paths": ["/a", "/b"]}"#]),
        ("http", &["--config", post]),
        ("openai_chat", &["--config", r#"{"model": "m"}"#]),
        ("openai_chat", &["--config", openai_plain]),
        ("login", &["--config", login]),
        ("api_read", &["--shared", SHARED]),
        ("chat_stream", &["--shared", SHARED]),
        ("agent_run", &["--shared", SHARED]),
        ("rag_query", &["--shared", SHARED]),
        ("ingest", &["--shared", SHARED]),
        ("trigger_fire", &["--shared", SHARED]),
        ("misbehave", &[]),
        ("misbehave", &["--config", r#"{"share": {"a": "b"}, "farewell": "/bye"}"#]),
        ("cost_raw", &[]),
        ("cost_sdk", &[]),
        ("cost_stream", &[]),
    ];
    for (plugin, more) in cases {
        let (status, checks) = verdicts(plugin, more);
        assert_eq!(checks.len(), 9, "{plugin}");
        assert!(checks.iter().all(|(_, verdict)| verdict == "ok"), "{plugin} {more:?}: {checks:?}");
        assert_eq!(status, 0, "{plugin}");
    }
}

#[test]
fn each_way_to_misbehave_fails_the_check_that_is_about_it() {
    let cases = [
        ("panic", "finishes"),
        ("recursion", "finishes"),
        ("stall", "finishes"),
        ("sleep", "finishes"),
        ("spin", "finishes"),
        ("endless", "stays within limits"),
        ("memory", "stays within limits"),
        ("huge", "stays within limits"),
        ("flood", "stays within limits"),
        ("chatter", "stays within limits"),
        ("split", "asks for what can be sent"),
        ("elsewhere", "asks for what can be sent"),
        ("brittle", "survives failures"),
        ("stubborn", "survives failures"),
        ("leak", "frees its iterations"),
        ("remember", "repeats itself"),
    ];
    for (how, name) in cases {
        let (status, checks) = verdicts("misbehave", &["--config", &format!(r#"{{"how": "{how}"}}"#)]);
        assert!(checks.contains(&(name.to_owned(), "failed".to_owned())), "{how}: {checks:?}");
        assert_eq!(status, 5, "{how}");
    }
}

#[test]
fn a_case_that_ends_well_takes_the_checks_further() {
    let place = Place::new();
    let cases = r#"
[[case]]
name = "a log-in"
config = { email = "e", password = "p" }
flow = "setup"

[[case.step]]
request = { method = "POST" }
answer = { fields = { content-type = "application/json" }, json = { access_token = "t", token_type = "bearer" } }

[case.expect]
verdict = "***"
"#;
    place.write("cases.toml", cases.as_bytes());
    let file = format!("{COMPONENTS}/login.wasm");
    let seen = |more: &[&str]| {
        let ran = place.run(&[&["plugin", "check", &file, "--format", "json"], more].concat());
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
        let sheet: Value = serde_json::from_str(&ran.stdout).unwrap();
        let checks = sheet["checks"].as_array().unwrap();
        let of = |name: &str| checks.iter().find(|check| check["name"] == name).unwrap()["seen"].to_string();
        (of("finishes"), of("survives failures"))
    };
    let without = seen(&["--config", r#"{"email": "e", "password": "p"}"#]);
    let with = seen(&["--script", "cases.toml"]);
    assert!(!without.0.contains(" ok") && with.0.contains("20 ok"), "{without:?} {with:?}");
    let mishaps = |seen: &str| seen.trim_matches('"').split(' ').next().unwrap().parse::<u32>().unwrap();
    assert!(mishaps(&with.1) > mishaps(&without.1), "{without:?} {with:?}");
    let ran = place.run(&["plugin", "check", &file, "--script", "cases.toml", "--case", "b"]);
    let refused = "error: there is no case `b` in cases.toml\n  help: it has `a log-in`\n";
    assert_eq!((ran.status, ran.stderr.as_str()), (2, refused));
}

#[test]
fn a_host_that_is_meant_can_be_allowed() {
    let elsewhere = ["--config", r#"{"how": "elsewhere"}"#, "--allow-host", "169.254.169.254"];
    let (status, checks) = verdicts("misbehave", &elsewhere);
    assert!(checks.iter().all(|(_, verdict)| verdict == "ok"), "{checks:?}");
    assert_eq!(status, 0);
}

#[test]
fn a_failed_check_shows_what_led_there_and_the_plugins_functions() {
    let ran = check("misbehave", &["--config", r#"{"how": "panic"}"#]);
    assert_eq!(ran.status, 5);
    for part in [
        "  FAILED   finishes ",
        "the answer to arrival 0 was not to my liking",
        "in misbehave::dislike",
        "help: let every way through `iterate` end",
        "| start, arrival 0, seed ",
        "|     asks for #0: GET /, read count",
        "|   #0 on-response 200, body \"{}\"",
        "verdict: 1 of 9 checks failed\n",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
}

#[test]
fn the_same_seed_gives_the_same_text() {
    let twice = [0, 1].map(|_| {
        let ran = check("openai_chat", &["--config", r#"{"model": "m", "vary": true}"#, "--seed", "7"]);
        // Only what a call took differs.
        ran.stdout.lines().filter(|line| !line.contains("stays within limits")).map(str::to_owned).collect::<Vec<_>>()
    });
    assert_eq!(twice[0], twice[1]);
}

#[test]
fn a_plugin_that_needs_a_configuration_says_what_it_needs() {
    let refused = |plugin: &str, more: &[&str]| {
        let ran = check(plugin, more);
        assert_eq!(ran.stdout, "");
        (ran.status, ran.stderr)
    };
    let (status, text) = refused("openai_chat", &[]);
    assert_eq!(status, 2);
    assert!(text.starts_with("error: plugin `openai_chat` does not take an empty configuration: config: "), "{text}");
    assert!(text.ends_with("\n  help: give one with --config JSON; it requires `model`\n"), "{text}");
    let (status, text) = refused("openai_chat", &["--config", r#"{"modl": "m"}"#]);
    assert_eq!(status, 4);
    assert!(text.starts_with("error: plugin `openai_chat` does not take the configuration: config.modl: "), "{text}");
    let help = "  help: for example --config '{\"path\": \"/\"}'\n";
    assert_eq!(refused("http", &["--config", "[]"]), (2, format!("error: --config is not a JSON object\n{help}")));
    let (status, text) = refused("http", &["--config", "{"]);
    assert!(status == 2 && text.starts_with("error: --config is not JSON: EOF"), "{text}");
    let (status, text) = refused("gone", &[]);
    assert!(status == 4 && text.contains("cannot be read"), "{text}");
}
