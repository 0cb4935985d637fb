//! Probes beside a run.

use super::kit::{Place, Ran, stub};

fn scenario(url: &str, probe: &str, series: &str) -> String {
    format!(
        r#"
[target]
url = "{url}"
[[workload]]
name = "page"
plugin = "http"
share = 1
config = {{ path = "/small" }}
[[phase]]
name = "load"
duration = "2s"
rate = 20
[[probes.prometheus]]
name = "stub"
url = "{probe}"
series = [{series}]
every = "100ms"
"#
    )
}

#[test]
fn series_stand_in_the_report_before_at_their_peak_and_after() {
    let target = stub();
    let series = r#"'stub_requests_total{path="/small"}', "no_such_series""#;
    let place = Place::with(&scenario(&target.url(), "/metrics", series));
    let Ran { stdout, stderr, .. } = place.run(&["run", "--scenario", "load.toml", "--quiet"]);
    let result = place.result();
    let probe = &result["probes"][0];
    let (requests, none) = (&probe["series"][0], &probe["series"][1]);
    // The stub has answered all forty before the last reading.
    assert_eq!(
        (requests["after"].as_f64(), requests["peak"]["value"].as_f64()),
        (Some(40.0), Some(40.0)),
        "{probe}\n{stderr}"
    );
    assert!(requests["samples"].as_array().unwrap().len() > 2, "{probe}");
    assert_eq!((none["before"].as_f64(), none["samples"].as_array().map(Vec::len)), (None, Some(0)));
    assert!(stdout.contains("- stub: no sample of `no_such_series` in any reading"), "{stdout}");
}

#[test]
fn a_probe_that_is_away_is_named_and_refuses_nothing() {
    let target = stub();
    let place = Place::with(&scenario(&target.url(), "http://127.0.0.1:1/metrics", "\"a\""));
    let Ran { status, stdout, .. } = place.run(&["run", "--scenario", "load.toml", "--quiet"]);
    assert!([0, 12].contains(&status), "{stdout}");
    assert!(stdout.contains("readings failed: refused: 127.0.0.1:1: Connection refused"), "{stdout}");
}

#[test]
fn a_series_that_is_not_written_as_one_is_refused() {
    let place = Place::with(&scenario("http://127.0.0.1:1", "/metrics", "\"a b\""));
    let Ran { status, stderr, .. } = place.run(&["run", "--scenario", "load.toml", "--dry-run"]);
    assert_eq!(
        (status, stderr.as_str()),
        (
            2,
            "error[probe.bad_series]: `a b` is no series: write `name` or `name{label=\"value\"}`\n  --> load.toml:16:11\n   \
             |\n16 | series = [\"a b\"]\n   |           ^^^^^ not one\n"
        )
    );
}
