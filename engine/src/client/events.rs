//! Decodes server-sent events as WHATWG's HTML standard has it (section 9.2.6, "Interpreting an event stream"), piece by
//! piece and within bounds.

use std::rc::Rc;

use super::body::too_large;
use super::failure::Failure;
use super::utf8::text;
use crate::pieces::ServerSentEvent;

/// The most bytes of one event: its lines without their ends, and the line that has begun.
const MOST_EVENT_BYTES: usize = 1024 * 1024;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A stream on its way into events.
pub(super) struct Events {
    /// The beginning of a line whose end has not come.
    begun: Vec<u8>,
    /// Whether a byte-order mark may still come: nothing but a part of one has.
    at_start: bool,
    /// Whether the last byte was a CR, so that a LF now belongs to it.
    after_cr: bool,
    kind: String,
    data: String,
    /// Whether the event has a data line, which may be empty.
    has_data: bool,
    id: Rc<str>,
    /// Bytes of the event's lines so far.
    size: usize,
}

impl Events {
    /// At the beginning of a stream.
    pub(super) fn new() -> Self {
        Self {
            begun: Vec::new(),
            at_start: true,
            after_cr: false,
            kind: String::new(),
            data: String::new(),
            has_data: false,
            id: Rc::from(""),
            size: 0,
        }
    }

    /// Takes the next piece. The events it completes.
    ///
    /// What has begun when the stream ends is no event, so that there is no rest to ask for.
    pub(super) fn push(&mut self, mut piece: &[u8]) -> Result<Vec<ServerSentEvent>, Failure> {
        let mut complete = Vec::new();
        if self.after_cr && !piece.is_empty() {
            self.after_cr = false;
            piece = piece.strip_prefix(b"\n").unwrap_or(piece);
        }
        while let Some(end) = memchr::memchr2(b'\n', b'\r', piece) {
            self.grow(end)?;
            if self.begun.is_empty() {
                self.line(&piece[..end], &mut complete);
            } else {
                let mut line = std::mem::take(&mut self.begun);
                line.extend_from_slice(&piece[..end]);
                self.line(&line, &mut complete);
                line.clear();
                self.begun = line;
            }
            let ended_by = piece[end];
            piece = &piece[end + 1..];
            if ended_by == b'\r' {
                match piece.split_first() {
                    None => self.after_cr = true,
                    Some((b'\n', rest)) => piece = rest,
                    Some(_) => {}
                }
            }
        }
        self.grow(piece.len())?;
        self.begun.extend_from_slice(piece);
        Ok(complete)
    }

    fn grow(&mut self, further: usize) -> Result<(), Failure> {
        self.size += further;
        if self.size > MOST_EVENT_BYTES {
            return Err(too_large("a larger event", MOST_EVENT_BYTES));
        }
        Ok(())
    }

