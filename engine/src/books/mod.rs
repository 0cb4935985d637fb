//! The engine's own books of a run, on request: a line for each arrival and each exchange in `requests.jsonl`, which can
//! be held against what a stub wrote down of the same requests in its journal.
//!
//! - `id` names each request on the wire; `entry` is what a worker notes, `pen` what it notes it with, `write` the
//!   thread that makes lines of it; `line` is the format of the file.
//! - `read` and `journal` read both sides; `join` sets them beside each other by id, `judge` request by request;
//!   `totals` compares with `result.json`; `ledger` counts what holds; `verification` is what it all came to, `render` that
//!   for people.

mod entry;
mod error;
mod id;
mod join;
mod journal;
mod judge;
mod ledger;
mod line;
mod pen;
mod read;
mod render;
mod totals;
mod verification;
mod write;

pub use entry::{ArrivalEntry, Entry, RequestEntry, State};
pub use error::BooksError;
pub use id::{FIELD, Id, RunId};
pub use journal::Journal;
pub use ledger::Fault;
pub use line::{Arrival, End, FORMAT, Head, Line, Outcome, Request};
pub use pen::{Desk, Pen};
pub use read::Books;
pub use render::text;
pub use verification::{Check, CheckVerdict, Counts, Times, Verdict, Verification, verify};
pub use write::{Closed, Names, Writer};

/// Name of the file in a result's folder.
pub const REQUESTS_FILE: &str = "requests.jsonl";

#[cfg(test)]
mod tests;
