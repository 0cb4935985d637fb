//! The data of server-sent events, as far as a model's answer needs it: each line that begins with `data:` is an event.

use bytes::{Bytes, BytesMut};

/// Most bytes of a line.
const MAX_LINE: usize = 1024 * 1024;

/// A line is longer than any event of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooLong;

/// Takes bytes as they come and gives the data lines among them.
#[derive(Debug, Default)]
pub(super) struct DataLines {
    buffer: BytesMut,
    /// Bytes at the start of the buffer that have no line end.
    searched: usize,
}

impl DataLines {
    /// Takes the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The data of the next line that has some; none where more bytes are needed.
    pub(super) fn next(&mut self) -> Result<Option<Bytes>, TooLong> {
        while let Some(at) = self.buffer[self.searched..].iter().position(|byte| *byte == b'\n') {
            let line = self.buffer.split_to(self.searched + at + 1).freeze();
            self.searched = 0;
            if let Some(data) = line.strip_prefix(b"data:") {
                return Ok(Some(line.slice_ref(data.trim_ascii())));
            }
        }
        self.searched = self.buffer.len();
        if self.searched > MAX_LINE { Err(TooLong) } else { Ok(None) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(lines: &mut DataLines) -> Vec<Bytes> {
        std::iter::from_fn(|| lines.next().unwrap()).collect()
    }

    #[test]
    fn events_are_the_same_wherever_the_bytes_are_split() {
        let text = b": comment\r\ndata: {\"a\":1}\r\n\r\nevent: x\ndata:b\n\ndata: [DONE]\n\n";
        for at in 0..=text.len() {
            let mut lines = DataLines::default();
            lines.push(&text[..at]);
            let mut found = all(&mut lines);
            lines.push(&text[at..]);
            found.extend(all(&mut lines));
            assert_eq!(found, [b"{\"a\":1}".as_slice(), b"b", b"[DONE]"], "split at {at}");
        }
    }

    #[test]
    fn a_line_without_an_end_is_not_kept_for_ever() {
        let mut lines = DataLines::default();
        lines.push(&vec![b'x'; MAX_LINE]);
        assert_eq!(lines.next(), Ok(None));
        lines.push(b"x");
        assert_eq!(lines.next(), Err(TooLong));
    }
}
