//! Every client, against the target: both have counted the same.

#![allow(clippy::unwrap_used, reason = "a test that meets the unexpected has failed")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// A target that ends with the test.
struct Target {
    child: Child,
    url: String,
}

impl Target {
    fn start(options: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_floor"));
        command.args(["target", "--die-with-parent"]).args(options).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("listening on ").unwrap().to_owned();
        Self { child, url }
    }

    fn count(&self) -> Value {
        let mut stream = TcpStream::connect(self.url.strip_prefix("http://").unwrap()).unwrap();
        stream.write_all(b"GET /count HTTP/1.1\r\nhost: floor\r\nconnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // Already gone where it has failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a client says of its run.
fn floor(arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_floor")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn every_closed_loop_counts_what_the_target_counts() {
    for on in ["raw", "hyper", "pooled"] {
        let target = Target::start(&[]);
        let url = format!("{}/small", target.url);
        let said = floor(&["closed", "--url", &url, "--connections", "5", "--duration", "100ms", "--on", on]);
        let count = target.count();
        assert_eq!(said["requests"], count["requests"], "{on}");
        assert!(said["requests"].as_u64() >= Some(5) && count["connections"].as_u64() >= Some(2), "{on}: {count}");
        assert!(said["cpu_us"].as_u64() > Some(0));
    }
}

#[test]
fn the_open_loop_sends_its_schedule_at_any_tick() {
    for tick in ["0s", "250us", "7ms"] {
        let target = Target::start(&[]);
        let url = format!("{}/slow?ms=20", target.url);
        let said = floor(&["open", "--url", &url, "--rate", "500", "--duration", "300ms", "--tick", tick]);
        assert_eq!((said["requests"].as_u64(), target.count()["requests"].as_u64()), (Some(150), Some(150)), "{tick}");
        assert_eq!(said["lateness"]["count"], 150);
        // Answered 20 ms after they were due, at the earliest.
        assert!(said["response"]["p50_us"].as_f64() >= Some(19_900.0), "{said}");
    }
}

#[test]
fn every_token_of_every_stream_is_decoded() {
    let target = Target::start(&["--first-token-ms", "30", "--token-ms", "2", "--tokens", "6"]);
    let said = floor(&["streams", "--url", &target.url, "--streams", "4", "--duration", "20ms", "--spread", "8ms"]);
    let count = target.count();
    assert_eq!((said["streams"].as_u64(), said["tokens"].as_u64()), (Some(4), Some(24)));
    assert_eq!((count["tokens"].as_u64(), count["streams_open"].as_u64()), (Some(24), Some(0)));
    assert_eq!((&said["added"]["count"], &said["gap"]["count"]), (&4.into(), &20.into()));
    let first = |side: &Value| side["first_token"]["p50_us"].as_f64().unwrap();
    assert!((29_900.0..=first(&said) * 1.001).contains(&first(&count)), "{count} {said}");
}

#[test]
fn a_wrong_status_and_a_target_that_is_not_there_fail() {
    let target = Target::start(&[]);
    let url = format!("{}/nothing", target.url);
    for arguments in [&["closed", "--on", "raw"][..], &["closed", "--on", "hyper"], &["open", "--rate", "10"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_floor")).args(arguments).args(["--url", &url]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains("the status is 404"), "{said}");
    }
    let gone = target.url.clone();
    drop(target);
    let output = Command::new(env!("CARGO_BIN_EXE_floor")).args(["streams", "--url", &gone]).output().unwrap();
    assert!(!output.status.success());
}
