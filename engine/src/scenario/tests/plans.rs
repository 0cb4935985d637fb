//! What a scenario resolves to.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{BASE, WHOLE, plan, plan_with, sets, surroundings};
use crate::scenario::{
    Endpoint, Isolation, Limit, Metric, Op, Overrides, PluginBy, Scope, Series, Statistic, Timer, Window, load, parse,
};

#[test]
fn the_smallest_scenario_has_every_default() {
    let plan = plan(BASE);
    assert_eq!((plan.name.as_str(), plan.seed, plan.title.as_deref()), ("mix", 42, None));
    let limits = &plan.limits;
    assert_eq!(limits.tolerance, Duration::from_millis(50));
    assert_eq!(limits.timer, Timer::Balanced);
    assert_eq!(limits.timeout, Duration::from_mins(1));
    assert_eq!(limits.connect_timeout, Duration::from_secs(10));
    assert_eq!(limits.first_byte_timeout, None);
    assert_eq!(limits.idle_timeout, Duration::from_secs(30));
    assert_eq!(limits.drain, Duration::from_mins(1));
    assert_eq!((limits.in_flight, limits.in_flight_default), (20 * 60, 20 * 60));
    assert_eq!((limits.connections, limits.redirects), (None, 0));
    assert_eq!(limits.connection_idle, Duration::from_mins(1));
    assert_eq!(limits.plugin.call, Duration::from_millis(100));
    assert_eq!((limits.plugin.memory, limits.plugin.string), (64 << 20, 64 << 20));
    assert_eq!((limits.plugin.instances, limits.plugin.iterations, limits.plugin.list), (4, 10_000, 10_000));
    let workload = &plan.workloads[0];
    assert_eq!(workload.plugin.by, PluginBy::Name("small".to_owned()));
    assert_eq!((workload.timeout, workload.iteration_timeout), (Duration::from_mins(1), Duration::from_secs(90)));
    assert_eq!(workload.isolation, Isolation::Shared);
    assert_eq!(workload.config.value(), &serde_json::json!({}));
    assert_eq!((plan.judged, plan.recovery), (0, None));
    assert_eq!((plan.planned.total(), plan.duration()), (200, Duration::from_secs(10)));
    assert!(plan.warnings().is_empty());
}

#[test]
fn a_whole_scenario_resolves() {
    let plan = plan(WHOLE);
    assert_eq!((plan.name.as_str(), plan.seed), ("Whole_1", 7));
    let Endpoint::Url(url) = &plan.target.endpoint else { panic!("a URL") };
    assert_eq!((url.to_string().as_str(), url.port), ("https://api.test:8443/v1", 8443));
    assert_eq!(plan.target.resolve, "127.0.0.1:8443".parse().ok());
    assert_eq!((plan.limits.in_flight, plan.limits.in_flight_default), (50, 1_230), "20.5/s × 60 s");
    assert_eq!(plan.limits.drain, Duration::from_secs(6));
    let hosts: Vec<_> = plan.limits.allowed_hosts.iter().map(|host| (host.host.as_str(), host.port)).collect();
    assert_eq!(hosts, [("login.example.com", None), ("[::1]", Some(8443))]);
    let config = serde_json::json!({
        "token": "Bearer s3cret", "paths": ["/a", "/b"], "pages": 3, "deep": { "on": true, "ratio": 0.5 },
    });
    assert_eq!(plan.workloads[0].config.value(), &config);
    assert_eq!(plan.workloads[1].plugin.by, PluginBy::Path(PathBuf::from("plugins/own.wasm")));
    let starts: Vec<_> = plan.phases.iter().map(|phase| phase.start.as_secs()).collect();
    assert_eq!(starts, [0, 10, 15, 105]);
    assert_eq!((plan.judged, plan.recovery), (2, Some(3)));
    let counts: Vec<_> = (0..4).map(|phase| plan.planned.phase(phase)).collect();
    assert_eq!(counts, [50, 0, 1_845, 600]);
}

