//! Both sides of a made-up run, which agree until a test changes one of them.

mod files;
mod ids;
mod joins;
mod times;

use std::borrow::Cow;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::{
    Arrival, Books, BooksError, CheckVerdict, End, Head, Journal, Line, Outcome, Request, State, Verification, verify,
};
use crate::report::tests::support;
use crate::report::{Reason, RunResult, StatusCount};

const US: u64 = 1_000;
const MS: u64 = 1_000_000;
const T0: u64 = 5_000_000_000;
const WALL: u64 = 1_700_000_000_000_000_000;
const RUN: &str = "0123456789ab";
const BOOT: &str = "the-boot";

/// Both sides of a run of one workload.
struct Sides {
    head: Head,
    requests: Vec<Request<'static>>,
    arrivals: Vec<Arrival<'static>>,
    journal_boot: &'static str,
    seen: Vec<Value>,
    lost: u64,
}

/// The id of the request of the nth arrival.
fn id(n: u64) -> String {
    format!("{RUN}-{n}-0")
}

/// Sent 0.1 ms after it was due, at the stub 0.1 ms later and for 1 ms, and back 0.2 ms after that.
fn request(n: u64) -> Request<'static> {
    let due = T0 + n * 10 * MS;
    Request {
        id: Some(Cow::Owned(id(n))),
        given: false,
        worker: 0,
        workload: "small".into(),
        phase: "steady".into(),
        sequence: n,
        exchange: 0,
        due_ns: due,
        asked_ns: due,
        sent_ns: Some(due + 100 * US),
        first_sent_ns: None,
        first_byte_ns: Some(due + 1_300 * US),
        end_ns: due + 1_400 * US,
        status: Some(200),
        outcome: Outcome::Complete,
        reason: None,
        opened: n == 0,
        socket: false,
        given_up: false,
        unsettled: false,
        sends: 1,
        stale_resends: 0,
        redirects: 0,
        bytes_sent: 60,
        bytes_received: 100,
    }
}

fn seen(n: u64) -> Value {
    let arrived = T0 + n * 10 * MS + 200 * US;
    json!({
        "sequence": n, "connection": 1, "arrived_ns": arrived, "sent_ns": arrived + 900 * US,
        "finished_ns": arrived + 1_000 * US, "method": "GET", "path": "/small?secret=1", "status": 200,
        "wire_bytes": 209, "body_bytes": 100, "complete": true, "faults": [], "request_id": id(n),
    })
}

fn arrival(n: u64) -> Arrival<'static> {
    let due = T0 + n * 10 * MS;
    Arrival {
        sequence: n,
        workload: "small".into(),
        phase: "steady".into(),
        due_ns: due,
        start_ns: Some(due + 50 * US),
        end_ns: Some(due + 1_400 * US),
        state: State::Ok,
        reason: None,
        exchanges: 1,
    }
}

impl Sides {
    /// Ten requests.
    fn new() -> Self {
        let head = Head {
            format: 1,
            engine: "0.1.0".into(),
            run: RUN.into(),
            workers: 1,
            clock: "CLOCK_MONOTONIC".into(),
            boot_id: Some(BOOT.into()),
            t0_ns: T0,
            t0_wall_ns: WALL,
            apart_ns: 100,
        };
        Self {
            head,
            requests: (0..10).map(request).collect(),
            arrivals: (0..10).map(arrival).collect(),
            journal_boot: BOOT,
            seen: (0..10).map(seen).collect(),
            lost: 0,
        }
    }

