//! A plugin that does what it must not: contained, named with its own words and functions, and told apart.

use serde_json::Value;

use super::kit::{Place, Ran, assert_identity, reasons, states, stub};

const PLUGIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../plugins/components/misbehave.wasm");

/// Every third of sixty iterations misbehaves in this way; what came of it, and what was said.
fn misbehaving(how: &str, more: &str) -> (Value, Ran) {
    let target = stub();
    let place = Place::with(&format!(
        r#"
[target]
url = "{}"
[limits]
tolerance = "5s"
drain = "3s"
[[workload]]
name = "odd"
plugin = "{PLUGIN}"
share = 1
config = {{ how = "{how}", every = 3, path = "/small" }}
{more}
[[phase]]
name = "load"
duration = "2s"
rate = 30
"#,
        target.url()
    ));
    let ran = place.run(&["run", "--scenario", "load.toml", "--workers", "1", "--quiet"]);
    let result = place.result();
    assert_identity(&result);
    (result, ran)
}

/// The text of the only trap, which was counted this often.
fn trap(result: &Value) -> (String, u64) {
    let traps = result["plugin_traps"].as_array().unwrap();
    assert_eq!(traps.len(), 1, "once per distinct text: {traps:?}");
    (traps[0]["text"].as_str().unwrap().to_owned(), traps[0]["count"].as_u64().unwrap())
}

#[test]
fn a_panic_is_told_with_its_text_and_the_plugins_functions() {
    // Alone in its instance, so that its neighbours are not lost and each third one panics.
    let (result, ran) = misbehaving("panic", "isolation = \"iteration\"");
    assert_eq!(reasons(&result, "odd"), ["plugin_trap"]);
    let states = states(&result, "odd");
    assert_eq!((states["failed"].as_u64(), states["lost"].as_u64()), (Some(20), Some(0)), "{states}");
    for trap in result["plugin_traps"].as_array().unwrap() {
        let text = trap["text"].as_str().unwrap();
        assert!(text.contains("was not to my liking"), "{text}");
        assert!(text.contains("misbehave::dislike"), "{text}");
    }
    assert!(ran.stderr.contains("odd: plugin_trap: "), "{}", ran.stderr);
}

#[test]
fn each_way_to_misbehave_has_its_reason() {
    for (how, reason, says) in [
        ("recursion", "plugin_trap", "descend"),
        ("endless", "plugin_deadline", "limits.plugin.call"),
        ("memory", "plugin_memory", "limits.plugin.memory"),
    ] {
        let (result, ran) = misbehaving(how, "isolation = \"iteration\"");
        assert_eq!(reasons(&result, "odd"), [reason], "{how}: {}", ran.stdout);
        let (text, count) = trap(&result);
        assert!(text.contains(says), "{how}: {text}");
        assert_eq!(states(&result, "odd")["failed"], count, "{how}");
    }
}

#[test]
fn neighbours_of_a_trap_are_lost_and_never_blamed_on_the_target() {
    // Four instances shared by all: who waits for an answer when another one panics is lost, if on the same one.
    let (result, _) = misbehaving("panic", "");
    let states = states(&result, "odd");
    let of = |name: &str| states[name].as_u64().unwrap();
    assert_eq!(of("ok") + of("failed") + of("lost"), of("started"), "{states}");
    assert!(of("failed") <= 20 && of("ok") > 0, "{states}");
    assert_eq!(reasons(&result, "odd"), ["plugin_trap"]);
}

#[test]
fn one_that_waits_for_nothing_and_one_that_waits_for_ever_end() {
    let (result, _) = misbehaving("stall", "");
    assert_eq!(reasons(&result, "odd"), ["plugin_stalled"]);
    let (result, _) = misbehaving("sleep", "iteration_timeout = \"1s\"");
    assert_eq!(reasons(&result, "odd"), ["timeout_iteration"]);
}

#[test]
fn what_a_plugin_must_not_ask_for_fails_that_iteration_alone() {
    for (how, reason) in [
        ("flood", "plugin_misuse"),
        ("split", "protocol"),
        ("elsewhere", "host_not_allowed"),
        ("huge", "plugin_memory"),
    ] {
        let (result, ran) = misbehaving(how, "isolation = \"iteration\"");
        assert_eq!(reasons(&result, "odd"), [reason], "{how}: {}", ran.stdout);
        let states = states(&result, "odd");
        assert_eq!((states["ok"].as_u64(), states["failed"].as_u64()), (Some(40), Some(20)), "{how}: {states}");
    }
}

#[test]
fn waiting_for_nothing_for_ever_and_logging_without_end_hold_nobody_up() {
    let (result, ran) = misbehaving("spin", "iteration_timeout = \"1s\"");
    assert_eq!(reasons(&result, "odd"), ["timeout_iteration"], "{}", ran.stdout);
    assert_eq!(states(&result, "odd")["ok"], 40, "{}", ran.stdout);
    let (result, ran) = misbehaving("chatter", "");
    let states = states(&result, "odd");
    assert_eq!((states["ok"].as_u64(), states["failed"].as_u64()), (Some(60), Some(0)), "{states}");
    assert!(ran.stderr.lines().count() < 100, "{}", ran.stderr.lines().count());
    assert!(ran.stdout.contains("log lines of plugins were not shown"), "{}", ran.stdout);
}
