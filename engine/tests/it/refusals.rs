//! Every refusal with its whole text and its exit status. Nothing is offered and nothing is written.

use std::path::Path;

use super::kit::{Place, Ran, stub};

const LOAD: &str = r#"
[target]
url = "http://127.0.0.1:1"

[[workload]]
name = "page"
plugin = "http"
share = 1
config = { path = "/small" }

[[phase]]
name = "load"
duration = "2s"
rate = 5
"#;

fn refused(place: &Place, arguments: &[&str], status: i32) -> String {
    let Ran { status: seen, stdout, stderr } = place.run(arguments);
    assert_eq!((seen, stdout.as_str()), (status, ""), "{stderr}");
    let left = std::fs::read_dir(place.path().join("results")).map_or(0, Iterator::count);
    assert_eq!(left, 0, "a refused run leaves a folder behind");
    // The folder of a test has another name every time.
    stderr.replace(&place.path().display().to_string(), "HERE")
}

#[test]
fn a_run_of_nothing_says_what_is_needed() {
    assert_eq!(
        refused(&Place::new(), &["run"], 2),
        "error: nothing says what to run\n  help: give a scenario (--scenario FILE) or a URL (--url URL); engine run --help \
         shows all options\n"
    );
}

#[test]
fn a_scenario_that_is_not_there() {
    assert_eq!(
        refused(&Place::new(), &["run", "--scenario", "none.toml"], 2),
        "error[scenario.not_found]: there is no scenario `none.toml`\n |\n = help: relative paths count from the current \
         folder\n"
    );
}

#[test]
fn an_unknown_key_names_the_nearest() {
    let place = Place::with(&LOAD.replace("share = 1", "share = 1\nisolatoin = \"shared\""));
    assert_eq!(
        refused(&place, &["run", "--scenario", "load.toml"], 2),
        "error[scenario.unknown_key]: unknown key `isolatoin` in [[workload]]\n --> load.toml:9:1\n  |\n\
         9 | isolatoin = \"shared\"\n  | ^^^^^^^^^ did you mean `isolation`?\n  |\n  \
         = help: known keys: name, share, plugin, config, timeout, iteration_timeout, isolation, why\n"
    );
}

#[test]
fn a_plugin_of_no_known_name_lists_those_there_are() {
    let place = Place::with(&LOAD.replace("plugin = \"http\"", "plugin = \"chat\""));
    place.write("other.wasm", b"");
    assert_eq!(
        refused(&place, &["run", "--scenario", "load.toml"], 4),
        "error[plugin.refused]: there is no plugin `chat`; in .: other.wasm; built in: `http`\n \
         --> load.toml:7:10\n  |\n7 | plugin = \"chat\"\n  |          ^^^^^^ asked for here\n  |\n  \
         = help: give its file with --plugin FILE, or write its path in the scenario\n"
    );
}

#[test]
fn a_plugin_file_that_is_not_there_lists_its_folder() {
    let place = Place::with(&LOAD.replace("plugin = \"http\"", "plugin = \"./gone.wasm\""));
    place.write("other.wasm", b"");
    assert_eq!(
        refused(&place, &["run", "--scenario", "load.toml"], 4),
        "error[plugin.refused]: there is no plugin file ./gone.wasm; in .: other.wasm; built in: `http`\n \
         --> load.toml:7:10\n  |\n7 | plugin = \"./gone.wasm\"\n  |          ^^^^^^^^^^^^^ asked for here\n  |\n  \
         = help: check the path (it counts from the scenario's folder), build it with `engine plugin build`, or give the file with --plugin\n"
    );
}

/// The text for a file given with `--plugin`.
fn given(bytes: &[u8]) -> String {
    let place = Place::with(LOAD);
    place.write("given.wasm", bytes);
    refused(&place, &["run", "--scenario", "load.toml", "--plugin", "given.wasm"], 4)
}

