//! Holds each request's two sides against each other.

use std::collections::BTreeMap;

use super::join::{Group, Joined};
use super::journal::Seen;
use super::ledger::{Ledger, Rule};
use super::verification::Counts;
use super::{Outcome, Request};

/// What came of all requests.
#[derive(Debug, Default)]
pub(super) struct Judged {
    pub(super) counts: Counts,
    /// Arrival at the stub − due, of exchanges asked for inside `start`, in nanoseconds.
    pub(super) after_due: Vec<i64>,
    /// Arrival at the stub − sent.
    pub(super) after_sent: Vec<i64>,
    /// Service time − time in the stub.
    pub(super) excess: Vec<i64>,
}

/// Judges all requests. `clock_error` is by how much the clocks may differ, in nanoseconds; none where they cannot be
/// compared.
pub(super) fn judge(joined: &Joined<'_>, clock_error: Option<u64>, ledger: &mut Ledger) -> Judged {
    let mut judge = Judge { judged: Judged::default(), tolerance: clock_error, ledger };
    for request in &joined.nameless {
        judge.nameless(request);
    }
    for group in &joined.groups {
        judge.judged.counts.arrived += group.seen.len() as u64;
        match group.requests.as_slice() {
            [request] => judge.one(group.id, request, &group.seen),
            _ => judge.shared(group),
        }
    }
    for seen in &joined.unknown {
        judge.ledger.hold(Rule::Known, false, seen.request_id.as_deref(), || {
            format!("arrived as {}, and the engine knows nothing of it", shown(seen))
        });
    }
    let mut judged = judge.judged;
    judged.counts.arrived += joined.unknown.len() as u64;
    (judged.counts.without_id, judged.counts.of_others) = (joined.without_id, joined.of_others);
    judged
}

struct Judge<'a> {
    judged: Judged,
    tolerance: Option<u64>,
    ledger: &'a mut Ledger,
}

