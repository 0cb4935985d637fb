//! What a worker notes with: a buffer, handed over when it is full and once a second. Never waits while there is load.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{SyncSender, TrySendError};

use super::write::Message;
use super::{Entry, RunId};

/// Entries handed over at a time.
const BATCH: usize = 256;

/// Where workers get their pens.
#[derive(Clone, Debug)]
pub struct Desk {
    pub(super) run: RunId,
    pub(super) sender: SyncSender<Message>,
    /// Entries that found no room.
    pub(super) lost: Arc<AtomicU64>,
}

impl Desk {
    /// A pen for one worker.
    pub fn pen(&self) -> Pen {
        Pen { desk: self.clone(), batch: Vec::new() }
    }
}

/// One worker's.
#[derive(Debug)]
pub struct Pen {
    desk: Desk,
    batch: Vec<Entry>,
}

impl Pen {
    /// The run it notes.
    pub fn run(&self) -> &RunId {
        &self.desk.run
    }

    /// Notes one thing.
    pub fn push(&mut self, entry: Entry) {
        self.batch.push(entry);
        if self.batch.len() >= BATCH {
            self.hand_over();
        }
    }

    /// Hands over what has been noted. Where too much waits for the disk already, it is counted and lost.
    pub fn hand_over(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        let batch = std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH));
        match self.desk.sender.try_send(Message::Batch(batch)) {
            Ok(()) => {}
            Err(TrySendError::Full(message) | TrySendError::Disconnected(message)) => self.lose(&message),
        }
    }

    /// Hands over the last, when there is no more load that waiting could disturb.
    pub fn finish(mut self) {
        let batch = std::mem::take(&mut self.batch);
        if let Err(refused) = self.desk.sender.send(Message::Batch(batch)) {
            self.lose(&refused.0);
        }
    }

    fn lose(&self, message: &Message) {
        if let Message::Batch(batch) = message {
            self.desk.lost.fetch_add(batch.len() as u64, Relaxed);
        }
    }
}
