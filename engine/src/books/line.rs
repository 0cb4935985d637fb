//! The lines of `requests.jsonl`. Each is a JSON object with one member that says what it is. All times are nanoseconds
//! of `CLOCK_MONOTONIC`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::State;

/// The version of the format.
pub const FORMAT: u32 = 1;

/// One line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line<'a> {
    /// The first: whose file it is.
    Requests(Head),
    /// An exchange.
    Request(Request<'a>),
    /// An arrival.
    Arrival(Arrival<'a>),
    /// The last. A file without it was cut short.
    End(End),
}

/// Whose file it is, and how its clock stands to others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// [`FORMAT`].
    pub format: u32,
    /// The engine's version.
    pub engine: String,
    /// Names the run. The ids of its requests begin with it.
    pub run: String,
    /// Workers.
    pub workers: u32,
    /// The clock of all times: `CLOCK_MONOTONIC`.
    pub clock: String,
    /// Linux's name for the time since the machine was started; null elsewhere. Two processes that were given the same
    /// one have the same clock.
    pub boot_id: Option<String>,
    /// Start of the schedule.
    pub t0_ns: u64,
    /// The same in nanoseconds since 1970-01-01T00:00:00Z.
    pub t0_wall_ns: u64,
    /// All times are off from the machine's clock by at most this many nanoseconds, all by the same.
    pub apart_ns: u64,
}

/// How an exchange ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Complete, whatever its status.
    Complete,
    /// Failed.
    Failed,
    /// Given up.
    Cancelled,
}

/// An exchange.
#[expect(clippy::struct_excessive_bools, reason = "facts that do not depend on each other")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request<'a> {
    /// What its field `x-request-id` said; null where it had none that can be read.
    pub id: Option<Cow<'a, str>>,
    /// Whether its plugin gave it that id.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub given: bool,
    /// The worker.
    pub worker: u32,
    /// Its workload.
    pub workload: Cow<'a, str>,
    /// The phase in which its arrival was due.
    pub phase: Cow<'a, str>,
    /// Number of its arrival.
    pub sequence: u64,
    /// Its number within the iteration.
    pub exchange: u32,
    /// When its arrival was due.
    pub due_ns: u64,
    /// When it was asked for.
    pub asked_ns: u64,
    /// First byte handed to a socket; null where none was.
    pub sent_ns: Option<u64>,
    /// First byte ever handed to a socket, where it was re-sent and `sent_ns` is that of the re-send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_sent_ns: Option<u64>,
    /// First byte of the answer; null where none came.
    pub first_byte_ns: Option<u64>,
    /// Last byte of the answer, or when it failed or was given up.
    pub end_ns: u64,
    /// Status of the answer; null where there was none.
    pub status: Option<u16>,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it failed.
    pub reason: Option<Cow<'a, str>>,
    /// Whether a connection was opened for it.
    pub opened: bool,
    /// Whether it is a WebSocket that was open.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub socket: bool,
    /// Whether it was open when its iteration ended. `result.json` then has no times of it, and no connection.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub given_up: bool,
    /// Whether it was still being given up when the run ended: how often it was sent is then not known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsettled: bool,
    /// How often a request was handed to a socket for it: redirects and re-sends count.
    pub sends: u32,
    /// Re-sends, since an idle connection turned out to be closed.
    pub stale_resends: u32,
    /// Redirects followed.
    pub redirects: u32,
    /// Request bytes handed to the socket.
    pub bytes_sent: u64,
    /// Body bytes of the answer, compressed where it is; payload bytes of a WebSocket.
    pub bytes_received: u64,
}

/// An arrival that was offered, in its final state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrival<'a> {
    /// Its number.
    pub sequence: u64,
    /// Its workload.
    pub workload: Cow<'a, str>,
    /// The phase in which it was due.
    pub phase: Cow<'a, str>,
    /// When it was due.
    pub due_ns: u64,
    /// When it started; null where it was missed.
    pub start_ns: Option<u64>,
    /// When it ended; null where it was missed.
    pub end_ns: Option<u64>,
    /// Its final state.
    pub state: State,
    /// Why it failed.
    pub reason: Option<Cow<'a, str>>,
    /// Its exchanges, each of which has a line.
    pub exchanges: u64,
}

/// Sums to check the file by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Exchanges with a line.
    pub requests: u64,
    /// Arrivals with a line.
    pub arrivals: u64,
    /// Of both, those that have none because the disk could not keep up.
    pub lost: u64,
}
