//! What verifying a run came to: the data set that is printed.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Serialize, Serializer};

use super::join::join;
use super::judge::{Judged, judge};
use super::ledger::{Fault, Ledger, Rule};
use super::{Books, BooksError, Journal, totals};
use crate::record::Percentile;
use crate::report::RunResult;

/// The format version of the data set.
const VERSION: u32 = 1;
/// What the clocks of one machine's cores may differ by, in nanoseconds.
const CORES_APART: u64 = 1_000;

/// What came of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckVerdict {
    /// It holds for all.
    Ok,
    /// It does not.
    Fail,
    /// There was nothing to check, or it could not be. Never a pass.
    NotChecked,
}

impl fmt::Display for CheckVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ok => "ok",
            Self::Fail => "fail",
            Self::NotChecked => "not checked",
        })
    }
}

/// A check with its figure. The limit is 0 faults, for all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What is checked.
    pub name: &'static str,
    /// What came of it.
    pub verdict: CheckVerdict,
    /// For how many it does not hold.
    pub faults: u64,
    /// How many were held against it.
    pub of: u64,
}

/// What became of requests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Exchanges that the engine recorded.
    pub recorded: u64,
    /// Requests that it handed to a socket for them: redirects and re-sends count.
    pub sent: u64,
    /// Requests of this run in the journals.
    pub arrived: u64,
    /// Redirects followed.
    pub redirected: u64,
    /// Exchanges of which nothing was sent, by reason.
    pub never_sent: BTreeMap<String, u64>,
    /// Requests that were sent, got no byte of an answer and are in no journal, by reason.
    pub unread: BTreeMap<String, u64>,
    /// Re-sent, and the first sending is in no journal.
    pub stale_unread: u64,
    /// Re-sent, and the first sending is in a journal: its connection ended after it had been read.
    pub stale_read: u64,
    /// Answered in full by the stub, and not complete for the engine, by reason.
    pub unheard: BTreeMap<String, u64>,
    /// Exchanges still being given up when the run ended.
    pub unsettled: u64,
    /// Requests in the journals without an id: setup and teardown, and others'.
    pub without_id: u64,
    /// Requests in the journals by ids of others.
    pub of_others: u64,
}

/// A distribution of times in milliseconds. All null where there are no samples.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Times {
    /// Of what.
    pub name: &'static str,
    /// How many samples there are.
    pub count: u64,
    /// The smallest.
    pub min_ms: Option<f64>,
    /// The median, by nearest rank.
    pub p50_ms: Option<f64>,
    /// 99th percentile.
    pub p99_ms: Option<f64>,
    /// The largest.
    pub max_ms: Option<f64>,
}

impl Times {
    fn of(name: &'static str, mut nanoseconds: Vec<i64>) -> Self {
        nanoseconds.sort_unstable();
        let count = nanoseconds.len() as u64;
        let ms = |rank: u64| {
            let value = nanoseconds.get(usize::try_from(rank).ok()?.checked_sub(1)?);
            value.map(|&value| value as f64 / 1e6)
        };
        let at = |percentile: Percentile| ms(percentile.rank(count));
        let (p50_ms, p99_ms, max_ms) = (at(Percentile::P50), at(Percentile::P99), at(Percentile::MAX));
        Self { name, count, min_ms: ms(1), p50_ms, p99_ms, max_ms }
    }
}

/// What it all came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Both sides agree.
    Passed,
    /// They do not.
    Failed,
    /// They agree as far as they could be compared.
    NotChecked,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::NotChecked => "not checked",
        })
    }
}

/// Marks the data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format;

impl Serialize for Format {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("engine-verification")
    }
}

/// All there is to know of how the two sides of a run compare.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verification {
    /// Marks the data set.
    pub format: Format,
    /// Version of the format.
    pub version: u32,
    /// The run's name in its ids.
    pub run: String,
    /// Name of the scenario.
    pub scenario: String,
    /// When the schedule started.
    pub started_at: String,
    /// The journals.
    pub journals: Vec<String>,
    /// By how much times of the two sides may differ although they are the same, in nanoseconds; null where the clocks are
    /// not the same, and times are not compared.
    pub clock_error_ns: Option<u64>,
    /// What became of requests.
    pub requests: Counts,
    /// Each check.
    pub checks: Vec<Check>,
    /// Times between the two sides.
    pub times: Vec<Times>,
    /// What does not hold: at most 20 of each check.
    pub faults: Vec<Fault>,
    /// What else there is to know.
    pub notes: Vec<String>,
    /// What it all came to.
    pub verdict: Verdict,
}

