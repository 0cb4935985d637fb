//! Undoes the content coding of a whole body, never past its limit.

use std::io::Read;

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use flate2::{Decompress, FlushDecompress, Status};
use http::{HeaderMap, header};

use super::body::too_large;
use super::failure::{Failure, Reason};

// How much is decoded at a time.
const STEP: usize = 16 * 1024;

/// A content coding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    /// None.
    Identity,
    /// RFC 1952.
    Gzip,
    /// RFC 1950; also RFC 1951 without its wrapping, as some servers send it.
    Deflate,
    /// Another, or several on top of each other.
    Unknown(String),
}

impl Coding {
    /// The coding these fields name.
    pub(super) fn of(fields: &HeaderMap) -> Self {
        if !fields.contains_key(header::CONTENT_ENCODING) {
            return Self::Identity;
        }
        let named: Vec<String> = fields
            .get_all(header::CONTENT_ENCODING)
            .iter()
            .flat_map(|value| value.as_bytes().split(|&b| b == b','))
            .map(|name| name.trim_ascii().to_ascii_lowercase().escape_ascii().to_string())
            .filter(|name| !name.is_empty() && name != "identity")
            .collect();
        match named.as_slice() {
            [] => Self::Identity,
            [one] if one == "gzip" || one == "x-gzip" => Self::Gzip,
            [one] if one == "deflate" => Self::Deflate,
            several => Self::Unknown(several.join(", ")),
        }
    }
}

/// The most bytes a body within `limit` can have when coded: what does not shrink grows by a little.
pub(super) fn most_coded(limit: usize) -> usize {
    limit.saturating_add(limit / 1024).saturating_add(1024)
}

/// Decodes a body.
pub(super) fn decode(coding: &Coding, raw: &[u8], limit: usize) -> Result<Bytes, Failure> {
    let decoded = match coding {
        Coding::Gzip => gunzip(raw, limit),
        _ => inflate(raw, limit),
    };
    match decoded {
        Ok(body) if body.len() > limit => Err(too_large("more after decompression", limit)),
        Ok(body) => Ok(body.into()),
        Err(problem) => Err(Failure::new(Reason::Decode, problem)),
    }
}

/// At most one byte more than the limit.
fn gunzip(raw: &[u8], limit: usize) -> Result<Vec<u8>, String> {
    let mut body = Vec::with_capacity(raw.len().saturating_mul(3).min(limit));
    MultiGzDecoder::new(raw)
        .take(limit as u64 + 1)
        .read_to_end(&mut body)
        .map_err(|error| format!("corrupt gzip: {error}"))?;
    Ok(body)
}

/// At most one step more than the limit.
fn inflate(raw: &[u8], limit: usize) -> Result<Vec<u8>, String> {
    let mut state = Decompress::new(is_zlib(raw));
    let mut body = Vec::new();
    loop {
        let (consumed, produced) = (state.total_in(), state.total_out());
        let rest = &raw[usize::try_from(consumed).unwrap_or(raw.len()).min(raw.len())..];
        body.reserve(STEP);
        match state.decompress_vec(rest, &mut body, FlushDecompress::None) {
            Ok(Status::StreamEnd) => return Ok(body),
            Ok(_) if body.len() > limit => return Ok(body),
            Ok(_) if (consumed, produced) == (state.total_in(), state.total_out()) => {
                return Err("corrupt deflate: it ends too early".to_owned());
            }
            Ok(_) => {}
            Err(error) => return Err(format!("corrupt deflate: {error}")),
        }
    }
}

/// Whether it begins with a zlib header (RFC 1950, section 2.2).
pub(super) fn is_zlib(raw: &[u8]) -> bool {
    match raw {
        [first, second, ..] => first & 0x0F == 8 && u16::from_be_bytes([*first, *second]) % 31 == 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::read::{DeflateEncoder, GzEncoder, ZlibEncoder};

    fn all(mut reader: impl Read) -> Vec<u8> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).expect("in memory");
        bytes
    }

    fn coded(body: &[u8]) -> [(Coding, Vec<u8>); 3] {
        [
            (Coding::Gzip, all(GzEncoder::new(body, Compression::best()))),
            (Coding::Deflate, all(ZlibEncoder::new(body, Compression::best()))),
            (Coding::Deflate, all(DeflateEncoder::new(body, Compression::best()))),
        ]
    }

    #[test]
    fn gzip_zlib_and_bare_deflate_are_undone() {
        let body: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        for (coding, raw) in coded(&body) {
            assert_eq!(decode(&coding, &raw, body.len()).as_deref(), Ok(body.as_slice()));
        }
    }

    #[test]
    fn a_body_cut_anywhere_is_corrupt() {
        for (coding, raw) in coded(b"hello, hello, hello") {
            for cut in 1..raw.len() {
                let failure = decode(&coding, &raw[..cut], 1000).expect_err("cut");
                assert_eq!(failure.reason, Reason::Decode, "{coding:?} cut at {cut}");
            }
        }
    }

    #[test]
    fn a_small_body_that_unpacks_to_gigabytes_stops_at_the_limit() {
        let bomb = vec![0; 50_000_000];
        for (coding, raw) in coded(&bomb) {
            let failure = decode(&coding, &raw, 1_000_000).expect_err("too large");
            assert_eq!(
                failure.to_string(),
                "body_too_large: more after decompression, where 1000000 bytes are allowed"
            );
        }
    }

    #[test]
    fn a_limit_that_fits_exactly_is_enough_however_badly_the_body_packs() {
        let mut state = 1_u64;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state.to_be_bytes()[0]
        })
        .take(100_000)
        .collect();
        for (coding, raw) in coded(&noise) {
            assert!(raw.len() <= most_coded(noise.len()));
            assert_eq!(decode(&coding, &raw, noise.len()).map(|body| body.len()), Ok(noise.len()));
        }
    }

    #[test]
    fn codings_are_read_from_fields() {
        let of = |values: &[&str]| {
            let mut fields = HeaderMap::new();
            for value in values {
                fields.append(header::CONTENT_ENCODING, value.parse().expect("a value"));
            }
            Coding::of(&fields)
        };
        assert_eq!(of(&[]), Coding::Identity);
        assert_eq!(of(&["identity"]), Coding::Identity);
        assert_eq!(of(&["GZip"]), Coding::Gzip);
        assert_eq!(of(&["x-gzip"]), Coding::Gzip);
        assert_eq!(of(&[" deflate "]), Coding::Deflate);
        assert_eq!(of(&["br"]), Coding::Unknown("br".to_owned()));
        assert_eq!(of(&["gzip", "zstd"]), Coding::Unknown("gzip, zstd".to_owned()));
    }
}
