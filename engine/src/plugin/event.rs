//! What the engine tells a plugin, in the worker's terms.

use std::borrow::Cow;

use http::HeaderMap;
use smallvec::SmallVec;

use crate::pieces::{Message, ServerSentEvent};

/// One scheduled start, as its plugin sees it.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// Position in the whole run's schedule.
    pub sequence: u64,
    /// Position within its own workload.
    pub index: u64,
    /// Seeds all randomness of the iteration.
    pub seed: u64,
    /// The numbered identity it belongs to.
    pub client: u64,
    /// Nanoseconds since the Unix epoch: the run's start plus the due time.
    pub wall_time: u64,
    /// Name of its phase.
    pub phase: &'a str,
}

/// One event of an iteration.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A whole answer.
    Response {
        /// Whose.
        exchange: u32,
        /// Its status.
        status: u16,
        /// Its fields.
        fields: &'a HeaderMap,
        /// Lower-case names of the fields to hand over; all where absent.
        wanted: Option<&'a [String]>,
        /// Its body after decompression.
        body: &'a [u8],
        /// Bytes of its body off the wire.
        size: u64,
    },
    /// Status and fields.
    Head {
        /// Whose.
        exchange: u32,
        /// The status.
        status: u16,
        /// The fields.
        fields: &'a HeaderMap,
        /// Lower-case names of the fields to hand over; all where absent.
        wanted: Option<&'a [String]>,
    },
    /// A WebSocket is open.
    Opened {
        /// Which.
        exchange: u32,
        /// The subprotocol its peer selected; empty where it selected none.
        subprotocol: &'a str,
        /// The fields of the handshake's answer.
        fields: &'a HeaderMap,
    },
    /// Server-sent events of one read.
    Events {
        /// Whose.
        exchange: u32,
        /// The events.
        events: &'a [ServerSentEvent],
    },
    /// Messages of one read.
    Messages {
        /// Of which WebSocket.
        exchange: u32,
        /// The messages.
        messages: &'a [Message],
    },
    /// Lines of one read.
    Lines {
        /// Whose.
        exchange: u32,
        /// Without their ends.
        lines: &'a [String],
    },
    /// Bytes of one read.
    Chunk {
        /// Whose.
        exchange: u32,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// The exchange is complete.
    Complete {
        /// Whose.
        exchange: u32,
    },
    /// A WebSocket was closed.
    Closed {
        /// Which.
        exchange: u32,
        /// The code.
        code: u16,
        /// The peer's text.
        reason: &'a str,
    },
    /// The plugin's `cancel` took effect.
    Cancelled {
        /// Whose.
        exchange: u32,
    },
    /// The exchange failed.
    Failed {
        /// Whose.
        exchange: u32,
        /// A documented reason.
        reason: &'a str,
        /// For people.
        detail: &'a str,
    },
    /// A timer fired.
    Timer {
        /// Which.
        timer: u32,
    },
}

/// Fields of an answer that are lent without an allocation: more than most answers have.
pub(super) const FEW_FIELDS: usize = 16;

/// Fields in the form a plugin is given them.
pub(super) type Lent<'a> = SmallVec<[(&'a str, Cow<'a, str>); FEW_FIELDS]>;

/// The wanted fields of an answer, their bytes mapped to U+0000 to U+00FF.
pub(super) fn lend<'a>(fields: &'a HeaderMap, wanted: Option<&[String]>) -> Lent<'a> {
    let pair = |(name, value): (&'a http::HeaderName, &'a http::HeaderValue)| (name.as_str(), text(value.as_bytes()));
    match wanted {
        None => fields.iter().map(pair).collect(),
        Some(wanted) => {
            fields.iter().filter(|(name, _)| wanted.iter().any(|want| want == name.as_str())).map(pair).collect()
        }
    }
}

/// Bytes as text, one character a byte; lent where they are ASCII.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if text.is_ascii() => Cow::Borrowed(text),
        _ => Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_values_map_byte_for_byte_and_only_wanted_ones_are_lent() {
        let mut fields = HeaderMap::new();
        fields.insert("x-plain", "a".parse().unwrap());
        fields.insert("x-latin", http::HeaderValue::from_bytes(b"caf\xe9").unwrap());
        fields.append("x-plain", "b".parse().unwrap());
        let all = lend(&fields, None);
        assert_eq!(all.len(), 3);
        let wanted = ["x-latin".to_owned()];
        assert_eq!(lend(&fields, Some(&wanted)).as_slice(), [("x-latin", Cow::from("caf\u{e9}"))]);
    }
}
