//! The journal's file. A thread of its own writes it: a slow disk must not stall the exchanges. What waits for the disk
//! is bounded; lines beyond that are left out, counted, and told at the end.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use super::{Entry, write_line};

/// Queued bytes at which they are handed over early.
const FLUSH_AT: usize = 1 << 20;

/// Most bytes that wait for the disk: some ten seconds of a stub that does nothing but answer.
const MOST_WAITING: usize = 128 << 20;

/// The journal's file could not be opened or written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the journal {path}: {problem}; choose another file with --journal", path = path.display())]
pub struct JournalFileError {
    path: PathBuf,
    problem: Problem,
}

/// What is wrong with the file.
#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("{0} lines are missing, since the disk could not keep up")]
    Lost(u64),
}

/// An open file to which entries are appended as JSON lines, in the order in which they ended.
#[derive(Debug)]
pub struct JournalFile {
    path: PathBuf,
    queued: Vec<u8>,
    /// Bytes handed over that have not been written.
    waiting: Arc<AtomicUsize>,
    most_waiting: usize,
    lost: u64,
    sender: Sender<Vec<u8>>,
    writer: JoinHandle<io::Result<()>>,
}

impl JournalFile {
    /// Opens a file for appending, made where it does not exist.
    ///
    /// # Errors
    /// It cannot be opened for writing.
    pub fn open(path: &Path) -> Result<Self, JournalFileError> {
        let file = OpenOptions::new().create(true).append(true).open(path);
        file.and_then(|file| Self::to(path, file, MOST_WAITING))
            .map_err(|error| JournalFileError { path: path.to_owned(), problem: error.into() })
    }

    fn to(path: &Path, mut file: impl Write + Send + 'static, most_waiting: usize) -> io::Result<Self> {
        let (sender, receiver) = channel::<Vec<u8>>();
        let waiting = Arc::<AtomicUsize>::default();
        let written = Arc::clone(&waiting);
        let write = move |lines: Vec<u8>| {
            file.write_all(&lines)?;
            written.fetch_sub(lines.len(), Relaxed);
            Ok(())
        };
        let work = move || receiver.iter().try_for_each(write);
        let writer = std::thread::Builder::new().name("journal".to_owned()).spawn(work)?;
        Ok(Self { path: path.to_owned(), queued: Vec::new(), waiting, most_waiting, lost: 0, sender, writer })
    }

    /// Queues one entry. False where there is no more room.
    pub(super) fn push(&mut self, entry: &Entry) -> bool {
        if self.waiting.load(Relaxed) + self.queued.len() >= self.most_waiting {
            self.lost += 1;
            return false;
        }
        write_line(&mut self.queued, entry);
        if self.queued.len() >= FLUSH_AT {
            self.flush();
        }
        true
    }

    /// Queues a line that is no entry, for which there always is room.
    pub(super) fn push_mark(&mut self, line: &[u8]) {
        self.queued.extend_from_slice(line);
    }

    /// Hands what is queued to the thread.
    pub(super) fn flush(&mut self) {
        if !self.queued.is_empty() {
            let lines = std::mem::take(&mut self.queued);
            self.waiting.fetch_add(lines.len(), Relaxed);
            // A writer that has ended did so with an error, which `close` tells.
            let _ = self.sender.send(lines);
        }
    }

    /// Writes what is queued and waits until it is written.
    pub(super) fn close(mut self) -> Result<(), JournalFileError> {
        self.flush();
        drop(self.sender);
        let written = self.writer.join().unwrap_or_else(|_| Err(io::Error::other("its thread has panicked")));
        let problem = match written {
            Err(error) => Problem::Io(error),
            Ok(()) if self.lost > 0 => Problem::Lost(self.lost),
            Ok(()) => return Ok(()),
        };
        Err(JournalFileError { path: self.path, problem })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

    use hyper::Method;

    use super::super::{End, Journal};
    use super::*;

    /// A disk that takes a write only when told to.
    struct SlowDisk(Receiver<()>, SyncSender<Vec<u8>>);

    impl Write for SlowDisk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.recv().map_err(io::Error::other)?;
            self.1.send(bytes.to_vec()).map_err(io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_a_slow_disk_has_no_room_for_is_counted_and_told() {
        let (go, told) = sync_channel(10);
        let (to, written) = sync_channel(10);
        // Room for three lines of about 220 bytes, and a little.
        let file = JournalFile::to(Path::new("slow"), SlowDisk(told, to), 700).unwrap();
        let mut journal = Journal::new(100, Some(file), super::super::About::default());
        let one = |journal: &mut Journal| {
            let ticket = journal.arrive(1, 1, &Method::GET, "/small", None);
            journal.end(ticket, &End::default());
            // What the thread has taken from the queue still waits for the disk.
            journal.flush();
        };
        for _ in 0..10 {
            one(&mut journal);
        }
        for _ in 0..10 {
            go.send(()).unwrap();
        }
        let error = journal.close().unwrap_err().to_string();
        let text = String::from_utf8(written.try_iter().flatten().collect()).unwrap();
        let entries = text.lines().filter(|line| line.starts_with("{\"sequence\":")).count();
        assert!((2..=4).contains(&entries), "{text}");
        let end = text.lines().last().unwrap();
        let (lost, wanted) = (10 - entries, format!("\"arrivals\":10,\"written\":{entries},\"lost\":{}", 10 - entries));
        assert!(end.starts_with("{\"end\":{") && end.contains(&wanted), "{end}");
        assert_eq!(
            error,
            format!(
                "cannot write the journal slow: {lost} lines are missing, since the disk could not keep up; choose another file with --journal"
            )
        );
    }
}
