//! The arrival log: what came, when, and how it was answered. The other side's view of a generator.

mod file;

use std::borrow::Cow;
use std::collections::VecDeque;

use hyper::Method;
use serde::{Deserialize, Serialize};

pub use file::{JournalFile, JournalFileError};

/// Entries kept unless set otherwise; the oldest go first.
pub const DEFAULT_CAPACITY: usize = 1_000_000;

/// One request. Serialised as one line of JSON with these names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Position among the requests since the start or the last reset, from 0, without gaps.
    pub sequence: u64,
    /// When its head had been parsed: nanoseconds of `CLOCK_MONOTONIC`.
    pub arrived_ns: u64,
    /// When the last of its answer had been handed to the connection, or the connection ended: nanoseconds of
    /// `CLOCK_MONOTONIC`; none while it is open.
    pub answered_ns: Option<u64>,
    /// The method as received.
    pub method: Cow<'static, str>,
    /// Path and query as received.
    pub path: Box<str>,
    /// The status answered; none while it is open, and where the connection ended without a status.
    pub status: Option<u16>,
    /// The field `x-request-id`, where there was one of visible ASCII.
    pub request_id: Option<Box<str>>,
}

/// Names one entry, so that its end finds it again.
#[derive(Debug, Clone, Copy)]
pub struct Ticket {
    epoch: u64,
    sequence: u64,
}

/// The last arrivals in memory and, where asked for, all of them in a file.
#[derive(Debug)]
pub struct Journal {
    entries: VecDeque<Entry>,
    capacity: usize,
    /// Counts resets: an exchange that began before one must not end an entry made after it.
    epoch: u64,
    /// Sequence of the next arrival.
    next: u64,
    file: Option<JournalFile>,
}

impl Journal {
    /// An empty journal that keeps at most `capacity` entries, one at least. Memory is taken at the first arrival.
    pub fn new(capacity: usize, file: Option<JournalFile>) -> Self {
        Self { entries: VecDeque::new(), capacity: capacity.max(1), epoch: 0, next: 0, file }
    }

    /// Enters an arrival.
    pub fn arrive(&mut self, arrived_ns: u64, method: &Method, path: &str, request_id: Option<&str>) -> Ticket {
        if self.entries.capacity() < self.capacity {
            // All at once: growing later would copy everything in the middle of a run. The pages come when touched.
            self.entries.reserve_exact(self.capacity - self.entries.len());
        }
        if self.entries.len() >= self.capacity {
            self.entries.pop_front();
        }
        let sequence = self.next;
        self.next += 1;
        self.entries.push_back(Entry {
            sequence,
            arrived_ns,
            answered_ns: None,
            method: method_name(method),
            path: path.into(),
            status: None,
            request_id: request_id.map(Into::into),
        });
        Ticket { epoch: self.epoch, sequence }
    }

    /// Enters the end of an exchange and, where there is a file, queues its line. An entry that has been dropped or
    /// reset in the meantime stays so.
    pub fn answer(&mut self, ticket: Ticket, answered_ns: u64, status: Option<u16>) {
        if ticket.epoch != self.epoch {
            return;
        }
        let dropped = self.dropped();
        let position = ticket.sequence.checked_sub(dropped).and_then(|position| usize::try_from(position).ok());
        let Some(entry) = position.and_then(|position| self.entries.get_mut(position)) else { return };
        entry.answered_ns = Some(answered_ns);
        entry.status = status;
        if let Some(file) = &mut self.file {
            file.push(entry);
        }
    }

    /// Forgets all entries and counts from 0 again. What has been queued for the file still goes there.
    pub fn reset(&mut self) {
        self.entries.clear();
        self.epoch += 1;
        self.next = 0;
    }

    /// Entries that no longer fit, since the start or the last reset; also the sequence of the oldest one kept.
    pub fn dropped(&self) -> u64 {
        self.next - self.entries.len() as u64
    }