#[test]
fn a_file_that_is_no_component_says_what_it_is() {
    assert_eq!(
        given(b"#!/bin/sh"),
        "error: plugin given.wasm: is not WebAssembly\n  help: plugins are WebAssembly components: see docs/plugins.md\n"
    );
    assert_eq!(
        given(&wat::parse_str("(module)").unwrap()),
        "error: plugin given.wasm: is a core WebAssembly module, not a component\n  \
         help: make it a component: `engine plugin build` does (docs/plugins.md)\n"
    );
    assert_eq!(
        given(&wat::parse_str("(component)").unwrap()),
        "error: plugin given.wasm: is a component, but not a workload plugin: it exports nothing, not \
         `engine:workload/workload@0.1.0`\n  help: build it for the world `engine:workload/plugin`; in Rust, `engine_sdk::plugin!` in lib.rs \
         does (docs/plugins.md)\n"
    );
}

#[test]
fn a_component_of_another_interface_version_says_which() {
    let component = wat::parse_str(r#"(component (import "engine:workload/actions@0.2.0" (instance)))"#).unwrap();
    assert_eq!(
        given(&component),
        "error: plugin given.wasm: was built against `engine:workload/actions@0.2.0`, and this engine speaks \
         engine:workload@0.1.0\n  help: rebuild the plugin against this engine's interface (folder wit/), or use the \
         engine version it was built for\n"
    );
}

#[test]
fn an_import_that_is_not_linked_is_named_with_what_is_offered() {
    let component = wat::parse_str(
        r#"(component
             (import "wasi:sockets/tcp@0.2.0" (instance))
             (instance $none)
             (export "engine:workload/workload@0.1.0" (instance $none)))"#,
    )
    .unwrap();
    assert_eq!(
        given(&component),
        "error: plugin given.wasm: imports `wasi:sockets/tcp@0.2.0`, which is not offered; offered: \
         `engine:workload/types@0.1.0`, `engine:workload/actions@0.1.0`\n  help: plugins are pure: they have no files, \
         sockets, clocks or environment; build without WASI (Rust: target wasm32-unknown-unknown)\n"
    );
}

#[test]
fn a_plugin_that_no_workload_uses() {
    let place = Place::with(LOAD);
    let api_read = concat!(env!("CARGO_MANIFEST_DIR"), "/../plugins/components/api_read.wasm");
    place.write("reader.wasm", &std::fs::read(api_read).unwrap());
    assert_eq!(
        refused(&place, &["run", "--scenario", "load.toml", "--plugin", "reader.wasm"], 2),
        "error: --plugin reader.wasm (named `api_read`): no workload uses it; the scenario's plugins are: `http`\n  \
         help: give a plugin of one of these names, or name this one in the scenario\n"
    );
}

#[test]
fn a_configuration_that_the_plugin_refuses() {
    let target = stub();
    let place = Place::with(&LOAD.replace("http://127.0.0.1:1", &target.url()).replace("path =", "paht ="));
    for more in [&[][..], &["--dry-run"]] {
        let arguments = [&["run", "--scenario", "load.toml"], more].concat();
        assert_eq!(
            refused(&place, &arguments, 4),
            "error[plugin.config]: workload `page`: unknown key `config.paht`\n --> load.toml:9:12\n  |\n9 | config = { \
             paht = \"/small\" }\n  |            ^^^^ did you mean `path`?\n  |\n  = help: known keys: body, body_base64, \
             body_json, expect, expect_body_contains, fields, follow_redirects, max_body, method, name, path, paths, read\n"
        );
    }
}

#[test]
fn a_value_that_does_not_fit_points_at_its_own_line() {
    let config = "[workload.config]\npath = \"/small\"\nexpect = [200, true]\n";
    let place = Place::with(&LOAD.replace("config = { path = \"/small\" }", config));
    let text = refused(&place, &["run", "--scenario", "load.toml"], 4);
    assert!(text.contains("`config.expect[1]`") && text.contains("--> load.toml:11:16\n"), "{text}");
    // One that only the plugin itself can refuse points at the key that it names.
    let config = "[workload.config]\nmethod = \"G T\"\npath = \"/small\"\n";
    let place = Place::with(&LOAD.replace("config = { path = \"/small\" }", config));
    let text = refused(&place, &["run", "--scenario", "load.toml"], 4);
    assert!(text.starts_with("error[plugin.refused]: workload `page`: config.method: "), "{text}");
    assert!(text.contains("--> load.toml:10:10\n"), "{text}");
}

