//! Undoes the content coding of a body that is handed over as it comes.

use std::io::{self, Write};

use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

use super::body::too_large;
use super::decode::{Coding, is_zlib};
use super::failure::{Failure, Reason};

/// The most bytes that one piece of a coded body may unpack to: a read brings 64 KiB at most, and what packs a hundred
/// times denser is no text.
const MOST_UNPACKED: usize = 16 * 1024 * 1024;
/// How much is unpacked before the bound is looked at.
const STEP: usize = 1024;

/// A coded body on its way.
pub(super) enum Inflate {
    Gzip(MultiGzDecoder<Vec<u8>>),
    Zlib(ZlibDecoder<Vec<u8>>),
    Bare(DeflateDecoder<Vec<u8>>),
    /// Deflate, but its first two bytes are not both here: they tell which of its kinds it is.
    Unsure(Vec<u8>),
}

impl Inflate {
    /// For an answer with that coding; none where it is not coded.
    ///
    /// # Errors
    /// A coding that cannot be undone.
    pub(super) fn new(coding: Coding) -> Result<Option<Self>, Failure> {
        match coding {
            Coding::Identity => Ok(None),
            Coding::Gzip => Ok(Some(Self::Gzip(MultiGzDecoder::new(Vec::new())))),
            Coding::Deflate => Ok(Some(Self::Unsure(Vec::new()))),
            Coding::Unknown(name) => Err(Failure::new(
                Reason::Decode,
                format!("content-encoding {name:?} is not supported; gzip and deflate are"),
            )),
        }
    }

    /// Takes the next piece. What it unpacks to.
    pub(super) fn push(&mut self, piece: &[u8]) -> Result<Vec<u8>, Failure> {
        let mut first = Vec::new();
        if let Self::Unsure(begun) = self {
            begun.extend_from_slice(piece);
            if begun.len() < 2 {
                return Ok(Vec::new());
            }
            first = std::mem::take(begun);
            *self = if is_zlib(&first) {
                Self::Zlib(ZlibDecoder::new(Vec::new()))
            } else {
                Self::Bare(DeflateDecoder::new(Vec::new()))
            };
        }
        let piece = if first.is_empty() { piece } else { &first };
        let mut unpacked = Vec::new();
        for step in piece.chunks(STEP) {
            self.write(step).map_err(|error| corrupt(&error))?;
            if let Some(output) = self.output() {
                unpacked.append(output);
            }
            if unpacked.len() > MOST_UNPACKED {
                return Err(too_large("a piece that unpacks to more", MOST_UNPACKED));
            }
        }
        Ok(unpacked)
    }

    /// The body has ended.
    ///
    /// # Errors
    /// The coded stream has not.
    pub(super) fn finish(&mut self) -> Result<Vec<u8>, Failure> {
        let finished = match self {
            Self::Gzip(decoder) => decoder.try_finish(),
            Self::Zlib(decoder) => decoder.try_finish(),
            Self::Bare(decoder) => decoder.try_finish(),
            Self::Unsure(begun) if begun.is_empty() => Ok(()),
            Self::Unsure(_) => Err(io::ErrorKind::UnexpectedEof.into()),
        };
        finished.map_err(|error| corrupt(&error))?;
        Ok(self.output().map(std::mem::take).unwrap_or_default())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            // Each flushed, for what has come is to be handed over now.
            Self::Gzip(decoder) => decoder.write_all(bytes).and_then(|()| decoder.flush()),
            Self::Zlib(decoder) => decoder.write_all(bytes).and_then(|()| decoder.flush()),
            Self::Bare(decoder) => decoder.write_all(bytes).and_then(|()| decoder.flush()),
            Self::Unsure(_) => Ok(()),
        }
    }

    fn output(&mut self) -> Option<&mut Vec<u8>> {
        match self {
            Self::Gzip(decoder) => Some(decoder.get_mut()),
            Self::Zlib(decoder) => Some(decoder.get_mut()),
            Self::Bare(decoder) => Some(decoder.get_mut()),
            Self::Unsure(_) => None,
        }
    }
}

fn corrupt(error: &io::Error) -> Failure {
    Failure::new(Reason::Decode, format!("corrupt compressed stream: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    const TEXT: &[u8] = b"data: one\n\ndata: two\n\ndata: three\n\n";

    fn coded(body: &[u8]) -> [(Coding, Vec<u8>); 3] {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
        let mut bare = DeflateEncoder::new(Vec::new(), Compression::best());
        for writer in [&mut gzip as &mut dyn Write, &mut zlib, &mut bare] {
            writer.write_all(body).expect("in memory");
        }
        [
            (Coding::Gzip, gzip.finish().expect("in memory")),
            (Coding::Deflate, zlib.finish().expect("in memory")),
            (Coding::Deflate, bare.finish().expect("in memory")),
        ]
    }

    #[test]
    fn every_cut_gives_the_same_text() {
        for (coding, raw) in coded(TEXT) {
            for cut in 0..=raw.len() {
                let mut inflate = Inflate::new(coding.clone()).expect("known").expect("coded");
                let mut all = inflate.push(&raw[..cut]).expect("sound");
                all.extend(inflate.push(&raw[cut..]).expect("sound"));
                all.extend(inflate.finish().expect("whole"));
                assert_eq!(all, TEXT, "{coding:?} cut at {cut}");
            }
        }
    }

    #[test]
    fn what_a_peer_has_flushed_comes_at_once() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(b"data: one\n\n").expect("in memory");
        encoder.flush().expect("in memory");
        let mut inflate = Inflate::new(Coding::Gzip).expect("known").expect("coded");
        assert_eq!(inflate.push(encoder.get_ref()).as_deref(), Ok(b"data: one\n\n".as_slice()));
    }

    #[test]
    fn a_body_cut_short_is_corrupt() {
        for (coding, raw) in coded(TEXT) {
            for cut in 1..raw.len() {
                let mut inflate = Inflate::new(coding.clone()).expect("known").expect("coded");
                let ended = inflate.push(&raw[..cut]).and_then(|_| inflate.finish());
                assert_eq!(ended.map_err(|failure| failure.reason), Err(Reason::Decode), "{coding:?} cut at {cut}");
            }
        }
    }

    #[test]
    fn a_small_piece_that_unpacks_to_gigabytes_is_refused() {
        for (coding, raw) in coded(&vec![0; 40_000_000]) {
            let mut inflate = Inflate::new(coding).expect("known").expect("coded");
            let failure = raw.chunks(64 * 1024).try_for_each(|piece| inflate.push(piece).map(|_| ()));
            assert_eq!(
                failure.map_err(|failure| failure.to_string()),
                Err("body_too_large: a piece that unpacks to more, where 16777216 bytes are allowed".to_owned())
            );
        }
    }
}
