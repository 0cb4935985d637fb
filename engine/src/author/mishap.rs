//! What can befall an exchange: every documented failure, statuses, bodies that are not what was expected, streams and
//! sockets that end early.

use std::fmt;

use crate::client::Reason;
use crate::pieces::Message;
use crate::plugin::ReadMode;

use super::Piece;
use super::open::Open;
use super::play::{Move, event, failed, fields, opened, whole};

/// One thing that can befall an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mishap {
    /// It fails before any answer.
    Fails(&'static str),
    /// It fails when its answer has begun.
    Breaks(&'static str),
    /// It is answered with this status and body.
    Answers(u16, Body),
    /// A stream whose pieces are not what was expected.
    Nonsense,
    /// A socket is closed with this code as soon as it is open.
    Closes(u16),
    /// A socket is closed with this code after a message.
    SpeaksAndCloses(u16),
}

/// What stands in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// Nothing.
    Empty,
    /// An empty JSON object.
    Object,
    /// A page for people.
    Page,
    /// JSON that ends too early.
    CutJson,
    /// Bytes that are no text, said to be JSON.
    NoText,
    /// JSON, but no object.
    Null,
}

/// Statuses worth looking at: right ones without what was hoped for, and the usual wrong ones.
const STATUSES: [u16; 10] = [200, 204, 301, 400, 401, 404, 409, 429, 500, 503];
/// The interface says that the set of reasons is open: a plugin must take one it does not know.
const UNHEARD_OF: &str = "a_reason_of_a_later_version";

impl Body {
    const fn content_type(self) -> &'static str {
        match self {
            Self::Empty => "",
            Self::Page => "text/html",
            _ => "application/json",
        }
    }

    const fn bytes(self) -> &'static [u8] {
        match self {
            Self::Empty => b"",
            Self::Object => b"{}",
            Self::Page => b"<!doctype html><title>Oh no</title>",
            Self::CutJson => br#"{"id": 1, "choices": [{"te"#,
            Self::NoText => b"\xff\xfe\x00\x80{",
            Self::Null => b"null",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Empty => "no body",
            Self::Object => "an empty JSON object",
            Self::Page => "a page of HTML",
            Self::CutJson => "JSON that is cut off",
            Self::NoText => "bytes that are no text",
            Self::Null => "the JSON `null`",
        }
    }
}

impl Mishap {
    /// All that can befall an exchange of this read mode.
    pub fn all(read: ReadMode) -> Vec<Self> {
        let socket = read == ReadMode::Socket;
        let streamed = !matches!(read, ReadMode::Whole(_) | ReadMode::Count);
        let mut all = Vec::new();
        for reason in Reason::ALL {
            let fits = match reason {
                Reason::UpgradeRefused => socket,
                Reason::BodyTooLarge | Reason::Decode => !matches!(read, ReadMode::Head | ReadMode::Count),
                _ => true,
            };
            if fits {
                all.push(Self::Fails(reason.as_str()));
            }
        }
        all.push(Self::Fails(UNHEARD_OF));
        if streamed {
            let late = [
                Reason::Reset,
                Reason::Truncated,
                Reason::TimeoutIdle,
                Reason::TimeoutTotal,
                Reason::Decode,
                Reason::BodyTooLarge,
                Reason::Protocol,
                Reason::Other,
            ];
            all.extend(late.map(|reason| Self::Breaks(reason.as_str())));
            all.push(Self::Nonsense);
        }
        if socket {
            for code in [1000, 1001, 1005, 1011] {
                all.extend([Self::Closes(code), Self::SpeaksAndCloses(code)]);
            }
            return all;
        }
        for status in STATUSES {
            all.push(Self::Answers(status, Body::Empty));
            if status != 204 {
                all.extend([Self::Answers(status, Body::Object), Self::Answers(status, Body::Page)]);
            }
        }
        all.extend([Body::CutJson, Body::NoText, Body::Null].map(|body| Self::Answers(200, body)));
        all
    }

    /// What comes to the exchange.
    pub(super) fn moves(self, open: &Open) -> Vec<Move> {
        let socket = open.request.read == ReadMode::Socket;
        let begun = |content_type| match open.request.read {
            ReadMode::Socket => opened(open),
            _ => Piece::Head { status: 200, fields: fields(content_type) },
        };
        let streamed = !matches!(open.request.read, ReadMode::Whole(_) | ReadMode::Count);
        let pieces = match self {
            // A whole answer has no late failure: nothing of it has been handed over.
            Self::Fails(reason) => vec![failed(reason, "as rehearsed")],
            Self::Breaks(reason) if !streamed => vec![failed(reason, "as rehearsed")],
            Self::Breaks(reason) => vec![begun("text/event-stream"), failed(reason, "as rehearsed")],
            Self::Nonsense => {
                let mut pieces = vec![begun("text/event-stream")];
                match open.request.read {
                    ReadMode::Events => {
                        pieces.push(Piece::Events(vec![event(""), event("{\"a\":"), event("null"), event("\u{0}")]));
                    }
                    ReadMode::Lines => pieces.push(Piece::Lines(vec!["{\"a\":".to_owned(), "\u{fffd}".to_owned()])),
                    ReadMode::Chunks => pieces.push(Piece::Chunk(Body::NoText.bytes().to_vec())),
                    ReadMode::Socket => pieces.push(Piece::Messages(vec![
                        Message::Text(String::new()),
                        Message::Text("{\"type\":".to_owned()),
                        Message::Binary(Body::NoText.bytes().to_vec()),
                    ])),
                    _ => {}
                }
                pieces.push(if socket { closed(1000) } else { Piece::Complete });
                pieces
            }
            Self::Answers(status, body) => whole(open, status, body.content_type(), body.bytes().to_vec()),
            Self::Closes(code) if socket => vec![opened(open), closed(code)],
            Self::SpeaksAndCloses(code) if socket => {
                let said = Piece::Messages(vec![Message::Text("{}".to_owned())]);
                vec![opened(open), said, closed(code)]
            }
            Self::Closes(_) | Self::SpeaksAndCloses(_) => whole(open, 200, "", Vec::new()),
        };
        // What an earlier piece makes impossible is left out by who plays.
        pieces.into_iter().map(Move::Piece).collect()
    }
}

fn closed(code: u16) -> Piece {
    Piece::Closed { code, reason: String::new() }
}

impl fmt::Display for Mishap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fails(reason) => write!(f, "fails by `{reason}`"),
            Self::Breaks(reason) => write!(f, "begins, then fails by `{reason}`"),
            Self::Answers(status, body) => write!(f, "is answered with status {status} and {}", body.name()),
            Self::Nonsense => f.write_str("begins, then says what makes no sense"),
            Self::Closes(code) => write!(f, "is closed with {code} as soon as it is open"),
            Self::SpeaksAndCloses(code) => write!(f, "is closed with {code} after a message"),
        }
    }
}
