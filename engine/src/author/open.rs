//! An exchange that an iteration has open, and what can come to it.

use crate::pieces::SUBPROTOCOL;
use crate::plugin::{ReadMode, Request};

use super::piece::Piece;

/// How far an exchange is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Asked,
    /// Its head has come, or it is an open socket.
    Begun,
    /// The plugin has given it up: only that it took effect may come.
    GivenUp,
}

/// An exchange that has not ended.
#[derive(Debug)]
pub struct Open {
    /// The plugin's name for it.
    pub id: u32,
    /// What was asked for.
    pub request: Request,
    /// Why it cannot be sent.
    pub impossible: Option<String>,
    /// The code and text of the plugin's `close`.
    pub closing: Option<(u16, String)>,
    /// The content type of its answer, where that has begun.
    pub(super) content_type: String,
    pub(super) status: Option<u16>,
    pub(super) stage: Stage,
}

impl Open {
    /// Whether the plugin has given it up.
    pub fn is_given_up(&self) -> bool {
        self.stage == Stage::GivenUp
    }

    /// Whether its head has come, or it is an open socket.
    pub fn has_begun(&self) -> bool {
        self.stage == Stage::Begun
    }

    /// Whether it is a WebSocket that is open.
    pub fn is_open_socket(&self) -> bool {
        self.request.read == ReadMode::Socket && self.stage == Stage::Begun
    }

    /// The subprotocols that the plugin offers.
    pub fn subprotocols(&self) -> Vec<&str> {
        let fields = self.request.fields.iter().filter(|(name, _)| name.eq_ignore_ascii_case(SUBPROTOCOL));
        fields.flat_map(|(_, value)| value.split(',').map(str::trim)).collect()
    }

    /// Why this cannot come now; none where it can.
    pub(super) fn cannot_come(&self, piece: &Piece) -> Option<&'static str> {
        if self.stage == Stage::GivenUp {
            return (*piece != Piece::Cancelled).then_some("the plugin has given it up: only `cancelled` can come");
        }
        if self.impossible.is_some() {
            let protocol = matches!(piece, Piece::Failed { reason, .. } if reason == "protocol");
            return (!protocol).then_some("it cannot be sent: only the failure `protocol` can come");
        }
        let begun = self.stage == Stage::Begun;
        let read = self.request.read;
        let head_first = "its head has not come yet";
        match piece {
            Piece::Cancelled => Some("the plugin has not given it up"),
            Piece::Failed { reason, .. } if reason == "upgrade_refused" => {
                (read != ReadMode::Socket || begun).then_some("`upgrade_refused` is for sockets that are being opened")
            }
            Piece::Failed { .. } => None,
            Piece::Whole { body, .. } => match read {
                ReadMode::Whole(most) if body.len() > most as usize => {
                    Some("its body is larger than its read mode allows: that is the failure `body_too_large`")
                }
                ReadMode::Whole(_) | ReadMode::Count => None,
                ReadMode::Socket => Some("it is a WebSocket, which has no status for its plugin: give it `open`"),
                _ => Some("its read mode hands over a head first, not a whole answer"),
            },
            Piece::Head { .. } if begun => Some("its head has come already"),
            Piece::Head { .. } => {
                let streamed = matches!(read, ReadMode::Head | ReadMode::Events | ReadMode::Lines | ReadMode::Chunks);
                (!streamed).then_some("its read mode hands over whole answers, without a head first")
            }
            Piece::Opened { .. } if begun => Some("it is open already"),
            Piece::Opened { .. } => (read != ReadMode::Socket).then_some("it is no WebSocket"),
            Piece::Events(_) if read != ReadMode::Events => Some("its read mode is not `events`"),
            Piece::Events(_) if self.is_json() => Some("an answer whose content type is JSON comes as chunks"),
            Piece::Lines(_) if read != ReadMode::Lines => Some("its read mode is not `lines`"),
            Piece::Messages(_) | Piece::Closed { .. } if read != ReadMode::Socket => Some("it is no WebSocket"),
            Piece::Chunk(_) if !(read == ReadMode::Chunks || read == ReadMode::Events && self.is_json()) => {
                Some("its read mode is not `chunks`")
            }
            Piece::Complete if matches!(read, ReadMode::Whole(_) | ReadMode::Count | ReadMode::Socket) => {
                Some("its read mode has no such end")
            }
            Piece::Events(_)
            | Piece::Lines(_)
            | Piece::Messages(_)
            | Piece::Chunk(_)
            | Piece::Complete
            | Piece::Closed { .. } => (!begun).then_some(head_first),
        }
    }

    fn is_json(&self) -> bool {
        let kind = self.content_type.split(';').next().unwrap_or_default().trim();
        kind.eq_ignore_ascii_case("application/json") || kind.to_ascii_lowercase().ends_with("+json")
    }
}

/// An exchange that has ended.
#[derive(Debug)]
pub(super) struct Past {
    pub(super) id: u32,
    /// The reason it gives for a failed iteration.
    pub(super) reason: Option<String>,
}

/// A timer that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timer {
    /// The plugin's name for it.
    pub id: u32,
    /// When it fires, in nanoseconds since the iteration's start.
    pub due: u64,
}
