//! A plugin that traps: contained, named, and in the end given up.

use super::kit::{Place, assert_identity, reasons, states, stub};

/// Answers far larger than the memory the plugin may have: each makes its instance trap.
fn hungry(url: &str, more: &str) -> String {
    format!(
        r#"
[target]
url = "{url}"
[limits]
tolerance = "5s"
drain = "2s"
[limits.plugin]
memory = "4MiB"
[[workload]]
name = "hungry"
plugin = "http"
share = 1
config = {{ path = "/small?size=8388608", expect_body_contains = "x" }}
{more}
[[workload]]
name = "modest"
plugin = "http"
share = 1
config = {{ path = "/small" }}
[[phase]]
name = "load"
duration = "4s"
rate = 40
"#
    )
}

#[test]
fn a_plugin_that_traps_every_time_stops_the_run() {
    let target = stub();
    let place = Place::with(&hungry(&target.url(), ""));
    let ran = place.run(&["run", "--scenario", "load.toml", "--workers", "1", "--quiet"]);
    assert_eq!(ran.status, 5, "{}\n{}", ran.stdout, ran.stderr);
    let result = place.result();
    assert_identity(&result);
    assert_eq!(reasons(&result, "hungry"), ["plugin_memory"]);
    // The neighbour has instances of its own: nothing of it is lost.
    assert_eq!(
        (states(&result, "modest")["lost"].as_u64(), states(&result, "modest")["failed"].as_u64()),
        (Some(0), Some(0))
    );
    let traps = result["plugin_traps"].as_array().unwrap();
    assert_eq!(traps.len(), 1, "once per distinct text: {traps:?}");
    let text = traps[0]["text"].as_str().unwrap();
    assert!(text.contains("limits.plugin.memory"), "{text}");
    assert!(text.contains("`iteration.on-response`"), "{text}");
    assert!(text.contains("realloc"), "the plugin's own functions are named: {text}");
    assert_eq!(ran.stderr.matches("plugin_memory").count(), 1, "told once: {}", ran.stderr);
}

#[test]
fn an_instance_of_its_own_loses_nothing_else() {
    let target = stub();
    let place = Place::with(&hungry(&target.url(), "isolation = \"iteration\""));
    place.run(&["run", "--scenario", "load.toml", "--workers", "1", "--quiet"]);
    let result = place.result();
    assert_identity(&result);
    assert_eq!(states(&result, "hungry")["lost"], 0);
}