impl Judge<'_> {
    fn recorded(&mut self, request: &Request<'_>) {
        let counts = &mut self.judged.counts;
        counts.recorded += 1;
        counts.sent += u64::from(request.sends);
        counts.redirected += u64::from(request.redirects);
        counts.unsettled += u64::from(request.unsettled);
        if request.sends == 0 && !request.unsettled {
            add(&mut counts.never_sent, why(request));
        }
    }

    /// One that cannot be found at the stub, since it went by no id.
    fn nameless(&mut self, request: &Request<'_>) {
        self.recorded(request);
        if request.sends > 0 {
            let name = place(request);
            self.ledger.hold(Rule::Ids, false, Some(&name), || {
                let why = if request.given {
                    "its plugin gave it one that a server may not tell"
                } else {
                    "its head had no room for one"
                };
                format!("was sent without an id to join by: {why}")
            });
        }
    }

    /// Several that their plugin gave the same id: nobody can tell which is which.
    fn shared(&mut self, group: &Group<'_>) {
        for request in &group.requests {
            self.recorded(request);
            self.ledger.hold(Rule::Ids, false, Some(group.id), || {
                format!("{} goes by an id that its plugin gave to {} requests", place(request), group.requests.len())
            });
        }
    }

    fn one(&mut self, id: &str, request: &Request<'_>, seen: &[&Seen]) {
        self.recorded(request);
        self.ledger.hold(Rule::Ids, true, None, String::new);
        for seen in seen {
            self.ledger.hold(Rule::Known, true, None, String::new);
            self.not_too_early(id, request, seen);
        }
        if request.unsettled {
            // Sent or not, once or more often: the engine does not know.
            return;
        }
        self.as_often_as_sent(id, request, seen);
        let Some(last) = seen.last().filter(|_| request.sends > 0) else { return };
        self.same_answer(id, request, last);
        self.times(id, request, seen, last);
    }

    fn as_often_as_sent(&mut self, id: &str, request: &Request<'_>, seen: &[&Seen]) {
        let (sends, arrived) = (request.sends, u32::try_from(seen.len()).unwrap_or(u32::MAX));
        self.ledger.hold(Rule::Once, arrived <= sends, Some(id), || {
            let each: Vec<String> = seen.iter().map(|seen| shown(seen)).collect();
            let sent =
                if sends == 0 { format!("never sent ({})", why(request)) } else { format!("sent {}", times(sends)) };
            format!("was {sent}, and arrived {}: {}", times(arrived), each.join(", "))
        });
        if sends == 0 {
            return;
        }
        let missing = sends.saturating_sub(arrived);
        // Of a re-send the stub may have closed the connection before it read the first; and it may never have read what
        // got no answer.
        let stale = missing.min(request.stale_resends);
        let unread = u32::from(!is_answered(request)).min(missing - stale);
        self.ledger.hold(Rule::Arrived, missing == stale + unread, Some(id), || {
            let answer = request.status.map_or_else(String::new, |status| format!(" and answered with {status}"));
            format!("was sent {}{answer}, and arrived {}", times(sends), times(arrived))
        });
        let counts = &mut self.judged.counts;
        counts.stale_unread += u64::from(stale);
        counts.stale_read += u64::from(request.stale_resends.saturating_sub(stale));
        if unread > 0 {
            add(&mut counts.unread, why(request));
        }
    }

    fn same_answer(&mut self, id: &str, request: &Request<'_>, last: &Seen) {
        if let Some(status) = request.status {
            self.ledger.hold(Rule::Status, last.status == Some(status), Some(id), || {
                let theirs = last.status.map_or_else(|| "none".to_owned(), |status| status.to_string());
                format!("was answered with {status}, and the stub's status is {theirs}: {}", shown(last))
            });
        }
        if request.socket {
            return;
        }
        let complete = request.outcome == Outcome::Complete;
        let broken = matches!(why(request), "reset" | "truncated" | "stale_connection");
        if complete || broken {
            self.ledger.hold(Rule::Complete, complete == last.complete, Some(id), || {
                let (ours, theirs) = if complete { ("complete", "not") } else { (why(request), "complete") };
                format!("is {ours} for the engine, and {theirs} for the stub: {}", shown(last))
            });
        } else if last.complete {
            // Timed out or given up meanwhile, or not to be decoded.
            add(&mut self.judged.counts.unheard, why(request));
        }
        if complete && last.complete && request.redirects == 0 && last.method != "HEAD" {
            self.ledger.hold(Rule::Bytes, request.bytes_received == last.body_bytes, Some(id), || {
                format!(
                    "has a body of {} bytes for the engine, and of {} for the stub: {}",
                    request.bytes_received,
                    last.body_bytes,
                    shown(last)
                )
            });
        }
    }

    fn not_too_early(&mut self, id: &str, request: &Request<'_>, seen: &Seen) {
        let Some(tolerance) = self.tolerance else { return };
        let arrived = seen.arrived_ns.saturating_add(tolerance);
        self.ledger.hold(Rule::Due, arrived >= request.due_ns, Some(id), || {
            format!("arrived {} before it was due: {}", gap(request.due_ns, seen.arrived_ns), shown(seen))
        });
        if let Some(sent) = request.first_sent_ns.or(request.sent_ns) {
            self.ledger.hold(Rule::Sent, arrived >= sent, Some(id), || {
                format!("arrived {} before it was sent: {}", gap(sent, seen.arrived_ns), shown(seen))
            });
        }
    }

    fn times(&mut self, id: &str, request: &Request<'_>, seen: &[&Seen], last: &Seen) {
        let (Some(tolerance), Some(sent)) = (self.tolerance, request.sent_ns) else { return };
        let first = seen.first().map_or(last.arrived_ns, |first| first.arrived_ns);
        if request.asked_ns == request.due_ns {
            self.judged.after_due.push(signed(first, request.due_ns));
        }
        let early = seen.iter().filter(|seen| seen.arrived_ns.saturating_add(tolerance) < sent).count();
        if request.stale_resends > 0 {
            // Only what was sent again may have arrived before the sending that counts.
            self.ledger.hold(Rule::Sent, early <= request.stale_resends as usize, Some(id), || {
                format!("arrived {early} times before it was last sent: {}", shown(last))
            });
        }
        let single = request.sends == 1 && seen.len() == 1;
        if single {
            self.judged.after_sent.push(signed(first, sent));
        }
        let Some(finished) = last.finished_ns else { return };
        if request.socket || request.outcome != Outcome::Complete || !last.complete {
            return;
        }
        self.ledger.hold(Rule::End, request.end_ns.saturating_add(tolerance) >= finished, Some(id), || {
            format!("ended {} before the stub had answered: {}", gap(finished, request.end_ns), shown(last))
        });
        if single {
            let excess = signed(request.end_ns, sent) - signed(finished, last.arrived_ns);
            let allowed = i64::try_from(tolerance).unwrap_or(i64::MAX);
            self.ledger.hold(Rule::Service, excess >= -allowed, Some(id), || {
                format!(
                    "has a service time {} below its time in the stub: {}",
                    gap(excess.unsigned_abs(), 0),
                    shown(last)
                )
            });
            self.judged.excess.push(excess);
        }
    }
}

/// Whether something of an answer came.
fn is_answered(request: &Request<'_>) -> bool {
    request.first_byte_ns.is_some() || request.status.is_some()
}

/// Why a request is not complete.
fn why<'a>(request: &'a Request<'_>) -> &'a str {
    request.reason.as_deref().unwrap_or("given up")
}

/// A request by its place in the run.
fn place(request: &Request<'_>) -> String {
    format!("arrival {}, exchange {}", request.sequence, request.exchange)
}

/// What the stub saw, by its number. Without the query, which may hold secrets.
fn shown(seen: &Seen) -> String {
    let path = seen.path.split('?').next().unwrap_or_default();
    let faults = if seen.faults.is_empty() { String::new() } else { format!(", {}", seen.faults.join(", ")) };
    format!("{} of the journal ({} {path}{faults})", seen.sequence, seen.method)
}

fn times(n: u32) -> String {
    match n {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}

fn gap(later: u64, earlier: u64) -> String {
    crate::verdict::Quantity::ns(later.saturating_sub(earlier) as f64).to_string()
}

fn signed(later: u64, earlier: u64) -> i64 {
    let length = i64::try_from(later.abs_diff(earlier)).unwrap_or(i64::MAX);
    if later < earlier { -length } else { length }
}

fn add(counts: &mut BTreeMap<String, u64>, why: &str) {
    if let Some(count) = counts.get_mut(why) {
        *count += 1;
    } else {
        counts.insert(why.to_owned(), 1);
    }
}
