//! Files as they are written, cut short, or something else.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::super::write::Writer;
use super::super::{ArrivalEntry, Books, BooksError, Closed, Entry, Journal, Names, State};
use super::{BOOT, Sides, WALL};
use crate::clock::{Anchor, Time};
use crate::report::Mask;

fn read(text: &str) -> Result<Books, BooksError> {
    Books::read(PathBuf::from("requests.jsonl"), text.as_bytes())
}

fn read_journal(text: &str) -> Result<Journal, BooksError> {
    let mut journal = Journal::read(PathBuf::from("journal.jsonl"), text.as_bytes())?;
    journal.since(WALL + 1, Some(BOOT)).map(|()| journal)
}

/// All but so many bytes from the end.
fn cut(text: &str, bytes: usize) -> String {
    text[..text.len() - bytes].to_owned()
}

#[test]
fn a_record_that_was_cut_short_is_recognised() {
    let text = Sides::new().requests_text();
    let last = text.lines().last().unwrap().len() + 1;
    for bytes in [1, 5, last, last + 20] {
        // Only the line's end is missing: nothing is lost.
        let read = read(&cut(&text, bytes));
        assert_eq!(read.is_ok(), bytes == 1, "{bytes}");
        if let Err(error) = read {
            assert!(error.to_string().starts_with("requests.jsonl was cut short: its last line"), "{error}");
        }
    }
    assert!(read("").unwrap_err().to_string().contains("it is empty"));
}

#[test]
fn a_record_that_is_something_else_is_refused_with_its_line() {
    let text = Sides::new().requests_text();
    for (text, says) in [
        ("{}\n".to_owned(), "requests.jsonl, line 1: not a line of it"),
        (Sides::new().journal_text(), "requests.jsonl, line 1: not a line of it"),
        (text.replace("\"format\":1", "\"format\":9"), "requests.jsonl has format version 9"),
        (text.replacen("\"sequence\":3,", "", 1), "requests.jsonl, line 5: not a line of it: missing field `sequence`"),
        (format!("{text}{text}"), "line 23: there is more after the last line"),
    ] {
        let error = read(&text).unwrap_err().to_string();
        assert!(error.contains(says) && error.contains("help:"), "{error}");
    }
}

#[test]
fn a_journal_that_was_cut_short_is_recognised() {
    let text = Sides::new().journal_text();
    assert_eq!(read_journal(&text).unwrap().seen().count(), 10);
    let last = text.lines().last().unwrap().len() + 1;
    for bytes in [5, last, last + 20] {
        let error = read_journal(&cut(&text, bytes)).unwrap_err().to_string();
        assert!(error.contains("its last line, with the sums, is missing after"), "{error}");
        assert!(error.contains("stop the stub"), "{error}");
    }
}

#[test]
fn a_journal_with_other_lines_than_it_says_is_no_pass() {
    let sides = Sides::new();
    let less =
        sides.journal_text().lines().filter(|line| !line.contains("\"sequence\":3,")).map(str::to_owned).collect();
    let journal = read_journal(&super::text(Vec::into_iter(less))).unwrap();
    let verification = super::verify(&sides.books(), vec![journal], &sides.result()).unwrap();
    assert_eq!(super::failing(&verification), [("the journal is whole", 1), ("what was sent has arrived", 1)]);
    assert_eq!(verification.faults[0].text, "journal.jsonl has 9 lines of requests, and its own sum says 10");
}

#[test]
fn a_journal_that_is_something_else_is_refused_with_its_line() {
    let text = Sides::new().journal_text();
    for (text, says) in [
        (Sides::new().requests_text(), "journal.jsonl, line 1: not a line of a stub's journal"),
        (text.lines().skip(1).fold(String::new(), |all, line| all + line + "\n"), "line 1: the first line is not that"),
        (text.replace("\"format\":1", "\"format\":9"), "journal.jsonl has format version 9"),
        (String::new(), "journal.jsonl was cut short: it is empty"),
    ] {
        let error = read_journal(&text).unwrap_err().to_string();
        assert!(error.contains(says) && error.contains("help:"), "{error}");
    }
}

#[test]
fn earlier_starts_of_the_stub_do_not_matter_even_if_it_was_killed() {
    let text = Sides::new().journal_text();
    let earlier = text.replace(&WALL.to_string()[..6], "169999");
    assert_ne!(earlier, text);
    let killed = earlier.lines().take(4).fold(String::new(), |all, line| all + line + "\n");
    assert_eq!(read_journal(&format!("{earlier}{text}")).unwrap().seen().count(), 10);
    assert_eq!(read_journal(&format!("{killed}{text}")).unwrap().seen().count(), 10);
}

