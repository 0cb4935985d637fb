//! Ctrl-C and SIGTERM: nothing recorded is lost.

use std::fs;
use std::process::{Child, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use super::kit::{Place, Ran, assert_identity, program, states, stub};

fn started(place: &Place, url: &str) -> Child {
    place.load(url, "50", "60s", &[]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn signal(child: &Child, signal: Signal) {
    let id = Pid::from_raw(child.id().try_into().unwrap()).unwrap();
    kill_process(id, signal).unwrap();
}

/// Whether SIGHUP, the lowest bit, is ignored by this process: then by its children, too.
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 1 == 1)
}

#[test]
fn one_signal_stops_offering_drains_and_reports() {
    for (kind, status) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 143)] {
        if kind == Signal::HUP && ignores_hangup() {
            eprintln!("skipped for SIGHUP: these tests run where it is ignored, as under nohup");
            continue;
        }
        let target = stub();
        let place = Place::new();
        let child = started(&place, &format!("{}/small", target.url()));
        std::thread::sleep(Duration::from_millis(1_500));
        signal(&child, kind);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{output:?}");
        let result = place.result();
        assert_identity(&result);
        assert_eq!(result["judgement"]["verdict"], "interrupted");
        let states = states(&result, "http");
        assert_eq!(states["planned"], 3_000);
        assert!(states["not_offered"].as_u64().unwrap() > 2_000, "{states}");
        assert!(states["ok"].as_u64().unwrap() > 0, "{states}");
    }
}

#[test]
fn a_second_signal_waits_for_nothing_and_what_was_recorded_is_written() {
    let target = stub();
    let place = Place::new();
    let child = started(&place, &format!("{}/slow?ms=30000", target.url()));
    std::thread::sleep(Duration::from_millis(1_500));
    signal(&child, Signal::INT);
    std::thread::sleep(Duration::from_millis(300));
    signal(&child, Signal::INT);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let result = place.result();
    assert_identity(&result);
    let states = states(&result, "http");
    assert!(states["abandoned"].as_u64().unwrap() > 0, "{states}");
    assert_eq!(states["ok"], 0);
}

/// What is not offered is computed, not counted: a month of a high rate ends as quickly as a minute.
#[test]
fn a_schedule_of_a_month_stops_at_once() {
    let target = stub();
    let place = Place::new();
    let child = place
        .load(&format!("{}/small", target.url()), "1000", "30days", &["--set", "limits.in_flight=500"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1_500));
    signal(&child, Signal::INT);
    let begun = std::time::Instant::now();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    // Counting two and a half billion arrivals one by one took minutes.
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    let result = place.result();
    assert_identity(&result);
    assert_eq!(states(&result, "http")["planned"], 2_592_000_000_u64);
}

/// The id of the program that a build runs, once that has written it down.
fn toolchain(place: &Place) -> Pid {
    for _ in 0..1_000 {
        let text = fs::read_to_string(place.path().join("id")).unwrap_or_default();
        if let Some(id) = text.strip_suffix('\n') {
            return Pid::from_raw(id.parse().unwrap()).unwrap();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("the build has not begun");
}

/// Stops `engine plugin build` while a toolchain runs that is this script.
fn build_stopped(manifest: &str, tool: &str, script: &str, signals: &[Signal], status: i32) {
    let place = Place::new();
    let text = if manifest == "pyproject.toml" { "[project]\nname = \"tea\"\n" } else { "{\"name\": \"tea\"}" };
    place.write(manifest, text.as_bytes());
    place.write("tea.wasm", b"old");
    fs::create_dir_all(place.path().join("node_modules/engine-sdk")).unwrap();
    place.write("node_modules/engine-sdk/build.mjs", b"");
    let [programs, temporary] = ["programs", "temporary"].map(|name| place.path().join(name));
    fs::create_dir(&programs).unwrap();
    fs::create_dir(&temporary).unwrap();
    program(&programs, tool, &format!("{script}\necho $$ >id; exec sleep 60"));
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut build = place.command(&["plugin", "build"]);
    build.env("PATH", path).env("CARGO", programs.join(tool)).env("TMPDIR", &temporary);
    let child = build.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let tool = toolchain(&place);
    for kind in signals {
        signal(&child, *kind);
        std::thread::sleep(Duration::from_millis(300));
    }
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!((ran.status, ran.stdout.as_str()), (status, ""), "{}", ran.stderr);
    assert_eq!(ran.stderr, "stopped: nothing was written\n");
    test_kill_process(tool).expect_err("the toolchain runs on");
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0, "something is left");
    assert_eq!(fs::read(place.path().join("tea.wasm")).unwrap(), b"old");
}

#[test]
fn a_build_that_is_stopped_ends_its_toolchain_and_leaves_nothing() {
    let (int, term) = (Signal::INT, Signal::TERM);
    // Temporary files of its own are the toolchain's to remove, or else the engine's.
    let makes = "[ \"$1\" = --version ] && exit 0; mkdir \"$TMPDIR/own\"";
    build_stopped("package.json", "node", makes, &[term], 143);
    build_stopped("package.json", "node", makes, &[int], 130);
    build_stopped("package.json", "node", &format!("{makes}; trap '' TERM"), &[int, term], 130);
    // Already the question for its version, or for what the folder is, may hang.
    build_stopped("pyproject.toml", "python3", "", &[term], 143);
    build_stopped("Cargo.toml", "cargo", "", &[int], 130);
}

#[test]
fn a_stderr_that_nobody_reads_loses_nothing() {
    let target = stub();
    let place = Place::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command =
        place.command(&["run", "--url", &format!("{}/small", target.url()), "--rate", "20", "--duration", "2s"]);
    let output = command.stderr(full).output().unwrap();
    assert!([0, 12].contains(&output.status.code().unwrap()), "{output:?}");
    assert_identity(&place.result());
}
