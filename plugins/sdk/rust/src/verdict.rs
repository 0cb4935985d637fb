//! How an iteration ends.

use std::borrow::Cow;
use std::fmt;

use crate::Exchange;
use crate::bindings::engine::workload::types;

/// What a flow returns: `Ok(())` when everything was right, otherwise why it stopped. Made for `?`.
pub type Verdict = Result<(), Stop>;

/// The longest text of [`Stop::Failed`] in bytes; the rest is cut.
const TEXT_LIMIT: usize = 200;

/// Why an iteration stopped early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The plan said so; not a failure.
    Cancelled,
    /// The plugin's own judgement, counted as `check: <text>`. Keep the texts short, few and constant: no ids, no
    /// numbers. At most 200 bytes, the rest is cut.
    Failed(Cow<'static, str>),
    /// The engine's reason for that exchange stands: its failure, or `http_<status>` where it was answered.
    FailedBy(Exchange),
}

impl Stop {
    /// A failure by the plugin's own judgement: `return Err(Stop::failed("no items"))`.
    pub fn failed(text: impl Into<Cow<'static, str>>) -> Self {
        Self::Failed(text.into())
    }
}

impl From<ExchangeFailed> for Stop {
    fn from(failed: ExchangeFailed) -> Self {
        Self::FailedBy(failed.exchange)
    }
}

/// Stops the iteration as failed with this text unless the condition holds: `ensure(total == 3, "wrong total")?`.
///
/// # Errors
/// [`Stop::Failed`] where the condition does not hold.
pub fn ensure(condition: bool, text: &'static str) -> Verdict {
    if condition { Ok(()) } else { Err(Stop::failed(text)) }
}

/// An exchange that came to no answer. `?` turns it into a verdict that keeps the engine's reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExchangeFailed {
    exchange: Exchange,
    reason: String,
    detail: String,
}

impl ExchangeFailed {
    pub(crate) fn new(exchange: Exchange, failure: types::Failure) -> Self {
        Self { exchange, reason: failure.reason, detail: failure.detail }
    }

    /// The exchange, for marks.
    pub fn exchange(&self) -> Exchange {
        self.exchange
    }

    /// The engine's reason, such as `timeout_total`. An open set: match what you know, treat the rest alike.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// For people: what was seen.
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

impl fmt::Display for ExchangeFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.reason, self.detail)
    }
}

impl std::error::Error for ExchangeFailed {}

/// The verdict as the interface has it.
pub(crate) fn lower(verdict: &Verdict) -> types::Verdict<'_> {
    match verdict {
        Ok(()) => types::Verdict::Ok,
        Err(Stop::Cancelled) => types::Verdict::Cancelled,
        Err(Stop::Failed(text)) => types::Verdict::Failed(&text[..text.floor_char_boundary(TEXT_LIMIT)]),
        Err(Stop::FailedBy(exchange)) => types::Verdict::FailedBy(*exchange),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let verdict = Err(Stop::failed("ü".repeat(150) + "x"));
        let types::Verdict::Failed(text) = lower(&verdict) else { panic!("not a failure") };
        assert_eq!(text, "ü".repeat(100));
        let odd = Err(Stop::failed("x".to_owned() + &"ü".repeat(150)));
        let types::Verdict::Failed(text) = lower(&odd) else { panic!("not a failure") };
        assert_eq!(text.len(), 199);
    }
}
