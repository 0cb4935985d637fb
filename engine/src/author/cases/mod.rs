//! Cases: a file that says, step by step, what a plugin is expected to ask for and what it is answered.
//!
//! A text becomes [`Case`]s (`read`, by the keys of `spec`), each is run on an instance of its own (`run`), and what
//! differs is told part by part (`compare`, `show`). `record` makes a case of what `engine try` saw, `write` its text.

mod answers;
mod compare;
mod read;
mod record;
mod run;
mod scrub;
mod secrets;
mod show;
mod spec;
#[cfg(test)]
mod tests;
mod write;

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use crate::pieces::{Message, ServerSentEvent};
use crate::plugin::{Action, Since};

use super::rehearsal::Begin;

pub use answers::answers_of;
pub(super) use answers::pieces_of;
pub use read::{load, read};
pub use record::{Recording, record};
pub use run::{CaseResult, Difference, run};
pub use scrub::Scrub;
pub use show::show;
pub use write::write;

/// Stands for any run of characters in an expected text: what recorded secrets become.
pub const ANY: &str = "***";

/// One case.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name, unique in its file.
    pub name: String,
    /// The line on which it begins, from 1.
    pub line: usize,
    /// The configuration of the plugin.
    pub config: Value,
    /// What setup has shared.
    pub shared: Option<Value>,
    /// Which flow is run.
    pub begin: Begin,
    /// What happens, in order.
    pub steps: Vec<Step>,
    /// What must have come of it.
    pub expect: Expect,
}

/// One step: what is expected to be asked for, and what comes.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// The line on which it begins, from 1.
    pub line: usize,
    /// What the plugin asks for next.
    pub ask: Option<Ask>,
    /// What then comes to an exchange.
    pub answer: Option<Answer>,
    /// The timer that then fires.
    pub fire: Option<u32>,
}

/// What a plugin is expected to ask for.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// A request, or a WebSocket.
    Request(Box<Wanted>),
    /// A message on a WebSocket.
    Write {
        /// Which; any where absent.
        to: Option<u32>,
        /// What; anything where absent.
        what: Option<Content>,
    },
    /// The close of a WebSocket.
    Close {
        /// Which; any where absent.
        to: Option<u32>,
        /// The code; any where absent.
        code: Option<u16>,
        /// The text; any where absent.
        reason: Option<String>,
    },
    /// That an exchange is given up.
    Cancel(u32),
    /// A timer.
    Wait {
        /// How long.
        length: Duration,
        /// Whether it fires at once.
        fires: bool,
    },
}

/// The parts of a request that a case cares about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// The name of its series.
    pub name: Option<String>,
    /// The method.
    pub method: Option<String>,
    /// Path and query.
    pub path: Option<String>,
    /// Another host than the target's.
    pub authority: Option<String>,
    /// Fields that must be there.
    pub fields: Vec<(String, String)>,
    /// The body.
    pub body: Option<Content>,
    /// The read mode, as `read_name` has it.
    pub read: Option<String>,
}

/// A body or message.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Text, to the letter.
    Text(String),
    /// JSON, by value.
    Json(Value),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl Content {
    /// As it is sent.
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.clone().into_bytes(),
            Self::Json(value) => value.to_string().into_bytes(),
            Self::Bytes(bytes) => bytes.clone(),
        }
    }
}

/// What comes to an exchange.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Which; the one of the same step, or the only open one where absent.
    pub to: Option<u32>,
    /// The status; 200 where absent and a head is due.
    pub status: Option<u16>,
    /// Its fields.
    pub fields: Vec<(String, String)>,
    /// Its body.
    pub body: Option<Content>,
    /// Bytes off the wire; those of the body where absent.
    pub size: Option<u64>,
    /// The subprotocol a WebSocket's peer selects.
    pub subprotocol: Option<String>,
    /// What came, read by read.
    pub batches: Vec<Batch>,
    /// How it ends.
    pub end: End,
}

/// What came in one read.
#[derive(Clone, Debug, PartialEq)]
pub enum Batch {
    /// Server-sent events.
    Events(Vec<ServerSentEvent>),
    /// Lines.
    Lines(Vec<String>),
    /// Messages.
    Messages(Vec<Message>),
    /// Bytes.
    Chunk(Vec<u8>),
}

/// How an answer ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// A stream is complete; a WebSocket stays open.
    #[default]
    Natural,
    /// It goes on in a later step.
    Later,
    /// A WebSocket is closed by its peer.
    Closed {
        /// The code.
        code: u16,
        /// The text.
        reason: String,
    },
    /// It fails.
    Failed {
        /// A documented reason.
        reason: String,
        /// For people.
        detail: String,
    },
    /// The plugin's `cancel` takes effect.
    Cancelled,
}

/// What must have come of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect {
    /// The line on which it stands, from 1; that of the case where it has none.
    pub line: usize,
    /// `ok`, `cancelled`, or the reason of a failure.
    pub verdict: String,
    /// How often each of these marks was set.
    pub marks: Vec<(String, u64)>,
    /// The sums of these counters.
    pub counters: Vec<(String, u64)>,
    /// The values observed, in order.
    pub observations: Vec<(String, Vec<f64>)>,
    /// How often these checks passed and failed.
    pub checks: Vec<(String, u64, u64)>,
    /// Texts that a log line must hold.
    pub log: Vec<String>,
}

/// The metrics of the marks that a run counts, in order: the first of a lap only starts it, and a weight of 0 counts nothing.
fn counted_marks<'a>(acts: impl IntoIterator<Item = &'a Action>) -> impl Iterator<Item = u32> {
    let mut begun = BTreeSet::new();
    acts.into_iter().filter_map(move |act| {
        let Action::Mark { metric, since, weight } = act else { return None };
        let counts = !begun.insert(*metric) || *since != Since::Previous;
        (counts && *weight > 0).then_some(*metric)
    })
}
