//! The ways to read a body. Server-sent events will be one more.

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, header};
use hyper::body::{Body, Incoming};

use super::Items;
use super::decode::{Coding, decode, most_coded};
use super::failure::{Failure, Reason};
use super::lines::Lines;
use super::request::ReadMode;

/// Takes a body piece by piece.
pub(super) enum Reader {
    /// Looks at nothing.
    Count,
    /// Keeps everything.
    Whole(Whole),
    /// Hands lines over.
    Lines(Lines),
    /// Hands the pieces over.
    Chunks,
}

impl Reader {
    /// The reader of a mode for an answer with these fields.
    ///
    /// # Errors
    /// What is known from the fields already: a body that is announced as too large, or coded where it is to be handed
    /// over as it comes.
    pub(super) fn new(mode: ReadMode, fields: &HeaderMap, body: &Incoming) -> Result<Self, Failure> {
        if body.is_end_stream() {
            // Such as that of a HEAD, whose fields speak of a body that is not there.
            return Ok(Self::Count);
        }
        match mode {
            ReadMode::Head | ReadMode::Count => Ok(Self::Count),
            ReadMode::Whole(limit) => {
                let whole = Whole::new(Coding::of(fields), limit as usize);
                match body.size_hint().exact() {
                    Some(length) if length > whole.most as u64 => Err(too_large(&format!("{length} bytes"), limit)),
                    _ => Ok(Self::Whole(whole)),
                }
            }
            ReadMode::Lines | ReadMode::Chunks => match Coding::of(fields) {
                Coding::Identity if mode == ReadMode::Lines => Ok(Self::Lines(Lines::new())),
                Coding::Identity => Ok(Self::Chunks),
                _ => Err(Failure::new(
                    Reason::Decode,
                    format!(
                        "content-encoding {:?} on an answer that is read as it comes; ask for `identity`",
                        fields
                            .get(header::CONTENT_ENCODING)
                            .map_or(b"".as_slice(), |value| value.as_bytes())
                            .escape_ascii()
                            .to_string()
                    ),
                )),
            },
        }
    }

    /// Takes the next piece. What there is to hand over.
    pub(super) fn push(&mut self, bytes: Bytes) -> Result<Option<Items>, Failure> {
        match self {
            Self::Count => Ok(None),
            Self::Whole(whole) => whole.push(bytes).map(|()| None),
            Self::Lines(lines) => {
                let complete = lines.push(&bytes)?;
                Ok((!complete.is_empty()).then_some(Items::Lines(complete)))
            }
            Self::Chunks => Ok((!bytes.is_empty()).then_some(Items::Chunk(bytes))),
        }
    }

    /// What is left to hand over when the body has ended: a last line without its end.
    pub(super) fn rest(&mut self) -> Option<Items> {
        match self {
            Self::Lines(lines) => lines.rest().map(|line| Items::Lines(vec![line])),
            _ => None,
        }
    }

    /// The body, decoded; empty where none was kept.
    pub(super) fn whole(self) -> Result<Bytes, Failure> {
        match self {
            Self::Whole(whole) => whole.finish(),
            _ => Ok(Bytes::new()),
        }
    }
}

/// A body that is kept.
pub(super) struct Whole {
    coding: Coding,
    limit: usize,
    /// The most bytes kept, before decoding.
    most: usize,
    kept: Kept,
    /// Whether the coding is one that cannot be undone: then nothing is kept.
    useless: bool,
}

enum Kept {
    /// A body in one piece is not copied.
    One(Bytes),
    Several(BytesMut),
}

impl Whole {
    fn new(coding: Coding, limit: usize) -> Self {
        let most = if coding == Coding::Identity { limit } else { most_coded(limit) };
        let useless = matches!(coding, Coding::Unknown(_));
        Self { coding, limit, most, kept: Kept::One(Bytes::new()), useless }
    }

    fn push(&mut self, bytes: Bytes) -> Result<(), Failure> {
        if self.useless {
            return Ok(());
        }
        let kept = match &self.kept {
            Kept::One(first) => first.len(),
            Kept::Several(all) => all.len(),
        };
        if kept + bytes.len() > self.most {
            return Err(too_large("more", self.limit));
        }
        match &mut self.kept {
            Kept::One(first) if first.is_empty() => self.kept = Kept::One(bytes),
            Kept::One(first) => {
                let mut all = BytesMut::with_capacity(2 * (first.len() + bytes.len()));
                all.extend_from_slice(first);
                all.extend_from_slice(&bytes);
                self.kept = Kept::Several(all);
            }
            Kept::Several(all) => all.extend_from_slice(&bytes),
        }
        Ok(())
    }

    fn finish(self) -> Result<Bytes, Failure> {
        let raw = match self.kept {
            Kept::One(bytes) => bytes,
            Kept::Several(all) => all.freeze(),
        };
        match self.coding {
            Coding::Identity => Ok(raw),
            Coding::Unknown(name) => Err(Failure::new(
                Reason::Decode,
                format!("content-encoding {name:?} is not supported; gzip and deflate are"),
            )),
            // A body without a byte has not been coded, whatever its fields say.
            _ if raw.is_empty() => Ok(raw),
            coding => decode(&coding, &raw, self.limit),
        }
    }
}

/// The failure of a body beyond its limit.
pub(super) fn too_large(size: &str, limit: impl std::fmt::Display) -> Failure {
    Failure::new(Reason::BodyTooLarge, format!("{size}, where {limit} bytes are allowed"))
}
