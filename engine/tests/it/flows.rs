//! Setup and teardown: run once, told apart, and what they share kept secret.

use super::kit::{Place, Ran, states, stub};

const PLUGIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../plugins/components/misbehave.wasm");

fn scenario(url: &str, setup: &str, farewell: &str) -> String {
    format!(
        r#"
[target]
url = "{url}"
[[setup]]
plugin = "{PLUGIN}"
config = {{ {setup} }}
[[workload]]
name = "ask"
plugin = "{PLUGIN}"
share = 1
config = {{ path = "/echo" }}
[[phase]]
name = "load"
duration = "2s"
rate = 10
{farewell}
"#
    )
}

#[test]
fn what_setup_shares_reaches_every_iteration_and_no_report() {
    let target = stub();
    let setup = r#"share = { status = "200", session = "tOpSeCrEt-1" }, farewell = "/small?bye=1""#;
    let place = Place::with(&scenario(&target.url(), setup, ""));
    let ran = place.run(&["run", "--scenario", "load.toml", "--workers", "2", "--quiet"]);
    assert!([0, 12].contains(&ran.status), "{}\n{}", ran.stdout, ran.stderr);
    let journal = tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(target.journal()).unwrap();
    let paths: Vec<&str> = journal.iter().map(|entry| &*entry.path).collect();
    assert_eq!(paths.iter().filter(|path| path.contains("session=tOpSeCrEt-1")).count(), 20, "{paths:?}");
    assert_eq!(paths.last().copied(), Some("/small?bye=1"), "teardown comes last, and once");
    assert_eq!(paths.len(), 21);
    let result = place.result();
    assert_eq!(states(&result, "ask")["ok"], 20);
    let setup = result["setup"].as_array().unwrap();
    assert_eq!((setup.len(), setup[0]["stage"].as_str()), (1, Some("teardown")), "{setup:?}");
    let json = std::fs::read_to_string(place.result_folder().join("result.json")).unwrap();
    for text in [ran.stdout, ran.stderr, json] {
        // The configuration of setup is the scenario's own text and is not shown.
        assert!(!text.contains("tOpSeCrEt"), "{text}");
    }
}

#[test]
fn a_setup_that_refuses_ends_the_run_before_it_starts() {
    let target = stub();
    let place = Place::with(&scenario(&target.url(), "refuse = \"the database is empty: fill it first\"", ""));
    let Ran { status, stdout, stderr } = place.run(&["run", "--scenario", "load.toml"]);
    assert_eq!(
        (status, stdout.as_str(), stderr.as_str()),
        (
            3,
            "",
            "error: setup `misbehave` refused the run: check: the database is empty: fill it first\n  help: correct what it \
             names, or the configuration under [[setup]]; nothing was offered\n"
        )
    );
    assert_eq!(std::fs::read_dir(place.path().join("results")).map_or(0, Iterator::count), 0);
}

#[test]
fn a_teardown_that_fails_is_a_note() {
    let target = stub();
    let place = Place::with(&scenario(&target.url(), "farewell = \"/small?status=500\"", ""));
    let ran = place.run(&["run", "--scenario", "load.toml", "--quiet"]);
    assert!([0, 12].contains(&ran.status), "{}\n{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("- Note: teardown `misbehave` ended as http_500"), "{}", ran.stdout);
}