    /// The last request fails like this.
    fn fail(&mut self, reason: &'static str) -> &mut Request<'static> {
        let request = self.requests.last_mut().expect("ten");
        (request.status, request.first_byte_ns, request.bytes_received) = (None, None, 0);
        (request.outcome, request.reason) = (Outcome::Failed, Some(reason.into()));
        let arrival = self.arrivals.last_mut().expect("ten");
        (arrival.state, arrival.reason) = (State::Failed, Some(reason.into()));
        request
    }

    /// `requests.jsonl`.
    fn requests_text(&self) -> String {
        let mut lines = vec![Line::Requests(self.head.clone())];
        lines.extend(self.requests.iter().cloned().map(Line::Request));
        lines.extend(self.arrivals.iter().cloned().map(Line::Arrival));
        let (requests, arrivals) = (self.requests.len() as u64, self.arrivals.len() as u64);
        lines.push(Line::End(End { requests, arrivals, lost: self.lost }));
        text(lines.iter().map(|line| serde_json::to_string(line).expect("texts and numbers")))
    }

    fn journal_text(&self) -> String {
        let moment = |at: u64| json!({"monotonic_ns": T0 + at, "wall_ns": WALL + at, "apart_ns": 50});
        let with = |mut object: Value, at: u64| {
            object.as_object_mut().expect("one").extend(moment(at).as_object().expect("one").clone());
            object
        };
        let head = json!({
            "format": 1, "stub": "small", "version": "0.1.0", "listen": "127.0.0.1:1", "process": 1,
            "clock": "CLOCK_MONOTONIC", "boot_id": self.journal_boot,
        });
        let count = self.seen.len();
        let end = json!({"arrivals": count, "written": count, "lost": 0});
        let first = json!({"journal": with(head, 0)});
        let last = json!({"end": with(end, 20_000 * MS)});
        // The stub's order of keys, by which its lines are told apart.
        let lines = self.seen.iter().map(|seen| {
            let rest = seen.to_string();
            let sequence = format!("\"sequence\":{}", seen["sequence"]);
            format!("{{{sequence},{}", rest[1..].replace(&format!(",{sequence}"), ""))
        });
        text(std::iter::once(first.to_string()).chain(lines).chain([last.to_string()]))
    }

    /// The result of such a run: what is in it is counted from the engine's lines.
    fn result(&self) -> RunResult {
        let mut result = support::result();
        let started = jiff::Timestamp::from_nanosecond(i128::from(WALL)).expect("a moment");
        result.run.started_at = format!("{started:.3}");
        result.setup.clear();
        let mut workload = result.whole.workloads[0].clone();
        let count = |which: &dyn Fn(&Request<'_>) -> bool| self.requests.iter().filter(|one| which(one)).count() as u64;
        workload.traffic.exchanges = self.requests.len() as u64;
        let known = |one: &Request<'_>| !one.given_up || one.socket;
        workload.traffic.connects = count(&|one| one.opened && known(one));
        workload.traffic.reused = count(&|one| !one.opened && one.sent_ns.is_some() && known(one));
        workload.traffic.stale_resends =
            self.requests.iter().filter(|one| known(one)).map(|one| u64::from(one.stale_resends)).sum();
        workload.statuses = [101, 200, 500]
            .map(|status| StatusCount { status, count: count(&|one| one.status == Some(status)) })
            .into_iter()
            .filter(|entry| entry.count > 0)
            .collect();
        workload.exchange_failures = self
            .requests
            .iter()
            .filter(|one| one.outcome == Outcome::Failed)
            .filter_map(|one| Some(Reason { reason: one.reason.clone()?.into_owned(), count: 1 }))
            .collect();
        let state = |state| self.arrivals.iter().filter(|one| one.state == state).count() as u64;
        let states = &mut workload.states;
        (states.ok, states.failed, states.cancelled) =
            (state(State::Ok), state(State::Failed), state(State::Cancelled));
        (states.no_slot, states.generator_late) = (state(State::NoSlot), state(State::GeneratorLate));
        (states.abandoned, states.lost) = (state(State::Abandoned), state(State::Lost));
        result.whole.workloads = vec![workload.clone()];
        result.phases.truncate(1);
        result.phases[0].phase = Some("steady".to_owned());
        result.phases[0].workloads = vec![workload];
        result
    }

    fn books(&self) -> Books {
        Books::read(PathBuf::from("requests.jsonl"), self.requests_text().as_bytes()).expect("they can be read")
    }

    fn journal(&self) -> Journal {
        Journal::read(PathBuf::from("journal.jsonl"), self.journal_text().as_bytes()).expect("it can be read")
    }

    fn try_verify(&self) -> Result<Verification, BooksError> {
        verify(&self.books(), vec![self.journal()], &self.result())
    }

    fn verify(&self) -> Verification {
        self.try_verify().expect("the files belong together")
    }
}

fn text(lines: impl Iterator<Item = String>) -> String {
    lines.fold(String::new(), |text, line| text + &line + "\n")
}

/// Names of the checks that fail, with how often.
fn failing(verification: &Verification) -> Vec<(&'static str, u64)> {
    let failed = verification.checks.iter().filter(|check| check.verdict == CheckVerdict::Fail);
    failed.map(|check| (check.name, check.faults)).collect()
}

/// Exactly this check fails, once, for this request, and says so.
fn assert_fault(sides: &Sides, check: &'static str, id: &str, says: &str) {
    let verification = sides.verify();
    assert_eq!(failing(&verification), [(check, 1)], "{:?}", verification.faults);
    let [fault] = &verification.faults[..] else { panic!("{:?}", verification.faults) };
    assert_eq!((fault.check, fault.id.as_deref()), (check, Some(id)));
    assert!(fault.text.contains(says), "{}", fault.text);
    assert!(!fault.text.contains("secret"), "{}", fault.text);
}
