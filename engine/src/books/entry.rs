//! What a worker notes, on the run's clock and with positions in the place of names: small, and quick to make.

use super::Id;
use crate::clock::Time;

/// One thing noted.
#[derive(Clone, Debug)]
pub enum Entry {
    /// An exchange has ended.
    Request(Box<RequestEntry>),
    /// An arrival has reached its final state.
    Arrival(ArrivalEntry),
}

/// An exchange that has ended.
#[expect(clippy::struct_excessive_bools, reason = "facts that do not depend on each other")]
#[derive(Clone, Debug)]
pub struct RequestEntry {
    /// By which id it went.
    pub id: Id,
    /// The worker.
    pub worker: u32,
    /// Position of its workload.
    pub workload: usize,
    /// Position of its phase.
    pub phase: usize,
    /// Number of its arrival.
    pub sequence: u64,
    /// Its number within the iteration.
    pub exchange: u32,
    /// When its arrival was due.
    pub due: Time,
    /// When it was asked for.
    pub asked: Time,
    /// First byte handed to a socket, as its service time counts.
    pub sent: Option<Time>,
    /// First byte ever handed to a socket.
    pub first_sent: Option<Time>,
    /// First byte of the answer.
    pub first_byte: Option<Time>,
    /// Last byte of the answer, or when it failed or was given up.
    pub end: Time,
    /// Status of the answer.
    pub status: Option<u16>,
    /// The reason, where it failed; none where it was given up.
    pub failed: Option<Box<str>>,
    /// Whether it was given up.
    pub cancelled: bool,
    /// Whether a connection was opened for it.
    pub opened: bool,
    /// Whether it is a WebSocket that was open.
    pub socket: bool,
    /// Whether it was open when its iteration ended.
    pub given_up: bool,
    /// Whether what the client had to say of its end did not come before the run's.
    pub unsettled: bool,
    /// How often a request was handed to a socket for it.
    pub sends: u32,
    /// How often of these since an idle connection turned out to be closed.
    pub stale_resends: u32,
    /// Redirects followed.
    pub redirects: u32,
    /// Request bytes handed to the socket.
    pub bytes_sent: u64,
    /// Body bytes of the answer, before decompression; payload bytes of a WebSocket.
    pub bytes_received: u64,
}

/// An arrival in its final state.
#[derive(Clone, Debug)]
pub struct ArrivalEntry {
    /// Position of its workload.
    pub workload: usize,
    /// Position of its phase.
    pub phase: usize,
    /// Its number.
    pub sequence: u64,
    /// When it was due.
    pub due: Time,
    /// When it started and ended; none where it was missed.
    pub ran: Option<(Time, Time)>,
    /// The state.
    pub state: State,
    /// Why it failed.
    pub reason: Option<Box<str>>,
    /// Exchanges of it.
    pub exchanges: u64,
}

/// A final state of an arrival that was offered, as `docs/terminology.md` names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Right in everything.
    Ok,
    /// Ended early by plan.
    Cancelled,
    /// Failed.
    Failed,
    /// In flight when the drain ended.
    Abandoned,
    /// Torn down by another iteration's trap.
    Lost,
    /// Missed: all slots were taken.
    NoSlot,
    /// Missed: the generator was late.
    GeneratorLate,
}