    /// Sequence of the next arrival, which is the number of arrivals since the start or the last reset.
    pub fn next_sequence(&self) -> u64 {
        self.next
    }

    /// The entries kept, oldest first.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    /// JSON lines of the entries from one sequence up to another (not included), at most `limit` of them, with the
    /// sequence to go on from; none where nothing is left.
    pub fn lines(&self, from: u64, to: u64, limit: usize) -> Option<(Vec<u8>, u64)> {
        let dropped = self.dropped();
        let from = from.max(dropped);
        if from >= to.min(self.next) {
            return None;
        }
        let first = usize::try_from(from - dropped).ok()?;
        let count = usize::try_from(to.min(self.next) - from).ok()?.min(limit);
        let mut lines = Vec::with_capacity(count * 160);
        for entry in self.entries.range(first..first + count) {
            write_line(&mut lines, entry);
        }
        Some((lines, from + count as u64))
    }

    /// Hands what is queued to the file, without waiting for it.
    pub fn flush(&mut self) {
        if let Some(file) = &mut self.file {
            file.flush();
        }
    }

    /// Writes what is queued and closes the file.
    ///
    /// # Errors
    /// Something could not be written, now or earlier.
    pub fn close(&mut self) -> Result<(), JournalFileError> {
        self.file.take().map_or(Ok(()), JournalFile::close)
    }
}

/// The method's name, without an allocation for the usual ones.
fn method_name(method: &Method) -> Cow<'static, str> {
    let known = match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        Method::PATCH => "PATCH",
        Method::TRACE => "TRACE",
        _ => return Cow::Owned(method.as_str().to_owned()),
    };
    Cow::Borrowed(known)
}

/// Appends one entry as a line of JSON.
fn write_line(lines: &mut Vec<u8>, entry: &Entry) {
    // Cannot fail: a vector takes every write, and an entry has nothing that JSON lacks.
    if serde_json::to_writer(&mut *lines, entry).is_ok() {
        lines.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrive(journal: &mut Journal, at: u64) -> Ticket {
        journal.arrive(at, &Method::GET, "/small", None)
    }

    #[test]
    fn the_oldest_entries_go_first_and_are_counted() {
        let mut journal = Journal::new(3, None);
        let first = arrive(&mut journal, 10);
        for at in 11..15 {
            arrive(&mut journal, at);
        }
        journal.answer(first, 99, Some(200));
        assert_eq!(journal.dropped(), 2);
        assert_eq!(journal.entries().map(|entry| entry.sequence).collect::<Vec<_>>(), [2, 3, 4]);
        assert!(journal.entries().all(|entry| entry.answered_ns.is_none()));
    }

    #[test]
    fn an_exchange_from_before_a_reset_ends_nothing_after_it() {
        let mut journal = Journal::new(3, None);
        let before = arrive(&mut journal, 1);
        journal.reset();
        let after = arrive(&mut journal, 2);
        journal.answer(before, 3, Some(500));
        assert_eq!(journal.entries().next().and_then(|entry| entry.status), None);
        journal.answer(after, 4, Some(200));
        let entry = journal.entries().next().cloned();
        assert_eq!(entry.map(|entry| (entry.sequence, entry.status)), Some((0, Some(200))));
    }

    #[test]
    fn lines_come_in_pieces_and_skip_what_was_dropped_meanwhile() {
        let mut journal = Journal::new(4, None);
        for at in 0..6 {
            arrive(&mut journal, at);
        }
        let (lines, next) = journal.lines(0, 6, 3).unwrap();
        assert_eq!(String::from_utf8(lines).unwrap().lines().count(), 3);
        assert_eq!(next, 5);
        let (lines, next) = journal.lines(next, 6, 3).unwrap();
        assert!(String::from_utf8(lines).unwrap().starts_with("{\"sequence\":5,\"arrived_ns\":5,"));
        assert_eq!(journal.lines(next, 6, 3), None);
    }
}