    fn line(&mut self, mut line: &[u8], complete: &mut Vec<ServerSentEvent>) {
        if self.at_start {
            self.at_start = false;
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        if line.is_empty() {
            complete.extend(self.dispatch());
            return;
        }
        let (name, value) = match memchr::memchr(b':', line) {
            // A comment: it shows that the peer is there, and counts for nothing else, not even for the event's size.
            Some(0) => {
                self.size -= line.len().min(self.size);
                return;
            }
            Some(colon) => {
                let value = &line[colon + 1..];
                (&line[..colon], value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, b"".as_slice()),
        };
        // A line ends at an ASCII byte, where also every broken sequence ends: decoding it by itself is decoding the
        // stream.
        match name {
            b"data" => {
                if self.has_data {
                    self.data.push('\n');
                }
                self.has_data = true;
                self.data.push_str(&text(value));
            }
            b"event" => self.kind = text(value).into_owned(),
            b"id" if !value.contains(&0) => self.id = Rc::from(&*text(value)),
            // `retry` speaks to clients that reconnect by themselves; here that is the plugin's to do.
            _ => {}
        }
    }

    fn dispatch(&mut self) -> Option<ServerSentEvent> {
        self.size = 0;
        let kind = std::mem::take(&mut self.kind);
        if !std::mem::take(&mut self.has_data) {
            return None;
        }
        Some(ServerSentEvent::new(kind, std::mem::take(&mut self.data), Rc::clone(&self.id)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(pieces: &[&[u8]]) -> Vec<(String, String, String)> {
        let mut events = Events::new();
        let mut all = Vec::new();
        for piece in pieces {
            all.extend(events.push(piece).expect("small events"));
        }
        all.iter().map(|event| (event.kind().to_owned(), event.data.clone(), event.id.to_string())).collect()
    }

    fn data(stream: &str) -> Vec<String> {
        events(&[stream.as_bytes()]).into_iter().map(|(_, data, _)| data).collect()
    }

    #[test]
    fn the_examples_of_the_standard() {
        assert_eq!(data("data: YHOO\ndata: +2\ndata: 10\n\n"), ["YHOO\n+2\n10"]);
        assert_eq!(
            events(&[b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n"]),
            [
                ("message".to_owned(), "first event".to_owned(), "1".to_owned()),
                ("message".to_owned(), "second event".to_owned(), String::new()),
                ("message".to_owned(), " third event".to_owned(), String::new()),
            ]
        );
        assert_eq!(data("data\n\ndata\ndata\n\ndata:"), ["", "\n"]);
        assert_eq!(data("data:test\n\ndata: test\n\n"), ["test", "test"]);
    }

    #[test]
    fn the_same_events_come_wherever_the_stream_is_cut() {
        let stream = "\u{FEFF}: hello\r\nevent: a\rdata: zw\u{F6}lf\r\n\r\nid: 7\ndata:{\"x\":1}\n\n\r\rdata: \u{1F600}\r\ndata:\r\ndata: end\r\n\r\nretry: 5\nfoo: bar\ndata: last\n\n".as_bytes();
        let event = |kind: &str, data: &str, id: &str| (kind.to_owned(), data.to_owned(), id.to_owned());
        let expected = [
            event("a", "zw\u{F6}lf", ""),
            event("message", "{\"x\":1}", "7"),
            event("message", "\u{1F600}\n\nend", "7"),
            event("message", "last", "7"),
        ];
        for first in 0..=stream.len() {
            for second in first..=stream.len() {
                let pieces = [&stream[..first], &stream[first..second], &stream[second..]];
                assert_eq!(events(&pieces), expected, "cut at {first} and {second}");
            }
        }
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(events(&bytes), expected);
    }

    #[test]
    fn an_event_that_ends_with_a_cr_does_not_wait_for_the_next_byte() {
        let mut events = Events::new();
        assert_eq!(events.push(b"data: a\r\r").expect("small").len(), 1);
        assert_eq!(events.push(b"\ndata: b\r\n\r").expect("small").len(), 1);
        assert_eq!(events.push(b"\n").expect("small").len(), 0);
    }

    #[test]
    fn a_mark_is_taken_off_the_beginning_alone_and_bytes_that_are_no_utf8_are_replaced() {
        assert_eq!(data("\u{FEFF}data: a\n\n\u{FEFF}data: b\n\n"), ["a"]);
        let found = events(&[b"data: a\xFF\xC3\n\ndata: b\n\n"]);
        assert_eq!((found[0].1.as_str(), found[1].1.as_str()), ("a\u{FFFD}\u{FFFD}", "b"));
    }

    #[test]
    fn an_id_with_nul_is_no_id_and_a_type_holds_for_one_event() {
        assert_eq!(
            events(&[b"id: 1\ndata: a\n\nid: 2\0\nevent: x\n\ndata: b\n\n"]),
            [
                ("message".to_owned(), "a".to_owned(), "1".to_owned()),
                ("message".to_owned(), "b".to_owned(), "1".to_owned()),
            ]
        );
    }

    #[test]
    fn an_event_is_refused_one_byte_above_its_limit_however_it_is_cut() {
        let line = |bytes: usize| {
            let mut line = b"data:".to_vec();
            line.resize(bytes, b'x');
            line
        };
        for piece in [1, 1000, MOST_EVENT_BYTES + 2] {
            let taken = |stream: Vec<u8>| {
                let mut events = Events::new();
                stream.chunks(piece).try_fold(0, |count, piece| events.push(piece).map(|new| count + new.len()))
            };
            assert_eq!(taken([line(MOST_EVENT_BYTES), b"\n\n".to_vec()].concat()), Ok(1));
            let failure = taken(line(MOST_EVENT_BYTES + 1)).expect_err("above the limit");
            assert_eq!(failure.to_string(), "body_too_large: a larger event, where 1048576 bytes are allowed");
            // Not even when it grows by short lines.
            let endless = b"data: x\n".repeat(MOST_EVENT_BYTES / 7 + 1);
            assert!(taken(endless).is_err(), "an endless event of short lines");
            // Comments keep a stream alive for ever.
            assert_eq!(taken(b": keep alive\n".repeat(MOST_EVENT_BYTES / 10)), Ok(0));
        }
    }
}
