//! What a worker hands to its recorder.

use super::NameId;
use crate::clock::Time;

/// Why an arrival was never started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missed {
    /// All slots were taken until its tolerance was over.
    NoSlot,
    /// The generator itself came too late.
    GeneratorLate,
}

/// The final state of an arrival that was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome<'a> {
    /// Everything was right.
    Ok,
    /// The plan said so; no failure.
    Cancelled,
    /// Failed, with its one reason.
    Failed(&'a str),
    /// Still in flight when the drain ended.
    Abandoned,
    /// Its plugin instance was torn down by another iteration's trap.
    Lost,
}

/// An iteration that has reached its final state. All its parts are recorded at once.
#[derive(Clone, Copy, Debug)]
pub struct Finished<'a> {
    /// Position of its workload in the layout.
    pub workload: usize,
    /// Position of the phase in which it was due.
    pub phase: usize,
    /// When it was due.
    pub due: Time,
    /// When it started: the moment before the plugin's `start` call.
    pub start: Time,
    /// The time of the event that finished it; for one abandoned or lost, when that was decided.
    pub end: Time,
    /// Its final state.
    pub outcome: Outcome<'a>,
    /// Its exchanges, in any order.
    pub exchanges: &'a [ExchangeSample<'a>],
    /// Its marks.
    pub marks: &'a [MarkSample],
    /// What it added to counters.
    pub counters: &'a [CountSample],
    /// The values it observed.
    pub observations: &'a [ObservationSample],
    /// The checks it made.
    pub checks: &'a [CheckSample],
}

/// How an exchange ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExchangeOutcome<'a> {
    /// Complete, whatever its status.
    Complete,
    /// Failed, with its reason.
    Failed(&'a str),
    /// Given up by the plugin, or open when its iteration ended.
    Cancelled,
}

/// One exchange of an iteration.
#[derive(Clone, Copy, Debug)]
pub struct ExchangeSample<'a> {
    /// The named request it belongs to, from [`super::Recorder::name`].
    pub name: NameId,
    /// When it was asked for.
    pub asked: Time,
    /// When its first byte was handed to the socket; none where that never happened.
    pub sent: Option<Time>,
    /// When its last byte came off the wire, or when it failed or was given up.
    pub end: Time,
    /// How it ended.
    pub outcome: ExchangeOutcome<'a>,
    /// The status of its answer, where there was one.
    pub status: Option<u16>,
    /// Bytes handed to the socket.
    pub bytes_sent: u64,
    /// Bytes that came off the wire, heads and framing included; of an exchange that was given up, what had been handed over.
    pub bytes_received: u64,
    /// Nanoseconds it waited for a connection because the cap on connections was reached.
    pub queued: u64,
    /// What opening its connection took; none where it went over one that was open.
    pub connect: Option<ConnectParts>,
    /// Whether it is the handshake of a socket, which is an exchange of its own: a series by its name, and no more.
    pub handshake: bool,
    /// How often it was sent again because an idle connection turned out to be closed.
    pub stale_resends: u32,
}

/// The parts of opening a connection, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectParts {
    /// Looking up the name; 0 where nothing had to be looked up.
    pub lookup: u64,
    /// The transport's handshake.
    pub connect: u64,
    /// The TLS handshake; none on a plain connection.
    pub tls: Option<u64>,
}

/// A mark, measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkSample {
    /// Position of the metric in its plugin's list.
    pub metric: u32,
    /// The interval in nanoseconds.
    pub interval: u64,
    /// As how many samples of `interval ÷ weight` it counts; 0 counts nothing.
    pub weight: u32,
}

/// An addition to a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountSample {
    /// Position of the metric in its plugin's list.
    pub metric: u32,
    /// What is added.
    pub n: u64,
}

/// A value observed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObservationSample {
    /// Position of the metric in its plugin's list.
    pub metric: u32,
    /// The value, 0 to 2^53; others are refused and counted as refused.
    pub value: f64,
}

/// A check made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckSample {
    /// Position of the metric in its plugin's list.
    pub metric: u32,
    /// Whether it passed.
    pub passed: bool,
}