/// Holds a run's books against the journals of the stubs that it loaded.
///
/// # Errors
/// Where the files do not belong together, or a journal was cut short.
pub fn verify(books: &Books, mut journals: Vec<Journal>, result: &RunResult) -> Result<Verification, BooksError> {
    let head = &books.head;
    let started_at = jiff::Timestamp::from_nanosecond(i128::from(head.t0_wall_ns)).unwrap_or_default();
    let started_at = format!("{started_at:.3}");
    if started_at != result.run.started_at {
        let (path, result) = (books.path.clone(), result.run.started_at.clone());
        return Err(BooksError::NotOneRun { path, requests: started_at, result });
    }
    for journal in &mut journals {
        journal.since(head.t0_wall_ns, head.boot_id.as_deref())?;
    }
    let same_clock = journals.iter().all(|journal| journal.is_of_boot(head.boot_id.as_deref()));
    let clock_error = same_clock.then_some(head.apart_ns.saturating_add(CORES_APART));
    let mut ledger = Ledger::default();
    let joined = join(&head.run, &books.requests, &journals);
    let judged = judge(&joined, clock_error, &mut ledger);
    if judged.counts.arrived == 0 && judged.counts.sent > 0 {
        let files: Vec<String> = journals.iter().map(|journal| journal.path.display().to_string()).collect();
        let (run, sent) = (head.run.clone(), judged.counts.sent);
        return Err(BooksError::OtherJournal { files: files.join(", "), run, sent });
    }
    record_is_whole(books, &mut ledger);
    for journal in &journals {
        journal_is_whole(journal, &mut ledger);
    }
    totals::compare(books, result, &mut ledger);
    let notes = notes(&journals, head.t0_wall_ns, &judged.counts, result);
    let Judged { counts, after_due, after_sent, excess } = judged;
    let checks = checks(&ledger, clock_error.is_some());
    Ok(Verification {
        format: Format,
        version: VERSION,
        run: head.run.clone(),
        scenario: result.run.name.clone(),
        started_at,
        journals: journals.iter().map(|journal| journal.path.display().to_string()).collect(),
        clock_error_ns: clock_error,
        verdict: overall(&checks, clock_error.is_some() && counts.arrived > 0),
        requests: counts,
        checks,
        times: vec![
            Times::of("arrival at the stub - due", after_due),
            Times::of("arrival at the stub - sent", after_sent),
            Times::of("service time - time in the stub", excess),
        ],
        faults: ledger.faults(),
        notes,
    })
}

/// The lines there are, against the sums of the last one.
fn record_is_whole(books: &Books, ledger: &mut Ledger) {
    let end = books.end;
    ledger.count(Rule::Recorded, end.requests + end.arrivals + end.lost, end.lost);
    for (what, lines, sum) in [
        ("exchanges", books.requests.len() as u64, end.requests),
        ("arrivals", books.arrivals.len() as u64, end.arrivals),
    ] {
        ledger.hold(Rule::Recorded, lines == sum, None, || {
            format!("requests.jsonl has {lines} lines of {what}, and its last line says {sum}")
        });
    }
}

/// The same of a journal.
fn journal_is_whole(journal: &Journal, ledger: &mut Ledger) {
    ledger.count(Rule::Journalled, journal.seen().count() as u64 + journal.lost(), journal.lost());
    for (found, sum) in journal.sums_that_differ() {
        ledger.hold(Rule::Journalled, false, None, || {
            format!("{} has {found} lines of requests, and its own sum says {sum}", journal.path.display())
        });
    }
}

fn checks(ledger: &Ledger, same_clock: bool) -> Vec<Check> {
    let one = |rule: Rule| {
        let (of, faults) = ledger.of(rule);
        let verdict = match (faults, of) {
            _ if rule.is_of_time() && !same_clock => CheckVerdict::NotChecked,
            (0, 0) => CheckVerdict::NotChecked,
            (0, _) => CheckVerdict::Ok,
            _ => CheckVerdict::Fail,
        };
        Check { name: rule.name(), verdict, faults, of }
    };
    Rule::ALL.into_iter().map(one).collect()
}

fn overall(checks: &[Check], compared: bool) -> Verdict {
    if checks.iter().any(|check| check.verdict == CheckVerdict::Fail) {
        Verdict::Failed
    } else if compared {
        Verdict::Passed
    } else {
        Verdict::NotChecked
    }
}

fn notes(journals: &[Journal], t0_wall_ns: u64, counts: &Counts, result: &RunResult) -> Vec<String> {
    let mut notes = Vec::new();
    for journal in journals {
        let resets = journal.resets_since(t0_wall_ns);
        if resets > 0 {
            notes.push(format!(
                "{} was reset {resets} times during the run: what was open then has no line in it",
                journal.path.display()
            ));
        }
    }
    if counts.stale_read > 0 {
        notes.push(format!(
            "{} requests were sent again although the stub had read them: it ended a connection that had been in use \
             before, and the engine took it for one that was closed while idle",
            counts.stale_read
        ));
    }
    if counts.without_id > 0 && !result.setup.is_empty() {
        notes.push(format!(
            "setup and teardown made {} exchanges, which carry no id: they are among the {} requests without one",
            result.setup.len(),
            counts.without_id
        ));
    }
    notes
}
