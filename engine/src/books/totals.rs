//! The sums of the lines, held against `result.json`.

use std::collections::{BTreeMap, HashMap};

use super::ledger::{Ledger, Rule};
use super::{Books, Outcome, State};
use crate::report::{RunResult, States, WorkloadResult};

/// Compares exchanges and states with the result, and the lines of exchanges with those of their arrivals.
pub(super) fn compare(books: &Books, result: &RunResult, ledger: &mut Ledger) {
    exchanges(books, &result.whole.workloads, ledger);
    states(books, result, ledger);
    arrivals(books, ledger);
}

/// Sums of a workload's exchanges, as `result.json` counts them.
#[derive(Default)]
struct Sums {
    exchanges: u64,
    connects: u64,
    reused: u64,
    stale_resends: u64,
    statuses: BTreeMap<u16, u64>,
    failures: BTreeMap<String, u64>,
}

fn exchanges(books: &Books, workloads: &[WorkloadResult], ledger: &mut Ledger) {
    let mut sums: BTreeMap<&str, Sums> = BTreeMap::new();
    for request in &books.requests {
        let sums = sums.entry(&request.workload).or_default();
        sums.exchanges += 1;
        if let Some(status) = request.status {
            *sums.statuses.entry(status).or_default() += 1;
        }
        if let (Outcome::Failed, Some(reason)) = (request.outcome, &request.reason) {
            *sums.failures.entry(reason.clone().into_owned()).or_default() += 1;
        }
        // Of what was given up the result knows a connection only where it was an open WebSocket.
        if !request.given_up || request.socket {
            sums.connects += u64::from(request.opened);
            sums.reused += u64::from(!request.opened && request.sent_ns.is_some());
            sums.stale_resends += u64::from(request.stale_resends);
        }
    }
    for workload in workloads {
        let ours = sums.remove(workload.workload.as_str()).unwrap_or_default();
        let traffic = &workload.traffic;
        let mut same = |what: &str, ours: u64, theirs: u64| {
            equal(ledger, Rule::Exchanges, &format!("{what} of {}", workload.workload), ours, theirs);
        };
        same("exchanges", ours.exchanges, traffic.exchanges);
        same("exchanges that opened a connection", ours.connects, traffic.connects);
        same("exchanges over an open connection", ours.reused, traffic.reused);
        same("re-sends", ours.stale_resends, traffic.stale_resends);
        let theirs = workload.statuses.iter().map(|entry| (entry.status, entry.count)).collect();
        for (status, ours, theirs) in beside(ours.statuses, theirs) {
            same(&format!("answers with {status}"), ours, theirs);
        }
        let theirs = workload.exchange_failures.iter().map(|entry| (entry.reason.clone(), entry.count)).collect();
        for (reason, ours, theirs) in beside(ours.failures, theirs) {
            same(&format!("exchanges failed by {reason}"), ours, theirs);
        }
    }
    for (workload, sums) in sums {
        equal(ledger, Rule::Exchanges, &format!("exchanges of {workload}"), sums.exchanges, 0);
    }
}

fn states(books: &Books, result: &RunResult, ledger: &mut Ledger) {
    let mut sums: BTreeMap<(&str, &str, State), u64> = BTreeMap::new();
    for arrival in &books.arrivals {
        *sums.entry((&*arrival.phase, &*arrival.workload, arrival.state)).or_default() += 1;
    }
    for phase in &result.phases {
        let name = phase.phase.as_deref().unwrap_or_default();
        for workload in &phase.workloads {
            for (state, theirs) in all_states(&workload.states) {
                let ours = sums.remove(&(name, &*workload.workload, state)).unwrap_or(0);
                let what = format!("arrivals of {} in {name} that are {}", workload.workload, word(state));
                equal(ledger, Rule::States, &what, ours, theirs);
            }
        }
    }
    for ((phase, workload, state), ours) in sums {
        equal(ledger, Rule::States, &format!("arrivals of {workload} in {phase} that are {}", word(state)), ours, 0);
    }
}

fn all_states(states: &States) -> [(State, u64); 7] {
    [
        (State::Ok, states.ok),
        (State::Cancelled, states.cancelled),
        (State::Failed, states.failed),
        (State::Abandoned, states.abandoned),
        (State::Lost, states.lost),
        (State::NoSlot, states.no_slot),
        (State::GeneratorLate, states.generator_late),
    ]
}

fn word(state: State) -> &'static str {
    match state {
        State::Ok => "ok",
        State::Cancelled => "cancelled",
        State::Failed => "failed",
        State::Abandoned => "abandoned",
        State::Lost => "lost",
        State::NoSlot => "missed by no_slot",
        State::GeneratorLate => "missed by generator_late",
    }
}

/// Every arrival has one line, and each of its exchanges has.
fn arrivals(books: &Books, ledger: &mut Ledger) {
    let mut lines: HashMap<u64, u64> = HashMap::new();
    for request in &books.requests {
        *lines.entry(request.sequence).or_default() += 1;
    }
    let mut known: HashMap<u64, u64> = HashMap::with_capacity(books.arrivals.len());
    for arrival in &books.arrivals {
        let (sequence, states) = (arrival.sequence, known.entry(arrival.sequence).or_default());
        *states += 1;
        let once = *states == 1;
        ledger.hold(Rule::Arrivals, once, Some(&format!("arrival {sequence}")), || {
            "has more than one final state".to_owned()
        });
        let ours = lines.get(&sequence).copied().unwrap_or(0);
        ledger.hold(Rule::Arrivals, ours == arrival.exchanges, Some(&format!("arrival {sequence}")), || {
            format!("had {} exchanges, of which {ours} have a line", arrival.exchanges)
        });
    }
    let mut orphans: Vec<&u64> = lines.keys().filter(|sequence| !known.contains_key(sequence)).collect();
    orphans.sort_unstable();
    for sequence in orphans {
        ledger.hold(Rule::Arrivals, false, Some(&format!("arrival {sequence}")), || {
            "has exchanges and no final state".to_owned()
        });
    }
}

/// Both sides' counts, by key.
fn beside<K: Ord>(ours: BTreeMap<K, u64>, theirs: BTreeMap<K, u64>) -> Vec<(K, u64, u64)> {
    let mut all: BTreeMap<K, (u64, u64)> = BTreeMap::new();
    for (key, count) in ours {
        all.entry(key).or_default().0 = count;
    }
    for (key, count) in theirs {
        all.entry(key).or_default().1 = count;
    }
    all.into_iter().map(|(key, (ours, theirs))| (key, ours, theirs)).collect()
}

fn equal(ledger: &mut Ledger, rule: Rule, what: &str, ours: u64, theirs: u64) {
    ledger.hold(rule, ours == theirs, None, || format!("{what}: {ours} by the lines, {theirs} in result.json"));
}
