//! `engine verify`: the engine's own record of a run against the journal of the stub that it loaded. Nothing here depends
//! on how fast anything is: times are only held against each other.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use stub_model::faults::{self, Share, Stall};
use stub_model::{server, small};

use super::kit::{Place, Ran, states};

/// A stub with a journal. Stopped, it has written all of it.
struct Stub {
    handle: small::Handle,
}

impl Stub {
    fn start(place: &Place, faults: faults::Settings) -> Self {
        let journal_file = Some(place.path().join("journal.jsonl"));
        let server = server::Settings { journal_file, faults, ..server::Settings::default() };
        Self { handle: small::start(&small::Settings { server, ..small::Settings::default() }).unwrap() }
    }

    fn stop(self) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(self.handle.stop()).unwrap();
    }
}

const LOAD: &str = r#"
[target]
url = "URL"
[limits]
tolerance = "10s"
timeout = "10s"
redirects = 3
[[workload]]
name = "load"
plugin = "http"
share = 1
config = CONFIG
[[phase]]
name = "load"
duration = "1s"
rate = 60
"#;

/// A place with the record of a run of this configuration, and the journal of the stub with these faults.
fn run(config: &str, faults: faults::Settings, sets: &[&str]) -> Place {
    let place = Place::new();
    let stub = Stub::start(&place, faults);
    let scenario = LOAD.replace("URL", &stub.handle.url()).replace("CONFIG", config);
    place.write("load.toml", scenario.as_bytes());
    let ran = place.run(&[&["run", "load.toml", "--requests", "--quiet", "--workers", "2"], sets].concat());
    assert!([0, 10, 12].contains(&ran.status), "{}\n{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("each request carried the field x-request-id"), "{}", ran.stdout);
    stub.stop();
    place
}

fn verify(place: &Place, more: &[&str]) -> Ran {
    let folder = place.result_folder();
    let arguments = ["verify", folder.to_str().unwrap(), "--journal", "journal.jsonl"];
    place.run(&[&arguments, more].concat())
}

/// The data set of a verification that ends with this status.
fn verified(place: &Place, status: i32) -> Value {
    let ran = verify(place, &["--format", "json"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (status, ""), "{}", ran.stdout);
    serde_json::from_str(&ran.stdout).unwrap()
}

fn journal(place: &Place) -> PathBuf {
    place.path().join("journal.jsonl")
}

/// Changes the lines of a file.
fn edit(file: &PathBuf, change: impl FnOnce(&mut Vec<String>)) {
    let mut lines: Vec<String> = fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect();
    change(&mut lines);
    fs::write(file, lines.join("\n") + "\n").unwrap();
}

/// The error of a verification that is refused.
fn refused(place: &Place, more: &[&str]) -> String {
    let ran = verify(place, more);
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
    ran.stderr
}

#[test]
fn a_run_with_resets_and_a_stall_passes_and_a_journal_that_was_altered_does_not() {
    let faults = faults::Settings {
        stalls: vec![Stall { from: Duration::from_millis(300), to: Duration::from_millis(700) }],
        reset_share: Share { millionths: 100_000 },
        ..faults::Settings::default()
    };
    let place = run(r#"{ method = "POST", path = "/echo", body = "n={{index}}" }"#, faults, &[]);
    let result = place.result();
    assert_eq!(states(&result, "load")["failed"], 6, "a tenth of sixty is reset");
    let text = verify(&place, &[]);
    assert_eq!((text.status, text.stderr.as_str()), (0, ""), "{}", text.stdout);
    assert!(text.stdout.contains("| exchanges recorded by the engine |    60 |"), "{}", text.stdout);
    assert!(text.stdout.ends_with("**passed**\n"), "{}", text.stdout);
    let data = verified(&place, 0);
    assert_eq!((data["requests"]["sent"].as_u64(), data["requests"]["arrived"].as_u64()), (Some(60), Some(60)));
    assert!(data["checks"].as_array().unwrap().iter().all(|check| check["verdict"] == "ok"), "{data}");
    assert!(data["times"].as_array().unwrap().iter().all(|times| times["min_ms"].as_f64().unwrap() >= 0.0), "{data}");

    // A line in the middle of an answered request.
    let whole = fs::read_to_string(journal(&place)).unwrap();
    let line = whole.lines().skip(20).find(|line| line.contains("\"status\":200")).unwrap().to_owned();
    let entry: Value = serde_json::from_str(&line).unwrap();
    let id = entry["request_id"].as_str().unwrap().to_owned();
    let named = |check: &str| {
        let data = verified(&place, 10);
        let fault = data["faults"].as_array().unwrap().iter().find(|fault| fault["check"] == check);
        assert_eq!(fault.unwrap()["id"], id.as_str(), "{data}");
        let text = verify(&place, &[]).stdout;
        assert!(text.contains(&format!("- {check}: `{id}` ")) && text.ends_with("**failed**\n"), "{text}");
    };
    edit(&journal(&place), |lines| lines.retain(|other| *other != line));
    named("what was sent has arrived");
    assert!(verify(&place, &[]).stdout.contains("has 59 lines of requests, and its own sum says 60"));
    fs::write(journal(&place), whole.replace(&line, &format!("{line}\n{line}"))).unwrap();
    named("nothing arrived more often than sent");
    fs::write(journal(&place), whole.replace(&line, &line.replace("\"status\":200", "\"status\":204"))).unwrap();
    named("same status");
    let early = format!("\"arrived_ns\":{}", entry["arrived_ns"].as_u64().unwrap() - 60_000_000_000);
    let arrived = format!("\"arrived_ns\":{}", entry["arrived_ns"]);
    fs::write(journal(&place), whole.replace(&line, &line.replace(&arrived, &early))).unwrap();
    named("no arrival before due");

    // Both sides' files, cut short.
    edit(&journal(&place), |lines| drop(lines.pop()));
    assert!(refused(&place, &[]).contains("journal.jsonl was cut short: its last line, with the sums, is missing"));
    fs::write(journal(&place), &whole).unwrap();
    edit(&place.result_folder().join("requests.jsonl"), |lines| drop(lines.pop()));
    assert!(refused(&place, &[]).contains("requests.jsonl was cut short: its last line, with the sums, is missing"));
}

#[test]
fn resets_on_kept_connections_of_harmless_requests_are_sent_again_and_told() {
    let faults = faults::Settings { reset_share: Share { millionths: 100_000 }, ..faults::Settings::default() };
    let place = run(r#"{ path = "/small" }"#, faults, &["--set", "limits.connections=2"]);
    let data = verified(&place, 0);
    let requests = &data["requests"];
    let resent = requests["stale_read"].as_u64().unwrap();
    assert!(resent > 0, "{data}");
    assert_eq!(requests["sent"].as_u64(), requests["recorded"].as_u64().map(|recorded| recorded + resent));
    assert_eq!(requests["sent"], requests["arrived"]);
    assert!(data["notes"][0].as_str().unwrap().contains("were sent again although the stub had read them"), "{data}");
}

#[test]
fn answers_that_break_off_are_the_same_on_both_sides() {
    for (path, sets) in [
        ("/small?status=500", &[][..]),
        ("/small?status=302&location=/small", &[]),
        ("/small?gzip=1&size=100000", &[]),
        ("/small?chunked=1&hint=1", &[]),
        ("/fault?kind=reset", &[]),
        ("/fault?kind=close", &[]),
        ("/fault?kind=truncate", &[]),
        ("/fault?kind=garbage", &[]),
        ("/fault?kind=idle_close", &[]),
        ("/fault?kind=hold", &["--set", "limits.timeout=300ms"]),
        ("/fault?kind=hold_body", &["--set", "limits.timeout=300ms"]),
    ] {
        let place = run(&format!("{{ path = \"{path}\" }}"), faults::Settings::default(), sets);
        let data = verified(&place, 0);
        assert_eq!(data["requests"]["recorded"], 60, "{path}: {data}");
    }
}

#[test]
fn a_target_that_is_not_there_any_more_is_explained() {
    let place = Place::new();
    let stub = Stub::start(&place, faults::Settings::default());
    let scenario = LOAD.replace("URL", &stub.handle.url()).replace("CONFIG", r#"{ path = "/small" }"#);
    place.write("load.toml", scenario.replace("\"1s\"", "\"3s\"").as_bytes());
    let arguments = ["run", "load.toml", "--requests", "--quiet"];
    let child = place.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1_500));
    stub.stop();
    child.wait_with_output().unwrap();
    let data = verified(&place, 0);
    assert!(data["requests"]["never_sent"]["refused"].as_u64().unwrap() > 0, "{data}");
}

#[test]
fn ids_that_the_plugin_gives_are_kept_and_one_for_all_is_told() {
    let config = r#"{ path = "/small", fields = { "X-Request-ID" = "mine" } }"#;
    let place = run(config, faults::Settings::default(), &[]);
    assert!(fs::read_to_string(journal(&place)).unwrap().contains("\"request_id\":\"mine\""));
    let data = verified(&place, 10);
    let failed: Vec<&Value> =
        data["checks"].as_array().unwrap().iter().filter(|check| check["verdict"] == "fail").collect();
    assert_eq!(failed.len(), 1, "{data}");
    assert_eq!(
        (failed[0]["name"].as_str(), &failed[0]["faults"]),
        (Some("each request has an id of its own"), &60.into())
    );
}

/// Nobody waits for what is in flight, and the record has its end all the same.
#[test]
fn two_signals_leave_a_record_that_can_be_verified() {
    let place = Place::new();
    let stub = Stub::start(&place, faults::Settings::default());
    let scenario = LOAD.replace("URL", &stub.handle.url()).replace("CONFIG", r#"{ path = "/slow?ms=30000" }"#);
    place.write("load.toml", scenario.replace("\"1s\"", "\"60s\"").replace("\"10s\"", "\"60s\"").as_bytes());
    let arguments = ["run", "load.toml", "--requests", "--quiet"];
    let child = place.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let id = rustix::process::Pid::from_raw(child.id().try_into().unwrap()).unwrap();
    std::thread::sleep(Duration::from_millis(1_500));
    for _ in 0..2 {
        rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
        std::thread::sleep(Duration::from_millis(300));
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    stub.stop();
    let data = verified(&place, 0);
    let result = place.result();
    let abandoned = &states(&result, "load")["abandoned"];
    assert!(abandoned.as_u64().unwrap() > 0);
    assert_eq!(&data["requests"]["recorded"], abandoned);
}

#[test]
fn what_cannot_be_verified_says_what_to_do() {
    let place = Place::new();
    let stub = Stub::start(&place, faults::Settings::default());
    let ran = place.load(&format!("{}/small", stub.handle.url()), "20", "500ms", &[]).output().unwrap();
    assert!([0, 12].contains(&ran.status.code().unwrap()), "{ran:?}");
    stub.stop();
    let folder = place.result_folder();
    assert!(!folder.join("requests.jsonl").exists());
    assert!(!fs::read_to_string(journal(&place)).unwrap().contains("\"request_id\":\""), "no id without --requests");
    let shown = folder.display();
    assert_eq!(
        refused(&place, &[]),
        format!("error: {shown} has no requests.jsonl\n  help: run again with --requests, and verify that run\n")
    );
    let ran = place.run(&["verify", "none", "--journal", "journal.jsonl"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.starts_with("error: cannot read none: No such file or directory"), "{}", ran.stderr);
    let ran = place.run(&["verify", folder.to_str().unwrap()]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("--journal <FILE>"), "{}", ran.stderr);
}
