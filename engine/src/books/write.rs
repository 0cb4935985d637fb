//! The thread that writes `requests.jsonl`: a slow disk must not hold a worker up.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

use super::{Arrival, ArrivalEntry, Desk, End, Entry, FORMAT, Head, Id, Line, Outcome, Request, RequestEntry, RunId};
use crate::clock::{Anchor, Time};
use crate::report::Mask;

/// Batches that may wait for the disk: some 50 MB.
const MOST_WAITING: usize = 1_024;

/// What the thread is sent.
#[derive(Debug)]
pub(super) enum Message {
    Begin(Box<Head>),
    Batch(Vec<Entry>),
    Close,
}

/// Names of what entries give by position.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Workloads.
    pub workloads: Vec<String>,
    /// Phases.
    pub phases: Vec<String>,
}

/// An open file. One that the run never began with is taken away again.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    desk: Desk,
    anchor: Anchor,
    thread: Option<JoinHandle<Written>>,
    begun: bool,
}

/// What came of a file.
#[derive(Debug)]
pub struct Closed {
    /// The sums of its last line.
    pub end: End,
    /// Why it is not whole, where it could not be written.
    pub problem: Option<io::Error>,
}

/// What the thread has written.
#[derive(Debug, Default)]
struct Written {
    end: End,
    problem: Option<io::Error>,
}

