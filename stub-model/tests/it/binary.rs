//! The process: what it prints, refuses and leaves behind.

use std::io::{BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::client::PATIENCE;
use crate::process::{BINARY, Stub, address, ask, bounded, get, journal, refused, small};

#[test]
fn it_prints_one_line_and_ends_with_0_on_both_signals() {
    for signal in [Signal::TERM, Signal::INT] {
        let stub = Stub::start(&mut small(&[]));
        assert!(stub.address.ip().is_loopback());
        assert!(get(stub.address, "/small").starts_with("HTTP/1.1 200 OK\r\n"));
        stub.signal(signal);
        assert_eq!(stub.end(), (Some(0), String::new()));
    }
}

#[test]
fn a_stop_does_not_wait_for_what_never_ends() {
    let stub = Stub::start(&mut small(&[]));
    let mut held = TcpStream::connect(stub.address).unwrap();
    held.write_all(b"GET /fault?kind=hold_body HTTP/1.1\r\nhost: stub\r\n\r\n").unwrap();
    held.read_exact(&mut [0; 12]).unwrap();
    stub.signal(Signal::TERM);
    assert_eq!(stub.end(), (Some(0), String::new()));
}

#[test]
fn the_journal_file_has_every_exchange_also_those_cut_off_by_the_stop() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let stub = Stub::start(small(&["--journal"]).arg(&path));
    for k in 0..5 {
        get(stub.address, &format!("/small?k={k}"));
    }
    let mut held = TcpStream::connect(stub.address).unwrap();
    held.write_all(b"GET /fault?kind=hold HTTP/1.1\r\nhost: stub\r\n\r\n").unwrap();
    bounded(|| get(stub.address, "/metrics").contains("stub_arrivals_total 6\n").then_some(()));
    stub.signal(Signal::TERM);
    assert_eq!(stub.end().0, Some(0));
    let (first, entries, sums) = journal(&path);
    assert_eq!((first.format, first.stub.as_ref(), first.clock.as_ref()), (1, "small", "CLOCK_MONOTONIC"));
    assert_eq!((sums.arrivals, sums.written, sums.lost), (6, 6, 0));
    let within = first.moment.monotonic_ns..sums.moment.monotonic_ns;
    assert!(entries.iter().all(|entry| within.contains(&entry.arrived_ns)));
    assert!(entries.iter().all(|entry| entry.finished_ns.is_some()));
    let seen: Vec<(u64, Option<u16>)> = entries.iter().map(|entry| (entry.sequence, entry.status)).collect();
    assert_eq!(seen, [(0, Some(200)), (1, Some(200)), (2, Some(200)), (3, Some(200)), (4, Some(200)), (5, None)]);
}

#[test]
fn the_journal_file_is_flushed_while_it_runs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let stub = Stub::start(small(&["--journal"]).arg(&path));
    get(stub.address, "/small");
    let done = || std::fs::read_to_string(&path).unwrap().ends_with("\"request_id\":null}\n");
    bounded(|| done().then_some(()));
}

#[test]
fn the_token_comes_from_the_environment_and_is_not_shown() {
    let stub = Stub::start(small(&[]).env("STUB_TOKEN", "from-env"));
    let request =
        "GET /api/v1/orgs HTTP/1.1\r\nhost: stub\r\nauthorization: Bearer from-env\r\nconnection: close\r\n\r\n";
    assert!(ask(stub.address, request).starts_with("HTTP/1.1 200 OK\r\n"));
    let (status, help, _) = refused(small(&["--help"]).env("STUB_TOKEN", "from-env"));
    assert_eq!((status, help.contains("from-env"), help.contains("STUB_TOKEN")), (Some(0), false, true));
}

#[test]
fn an_address_others_can_reach_is_refused_unless_allowed() {
    for address in ["0.0.0.0:0", "[::]:0", "[::ffff:10.0.0.1]:0"] {
        let error = format!(
            "error: {address} can be reached from other machines; listen on a loopback address such as 127.0.0.1:0, \
             or pass --allow-remote\n"
        );
        assert_eq!(refused(&mut small(&["--listen", address])), (Some(2), String::new(), error));
    }
    let stub = Stub::start(&mut small(&["--listen", "0.0.0.0:0", "--allow-remote"]));
    assert!(stub.address.ip().is_unspecified());
}

#[test]
fn a_port_in_use_is_named_with_what_to_do() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let error = format!(
        "error: cannot listen on {address}: the port is in use; choose another one, or port 0 for any free one\n"
    );
    assert_eq!(refused(&mut small(&["--listen", &address])), (Some(1), String::new(), error));
}

#[test]
fn a_journal_that_cannot_be_opened_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none/journal.jsonl");
    let error = format!(
        "error: cannot write the journal {}: No such file or directory (os error 2); choose another file with \
         --journal\n",
        path.display()
    );
    assert_eq!(refused(small(&["--journal"]).arg(&path)), (Some(1), String::new(), error));
}

