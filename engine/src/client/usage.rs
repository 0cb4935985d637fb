//! What a client has used, for validity checks and reports.

use std::cell::Cell;

/// Figures of one client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Connections now, those being opened included.
    pub open: usize,
    /// Idle ones of them.
    pub idle: usize,
    /// Exchanges waiting for a connection now.
    pub waiting: usize,
    /// Connections opened so far.
    pub connects: u64,
    /// Attempts to open one that failed or timed out.
    pub connects_failed: u64,
    /// Requests sent on a connection that had been opened before.
    pub reused: u64,
    /// Requests sent again after a stale connection.
    pub stale_resent: u64,
    /// Exchanges that ended in one of the four time-outs.
    pub timeouts: u64,
    /// Exchanges that had to wait because the connections were at their cap.
    pub waited: u64,
    /// Whether the cap was ever full.
    pub cap_was_full: bool,
}

/// The counting side.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) idle: Cell<usize>,
    pub(super) connects: Cell<u64>,
    pub(super) connects_failed: Cell<u64>,
    pub(super) reused: Cell<u64>,
    pub(super) stale_resent: Cell<u64>,
    pub(super) timeouts: Cell<u64>,
    pub(super) waited: Cell<u64>,
    pub(super) cap_was_full: Cell<bool>,
}

/// One more.
pub(super) fn bump(count: &Cell<u64>) {
    count.set(count.get() + 1);
}
