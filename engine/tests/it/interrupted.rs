//! Ctrl-C and SIGTERM: nothing recorded is lost.

use std::process::{Child, Stdio};
use std::time::Duration;

use super::kit::{Place, assert_identity, states, stub};

fn started(place: &Place, url: &str) -> Child {
    place.load(url, "50", "60s", &[]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn signal(child: &Child, signal: rustix::process::Signal) {
    let id = rustix::process::Pid::from_raw(child.id().try_into().unwrap()).unwrap();
    rustix::process::kill_process(id, signal).unwrap();
}

/// Whether SIGHUP, the lowest bit, is ignored by this process: then by its children, too.
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 1 == 1)
}

#[test]
fn one_signal_stops_offering_drains_and_reports() {
    for (kind, status) in
        [(rustix::process::Signal::INT, 130), (rustix::process::Signal::TERM, 143), (rustix::process::Signal::HUP, 143)]
    {
        if kind == rustix::process::Signal::HUP && ignores_hangup() {
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
    signal(&child, rustix::process::Signal::INT);
    std::thread::sleep(Duration::from_millis(300));
    signal(&child, rustix::process::Signal::INT);
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
    signal(&child, rustix::process::Signal::INT);
    let begun = std::time::Instant::now();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    // Counting two and a half billion arrivals one by one took minutes.
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    let result = place.result();
    assert_identity(&result);
    assert_eq!(states(&result, "http")["planned"], 2_592_000_000_u64);
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
