//! A verification for people: Markdown that reads well in a terminal.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Times, Verification};
use crate::report::{NONE, code, plain, table};
use crate::verdict::{grouped, significant};

/// Renders a verification.
pub fn text(verification: &Verification) -> String {
    let mut text = format!("# Verification of {}\n\n", plain(&verification.scenario));
    let _ = writeln!(text, "- run: {}, started {}", plain(&verification.run), plain(&verification.started_at));
    for journal in &verification.journals {
        let _ = writeln!(text, "- journal: {}", plain(journal));
    }
    let clocks = match verification.clock_error_ns {
        Some(error) => format!("the same; times hold to within {} ns", grouped(error)),
        None => "not the same, since the boot ids differ or are not known: no times are compared".to_owned(),
    };
    let _ = writeln!(text, "- clocks: {clocks}\n\n## Requests\n\n{}\n", requests(verification));
    let _ = writeln!(text, "## Checks\n\n{}\n", checks(verification));
    for fault in &verification.faults {
        let of = fault.id.as_ref().map_or_else(String::new, |id| format!("{} ", code(id)));
        let _ = writeln!(text, "- {}: {of}{}", fault.check, plain(&fault.text));
    }
    for (name, more) in untold(verification) {
        let _ = writeln!(text, "- {name}: {} more", grouped(more));
    }
    if !verification.faults.is_empty() {
        text.push('\n');
    }
    let _ = writeln!(text, "## Times\n\n{}\n", times(&verification.times));
    for note in &verification.notes {
        let _ = writeln!(text, "- Note: {}", plain(note));
    }
    if !verification.notes.is_empty() {
        text.push('\n');
    }
    let _ = writeln!(text, "## Verdict\n\n**{}**", verification.verdict);
    text
}

fn requests(verification: &Verification) -> String {
    let counts = &verification.requests;
    let mut rows = Vec::new();
    let mut row = |name: String, count: u64| rows.push(vec![name, grouped(count)]);
    row("exchanges recorded by the engine".into(), counts.recorded);
    row("requests sent for them".into(), counts.sent);
    row("requests in the journal".into(), counts.arrived);
    let mut some = |name: &str, count: u64| {
        if count > 0 {
            row(name.into(), count);
        }
    };
    some("of these by redirects", counts.redirected);
    some("sent again; the first sending not in the journal", counts.stale_unread);
    some("sent again; the first sending in the journal, too", counts.stale_read);
    some("still being given up at the end of the run", counts.unsettled);
    let mut each = |name: &str, by: &BTreeMap<String, u64>| {
        for (why, &count) in by {
            row(format!("{name}: {}", plain(why)), count);
        }
    };
    each("never sent", &counts.never_sent);
    each("sent, not answered and not in the journal", &counts.unread);
    each("answered in full, and not complete for the engine", &counts.unheard);
    row("in the journal without an id".into(), counts.without_id);
    row("in the journal by ids of others".into(), counts.of_others);
    table(1, &["requests", "count"], rows)
}

fn checks(verification: &Verification) -> String {
    let row = |check: &super::Check| {
        vec![check.verdict.to_string(), check.name.to_owned(), grouped(check.faults), "0".to_owned(), grouped(check.of)]
    };
    let rows = verification.checks.iter().map(row).collect();
    table(2, &["verdict", "check", "faults", "limit", "of"], rows)
}

fn times(times: &[Times]) -> String {
    let row = |times: &Times| {
        let figure = |ms: Option<f64>| ms.map_or_else(|| NONE.to_owned(), significant);
        let figures = [times.min_ms, times.p50_ms, times.p99_ms, times.max_ms].map(figure);
        [vec![times.name.to_owned(), grouped(times.count)], figures.to_vec()].concat()
    };
    table(1, &["ms", "count", "min", "p50", "p99", "max"], times.iter().map(row).collect())
}

/// Faults beyond those told, by check.
fn untold(verification: &Verification) -> Vec<(&'static str, u64)> {
    let told = |name: &str| verification.faults.iter().filter(|fault| fault.check == name).count() as u64;
    let more = verification.checks.iter().map(|check| (check.name, check.faults.saturating_sub(told(check.name))));
    more.filter(|&(_, more)| more > 0).collect()
}
