//! Splits a body into lines.

use super::body::too_large;
use super::failure::Failure;
use super::utf8;

/// The longest line, in bytes without its end.
const MOST_LINE_BYTES: usize = 1024 * 1024;

/// A body on its way into lines.
pub(super) struct Lines {
    /// The beginning of a line whose end has not come.
    begun: Vec<u8>,
}

impl Lines {
    /// At the beginning of a body.
    pub(super) fn new() -> Self {
        Self { begun: Vec::new() }
    }

    /// Takes the next piece. The lines it completes, without their ends and without empty ones.
    pub(super) fn push(&mut self, mut piece: &[u8]) -> Result<Vec<String>, Failure> {
        let mut complete = Vec::new();
        while let Some(end) = memchr::memchr(b'\n', piece) {
            self.check(end)?;
            if self.begun.is_empty() {
                complete.extend(text(&piece[..end]));
            } else {
                self.begun.extend_from_slice(&piece[..end]);
                complete.extend(text(&self.begun));
                self.begun.clear();
            }
            piece = &piece[end + 1..];
        }
        self.check(piece.len())?;
        self.begun.extend_from_slice(piece);
        Ok(complete)
    }

    /// The last line, if the body ended without ending it.
    pub(super) fn rest(&mut self) -> Option<String> {
        text(&std::mem::take(&mut self.begun))
    }

    fn check(&self, further: usize) -> Result<(), Failure> {
        if self.begun.len() + further > MOST_LINE_BYTES {
            return Err(too_large("a longer line", MOST_LINE_BYTES));
        }
        Ok(())
    }
}

fn text(line: &[u8]) -> Option<String> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    (!line.is_empty()).then(|| utf8::text(line).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_lines_come_wherever_the_body_is_cut() {
        let body = "{\"a\":1}\r\n\n\r\nzwölf\nx\ry\r\n\u{1F600}\nlast".as_bytes();
        let expected = ["{\"a\":1}", "zwölf", "x\ry", "\u{1F600}", "last"];
        for first in 0..=body.len() {
            for second in first..=body.len() {
                let mut lines = Lines::new();
                let mut all = Vec::new();
                for piece in [&body[..first], &body[first..second], &body[second..]] {
                    all.extend(lines.push(piece).expect("short lines"));
                }
                all.extend(lines.rest());
                assert_eq!(all, expected, "cut at {first} and {second}");
            }
        }
    }

    #[test]
    fn bytes_that_are_no_utf8_become_replacement_characters() {
        let mut lines = Lines::new();
        assert_eq!(lines.push(b"a\xFFb\n").expect("a short line"), ["a\u{FFFD}b"]);
    }

    #[test]
    fn a_line_is_refused_one_byte_above_its_limit() {
        for cut in [0, 1, MOST_LINE_BYTES] {
            let mut longest = vec![b'x'; MOST_LINE_BYTES];
            longest.push(b'\n');
            let mut lines = Lines::new();
            let mut found = lines.push(&longest[..cut]).expect("within the limit");
            found.extend(lines.push(&longest[cut..]).expect("within the limit"));
            assert_eq!(found.len(), 1);
            longest.insert(0, b'x');
            let mut lines = Lines::new();
            let failure =
                lines.push(&longest[..cut]).and_then(|_| lines.push(&longest[cut..])).expect_err("above the limit");
            assert_eq!(failure.to_string(), "body_too_large: a longer line, where 1048576 bytes are allowed");
        }
    }
}