#[test]
fn a_journal_of_another_run_and_a_record_of_another_are_refused() {
    let mut sides = Sides::new();
    for seen in &mut sides.seen {
        seen["request_id"] = serde_json::json!("ffffffffffff-0-0");
    }
    let error = sides.try_verify().unwrap_err().to_string();
    assert!(
        error.starts_with("no request in journal.jsonl carries an id of this run (0123456789ab), of 10"),
        "{error}"
    );
    let mut result = sides.result();
    result.run.started_at = "2020-01-01T00:00:00.000Z".to_owned();
    let error = super::verify(&sides.books(), vec![sides.journal()], &result).unwrap_err().to_string();
    assert!(error.contains("is of another run than the result.json beside it"), "{error}");
}

/// A disk that can be looked at, and that may be full.
#[derive(Clone, Default)]
struct Disk {
    bytes: Arc<Mutex<Vec<u8>>>,
    full: bool,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.full {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn writer(disk: &Disk, most_waiting: usize) -> Writer {
    let names = Names { workloads: vec!["small".into()], phases: vec!["steady".into()] };
    let mask = Mask::new(["a-long-secret"]).unwrap();
    let anchor = Anchor { origin_ns: 1_000, apart_ns: 10 };
    Writer::to(Path::new("/nonexistent/requests.jsonl"), disk.clone(), names, anchor, mask, most_waiting).unwrap()
}

fn missed(sequence: u64) -> Entry {
    let reason = Some("check: a-long-secret is wrong".into());
    let state = State::Failed;
    Entry::Arrival(ArrivalEntry {
        workload: 0,
        phase: 0,
        sequence,
        due: Time(5),
        ran: Some((Time(6), Time(7))),
        state,
        reason,
        exchanges: 0,
    })
}

fn written(disk: &Disk, writer: Writer) -> (Closed, String) {
    let closed = writer.close();
    let text = String::from_utf8(disk.bytes.lock().unwrap().clone()).unwrap();
    (closed, text)
}

#[test]
fn what_is_noted_is_written_on_the_machines_clock_and_without_secrets() {
    let disk = Disk::default();
    let mut writer = writer(&disk, 8);
    writer.begin(Time(4), WALL, 1);
    let mut pens = [writer.desk().pen(), writer.desk().pen()];
    for n in 0..600 {
        pens[(n % 2) as usize].push(missed(n));
    }
    pens.into_iter().for_each(super::super::Pen::finish);
    let (closed, text) = written(&disk, writer);
    assert!(closed.problem.is_none());
    assert_eq!((closed.end.arrivals, closed.end.lost), (600, 0));
    assert!(!text.contains("a-long-secret"), "{text}");
    let books = read(&text).unwrap();
    assert_eq!((books.head.t0_ns, books.head.apart_ns), (1_004, 10));
    let mut sequences: Vec<u64> = books.arrivals.iter().map(|arrival| arrival.sequence).collect();
    sequences.sort_unstable();
    assert_eq!(sequences, (0..600).collect::<Vec<_>>());
    let arrival = &books.arrivals[0];
    assert_eq!((arrival.due_ns, arrival.start_ns, arrival.end_ns), (1_005, Some(1_006), Some(1_007)));
    assert_eq!((arrival.workload.as_ref(), arrival.phase.as_ref()), ("small", "steady"));
    assert_eq!(arrival.reason.as_deref(), Some("check: *** is wrong"));
}

#[test]
fn what_finds_no_room_is_counted_and_told() {
    let disk = Disk::default();
    // Locked: the thread waits for the disk with its first line, and one batch fits behind it.
    let held = disk.bytes.lock().unwrap();
    let mut writer = writer(&disk, 1);
    writer.begin(Time(4), WALL, 1);
    let mut pen = writer.desk().pen();
    for n in 0..2_560 {
        pen.push(missed(n));
    }
    drop(held);
    pen.finish();
    let (closed, text) = written(&disk, writer);
    let end = closed.end;
    assert!(end.lost >= 2_048 && end.arrivals + end.lost == 2_560, "{end:?}");
    assert_eq!(read(&text).unwrap().end, end);
}

#[test]
fn a_full_disk_is_told() {
    let disk = Disk { full: true, ..Disk::default() };
    let mut writer = writer(&disk, 8);
    writer.begin(Time(4), WALL, 1);
    let mut pen = writer.desk().pen();
    pen.push(missed(0));
    pen.finish();
    let (closed, text) = written(&disk, writer);
    assert!(closed.problem.is_some());
    assert_eq!(text, "");
}

#[test]
fn a_file_that_no_run_began_with_is_taken_away() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("requests.jsonl");
    let create = || Writer::create(&path, Names::default(), Anchor::default(), Mask::default());
    let writer = create().unwrap();
    assert!(path.exists());
    assert!(create().is_err(), "never overwritten");
    drop(writer);
    assert!(!path.exists());
}
