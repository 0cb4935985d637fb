//! The arrival log as a body.

use std::rc::Rc;

use bytes::Bytes;

use crate::traffic::Traffic;

/// Entries written out at a time.
const ENTRIES: usize = 512;

/// The entries there were when it was asked for, as JSON lines, oldest first.
#[derive(Debug)]
pub struct JournalLines {
    traffic: Rc<Traffic>,
    next: u64,
    end: u64,
}

impl JournalLines {
    /// Begins with the oldest entry.
    pub fn new(traffic: Rc<Traffic>) -> Self {
        let (next, end) = traffic.with_journal(|journal| (journal.dropped(), journal.next_sequence()));
        Self { traffic, next, end }
    }
}

impl Iterator for JournalLines {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        let (lines, next) = self.traffic.with_journal(|journal| journal.lines(self.next, self.end, ENTRIES))?;
        self.next = next;
        Some(lines.into())
    }
}
