//! The journal's file. A thread of its own writes it: a slow disk must not stall the exchanges.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use super::{Entry, write_line};

/// Queued bytes at which they are handed over early.
const FLUSH_AT: usize = 1 << 20;

/// The journal's file could not be opened or written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the journal {path}: {source}; choose another file with --journal", path = path.display())]
pub struct JournalFileError {
    path: PathBuf,
    source: io::Error,
}

/// An open file to which entries are appended as JSON lines, in the order in which they were answered.
#[derive(Debug)]
pub struct JournalFile {
    path: PathBuf,
    queued: Vec<u8>,
    sender: Sender<Vec<u8>>,
    writer: JoinHandle<io::Result<()>>,
}

impl JournalFile {
    /// Opens a file for appending, made where it does not exist.
    ///
    /// # Errors
    /// It cannot be opened for writing.
    pub fn open(path: &Path) -> Result<Self, JournalFileError> {
        let failed = |source| JournalFileError { path: path.to_owned(), source };
        let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
        let (sender, receiver) = channel::<Vec<u8>>();
        let work = move || receiver.iter().try_for_each(|lines| file.write_all(&lines));
        let writer = std::thread::Builder::new().name("journal".to_owned()).spawn(work).map_err(failed)?;
        Ok(Self { path: path.to_owned(), queued: Vec::new(), sender, writer })
    }

    /// Queues one entry.
    pub(super) fn push(&mut self, entry: &Entry) {
        write_line(&mut self.queued, entry);
        if self.queued.len() >= FLUSH_AT {
            self.flush();
        }
    }

    /// Hands what is queued to the thread.
    pub(super) fn flush(&mut self) {
        if !self.queued.is_empty() {
            // A writer that has ended did so with an error, which `close` tells.
            let _ = self.sender.send(std::mem::take(&mut self.queued));
        }
    }

    /// Writes what is queued and waits until it is written.
    pub(super) fn close(mut self) -> Result<(), JournalFileError> {
        self.flush();
        drop(self.sender);
        let written = self.writer.join().unwrap_or_else(|_| Err(io::Error::other("its thread has panicked")));
        written.map_err(|source| JournalFileError { path: self.path, source })
    }
}
