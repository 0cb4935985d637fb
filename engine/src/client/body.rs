//! The ways to read a body.

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, header};
use hyper::body::{Body, Incoming};

use super::Items;
use super::decode::{Coding, decode, most_coded};
use super::events::Events;
use super::failure::{Failure, Reason};
use super::inflate::Inflate;
use super::lines::Lines;
use super::request::ReadMode;

/// Takes a body piece by piece.
pub(super) enum Reader {
    /// Looks at nothing but the start of a body.
    Count(Peek),
    /// Keeps everything.
    Whole(Whole),
    /// Hands over what has come.
    Stream(Box<Stream>),
}

/// A body that is handed over as it comes.
pub(super) struct Stream {
    /// Undoes the content coding, where there is one.
    inflate: Option<Inflate>,
    /// Cuts the body into items.
    cutter: Cutter,
}

impl Stream {
    fn push(&mut self, bytes: Bytes) -> Result<Option<Items>, Failure> {
        match &mut self.inflate {
            None => self.cutter.push(bytes),
            Some(inflate) => self.cutter.push(inflate.push(&bytes)?.into()),
        }
    }

    /// What is left to hand over when the body has ended, in the order it came: at most two lots.
    fn rest(&mut self) -> Result<[Option<Items>; 2], Failure> {
        let unpacked = match &mut self.inflate {
            Some(inflate) => self.cutter.push(inflate.finish()?.into())?,
            None => None,
        };
        Ok([unpacked, self.cutter.rest()])
    }
}

/// The start of a body.
#[derive(Default)]
pub(super) struct Peek {
    most: usize,
    start: Vec<u8>,
}

/// Cuts a body into items.
pub(super) enum Cutter {
    Lines(Lines),
    Events(Events),
    Chunks,
}

impl Cutter {
    fn push(&mut self, bytes: Bytes) -> Result<Option<Items>, Failure> {
        Ok(match self {
            Self::Lines(lines) => Some(lines.push(&bytes)?).filter(|lines| !lines.is_empty()).map(Items::Lines),
            Self::Events(events) => Some(events.push(&bytes)?).filter(|events| !events.is_empty()).map(Items::Events),
            Self::Chunks => Some(bytes).filter(|bytes| !bytes.is_empty()).map(Items::Chunk),
        })
    }

    /// What is left when the body has ended: a last line without its end. An event without its end is none.
    fn rest(&mut self) -> Option<Items> {
        match self {
            Self::Lines(lines) => lines.rest().map(|line| Items::Lines(vec![line])),
            Self::Events(_) | Self::Chunks => None,
        }
    }
}

impl Reader {
    /// The reader of a mode for an answer with these fields.
    ///
    /// # Errors
    /// What is known from the fields already: a body that is announced as too large, or coded in a way that cannot be
    /// undone where it is to be handed over as it comes.
    pub(super) fn new(mode: ReadMode, peek: usize, fields: &HeaderMap, body: &Incoming) -> Result<Self, Failure> {
        if body.is_end_stream() {
            // Such as that of a HEAD, whose fields speak of a body that is not there.
            return Ok(Self::Count(Peek::default()));
        }
        let cutter = match mode {
            ReadMode::Head | ReadMode::Count | ReadMode::Socket => {
                return Ok(Self::Count(Peek { most: peek, start: Vec::new() }));
            }
            ReadMode::Whole(limit) => {
                let whole = Whole::new(Coding::of(fields), limit as usize);
                return match body.size_hint().exact() {
                    Some(length) if length > whole.most as u64 => Err(too_large(&format!("{length} bytes"), limit)),
                    _ => Ok(Self::Whole(whole)),
                };
            }
            ReadMode::Lines => Cutter::Lines(Lines::new()),
            // Servers answer a request for a stream with JSON where they refuse it or do not stream; its text would be
            // lost between the lines of an event stream.
            ReadMode::Events if is_json(fields) => Cutter::Chunks,
            ReadMode::Events => Cutter::Events(Events::new()),
            ReadMode::Chunks => Cutter::Chunks,
        };
        Ok(Self::Stream(Box::new(Stream { inflate: Inflate::new(Coding::of(fields))?, cutter })))
    }

    /// Takes the next piece. What there is to hand over.
    pub(super) fn push(&mut self, bytes: Bytes) -> Result<Option<Items>, Failure> {
        match self {
            Self::Count(peek) => {
                let room = peek.most - peek.start.len();
                peek.start.extend_from_slice(&bytes[..bytes.len().min(room)]);
                Ok(None)
            }
            Self::Whole(whole) => whole.push(bytes).map(|()| None),
            Self::Stream(stream) => stream.push(bytes),
        }
    }

    /// What is left to hand over when the body has ended, in the order it came: at most two lots.
    pub(super) fn rest(&mut self) -> Result<[Option<Items>; 2], Failure> {
        match self {
            Self::Stream(stream) => stream.rest(),
            Self::Count(_) | Self::Whole(_) => Ok([None, None]),
        }
    }

    /// The body, decoded, or what was kept of one that was counted.
    pub(super) fn whole(self) -> Result<Bytes, Failure> {
        match self {
            Self::Whole(whole) => whole.finish(),
            Self::Count(peek) => Ok(peek.start.into()),
            Self::Stream(_) => Ok(Bytes::new()),
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

/// Whether these fields announce JSON (`application/json`, or a type whose name ends with `+json`).
fn is_json(fields: &HeaderMap) -> bool {
    let Some(kind) = fields.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()) else { return false };
    let essence = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence == "application/json" || essence.ends_with("+json")
}

/// The failure of a body beyond its limit.
pub(super) fn too_large(size: &str, limit: impl std::fmt::Display) -> Failure {
    Failure::new(Reason::BodyTooLarge, format!("{size}, where {limit} bytes are allowed"))
}
