//! Every kind of fault of a file, with its whole text.

mod keys;
mod phases;
mod probes;
mod syntax;
mod target;
mod thresholds;
mod values;
mod variables;

use super::{BASE, refusal, resolve_with};
use crate::scenario::Overrides;

pub(super) fn refused(text: &str) -> String {
    refusal(resolve_with(text, &Overrides::default()))
}

/// The smallest scenario with this after it.
fn with(more: &str) -> String {
    format!("{BASE}{more}")
}
