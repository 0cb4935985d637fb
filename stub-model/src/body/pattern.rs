//! Bytes to send: given ones, or a pattern of any length that is never built whole.

use bytes::Bytes;

/// Most bytes of one piece.
pub const PIECE: usize = 16 * 1024;

/// One piece of the pattern: lines of 64 characters.
static PATTERN: [u8; PIECE] = build();

const fn build() -> [u8; PIECE] {
    let alphabet = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.\n";
    let mut pattern = [0; PIECE];
    let mut at = 0;
    while at < PIECE {
        pattern[at] = alphabet[at % alphabet.len()];
        at += 1;
    }
    pattern
}

/// The byte of the pattern at a position from 0: digits, letters, a full stop and a line feed, repeated.
pub fn pattern(position: u64) -> u8 {
    // The remainder of a division by 16,384 fits.
    PATTERN[usize::try_from(position % PIECE as u64).unwrap_or(0)]
}

/// Where a body's bytes come from.
#[derive(Debug, Clone)]
pub enum Source {
    /// These bytes.
    Whole(Bytes),
    /// The pattern, from a position to an end.
    Pattern {
        /// Position of the next byte.
        at: u64,
        /// Position after the last byte.
        end: u64,
    },
}

impl Source {
    /// So many bytes of the pattern, from its start.
    pub fn pattern(size: u64) -> Self {
        Self::Pattern { at: 0, end: size }
    }

    /// Nothing.
    pub fn empty() -> Self {
        Self::Whole(Bytes::new())
    }

    /// Bytes still to come.
    pub fn left(&self) -> u64 {
        match self {
            Self::Whole(bytes) => bytes.len() as u64,
            Self::Pattern { at, end } => end - at,
        }
    }

    /// The next piece of at most so many bytes, one at least, and of no more than [`PIECE`] of the pattern; none at the
    /// end.
    pub fn piece(&mut self, most: usize) -> Option<Bytes> {
        match self {
            Self::Whole(bytes) if bytes.is_empty() => None,
            Self::Whole(bytes) => Some(bytes.split_to(most.max(1).min(bytes.len()))),
            Self::Pattern { at, end } if at == end => None,
            Self::Pattern { at, end } => {
                let start = usize::try_from(*at % PIECE as u64).ok()?;
                let left = usize::try_from(*end - *at).unwrap_or(usize::MAX);
                let count = left.min(most.max(1)).min(PIECE - start);
                *at += count as u64;
                Some(Bytes::from_static(&PATTERN[start..start + count]))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_any_size_give_the_same_bytes() {
        let size = 2 * PIECE as u64 + 17;
        for most in [1, 7, 64, PIECE - 1, PIECE, usize::MAX] {
            let mut source = Source::pattern(size);
            let mut bytes = Vec::new();
            while let Some(piece) = source.piece(most) {
                bytes.extend_from_slice(&piece);
            }
            assert_eq!(bytes.len() as u64, size);
            assert!((0..).zip(&bytes).all(|(position, byte)| *byte == pattern(position)));
        }
    }
}
