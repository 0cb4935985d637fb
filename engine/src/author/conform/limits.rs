//! The check that no call needs more than it may have.

use crate::plugin::{ACTIONS_PER_CALL, LOG_LINES_PER_CALL};

use super::Check;
use super::bench::Bench;

/// Its name.
pub(super) const NAME: &str = "stays within limits";

/// The longest call, the memory, the actions and the log lines of all that was rehearsed.
pub(super) fn stays_within(bench: &Bench<'_>) -> Check {
    let (figures, limits) = (&bench.figures, bench.subject.plugin.limits());
    let seen = format!(
        "longest of {} calls {:.1} of {} ms (`{}`), memory {:.1} of {} MiB, at most {} of {ACTIONS_PER_CALL} actions a call",
        figures.calls,
        figures.longest.0.as_secs_f64() * 1e3,
        limits.call.as_millis(),
        figures.longest.1,
        figures.memory as f64 / f64::from(1 << 20),
        limits.memory >> 20,
        figures.actions,
    );
    if let Some(first) = bench.over.first() {
        return Check::failed(
            NAME,
            format!("{}; {seen}", first.what),
            "do less in one call, or set the limit in [limits.plugin] where the work is meant",
            first.story.clone(),
        );
    }
    if figures.log_lines > LOG_LINES_PER_CALL as u64 {
        return Check::failed(
            NAME,
            format!("{} log lines in one call where {LOG_LINES_PER_CALL} are kept; {seen}", figures.log_lines),
            "log what its author needs to see, a few lines an iteration",
            Vec::new(),
        );
    }
    Check::ok(NAME, seen)
}
