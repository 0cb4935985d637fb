//! The stub as a child process: `[target] stub = "…"`.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use super::output;
use crate::report::Mask;

/// How long the stub may take to say where it listens.
const START: Duration = Duration::from_secs(10);
/// The most bytes of its first line.
const LONGEST_LINE: u64 = 4 << 10;
/// The stub's program.
const PROGRAM: &str = "stub-model";

/// A running stub. Ends when dropped; should this process die first, the stub notices and ends by itself.
#[derive(Debug)]
pub(super) struct Stub {
    child: Child,
    /// Where it listens.
    pub(super) url: String,
}

impl Stub {
    /// Starts the stub with these arguments on a free port. Must be called from the main thread: the stub dies with the
    /// thread that started it.
    ///
    /// # Errors
    /// A text that says what went wrong and what to do.
    pub(super) fn start(arguments: &[String], mask: &Mask) -> Result<Self, String> {
        let program = find();
        let mut command = Command::new(&program);
        // By our own id: should we be gone before it looks, its parent is another.
        let ours = format!("--die-with-parent={}", std::process::id());
        command.args(arguments).args(["--listen", "127.0.0.1:0", &ours]);
        let shown = format!("{} {}", program.display(), arguments.join(" "));
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| {
                format!(
                    "the stub cannot be started: {shown}: {error}\n  help: build it with `cargo build --release -p stub-model`; it is looked for beside the engine and in PATH"
                )
            })?;
        let line = first_line(&mut child, mask);
        match line.as_deref().and_then(|line| line.trim().strip_prefix("listening on ")) {
            Some(url) => Ok(Self { url: url.to_owned(), child }),
            None => Err(format!("the stub did not start: {shown}\n{}", last_words(child))),
        }
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        if let Some(id) = rustix::process::Pid::from_raw(i32::try_from(self.child.id()).unwrap_or(0)) {
            // Gently first, so that it can flush its journal; it may be gone already.
            let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
        }
        for _ in 0..200 {
            if matches!(self.child.try_wait(), Ok(Some(_)) | Err(_)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Beside the engine's own program, else wherever PATH says.
fn find() -> PathBuf {
    let beside = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join(PROGRAM)));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| PROGRAM.into())
}

/// The first line the stub prints, if it comes in time. What it prints later is read and dropped, so that it never waits
/// for a reader.
fn first_line(child: &mut Child, mask: &Mask) -> Option<String> {
    let mut output = BufReader::new(child.stdout.take()?);
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        if output.by_ref().take(LONGEST_LINE).read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
            let _ = sender.send(line);
        }
        drop(sender);
        let _ = std::io::copy(&mut output, &mut std::io::sink());
    });
    let line = receiver.recv_timeout(START).ok()?;
    if let Some(errors) = child.stderr.take() {
        let mask = mask.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(errors).split(b'\n').map_while(Result::ok) {
                output::say(&mask.apply(&String::from_utf8_lossy(&line)));
            }
        });
    }
    Some(line)
}

/// What a stub that did not start wrote to stderr.
fn last_words(mut child: Child) -> String {
    let _ = child.kill();
    let _ = child.wait();
    let mut text = String::new();
    if let Some(errors) = child.stderr.take() {
        let _ = errors.take(4 << 10).read_to_string(&mut text);
    }
    if text.is_empty() { "it said nothing".to_owned() } else { text.trim_end().to_owned() }
}
