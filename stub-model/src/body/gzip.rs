//! Compression while sending.

use std::io::Write;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::pattern::Source;

/// Bytes of input taken at a time.
const INPUT: usize = 64 * 1024;

/// A source, compressed piece by piece. The same input gives the same output: no time and no name are in its head.
#[derive(Debug)]
pub struct Gzip {
    source: Source,
    encoder: Option<GzEncoder<Vec<u8>>>,
}

impl Gzip {
    /// Begins to compress.
    pub fn new(source: Source) -> Self {
        Self { source, encoder: Some(GzEncoder::new(Vec::new(), Compression::fast())) }
    }

    /// All of it at once.
    pub fn whole(self) -> Bytes {
        self.flatten().collect()
    }
}

impl Iterator for Gzip {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        while let Some(encoder) = &mut self.encoder {
            let Some(piece) = self.source.piece(INPUT) else { break };
            // A vector takes every write.
            encoder.write_all(&piece).ok()?;
            let output = std::mem::take(encoder.get_mut());
            if !output.is_empty() {
                return Some(output.into());
            }
        }
        self.encoder.take()?.finish().ok().map(Bytes::from)
    }
}
