//! Profiles in whole runs: what the target sees is the integral, and a closed phase keeps to its places.

use super::kit::{Place, assert_identity, states, stub};

fn scenario(url: &str, path: &str, phases: &str) -> String {
    format!(
        r#"
[target]
url = "{url}"
[limits]
# A busy machine may start late; these tests are about counts.
tolerance = "5s"
# So that the default cap on iterations in flight needs few open files.
timeout = "5s"
[[workload]]
name = "small"
plugin = "http"
share = 1
config = {{ path = "{path}" }}
{phases}
"#
    )
}

#[test]
fn every_profile_sends_its_integral_over_any_number_of_workers() {
    let phases = r#"
[[phase]]
name = "up"
duration = "400ms"
ramp = { from = 0, to = 200 }
[[phase]]
name = "stairs"
duration = "300ms"
steps = { from = 100, by = 100, count = 3 }
[[phase]]
name = "down"
duration = "300ms"
steps = { from = 300, by = -100, count = 3 }
[[phase]]
name = "burst"
duration = "200ms"
spike = { base = 100, peak = 1000, at = "100ms", for = "50ms" }
[[phase]]
name = "day"
duration = "400ms"
points = [{ at = "0s", rate = 0 }, { at = "200ms", rate = 200 }, { at = "400ms", rate = 0 }]
[[phase]]
name = "few"
duration = "300ms"
rate = 100
max_arrivals = 7
"#;
    for workers in ["1", "3"] {
        let target = stub();
        let place = Place::with(&scenario(&target.url(), "/small", phases));
        let ran = place.run(&["run", "--scenario", "load.toml", "--workers", workers, "--quiet"]);
        assert!([0, 12].contains(&ran.status), "{}\n{}", ran.stdout, ran.stderr);
        let result = place.result();
        assert_identity(&result);
        let counts: Vec<_> = result["phases"]
            .as_array()
            .unwrap()
            .iter()
            .map(|phase| {
                let states = &phase["workloads"][0]["states"];
                (states["planned"].as_u64().unwrap(), states["ok"].as_u64().unwrap())
            })
            .collect();
        assert_eq!(counts, [40, 60, 60, 65, 40, 7].map(|count| (count, count)));
        let journal =
            tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(target.journal()).unwrap();
        assert_eq!(journal.len(), 272, "the target saw each of them");
    }
}

#[test]
fn a_closed_phase_holds_its_places_and_says_what_it_hides() {
    let phases = r#"
[[phase]]
name = "open"
duration = "300ms"
rate = 100
[[phase]]
name = "probe"
duration = "20s"
closed = 5
max_arrivals = 60
[[threshold]]
workload = "small"
metric = "p50"
value = "10s"
"#;
    let target = stub();
    // 60 answers of 50 ms by five at a time: 600 ms at least.
    let place = Place::with(&scenario(&target.url(), "/slow?ms=50", phases).replace("20s", "3s"));
    let ran = place.run(&["run", "--scenario", "load.toml", "--workers", "2", "--quiet"]);
    assert!([0, 12].contains(&ran.status), "{}\n{}", ran.stdout, ran.stderr);
    let result = place.result();
    assert_identity(&result);
    let states = states(&result, "small");
    assert_eq!((states["planned"].as_u64(), states["ok"].as_u64()), (Some(90), Some(90)), "{states}");
    let probe = &result["phases"][1]["workloads"][0];
    assert_eq!(probe["states"]["planned"], 60);
    assert_eq!(probe["times"]["lateness"]["count"], 0, "nothing was due");
    assert!(probe["times"]["iteration"]["min_ms"].as_f64().unwrap() >= 50.0, "{probe}");

    let journal = tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(target.journal()).unwrap();
    assert_eq!(journal.len(), 90);

    let lateness = &result["judgement"]["checks"][1];
    assert_eq!(
        (lateness["name"].as_str(), lateness["verdict"].as_str(), lateness["detail"].as_str()),
        (Some("lateness p99"), Some("not_checked"), Some("nothing is due in a closed phase"))
    );
    assert!(ran.stdout.contains("`probe` is closed: 5 iterations at once"), "{}", ran.stdout);
    assert!(ran.stdout.contains("closed, 5 at once, at most 60 arrivals"), "{}", ran.stdout);
}
