//! The arrival log: what came, when, and how it was answered. The other side's view of a generator.

mod file;
mod mark;

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};

use hyper::Method;
use serde::{Deserialize, Serialize};

use crate::faults::Befell;

pub use file::{JournalFile, JournalFileError};
pub use mark::{About, FORMAT, Head, Mark, Sums};

/// Entries kept unless set otherwise; the oldest go first.
pub const DEFAULT_CAPACITY: usize = 1_000_000;

/// One request. Serialised as one line of JSON with these names. All times are nanoseconds of `CLOCK_MONOTONIC`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Position among the requests since the start or the last reset, from 0, without gaps.
    pub sequence: u64,
    /// The connection it came on: they are numbered from 1 as they are accepted.
    pub connection: u64,
    /// When its head had been parsed.
    pub arrived_ns: u64,
    /// Just before the first byte of its answer was handed to the socket, so that no client can have it earlier. None
    /// where nothing of an answer was.
    pub sent_ns: Option<u64>,
    /// Just before the last bytes of its answer were handed to the socket; where that was not to be, when the connection
    /// ended. None while it is open.
    pub finished_ns: Option<u64>,
    /// The method as received.
    pub method: Cow<'static, str>,
    /// Path and query as received.
    pub path: Box<str>,
    /// The status answered; none while it is open, and where the connection ended without a status.
    pub status: Option<u16>,
    /// Bytes handed to the socket for it: interim answers, head and body as they are on the wire, frames of a WebSocket.
    /// Those of pipelined answers that left together count for the first.
    pub wire_bytes: u64,
    /// Bytes of the answer's body, compressed where it is, without transfer coding. Where it is not complete, not all of
    /// them need have left.
    pub body_bytes: u64,
    /// The whole answer was handed to the socket.
    pub complete: bool,
    /// What befell it.
    pub faults: Befell,
    /// The field `x-request-id`, where there was one of visible ASCII.
    pub request_id: Option<Box<str>>,
}

/// How an exchange ended: the part of its entry that is not known before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct End {
    /// See [`Entry::sent_ns`].
    pub sent_ns: Option<u64>,
    /// See [`Entry::finished_ns`].
    pub finished_ns: u64,
    /// See [`Entry::status`].
    pub status: Option<u16>,
    /// See [`Entry::wire_bytes`].
    pub wire_bytes: u64,
    /// See [`Entry::body_bytes`].
    pub body_bytes: u64,
    /// See [`Entry::complete`].
    pub complete: bool,
    /// See [`Entry::faults`].
    pub faults: Befell,
}

impl Entry {
    fn end(&mut self, end: &End) {
        let End { sent_ns, finished_ns, status, wire_bytes, body_bytes, complete, faults } = *end;
        (self.sent_ns, self.finished_ns, self.status) = (sent_ns, Some(finished_ns), status);
        (self.wire_bytes, self.body_bytes) = (wire_bytes, body_bytes);
        (self.complete, self.faults) = (complete, faults);
    }
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
    about: About,
    file: Option<JournalFile>,
    /// Open entries that no longer fit: the file is still to have them.
    unwritten: BTreeMap<u64, Entry>,
    /// Entries in the file, and those that it had no room for.
    written: u64,
    lost: u64,
}

impl Journal {
    /// An empty journal that keeps at most `capacity` entries, one at least. Memory is taken at the first arrival. A file
    /// begins with what the journal is about.
    pub fn new(capacity: usize, file: Option<JournalFile>, about: About) -> Self {
        let mut journal = Self {
            entries: VecDeque::new(),
            capacity: capacity.max(1),
            epoch: 0,
            next: 0,
            about,
            file,
            unwritten: BTreeMap::new(),
            written: 0,
            lost: 0,
        };
        let head = journal.head();
        if let Some(file) = &mut journal.file {
            file.push_mark(&head);
            file.flush();
        }
        journal
    }

    /// The line that comes before entries.
    pub fn head(&self) -> Vec<u8> {
        line(&Mark::Journal(Head::now(&self.about)))
    }

    /// Enters an arrival.
    pub fn arrive(
        &mut self,
        arrived_ns: u64,
        connection: u64,
        method: &Method,
        path: &str,
        request_id: Option<&str>,
    ) -> Ticket {
        if self.entries.capacity() < self.capacity {
            // All at once: growing later would copy everything in the middle of a run. The pages come when touched.
            self.entries.reserve_exact(self.capacity - self.entries.len());
        }
        if self.entries.len() >= self.capacity {
            let oldest = self.entries.pop_front().filter(|entry| self.file.is_some() && entry.finished_ns.is_none());
            self.unwritten.extend(oldest.map(|entry| (entry.sequence, entry)));
        }
        let sequence = self.next;
        self.next += 1;
        self.entries.push_back(Entry {
            sequence,
            connection,
            arrived_ns,
            sent_ns: None,
            finished_ns: None,
            method: method_name(method),
            path: path.into(),
            status: None,
            wire_bytes: 0,
            body_bytes: 0,
            complete: false,
            faults: Befell::default(),
            request_id: request_id.map(Into::into),
        });
        Ticket { epoch: self.epoch, sequence }
    }

