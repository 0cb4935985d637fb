//! Cutting bytes into the pieces in which they arrive.

/// Non-empty pieces of `bytes`, put together again the same; where they are cut is decided by `seed`. Seed 0 cuts
/// nowhere, seed 1 everywhere.
pub(crate) fn cut(bytes: &[u8], seed: u16) -> Vec<&[u8]> {
    match seed {
        0 => vec![bytes],
        1 => bytes.chunks(1).collect(),
        _ => {
            let mut state = u32::from(seed) | 1;
            let mut rest = bytes;
            let mut pieces = Vec::new();
            while !rest.is_empty() {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                // Mostly short ones, now and then a long one.
                let longest = if state >> 29 == 0 { 4_096 } else { 12 };
                let length = (1 + (state >> 8) as usize % longest).min(rest.len());
                let (piece, after) = rest.split_at(length);
                pieces.push(piece);
                rest = after;
            }
            pieces
        }
    }
}
