//! Whole runs against the stub: counts, scenarios, overrides.

use super::kit::{Place, Ran, assert_identity, reasons, states, stub};

/// Two workloads of unequal share, short enough to be run five times.
fn mix(url: &str) -> String {
    format!(
        r#"
[target]
url = "{url}"
[limits]
# A busy machine may start late; these tests are about counts.
tolerance = "5s"
[[workload]]
name = "many"
plugin = "http"
share = 3
config = {{ path = "/small" }}
[[workload]]
name = "few"
plugin = "http"
share = 1
config = {{ method = "POST", path = "/echo", body = "n={{index}}" }}
[[phase]]
name = "first"
duration = "500ms"
rate = 101
[[phase]]
name = "rest"
pause = true
duration = "100ms"
[[phase]]
name = "second"
duration = "700ms"
rate = 99
"#
    )
}

#[test]
fn counts_are_equal_over_any_number_of_workers() {
    let target = stub();
    let mut seen = Vec::new();
    for workers in ["1", "2", "3", "8", "13"] {
        let place = Place::with(&mix(&target.url()));
        let ran = place.run(&["run", "--scenario", "load.toml", "--workers", workers, "--quiet"]);
        assert!([0, 12].contains(&ran.status), "{}\n{}", ran.stdout, ran.stderr);
        let result = place.result();
        assert_identity(&result);
        let count = |workload, state: &str| states(&result, workload)[state].as_u64().unwrap();
        assert_eq!(count("many", "ok") + count("few", "ok"), 120, "{}", ran.stdout);
        seen.push((count("many", "planned"), count("many", "ok"), count("few", "planned"), count("few", "ok")));
    }
    // 0.5 s × 101/s + 0.7 s × 99/s = 119.8: the last arrival is due when the integral reaches 119.
    assert_eq!(seen, vec![(91, 91, 29, 29); 5]);
}

#[test]
fn every_request_is_seen_once_at_the_target_as_the_plugin_asked_for_it() {
    let target = stub();
    let place = Place::with(&mix(&target.url()));
    place.run(&["run", "--scenario", "load.toml", "--workers", "2", "--quiet"]);
    let journal = tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(target.journal()).unwrap();
    let of = |method: &str, path: &str| {
        journal.iter().filter(|entry| entry.method == method && entry.path.split('?').next() == Some(path)).count()
    };
    assert_eq!((of("GET", "/small"), of("POST", "/echo"), journal.len()), (91, 29, 120));
    let result = place.result();
    let received = |workload: &str| {
        let workloads = result["whole"]["workloads"].as_array().unwrap();
        let found = workloads.iter().find(|entry| entry["workload"] == workload).unwrap();
        found["traffic"]["bytes_received"].as_u64().unwrap()
    };
    let written: u64 = journal.iter().map(|entry| entry.wire_bytes).sum();
    assert_eq!(received("many") + received("few"), written, "heads and framing included, on both sides");
}

#[test]
fn a_status_that_was_not_expected_fails_by_its_own_reason() {
    let target = stub();
    let place = Place::new();
    let url = format!("{}/small?status=503", target.url());
    let ran = Ran::from(place.load(&url, "50", "2s", &[]).output().unwrap());
    // On a busy machine the run may also be invalid, which goes before.
    assert!([10, 12].contains(&ran.status), "{}", ran.stdout);
    let result = place.result();
    assert!(result["judgement"]["applies"].as_array().unwrap().contains(&"failed".into()), "{}", result["judgement"]);
    assert_identity(&result);
    assert_eq!(reasons(&result, "http"), ["http_503"]);
    let ok = Ran::from(place.load(&url, "50", "2s", &["--expect", "503"]).output().unwrap());
    assert!([0, 12].contains(&ok.status), "{}", ok.stdout);
}

#[test]
fn a_target_that_stops_midway_leaves_the_right_reasons() {
    let target = stub();
    let place = Place::new();
    let url = format!("{}/small", target.url());
    let command = place
        .load(&url, "50", "3s", &["--set", "limits.drain=2s"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(target.stop()).unwrap();
    let ran = command.wait_with_output().unwrap();
    assert!([10, 12].contains(&ran.status.code().unwrap()), "{ran:?}");
    let result = place.result();
    assert_identity(&result);
    let reasons = reasons(&result, "http");
    assert!(reasons.contains(&"refused".to_owned()), "{reasons:?}");
    let known = ["refused", "reset", "stale_connection", "truncated"];
    assert!(reasons.iter().all(|reason| known.contains(&reason.as_str())), "{reasons:?}");
}

#[test]
fn a_cap_below_the_need_misses_arrivals_and_says_so() {
    let target = stub();
    let place = Place::new();
    let url = format!("{}/slow?ms=400", target.url());
    let ran = Ran::from(place.load(&url, "50", "2s", &["--set", "limits.in_flight=3"]).output().unwrap());
    assert_eq!(ran.status, 12, "{}", ran.stdout);
    let result = place.result();
    assert_identity(&result);
    assert!(states(&result, "http")["no_slot"].as_u64().unwrap() > 50, "{}", ran.stdout);
}

#[test]
fn the_committed_scenarios_plan_what_they_say() {
    let scenarios = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios");
    for entry in std::fs::read_dir(scenarios).unwrap() {
        let file = entry.unwrap().path();
        let ran = Place::new().run(&["run", "--scenario", file.to_str().unwrap(), "--dry-run"]);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{}", file.display());
        assert!(ran.stdout.contains("arrivals in"), "{}", ran.stdout);
    }
}

#[test]
fn repeated_runs_show_how_far_their_figures_lie_apart() {
    let target = stub();
    let place = Place::with(&mix(&target.url()));
    let ran = place.run(&["run", "load.toml", "--repeat", "3", "--workers", "1", "--quiet", "--format", "json"]);
    assert!([0, 12].contains(&ran.status), "{}\n{}", ran.stdout, ran.stderr);
    let spread: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(spread["format"], "engine-spread");
    let runs = spread["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 3);
    for run in runs {
        let folder = place.path().join(run["folder"].as_str().unwrap());
        let result: serde_json::Value =
            serde_json::from_slice(&std::fs::read(folder.join("result.json")).unwrap()).unwrap();
        assert_identity(&result);
        assert_eq!(result["judgement"]["verdict"], run["verdict"]);
    }
    let ok = spread["figures"].as_array().unwrap().iter().find(|figure| figure["figure"] == "ok").unwrap();
    // The second phase is judged, as the longest: 69.3 arrivals, three in four of `many`.
    assert_eq!(ok["workload"], "many");
    assert_eq!(ok["spread"], 0.0, "the same count every time: {ok}");
    let folder = place.result_folder();
    assert_eq!(std::fs::read_to_string(folder.join("spread.json")).unwrap(), ran.stdout);
    let text = std::fs::read_to_string(folder.join("spread.md")).unwrap();
    assert!(text.starts_with("# load: 3 of 3 runs\n"), "{text}");
    assert!(ran.stderr.contains("run 2 of 3: "), "{}", ran.stderr);
}