#[test]
fn thresholds_resolve_to_what_they_judge() {
    let thresholds = plan(WHOLE).thresholds;
    let seen: Vec<_> =
        thresholds.iter().map(|t| (t.workload, t.metric.to_string(), t.op, t.value, t.phase, t.least)).collect();
    let time = |ms| Limit::Time(Duration::from_millis(ms));
    let expected = [
        (Scope::Each, "p95(iteration)", Op::AtMost, time(300), Window::Phase(2), 20),
        (Scope::Workload(0), "error_rate", Op::Below, Limit::Part(1_000), Window::Run, 100),
        (Scope::Workload(1), "p99.9(response(/agents))", Op::AtMost, time(1_500), Window::Phase(3), 20),
        (Scope::Workload(1), "missed", Op::AtMost, Limit::Count(3), Window::Phase(2), 1),
        (Scope::Workload(1), "mean(first_token)", Op::AtLeast, time(12), Window::Phase(2), 1),
    ];
    assert_eq!(seen, expected.map(|(a, metric, b, c, d, e)| (a, metric.to_owned(), b, c, d, e)));
}

#[test]
fn metrics_are_read_and_written_alike() {
    for text in ["error_rate", "missed", "p50(iteration)", "p99.99(service)", "max(response(GET /a (b)))", "min(x_1)"] {
        let metric = Metric::parse(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(metric.to_string(), text);
    }
    let p95 = Metric::parse("p95");
    assert!(
        matches!(p95, Some(Metric::Statistic(Statistic::Percentile(p), Series::Iteration)) if p.thousandths() == 95_000)
    );
    for text in
        ["", "p", "p0", "p100", "p-5", "p9.9999", "p95.", "p95()", "p95(response())", "p95(X)", "p95(a", "p95(a)b"]
    {
        assert_eq!(Metric::parse(text), None, "{text}");
    }
}

#[test]
fn what_a_part_allows_of_a_count_is_exact() {
    // In floating point 29 % of 100 is 28.999…
    for (part, n, allowed) in [("29%", 100, 29), ("0.1%", 973, 0), ("0.1%", 1_000, 1), ("100%", u64::MAX, u64::MAX)] {
        let text = format!("{BASE}\n[[threshold]]\nworkload = \"*\"\nmetric = \"error_rate\"\nvalue = \"{part}\"\n");
        assert_eq!(plan(&text).thresholds[0].value.allowed_of(n), Some(allowed), "{part} of {n}");
    }
    let text = format!("{BASE}\n[[threshold]]\nworkload = \"*\"\nmetric = \"error_rate\"\nvalue = 0.001\n");
    assert_eq!(plan(&text).thresholds[0].value, Limit::Part(1_000));
}

#[test]
fn the_longest_time_out_of_the_mix_sets_cap_and_drain() {
    let set = |texts: &[&str]| {
        let limits = plan_with(BASE, &sets(texts)).limits;
        (limits.in_flight, limits.drain.as_secs())
    };
    assert_eq!(set(&["limits.timeout=5s"]), (100, 5));
    assert_eq!(set(&["workload.small.timeout=2s"]), (40, 2));
    assert_eq!(set(&["limits.timeout=5s", "workload.small.iteration_timeout=1m"]), (1_200, 60));
    assert_eq!(set(&["limits.timeout=1ms", "phase.load.rate=0.1"]), (1, 0), "one at least");
    assert_eq!(set(&["limits.in_flight=3", "limits.drain=0s"]), (3, 0));
}

#[test]
fn judged_is_the_longest_phase_with_a_rate_and_the_first_among_equals() {
    let judged = |phases: &[(&str, &str)]| {
        let head = BASE.split("[[phase]]").next().unwrap_or_default();
        let entry = |(at, (length, more)): (usize, &(&str, &str))| {
            format!("[[phase]]\nname = \"p{at}\"\nduration = \"{length}\"\n{more}\n")
        };
        plan(&format!("{head}{}", phases.iter().enumerate().map(entry).collect::<String>())).judged
    };
    assert_eq!(judged(&[("5s", "rate = 1"), ("9s", "rate = 1"), ("9s", "rate = 2"), ("1h", "pause = true")]), 1);
    assert_eq!(
        judged(&[("9s", "rate = 1\njudged = false"), ("5s", "rate = 1"), ("8s", "rate = 2\nrecovery = true")]),
        1
    );
    assert_eq!(judged(&[("9s", "rate = 1"), ("5s", "rate = 1\njudged = true")]), 1);
}

#[test]
fn settings_without_effect_are_warned_of() {
    let text = BASE.replace("8080\"\n", "8080\"\nserver_name = \"x\"\n");
    let expected = r#"warning[target.without_effect]: `server_name` has no effect on an `http` target
 --> mix.toml:3:1
  |
3 | server_name = "x"
  | ^^^^^^^^^^^ not used"#;
    assert_eq!(plan(&text).warnings().to_string(), expected);
}

#[test]
fn a_workload_that_is_never_sent_is_warned_of() {
    let text = format!("{BASE}\n[[workload]]\nname = \"rare\"\nshare = 0.000001\n");
    let expected =
        "warning[workload.nothing_planned]: `rare` is not sent even once: its share is too small for so short a run
  --> mix.toml:13:1
   |
13 | [[workload]]
   | ^^^^^^^^^^^^ 0 arrivals planned
   |
   = help: 200 arrivals are planned in all";
    assert_eq!(plan(&text).warnings().to_string(), expected);
}

#[test]
fn urls_of_every_form_are_read() {
    let read = |url: &str| match plan(&BASE.replace("http://127.0.0.1:8080", url)).target.endpoint {
        Endpoint::Url(url) => (url.to_string(), url.authority(), url.port),
        Endpoint::Stub(_) => panic!("a URL"),
    };
    assert_eq!(read("http://h"), ("http://h".into(), "h".into(), 80));
    assert_eq!(read("https://H:443/"), ("https://h".into(), "h".into(), 443));
    assert_eq!(read("http://[::1]:9/v1/"), ("http://[::1]:9/v1".into(), "[::1]:9".into(), 9));
}

#[test]
fn files_are_found_from_the_folder_of_the_scenario() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("ca.pem"), "x").expect("written");
    let text = BASE.replace("8080\"\n", "8080\"\nca = \"ca.pem\"\n").replace("share", "plugin = \"a.wasm\"\nshare");
    std::fs::write(at("My mix.toml"), format!("\u{feff}{text}")).expect("written");
    let plan = load(&at("My mix.toml"), &Overrides::default(), &surroundings()).expect("a plan");
    assert_eq!(plan.target.ca, Some(at("ca.pem")));
    assert_eq!(plan.workloads[0].plugin.by, PluginBy::Path(at("a.wasm")));
    assert_eq!((plan.name.as_str(), plan.folder()), ("My-mix", folder.path()));
}