#[cfg(target_os = "linux")]
#[test]
fn a_journal_that_cannot_be_written_is_told_at_the_end() {
    let mut command = small(&["--journal", "/dev/full"]);
    let mut stub = Stub::start(command.stderr(Stdio::piped()));
    let mut errors = stub.child.stderr.take().unwrap();
    assert!(get(stub.address, "/small").starts_with("HTTP/1.1 200 OK\r\n"));
    stub.signal(Signal::TERM);
    assert_eq!(stub.end(), (Some(1), String::new()));
    let mut error = String::new();
    errors.read_to_string(&mut error).unwrap();
    let expected = "error: cannot write the journal /dev/full: No space left on device (os error 28); choose another \
                    file with --journal\n";
    assert_eq!(error, expected);
}

#[test]
fn malformed_arguments_are_bad_usage() {
    for arguments in [
        ["--listen", "localhost"],
        ["--seed", "x"],
        ["--token", ""],
        ["--token", "a b"],
        ["--no", "x"],
        ["--stall", "4s..2s"],
        ["--slow-start", "1s"],
        ["--alternate", "5,200"],
        ["--loris", "0s"],
        ["--reset-share", "5%"],
    ] {
        let (status, out, error) = refused(&mut small(&arguments));
        assert_eq!((status, out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(error.starts_with("error: ") && error.contains(arguments[0]), "{error}");
    }
}

#[test]
fn model_and_platform_print_one_line_and_end_with_0_too() {
    for which in ["model", "platform"] {
        let mut command = Command::new(BINARY);
        let stub =
            Stub::start(command.args([which, "--listen", "127.0.0.1:0", "--first-token-ms", "0", "--token-ms", "0"]));
        assert!(get(stub.address, "/health").ends_with("{\"status\":\"ok\"}"));
        let body = r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"max_tokens":2}"#;
        let head = format!("POST /v1/chat/completions HTTP/1.1\r\nhost: stub\r\ncontent-length: {}", body.len());
        let answer = ask(stub.address, &format!("{head}\r\nconnection: close\r\n\r\n{body}"));
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains("\"completion_tokens\":2"), "{answer}");
        stub.signal(Signal::TERM);
        assert_eq!(stub.end(), (Some(0), String::new()));
    }
}

#[test]
fn a_stop_of_the_model_does_not_wait_for_what_is_held() {
    let mut command = Command::new(BINARY);
    let stub = Stub::start(command.args(["platform", "--listen", "127.0.0.1:0", "--timeout-rate", "1"]));
    let mut held = TcpStream::connect(stub.address).unwrap();
    let body = r#"{"model":"m","input":"a"}"#;
    let fields = format!("POST /v1/embeddings HTTP/1.1\r\nhost: stub\r\ncontent-length: {}\r\n\r\n", body.len());
    held.write_all(format!("{fields}{body}").as_bytes()).unwrap();
    bounded(|| get(stub.address, "/metrics").contains("stub_model_faults_total{kind=\"timeout\"} 1\n").then_some(()));
    stub.signal(Signal::TERM);
    assert_eq!(stub.end(), (Some(0), String::new()));
}