impl Writer {
    /// Makes the file. Texts of the target's or a plugin's are masked.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn create(path: &Path, names: Names, anchor: Anchor, mask: Mask) -> io::Result<Self> {
        let file = File::create_new(path)?;
        Self::to(path, file, names, anchor, mask, MOST_WAITING)
    }

    pub(super) fn to(
        path: &Path,
        out: impl Write + Send + 'static,
        names: Names,
        anchor: Anchor,
        mask: Mask,
        most_waiting: usize,
    ) -> io::Result<Self> {
        let (sender, receiver) = sync_channel(most_waiting);
        let run = RunId::fresh();
        let lost = Arc::<AtomicU64>::default();
        let desk = Desk { run: run.clone(), sender, lost: Arc::clone(&lost) };
        let scribe = Scribe { out, names, anchor, mask, run, lost, line: Vec::new(), written: Written::default() };
        let thread = std::thread::Builder::new().name("requests".to_owned()).spawn(move || scribe.work(&receiver))?;
        Ok(Self { path: path.to_owned(), desk, anchor, thread: Some(thread), begun: false })
    }

    /// Where workers get their pens.
    pub fn desk(&self) -> Desk {
        self.desk.clone()
    }

    /// The run's name.
    pub fn run(&self) -> &RunId {
        &self.desk.run
    }

    /// The schedule starts.
    pub fn begin(&mut self, t0: Time, wall_t0: u64, workers: u32) {
        self.begun = true;
        let head = Head {
            format: FORMAT,
            engine: env!("CARGO_PKG_VERSION").to_owned(),
            run: self.desk.run.as_str().to_owned(),
            workers,
            clock: "CLOCK_MONOTONIC".to_owned(),
            boot_id: boot_id(),
            t0_ns: self.anchor.machine_ns(t0),
            t0_wall_ns: wall_t0,
            apart_ns: self.anchor.apart_ns,
        };
        // Fails only where the thread has panicked, which `close` tells.
        let _ = self.desk.sender.send(Message::Begin(Box::new(head)));
    }

    /// Writes what still waits, and the last line.
    pub fn close(mut self) -> Closed {
        let written = self.join();
        if written.problem.is_some() {
            // Of no use, and the disk may be full: the run's results come first.
            let _ = File::create(&self.path);
        }
        Closed { end: written.end, problem: written.problem }
    }

    fn join(&mut self) -> Written {
        let Some(thread) = self.thread.take() else { return Written::default() };
        let _ = self.desk.sender.send(Message::Close);
        thread.join().unwrap_or_else(|_| Written {
            problem: Some(io::Error::other("the thread that writes it has panicked")),
            ..Written::default()
        })
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.join();
        if !self.begun {
            // Nothing is in it; left behind, it harms nothing either.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// The thread's side.
struct Scribe<W> {
    out: W,
    names: Names,
    anchor: Anchor,
    mask: Mask,
    run: RunId,
    lost: Arc<AtomicU64>,
    line: Vec<u8>,
    written: Written,
}

impl<W: Write> Scribe<W> {
    fn work(mut self, messages: &Receiver<Message>) -> Written {
        let mut begun = false;
        for message in messages {
            match message {
                Message::Begin(head) => {
                    begun = true;
                    self.add(&Line::Requests(*head));
                    self.flush(0);
                }
                Message::Batch(entries) => {
                    for entry in &entries {
                        self.add_entry(entry);
                    }
                    self.flush(entries.len() as u64);
                }
                Message::Close => break,
            }
        }
        self.written.end.lost += self.lost.load(Relaxed);
        if begun {
            self.add(&Line::End(self.written.end));
            self.flush(0);
        }
        self.written
    }

    fn add(&mut self, line: &Line<'_>) {
        let before = self.line.len();
        match serde_json::to_writer(&mut self.line, line) {
            Ok(()) => self.line.push(b'\n'),
            // Texts and numbers only: cannot be. Half a line would spoil the file.
            Err(_) => self.line.truncate(before),
        }
    }

    /// Writes what has been added, so many entries.
    fn flush(&mut self, entries: u64) {
        let written = if self.written.problem.is_none() { self.out.write_all(&self.line) } else { Ok(()) };
        self.line.clear();
        if let Err(error) = written {
            self.written.problem = Some(error);
        }
        if self.written.problem.is_some() {
            self.written.end.lost += entries;
        }
    }

    fn add_entry(&mut self, entry: &Entry) {
        if self.written.problem.is_some() {
            return;
        }
        // Taken out for the time of the borrow.
        let (names, mask) = (std::mem::take(&mut self.names), std::mem::take(&mut self.mask));
        let line = match entry {
            Entry::Request(entry) => {
                self.written.end.requests += 1;
                Line::Request(self.request(entry, &names, &mask))
            }
            Entry::Arrival(entry) => {
                self.written.end.arrivals += 1;
                Line::Arrival(self.arrival(entry, &names, &mask))
            }
        };
        self.add(&line);
        drop(line);
        (self.names, self.mask) = (names, mask);
    }

    fn request<'a>(&self, entry: &'a RequestEntry, names: &'a Names, mask: &Mask) -> Request<'a> {
        let ns = |time: Time| self.anchor.machine_ns(time);
        let (id, given) = match &entry.id {
            Id::None => (None, false),
            Id::Own => (Some(Cow::Owned(self.run.request(entry.sequence, entry.exchange))), false),
            // What holds a secret stays out of the file, and cannot be joined by.
            Id::Given(id) => (matches!(mask.apply(id), Cow::Borrowed(_)).then_some(Cow::Borrowed(&**id)), true),
        };
        let outcome = match (entry.cancelled, &entry.failed) {
            (true, _) => Outcome::Cancelled,
            (false, Some(_)) => Outcome::Failed,
            (false, None) => Outcome::Complete,
        };
        Request {
            id,
            given,
            worker: entry.worker,
            workload: name(&names.workloads, entry.workload),
            phase: name(&names.phases, entry.phase),
            sequence: entry.sequence,
            exchange: entry.exchange,
            due_ns: ns(entry.due),
            asked_ns: ns(entry.asked),
            sent_ns: entry.sent.map(ns),
            first_sent_ns: entry.first_sent.filter(|_| entry.first_sent != entry.sent).map(ns),
            first_byte_ns: entry.first_byte.map(ns),
            end_ns: ns(entry.end),
            status: entry.status,
            outcome,
            reason: entry.failed.as_deref().map(Cow::Borrowed),
            opened: entry.opened,
            socket: entry.socket,
            given_up: entry.given_up,
            unsettled: entry.unsettled,
            sends: entry.sends,
            stale_resends: entry.stale_resends,
            redirects: entry.redirects,
            bytes_sent: entry.bytes_sent,
            bytes_received: entry.bytes_received,
        }
    }

    fn arrival<'a>(&self, entry: &'a ArrivalEntry, names: &'a Names, mask: &Mask) -> Arrival<'a> {
        let ns = |time: Time| self.anchor.machine_ns(time);
        Arrival {
            sequence: entry.sequence,
            workload: name(&names.workloads, entry.workload),
            phase: name(&names.phases, entry.phase),
            due_ns: ns(entry.due),
            start_ns: entry.ran.map(|(start, _)| ns(start)),
            end_ns: entry.ran.map(|(_, end)| ns(end)),
            state: entry.state,
            reason: entry.reason.as_deref().map(|reason| mask.apply(reason)),
            exchanges: entry.exchanges,
        }
    }
}

fn name(names: &[String], position: usize) -> Cow<'_, str> {
    Cow::Borrowed(names.get(position).map_or("", String::as_str))
}

/// Linux's name for the time since the machine was started.
fn boot_id() -> Option<String> {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned())
}
