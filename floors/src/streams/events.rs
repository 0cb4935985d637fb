//! Tokens from the bytes of a stream of events.

use memchr::memmem::find;

/// A token, and when its server says it was handed over, in nanoseconds of the monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) sent_ns: Option<u64>,
}

/// A stream's events, cut where a blank line ends them.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// The beginning of an event that is not whole yet.
    part: Vec<u8>,
}

impl Events {
    /// Takes what has come, and tells of each token in it.
    pub(super) fn take(&mut self, bytes: &[u8], mut told: impl FnMut(Token)) {
        if self.part.is_empty() {
            let used = cut(bytes, &mut told);
            self.part.extend_from_slice(&bytes[used..]);
        } else {
            self.part.extend_from_slice(bytes);
            let used = cut(&self.part, &mut told);
            self.part.drain(..used);
        }
    }
}

/// Tells of the tokens in whole events. How many bytes these have.
fn cut(bytes: &[u8], told: &mut impl FnMut(Token)) -> usize {
    let mut used = 0;
    while let Some(length) = find(&bytes[used..], b"\n\n") {
        if let Some(token) = token(&bytes[used..used + length]) {
            told(token);
        }
        used += length + 2;
    }
    used
}

/// An event is a token where it has content.
fn token(event: &[u8]) -> Option<Token> {
    let data = event.strip_prefix(b"data: ")?;
    find(data, br#""content":"#)?;
    let sent_ns = find(data, br#""sent_ns":"#).map(|at| number(&data[at + br#""sent_ns":"#.len()..]));
    Some(Token { sent_ns })
}

/// The number at the beginning.
fn number(text: &[u8]) -> u64 {
    let digits = text.iter().map_while(|byte| char::from(*byte).to_digit(10));
    digits.fold(0, |number: u64, digit| number.wrapping_mul(10).wrapping_add(digit.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &[u8] = b"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"sent_ns\":12}\n\n\
                            data: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\n\
                            data: {\"choices\":[{\"delta\":{}}]}\n\ndata: [DONE]\n\n";

    #[test]
    fn tokens_are_told_however_the_bytes_come() {
        let tokens = [Token { sent_ns: Some(12) }, Token { sent_ns: None }];
        for size in 1..=STREAM.len() {
            let (mut events, mut told) = (Events::default(), Vec::new());
            for bytes in STREAM.chunks(size) {
                events.take(bytes, |token| told.push(token));
            }
            assert_eq!(told, tokens, "{size} bytes at once");
            assert!(events.part.is_empty());
        }
    }
}
