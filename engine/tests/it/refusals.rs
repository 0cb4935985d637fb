//! Every refusal with its whole text and its exit status. Nothing is offered and nothing is written.

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
    let text = refused(&Place::new(), &["run"], 2);
    assert!(text.contains("--scenario <FILE>"), "{text}");
}

#[test]
fn a_scenario_that_is_not_there() {
    let text = refused(&Place::new(), &["run", "--scenario", "none.toml"], 2);
    assert!(text.starts_with("error[scenario.not_found]: there is no scenario `none.toml`"), "{text}");
}

#[test]
fn an_unknown_key_names_the_nearest() {
    let place = Place::with(&LOAD.replace("rate = 5", "rat = 5"));
    let text = refused(&place, &["run", "--scenario", "load.toml"], 2);
    assert!(text.contains("error[scenario.unknown_key]"), "{text}");
    assert!(text.contains("load.toml:14:1"), "{text}");
    assert!(text.contains("`rate`"), "{text}");
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
    let text = refused(&place, &["run", "--scenario", "load.toml"], 4);
    assert!(
        text.starts_with(
            "error[plugin.refused]: there is no plugin file ./gone.wasm; in .: other.wasm; built in: `http`\n"
        ),
        "{text}"
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
        "error: plugin given.wasm: is not WebAssembly\n  help: plugins are WebAssembly components: see docs/first-plugin.md\n"
    );
    assert_eq!(
        given(&wat::parse_str("(module)").unwrap()),
        "error: plugin given.wasm: is a core WebAssembly module, not a component\n  \
         help: make it a component: see docs/first-plugin.md\n"
    );
    assert_eq!(
        given(&wat::parse_str("(component)").unwrap()),
        "error: plugin given.wasm: is a component, but not a workload plugin: it exports nothing, not \
         `engine:workload/workload@0.1.0`\n  help: build it for the world `engine:workload/plugin` (docs/first-plugin.md)\n"
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
             (import "wasi:filesystem/types@0.2.0" (instance))
             (instance $none)
             (export "engine:workload/workload@0.1.0" (instance $none)))"#,
    )
    .unwrap();
    assert_eq!(
        given(&component),
        "error: plugin given.wasm: imports `wasi:filesystem/types@0.2.0`, which is not offered; offered: \
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
    let place = Place::with(&LOAD.replace("http://127.0.0.1:1", &target.url()).replace("path =", "pfad ="));
    let text = refused(&place, &["run", "--scenario", "load.toml"], 4);
    assert!(text.contains("error[plugin.refused]: workload `page`:"), "{text}");
    assert!(text.contains("pfad"), "{text}");
    assert!(text.contains("load.toml:9:"), "{text}");
}

#[test]
fn a_mark_that_the_plugin_does_not_have() {
    let scenario =
        format!("{LOAD}\n[[threshold]]\nworkload = \"page\"\nmetric = \"p95(first_token)\"\nvalue = \"1s\"\n");
    let text = refused(&Place::with(&scenario), &["run", "--scenario", "load.toml"], 2);
    assert!(
        text.contains("error[threshold.unknown_metric]: the plugin of workload `page` has no mark `first_token`"),
        "{text}"
    );
    assert!(text.contains("its marks are: none"), "{text}");
}

#[test]
fn a_target_that_cannot_be_reached() {
    let text = refused(&Place::with(LOAD), &["run", "--scenario", "load.toml"], 3);
    assert!(text.starts_with("error: the target http://127.0.0.1:1 cannot be reached: refused: "), "{text}");
    assert!(text.ends_with("  help: start it, or correct `target.url`; nothing was offered\n"), "{text}");
}

#[test]
fn a_stub_that_does_not_start_says_why() {
    let place = Place::with(&LOAD.replace("url = \"http://127.0.0.1:1\"", "stub = \"small --bogus\""));
    let text = refused(&place, &["run", "--scenario", "load.toml"], 3);
    assert!(text.starts_with("error: the stub "), "{text}");
    assert!(text.contains("--bogus"), "{text}");
}

#[test]
fn results_that_cannot_be_written_are_noticed_before_the_run() {
    let place = Place::with(LOAD);
    place.write("taken", b"a file");
    let text = refused(&place, &["run", "--scenario", "load.toml", "--results", "taken"], 6);
    assert!(text.starts_with("error: ") && text.contains("taken"), "{text}");
}

#[test]
fn more_descriptors_than_there_may_be() {
    let place = Place::with(LOAD);
    let text = refused(&place, &["run", "--scenario", "load.toml", "--set", "limits.in_flight=4000000000"], 2);
    assert!(text.contains("open files"), "{text}");
    assert!(text.contains("ulimit -Hn"), "{text}");
}
