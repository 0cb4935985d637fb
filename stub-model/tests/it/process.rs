//! A stub as a process of its own, and what tests ask of it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use stub_model::journal::{Entry, Head, Mark, Sums};

use crate::client::PATIENCE;

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_stub-model");

/// A running stub, killed when a test ends early.
pub(crate) struct Stub {
    pub(crate) child: Child,
    pub(crate) out: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
}

impl Stub {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let address = address(&mut out);
        Self { child, out, address }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for the end: exit status, and what else was printed.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let status = bounded(|| self.child.try_wait().unwrap());
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).unwrap();
        (status.code(), rest)
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        // Fails where it has ended, which is the rule.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A journal that has come to its end.
pub(crate) fn journal(path: &Path) -> (Head, Vec<Entry>, Sums) {
    let text = std::fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let Mark::Journal(head) = serde_json::from_str(lines[0]).unwrap() else { panic!("{}", lines[0]) };
    let entries = lines[1..lines.len() - 1].iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let Mark::End(sums) = serde_json::from_str(lines[lines.len() - 1]).unwrap() else { panic!("{text}") };
    (head, entries, sums)
}

/// The address in the first line.
pub(crate) fn address(out: &mut impl BufRead) -> SocketAddr {
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    line.strip_prefix("listening on http://").unwrap().trim_end().parse().unwrap()
}

/// Polls until there is something.
pub(crate) fn bounded<T>(mut poll: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = poll() {
            return found;
        }
        assert!(Instant::now() < until, "it takes too long");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn small(arguments: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command.arg("small").args(arguments).env_remove("STUB_TOKEN");
    command
}

pub(crate) fn ask(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

pub(crate) fn get(address: SocketAddr, path: &str) -> String {
    ask(address, &format!("GET {path} HTTP/1.1\r\nhost: stub\r\nconnection: close\r\n\r\n"))
}

/// Runs to the end: exit status, standard output and standard error.
pub(crate) fn refused(command: &mut Command) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}