    /// Enters the end of an exchange and, where there is a file, queues its line. An entry that has been reset in the
    /// meantime stays so; one that has been dropped is only in the file.
    pub fn end(&mut self, ticket: Ticket, end: &End) {
        if ticket.epoch != self.epoch {
            return;
        }
        let position = ticket.sequence.checked_sub(self.dropped()).and_then(|position| usize::try_from(position).ok());
        let mut dropped;
        let entry = if let Some(entry) = position.and_then(|position| self.entries.get_mut(position)) {
            entry
        } else if let Some(entry) = self.unwritten.remove(&ticket.sequence) {
            dropped = entry;
            &mut dropped
        } else {
            return;
        };
        entry.end(end);
        if let Some(file) = &mut self.file {
            let room = file.push(entry);
            self.written += u64::from(room);
            self.lost += u64::from(!room);
        }
    }

    /// Forgets all entries and counts from 0 again. What has been queued for the file still goes there.
    pub fn reset(&mut self) {
        self.push_sums(Mark::Reset);
        self.entries.clear();
        self.unwritten.clear();
        (self.written, self.lost) = (0, 0);
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
        let mut lines = Vec::with_capacity(count * 240);
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
        self.push_sums(Mark::End);
        self.file.take().map_or(Ok(()), JournalFile::close)
    }

    /// Queues a line with the sums for the file.
    fn push_sums(&mut self, mark: impl FnOnce(Sums) -> Mark) {
        let sums = Sums::now(self.next, self.written, self.lost);
        if let Some(file) = &mut self.file {
            file.push_mark(&line(&mark(sums)));
        }
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

/// A line of JSON.
fn line(mark: &Mark) -> Vec<u8> {
    // Cannot fail: texts and numbers only.
    let mut line = serde_json::to_vec(mark).unwrap_or_default();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrive(journal: &mut Journal, at: u64) -> Ticket {
        journal.arrive(at, 1, &Method::GET, "/small", None)
    }

    fn ended(finished_ns: u64, status: u16) -> End {
        End { finished_ns, status: Some(status), complete: true, ..End::default() }
    }

    /// A client that holds a connection through a long run is not forgotten because of those that came after.
    #[test]
    fn the_file_also_has_the_end_of_what_memory_has_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let mut journal = Journal::new(2, Some(JournalFile::open(&path).unwrap()), About::default());
        let held = arrive(&mut journal, 1);
        for at in 2..7 {
            let ticket = arrive(&mut journal, at);
            journal.end(ticket, &ended(at, 200));
        }
        journal.end(held, &ended(9, 503));
        assert_eq!(journal.dropped(), 4);
        journal.close().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 8, "{text}");
        let entries: Vec<Entry> = lines[1..7].iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(entries.iter().map(|entry| entry.sequence).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 0]);
        assert_eq!((entries[5].arrived_ns, entries[5].status), (1, Some(503)));
        let Mark::End(sums) = serde_json::from_str(lines[7]).unwrap() else { panic!("{}", lines[7]) };
        assert_eq!((sums.arrivals, sums.written, sums.lost), (6, 6, 0));
    }

    #[test]
    fn the_oldest_entries_go_first_and_are_counted() {
        let mut journal = Journal::new(3, None, About::default());
        let first = arrive(&mut journal, 10);
        for at in 11..15 {
            arrive(&mut journal, at);
        }
        journal.end(first, &ended(99, 200));
        assert_eq!(journal.dropped(), 2);
        assert_eq!(journal.entries().map(|entry| entry.sequence).collect::<Vec<_>>(), [2, 3, 4]);
        assert!(journal.entries().all(|entry| entry.finished_ns.is_none()));
    }

    #[test]
    fn an_exchange_from_before_a_reset_ends_nothing_after_it() {
        let mut journal = Journal::new(3, None, About::default());
        let before = arrive(&mut journal, 1);
        journal.reset();
        let after = arrive(&mut journal, 2);
        journal.end(before, &ended(3, 500));
        assert_eq!(journal.entries().next().and_then(|entry| entry.status), None);
        journal.end(after, &ended(4, 200));
        let entry = journal.entries().next().cloned();
        assert_eq!(entry.map(|entry| (entry.sequence, entry.status)), Some((0, Some(200))));
    }

    #[test]
    fn lines_come_in_pieces_and_skip_what_was_dropped_meanwhile() {
        let mut journal = Journal::new(4, None, About::default());
        for at in 0..6 {
            arrive(&mut journal, at);
        }
        let (lines, next) = journal.lines(0, 6, 3).unwrap();
        assert_eq!(String::from_utf8(lines).unwrap().lines().count(), 3);
        assert_eq!(next, 5);
        let (lines, next) = journal.lines(next, 6, 3).unwrap();
        assert!(String::from_utf8(lines).unwrap().starts_with("{\"sequence\":5,\"connection\":1,\"arrived_ns\":5,"));
        assert_eq!(journal.lines(next, 6, 3), None);
    }
}
