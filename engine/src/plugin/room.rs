//! What the host keeps beside one plugin instance: the actions of the call being made, the plan's blobs, log lines.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::printable::{cut, printable};

use super::action::Action;
use super::bindings::engine::workload::types::Level;
use super::limits::{ACTIONS_PER_CALL, ACTIONS_PER_ITERATION, LOG_BYTES, LOG_LINES_PER_CALL, Limits, MemoryWatch};
use super::wasi::Virtual;

/// What kind of call is being made: it decides which actions are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// `describe`: no action at all.
    Describe,
    /// `configure`: blobs and log lines.
    Configure,
    /// A call of a setup or teardown flow.
    Setup,
    /// A call of an arrival's iteration.
    Iteration,
}

/// A line a plugin wrote for its author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// How loud: `debug`, `info`, `warn` or `error`.
    pub level: &'static str,
    /// The text, at most 4 KiB.
    pub text: String,
}

/// Host state of one instance.
pub(super) struct Room {
    pub(super) limits: Arc<Limits>,
    pub(super) memory: MemoryWatch,
    pub(super) stage: Stage,
    /// What the call has asked for so far, in order.
    pub(super) actions: Vec<Action>,
    /// Bytes of the texts and bodies among them.
    pub(super) action_bytes: usize,
    /// Registered in `configure`.
    pub(super) blobs: Vec<Bytes>,
    pub(super) blob_bytes: usize,
    /// JSON texts shared by a setup flow in this call.
    pub(super) shared: Vec<String>,
    pub(super) log: Vec<LogLine>,
    pub(super) log_dropped: u64,
    /// The first thing the call did that is not allowed.
    pub(super) misuse: Option<String>,
    /// Ids to give out next in the iteration whose call is being made.
    pub(super) next_exchange: u32,
    pub(super) next_timer: u32,
    /// Actions that iteration has asked for so far.
    pub(super) asked: u32,
    /// Bytes it has shared so far.
    pub(super) shared_bytes: usize,
    /// The iteration has finished.
    pub(super) finished: bool,
    /// What it has of WASI, where it imports any of it.
    pub(super) wasi: Virtual,
    /// The thread's CPU time when the deadline was first looked at in this call.
    pub(super) cpu_at_first_tick: Option<Duration>,
}

impl Room {
    /// An empty room.
    pub(super) fn new(limits: Arc<Limits>) -> Self {
        Self {
            memory: MemoryWatch::new(limits.memory),
            limits,
            stage: Stage::Describe,
            actions: Vec::new(),
            action_bytes: 0,
            blobs: Vec::new(),
            blob_bytes: 0,
            shared: Vec::new(),
            log: Vec::new(),
            log_dropped: 0,
            misuse: None,
            next_exchange: 0,
            next_timer: 0,
            asked: 0,
            shared_bytes: 0,
            finished: false,
            wasi: Virtual::default(),
            cpu_at_first_tick: None,
        }
    }

    /// Notes the first misuse of a call; the iteration fails by it once the call has returned.
    pub(super) fn misuse(&mut self, what: impl FnOnce() -> String) {
        if self.misuse.is_none() {
            self.misuse = Some(what());
        }
    }

    /// Enqueues an action, if an iteration may ask for one now; `bytes` are those of its texts and bodies, which wait in
    /// the engine's memory until it is done.
    pub(super) fn enqueue(&mut self, name: &'static str, bytes: usize, action: impl FnOnce() -> Action) {
        let held = self.action_bytes.saturating_add(bytes);
        let most = self.limits.string;
        if !matches!(self.stage, Stage::Iteration | Stage::Setup) {
            self.misuse(|| format!("`{name}` is not allowed in `describe` and `configure`"));
        } else if self.finished {
            self.misuse(|| format!("`{name}` after `finish`"));
        } else if self.actions.len() >= ACTIONS_PER_CALL {
            self.misuse(|| format!("more than {ACTIONS_PER_CALL} actions in one call"));
        } else if self.asked >= ACTIONS_PER_ITERATION {
            self.misuse(|| format!("more than {ACTIONS_PER_ITERATION} actions in one iteration"));
        } else if held > most {
            self.misuse(|| {
                format!("`{name}`: the actions of one call hold more than {most} bytes (limits.plugin.string)")
            });
        } else {
            self.asked += 1;
            self.action_bytes = held;
            self.actions.push(action());
        }
    }

    /// Keeps a log line, within bounds.
    pub(super) fn write_log(&mut self, level: Level, mut text: String) {
        if self.log.len() >= LOG_LINES_PER_CALL {
            self.log_dropped += 1;
            return;
        }
        if let Cow::Owned(shorter) = cut(&text, LOG_BYTES) {
            text = shorter;
        }
        if let Cow::Owned(escaped) = printable(&text) {
            text = escaped;
        }
        let level = match level {
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Warn => "warn",
            Level::Error => "error",
        };
        self.log.push(LogLine { level, text });
    }
}
