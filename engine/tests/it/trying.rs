//! `engine try` and `engine plugin`.

use std::time::Duration;

use stub_model::model;

use super::kit::{Place, stub};

const HTTP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../plugins/components/http.wasm");

#[test]
fn one_iteration_is_shown_with_all_it_sent_and_got() {
    let target = stub();
    let config =
        r#"{"method":"POST","path":"/echo","body":"hello","fields":{"Authorization":"Bearer abcdef","X-Kind":"a"}}"#;
    let ran = Place::new().run(&["try", HTTP, "--url", &target.url(), "--config", config]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    for part in [
        "> POST /echo",
        "> host: 127.0.0.1:",
        "> Authorization: ***",
        "> X-Kind: a",
        "> hello",
        "< 200",
        "< hello",
        "= response ",
        "verdict: ok",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains("abcdef"), "{}", ran.stdout);
}

#[test]
fn an_iteration_that_fails_says_why() {
    let target = stub();
    let ran = Place::new().run(&["try", HTTP, "--url", &target.url(), "--config", r#"{"path":"/small?status=500"}"#]);
    assert_eq!(ran.status, 10, "{}", ran.stdout);
    assert!(ran.stdout.contains("verdict: http_500"), "{}", ran.stdout);
}

#[test]
fn a_plugin_alone_needs_to_know_where_to_send() {
    let ran = Place::new().run(&["try", HTTP]);
    assert_eq!(ran.status, 2);
    assert!(
        ran.stderr
            .ends_with("is a plugin, and nothing says where to send\n  help: add --url URL, or give a scenario\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn any_workload_of_a_scenario_can_be_tried() {
    let target = stub();
    let scenario = format!(
        r#"
[target]
url = "{}"
[[workload]]
name = "lists"
plugin = "{}"
share = 1
config = {{ token = "stub-token", organization = "910a2dec-8902-4cc1-bfcd-5625358f25c6" }}
[[workload]]
name = "page"
plugin = "http"
share = 1
config = {{ path = "/small" }}
[[phase]]
name = "load"
duration = "2s"
rate = 5
"#,
        target.url(),
        HTTP.replace("http.wasm", "api_read.wasm"),
    );
    let place = Place::with(&scenario);
    for workload in ["lists", "page"] {
        let ran = place.run(&["try", "load.toml", "--workload", workload]);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
        assert!(ran.stdout.starts_with(&format!("workload {workload} against ")), "{}", ran.stdout);
    }
    let ran = place.run(&["try", "load.toml", "--url", "http://127.0.0.1:1"]);
    assert_eq!(
        (ran.status, ran.stderr.as_str()),
        (
            2,
            "error: --url is for plugins, and load.toml is a scenario\n  help: change a value of the scenario with --set, \
             such as --set target.url=URL\n"
        )
    );
}

#[test]
fn a_plugin_is_shown_with_all_it_is_and_says_of_itself() {
    let file = HTTP.replace("http.wasm", "openai_chat.wasm");
    let ran = Place::new().run(&["plugin", "inspect", &file]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    for part in [
        "openai_chat 0.1.0: Chat completions of any OpenAI-compatible server, streaming or not\n",
        "  interface  engine:workload@0.1.0\n",
        "  imports    engine:workload/types@0.1.0, engine:workload/actions@0.1.0\n",
        "\n  memory     ",
        "\n  tools      wit-component ",
        "\n  first_token            mark         ",
        "\n  model                  required     The model's name.\n",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    let ran = Place::new().run(&["plugin", "inspect", &file, "--format", "json"]);
    let sheet: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((sheet["name"].as_str(), sheet["imports"].as_array().map(Vec::len)), (Some("openai_chat"), Some(2)));
    assert_eq!(sheet["interface"], sheet["engine_interface"]);
    assert!(sheet["memory"].as_u64().is_some_and(|bytes| bytes > 0 && bytes % 65536 == 0), "{}", sheet["memory"]);
    let origin = &sheet["origin"];
    assert_eq!(
        (origin["package"].as_str(), origin["licence"].as_str()),
        (Some("openai_chat"), Some("MIT OR Apache-2.0"))
    );
    let ran = Place::new().run(&["plugin", "inspect", "gone.wasm"]);
    assert_eq!(
        (ran.status, ran.stderr.as_str()),
        (
            4,
            "error: plugin gone.wasm: cannot be read: No such file or directory (os error 2)\n  help: check the path and its \
             permissions\n"
        )
    );
}

#[test]
fn every_figure_of_a_plugin_is_shown_not_only_its_times() {
    let behaviour = model::Behaviour {
        first_token: Duration::from_millis(5),
        token: Duration::from_millis(1),
        tokens: 4,
        ..model::Behaviour::default()
    };
    let target = model::start(&model::Settings { behaviour, ..model::Settings::default() }).unwrap();
    let plugin = concat!(env!("CARGO_MANIFEST_DIR"), "/../plugins/components/openai_chat.wasm");
    let config = r#"{"model":"stub-chat","prompts":["hi"],"max_tokens":4}"#;
    let ran = Place::new().run(&["try", plugin, "--url", &target.url(), "--config", config]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.starts_with("workload openai_chat against "), "{}", ran.stdout);
    let figures = ran.stdout.split("counters, observations, checks\n").nth(1).unwrap_or_default();
    let line = |name: &str| figures.lines().find(|line| line.trim_start().starts_with(name)).map(str::trim);
    assert_eq!(line("tokens_out").map(|line| line.split_whitespace().nth(1)), Some(Some("4")), "{}", ran.stdout);
    assert!(line("paced").is_some_and(|line| line.contains("passed")), "{}", ran.stdout);
}

#[test]
fn a_scenario_may_stand_alone_on_the_command_line() {
    let target = stub();
    let place = Place::with(&format!(
        "[target]\nurl = \"{}\"\n[[workload]]\nname = \"http\"\nshare = 1\nconfig = {{ path = \"/small\" }}\n\
         [[phase]]\nname = \"load\"\nduration = \"1s\"\nrate = 5\n",
        target.url()
    ));
    let ran = place.run(&["run", "load.toml", "--dry-run"]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    let twice = place.run(&["run", "load.toml", "--scenario", "load.toml"]);
    assert_eq!(twice.status, 2);
    assert!(twice.stderr.contains("cannot be used with"), "{}", twice.stderr);
}
