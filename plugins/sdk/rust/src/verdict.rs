//! How an iteration ends.

use std::borrow::Cow;
use std::fmt;

use crate::Exchange;
use crate::bindings::engine::workload::types;

/// What a flow returns: `Ok(())` when everything was right, otherwise why it stopped. Made for `?`.
///
/// ```
/// use engine_sdk::{Context, Verdict};
///
/// async fn page(ctx: &Context) -> Verdict {
///     ctx.get("/page").send().await?.expect_status(200)?;
///     Ok(())
/// }
/// ```
pub type Verdict = Result<(), Stop>;

/// The longest text of [`Stop::Failed`] in bytes; the rest is cut.
const TEXT_LIMIT: usize = 200;

/// Why an iteration stopped early.
///
/// ```
/// # use engine_sdk::{example, Stop, testing::Script};
/// # example!(Example(ctx) {
/// let reply = ctx.get("/jobs/1").send().await?;
/// if reply.status() == 204 {
///     return Err(Stop::Cancelled); // nothing to do is no failure
/// }
/// # Ok(())
/// # });
/// # let run = Script::new().on("GET", "/jobs/1").reply(204, "").run::<Example>("{}");
/// # assert_eq!(run.reason(), None);
/// # assert_eq!(run.outcome(), &engine_sdk::testing::Outcome::Cancelled);
/// ```
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
    /// A failure by the plugin's own judgement, counted as `check: <text>`.
    ///
    /// ```
    /// # use engine_sdk::{example, Stop, testing::Script};
    /// # example!(Example(ctx) {
    /// let agents: Vec<String> = ctx.get("/agents").send().await?.json()?;
    /// if agents.is_empty() {
    ///     return Err(Stop::failed("no agents"));
    /// }
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/agents").reply(200, "[]").run::<Example>("{}");
    /// # assert_eq!(run.reason(), Some("check: no agents"));
    /// ```
    pub fn failed(text: impl Into<Cow<'static, str>>) -> Self {
        Self::Failed(text.into())
    }

    /// A failure that quotes what the peer said, as `<what>: <text>`: reduced, so that texts which differ in ids and
    /// numbers alone are one. Words with a digit or an `@` and words of more than 24 bytes become `#`, and all is cut
    /// after 100 bytes. Where nothing is left to quote, `<what>` alone.
    ///
    /// ```
    /// use engine_sdk::Stop;
    ///
    /// let stop = Stop::quoting("refused", "no agent 910a2dec for ann@example.org");
    /// assert_eq!(stop, Stop::failed("refused: no agent # for #"));
    /// ```
    pub fn quoting(what: &str, text: &str) -> Self {
        let reduced = reduced(text);
        if reduced.is_empty() {
            Self::Failed(what.to_owned().into())
        } else {
            Self::failed(format!("{what}: {reduced}"))
        }
    }
}

/// The longest quoted text and the longest word in it, in bytes.
const QUOTE_LIMIT: usize = 100;
const WORD_LIMIT: usize = 24;

/// A text without its ids and numbers.
fn reduced(text: &str) -> String {
    let mut reduced = String::new();
    for word in text.split_whitespace() {
        let varies = word.len() > WORD_LIMIT || word.bytes().any(|byte| byte.is_ascii_digit() || byte == b'@');
        let word = if varies { "#" } else { word };
        if varies && (reduced == "#" || reduced.ends_with(" #")) {
            continue;
        }
        if reduced.len() + word.len() >= QUOTE_LIMIT {
            break;
        }
        if !reduced.is_empty() {
            reduced.push(' ');
        }
        reduced.push_str(word);
    }
    if reduced == "#" { String::new() } else { reduced }
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
///
/// ```
/// use engine_sdk::{Stop, ensure};
///
/// assert_eq!(ensure(1 + 2 == 3, "wrong total"), Ok(()));
/// assert_eq!(ensure(1 + 2 == 4, "wrong total"), Err(Stop::failed("wrong total")));
/// ```
pub fn ensure(condition: bool, text: &'static str) -> Verdict {
    if condition { Ok(()) } else { Err(Stop::failed(text)) }
}

/// An exchange that came to no answer. `?` turns it into a verdict that keeps the engine's reason.
///
/// ```
/// # use engine_sdk::{example, testing::Script};
/// # example!(Example(ctx) {
/// // Caught, the flow goes on: one more try.
/// let reply = match ctx.get("/page").send().await {
///     Ok(reply) => reply,
///     Err(_) => ctx.get("/page").send().await?,
/// };
/// reply.expect_status(200)?;
/// # Ok(())
/// # });
/// # let run =
/// #     Script::new().on("GET", "/page").once().fail("stale_connection").on("GET", "/page").reply(200, "")
/// #         .run::<Example>("{}");
/// # assert_eq!(run.reason(), None);
/// ```
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

    /// The exchange, for marks and for [`Stop::FailedBy`].
    ///
    /// ```
    /// # use engine_sdk::{example, Stop, testing::Script};
    /// # example!(Example(ctx) {
    /// if let Err(failed) = ctx.get("/page").send().await {
    ///     return Err(Stop::FailedBy(failed.exchange())); // what `?` does
    /// }
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/page").fail("reset").run::<Example>("{}");
    /// # assert_eq!(run.reason(), Some("reset"));
    /// ```
    pub fn exchange(&self) -> Exchange {
        self.exchange
    }

    /// The engine's reason, such as `timeout_total`. An open set: match what you know, treat the rest alike.
    ///
    /// ```
    /// # use engine_sdk::{example, Stop, testing::Script};
    /// # example!(Example(ctx) {
    /// match ctx.get("/slow").send().await {
    ///     Err(failed) if failed.reason() == "timeout_total" => return Err(Stop::Cancelled),
    ///     reply => reply?,
    /// };
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/slow").fail("timeout_total").run::<Example>("{}");
    /// # assert_eq!(run.reason(), None);
    /// # assert_eq!(run.outcome(), &engine_sdk::testing::Outcome::Cancelled);
    /// ```
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// For people: what was seen. It may change from version to version: do not match it.
    ///
    /// ```
    /// # use engine_sdk::{example, Level, testing::Script};
    /// # example!(Example(ctx) {
    /// if let Err(failed) = ctx.get("/page").send().await {
    ///     ctx.log(Level::Warn, failed.detail());
    ///     return Err(failed.into());
    /// }
    /// # Ok(())
    /// # });
    /// # let run = Script::new().on("GET", "/page").fail("refused").run::<Example>("{}");
    /// # assert_eq!(run.reason(), Some("refused"));
    /// ```
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

    #[test]
    fn a_quoted_text_keeps_its_words_and_loses_what_varies() {
        let quoted = |text: &str| match Stop::quoting("error", text) {
            Stop::Failed(text) => text.into_owned(),
            other => panic!("{other:?}"),
        };
        let pool = "QueuePool limit of size 5 overflow 10 reached, timed out after 30.00 31.00 s";
        assert_eq!(quoted(pool), "error: QueuePool limit of size # overflow # reached, timed out after # s");
        assert_eq!(quoted("no agent 910a2dec-8902 for ann@example.org"), "error: no agent # for #");
        assert_eq!(quoted("  "), "error");
        assert_eq!(quoted("910a2dec"), "error");
        assert_eq!(quoted(&"x".repeat(25)), "error");
        assert!(quoted(&"word ".repeat(100)).len() <= 7 + 100);
    }
}