#[test]
fn a_mark_that_the_plugin_does_not_have() {
    let scenario =
        format!("{LOAD}\n[[threshold]]\nworkload = \"page\"\nmetric = \"p95(first_token)\"\nvalue = \"1s\"\n");
    assert_eq!(
        refused(&Place::with(&scenario), &["run", "--scenario", "load.toml"], 2),
        "error[threshold.unknown_metric]: the plugin of workload `page` has no mark `first_token`\n  --> load.toml:18:10\n   \
         |\n18 | metric = \"p95(first_token)\"\n   |          ^^^^^^^^^^^^^^^^^^ unknown\n   |\n   = help: its marks are: \
         none\n"
    );
}

#[test]
fn a_target_that_cannot_be_reached() {
    assert_eq!(
        refused(&Place::with(LOAD), &["run", "--scenario", "load.toml"], 3),
        "error: the target http://127.0.0.1:1 cannot be reached: refused: 127.0.0.1:1: Connection refused (os error 111)\n  \
         help: start it, or correct `target.url`; nothing was offered\n"
    );
}

#[test]
fn a_stub_that_does_not_start_says_why() {
    let place = Place::with(&LOAD.replace("url = \"http://127.0.0.1:1\"", "stub = \"small --bogus\""));
    let text = refused(&place, &["run", "--scenario", "load.toml"], 3);
    let program = Path::new(env!("CARGO_BIN_EXE_engine")).with_file_name("stub-model");
    assert_eq!(
        text,
        format!(
            "error: the stub did not start: {} small --bogus\nerror: unexpected argument '--bogus' found\n\nUsage: stub-model \
             small [OPTIONS]\n\nFor more information, try '--help'.\n",
            program.display()
        )
    );
}

#[test]
fn results_that_cannot_be_written_are_noticed_before_the_run() {
    let place = Place::with(LOAD);
    place.write("taken", b"a file");
    assert_eq!(
        refused(&place, &["run", "--scenario", "load.toml", "--results", "taken"], 6),
        "error: cannot write results to taken: File exists (os error 17). Make the folder writable, free some space, or \
         choose another folder for results\n"
    );
}

#[test]
fn more_descriptors_than_there_may_be() {
    let place = Place::with(LOAD);
    let (limit, help) = {
        let hard = rustix::process::getrlimit(rustix::process::Resource::Nofile).maximum.unwrap_or(u64::MAX);
        (hard, hard.saturating_sub(64))
    };
    assert_eq!(
        refused(&place, &["run", "--scenario", "load.toml", "--set", "limits.in_flight=4000000000"], 2),
        format!(
            "error: the run may need 4000000064 open files (4000000000 connections, and 64 others), and this process may \
             have {limit}\n  help: shorten limits.timeout, raise the hard limit (ulimit -Hn), or set limits.connections or \
             limits.in_flight to at most {help}\n"
        )
    );
}

#[test]
fn no_refusal_shows_what_came_from_the_environment() {
    for (right, wrong, status) in [
        ("path = \"/small\"", "path = \"${SECRET_PATH}\"", 4),
        ("url = \"http://127.0.0.1:1\"", "stub = \"small --token ${SECRET_PATH} --bogus\"", 3),
    ] {
        let target = stub();
        let place = Place::with(&LOAD.replace(right, wrong).replace("http://127.0.0.1:1", &target.url()));
        let mut command = place.command(&["run", "--scenario", "load.toml"]);
        let ran = Ran::from(command.env("SECRET_PATH", "tOpSeCrEt").output().unwrap());
        assert_eq!(ran.status, status, "{}", ran.stderr);
        assert!(!ran.stderr.contains("tOpSeCrEt") && ran.stderr.contains("***"), "{}", ran.stderr);
    }
}

#[test]
fn what_is_for_a_url_is_not_ignored_beside_a_scenario() {
    for (option, shown) in [
        ("--method=PUT", "--method <METHOD>"),
        ("--header=X-A: b", "--header <FIELD>"),
        ("--data=x", "--data <TEXT>"),
        ("--expect=500", "--expect <STATUS>"),
    ] {
        assert_eq!(
            refused(&Place::with(LOAD), &["run", "--scenario", "load.toml", option], 2),
            format!(
                "error: the argument '--scenario <FILE>' cannot be used with '{shown}'\n\nUsage: engine run --scenario \
                 <FILE> [FILE]\n\nFor more information, try '--help'.\n"
            )
        );
    }
}