#[test]
fn arguments_of_model_and_platform_that_cannot_be_honoured_are_bad_usage() {
    for (arguments, told) in [
        (["model", "--jitter", "1.1"], "--jitter"),
        (["model", "--tokens", "0"], "--tokens"),
        (["model", "--tokens", "100001"], "--tokens"),
        (["model", "--token-ms", "600001"], "--token-ms"),
        (["model", "--error-rate", "nan"], "--error-rate"),
        (["model", "--embedding-dim", "4097"], "--embedding-dim"),
        (["model", "--listen", "0.0.0.0:0"], "--allow-remote"),
        (["platform", "--model-url", "https://model"], "must begin with http://"),
        (["platform", "--pool-timeout-ms", "x"], "--pool-timeout-ms"),
    ] {
        let (status, out, error) = refused(Command::new(BINARY).args(arguments));
        assert_eq!((status, out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(error.starts_with("error: ") && error.contains(told), "{error}");
    }
    let both = ["model", "--listen", "127.0.0.1:0", "--error-rate", "0.6", "--timeout-rate", "0.6"];
    let error = "error: the error rate and the time-out rate must be within 0 and 1, also together\n";
    assert_eq!(refused(Command::new(BINARY).args(both)), (Some(2), String::new(), error.to_owned()));
    let (status, _, error) =
        refused(Command::new(BINARY).args(["platform", "--pool-size", "0", "--pool-overflow", "0"]));
    assert_eq!((status, error.contains("one connection at least")), (Some(2), true));
}

#[test]
fn a_model_elsewhere_takes_no_options_of_a_model_here() {
    let arguments = ["platform", "--model-url", "http://127.0.0.1:1", "--tokens", "5"];
    let (status, _, error) = refused(Command::new(BINARY).args(arguments));
    assert_eq!((status, error.contains("--model-url") && error.contains("--tokens")), (Some(2), true), "{error}");
}

#[test]
fn no_secret_from_the_environment_is_shown_by_the_platform() {
    let mut command = Command::new(BINARY);
    command.args(["platform", "--help"]);
    let names = ["STUB_TOKEN", "STUB_PASSWORD", "STUB_WEBHOOK_SECRET"];
    command.envs(names.map(|name| (name, "from-env")));
    let (status, help, _) = refused(&mut command);
    assert_eq!((status, help.contains("from-env")), (Some(0), false));
    assert!(names.iter().all(|name| help.contains(name)));
}

/// Starts a stub from a shell of its own: the shell, its standard output, and the stub's address. The shell stays
/// until its standard input is closed.
fn from_a_shell(script: &str, arguments: &[&str]) -> (Child, BufReader<ChildStdout>, SocketAddr) {
    let mut shell = Command::new("sh");
    shell.args(["-c", script, BINARY, "small"]).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut shell = shell.spawn().unwrap();
    let mut out = BufReader::new(shell.stdout.take().unwrap());
    let address = address(&mut out);
    (shell, out, address)
}

#[test]
fn it_dies_with_a_killed_parent_and_writes_its_journal_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let arguments = ["--die-with-parent", "--journal", path.to_str().unwrap()];
    let (mut shell, mut out, address) = from_a_shell("\"$0\" \"$@\" & read wait", &arguments);
    assert!(get(address, "/small").starts_with("HTTP/1.1 200 OK\r\n"));
    shell.kill().unwrap();
    shell.wait().unwrap();
    // The stub has the shell's standard output too: its end is the end of the stub.
    assert_eq!(rest_within_patience(&mut out), "");
    bounded(|| TcpStream::connect(address).is_err().then_some(()));
    assert_eq!(journal(&path).1.len(), 1);
}

/// What is printed until the end, which must come.
fn rest_within_patience(out: &mut BufReader<ChildStdout>) -> String {
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut rest = String::new();
            out.read_to_string(&mut rest).map(|_| rest)
        });
        bounded(|| reader.is_finished().then_some(()));
        reader.join().unwrap().unwrap()
    })
}

/// The one that starts a stub may be gone before the stub looks who that was.
#[test]
fn it_does_not_begin_for_a_parent_that_is_gone_already() {
    let mut other = Command::new("true").spawn().unwrap();
    let gone = format!("--die-with-parent={}", other.id());
    other.wait().unwrap();
    let mut stub = small(&[&gone]);
    let mut stub = stub.stdout(Stdio::null()).spawn().unwrap();
    assert!(bounded(|| stub.try_wait().unwrap()).success());
}

/// Linux sends its signal when the starting thread ends; a parent of several threads must not lose its stub by that.
#[test]
fn it_outlives_the_thread_that_started_it() {
    let stub = std::thread::spawn(|| Stub::start(&mut small(&["--die-with-parent"]))).join().unwrap();
    // Should the system's own signal be late, this one is the same.
    stub.signal(Signal::URG);
    assert!(get(stub.address, "/slow?ms=50").starts_with("HTTP/1.1 200 OK\r\n"));
    stub.signal(Signal::TERM);
    assert_eq!(stub.end().0, Some(0));
}

#[test]
fn a_shortage_of_descriptors_is_survived() {
    let (mut shell, _out, address) = from_a_shell("ulimit -n 24; exec \"$0\" \"$@\"", &[]);
    let crowd: Vec<TcpStream> = (0..40).map(|_| TcpStream::connect(address).unwrap()).collect();
    // One of those who got in shows that others did not.
    let mut first = &crowd[0];
    first.set_read_timeout(Some(PATIENCE)).unwrap();
    bounded(|| {
        first.write_all(b"GET /metrics HTTP/1.1\r\nhost: stub\r\n\r\n").unwrap();
        let mut buffer = vec![0; 1 << 16];
        let mut text = String::new();
        while !text.ends_with("# EOF\n") {
            let count = first.read(&mut buffer).unwrap();
            text.push_str(std::str::from_utf8(&buffer[..count]).unwrap());
        }
        (!text.contains("stub_accept_errors_total 0\n")).then_some(())
    });
    drop(crowd);
    assert!(get(address, "/small").starts_with("HTTP/1.1 200 OK\r\n"));
    kill_process(Pid::from_child(&shell), Signal::TERM).unwrap();
    assert_eq!(bounded(|| shell.try_wait().unwrap()).code(), Some(0));
}