#[test]
fn files_that_cannot_be_read_say_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let shown = |name: &str| {
        let path = folder.path().join(name);
        let faults = load(&path, &Overrides::default(), &surroundings()).map(|_| ()).expect_err("refused");
        faults.to_string().replace(&folder.path().display().to_string(), "FOLDER")
    };
    std::fs::write(folder.path().join("latin.toml"), b"[run]\ntitle = \"gr\xf6\xdfe\"\n").expect("written");
    let missing = "error[scenario.not_found]: there is no scenario `FOLDER/none.toml`
 |
 = help: relative paths count from the current folder";
    assert_eq!(shown("none.toml"), missing);
    let latin = "error[scenario.not_utf8]: the scenario is not UTF-8 text
 --> FOLDER/latin.toml:2:12
  |
2 | title = \"gr\u{fffd}\u{fffd}e\"
  |            ^ the first byte that is not
  |
  = help: save it as UTF-8";
    assert_eq!(shown("latin.toml"), latin);
    assert!(shown("").starts_with("error[scenario.not_readable]: the scenario `FOLDER/` cannot be read: "));
}

#[test]
fn colours_come_only_where_they_are_asked_for() {
    let faults =
        parse(Path::new("x.toml"), "", &Overrides::default(), &surroundings()).map(|_| ()).expect_err("refused");
    assert!(!faults.to_string().contains('\u{1b}'));
    assert!(faults.render(true).contains('\u{1b}'));
}
