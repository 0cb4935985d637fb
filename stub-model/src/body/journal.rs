//! The arrival log as a body.

use std::rc::Rc;

use bytes::Bytes;

use crate::journal::Journal;
use crate::traffic::Traffic;

/// Entries written out at a time.
const ENTRIES: usize = 512;

/// The entries there were when it was asked for, as JSON lines, oldest first, after a line of what they are about.
#[derive(Debug)]
pub struct JournalLines {
    traffic: Rc<Traffic>,
    head: Option<Bytes>,
    next: u64,
    end: u64,
}

impl JournalLines {
    /// Begins with that line and the oldest entry.
    pub fn new(traffic: Rc<Traffic>) -> Self {
        let read = |journal: &Journal| (journal.head().into(), journal.dropped(), journal.next_sequence());
        let (head, next, end) = traffic.with_journal(read);
        Self { traffic, head: Some(head), next, end }
    }
}

impl Iterator for JournalLines {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        if let Some(head) = self.head.take() {
            return Some(head);
        }
        let (lines, next) = self.traffic.with_journal(|journal| journal.lines(self.next, self.end, ENTRIES))?;
        self.next = next;
        Some(lines.into())
    }
}
