//! What is checked, and what does not hold.

use std::collections::BTreeMap;

use serde::Serialize;

/// Faults of one check that are told each by itself.
const TOLD: u64 = 20;

/// What is checked, in the order of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rule {
    Recorded,
    Journalled,
    Ids,
    Arrived,
    Once,
    Known,
    Status,
    Complete,
    Bytes,
    Due,
    Sent,
    End,
    Service,
    Arrivals,
    Exchanges,
    States,
}

impl Rule {
    pub(super) const ALL: [Self; 16] = [
        Self::Recorded,
        Self::Journalled,
        Self::Ids,
        Self::Arrived,
        Self::Once,
        Self::Known,
        Self::Status,
        Self::Complete,
        Self::Bytes,
        Self::Due,
        Self::Sent,
        Self::End,
        Self::Service,
        Self::Arrivals,
        Self::Exchanges,
        Self::States,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Recorded => "the engine's record is whole",
            Self::Journalled => "the journal is whole",
            Self::Ids => "each request has an id of its own",
            Self::Arrived => "what was sent has arrived",
            Self::Once => "nothing arrived more often than sent",
            Self::Known => "what arrived is known to the engine",
            Self::Status => "same status",
            Self::Complete => "complete on both sides",
            Self::Bytes => "same bytes of body",
            Self::Due => "no arrival before due",
            Self::Sent => "no arrival before sent",
            Self::End => "no end before the stub had answered",
            Self::Service => "service time at least the time in the stub",
            Self::Arrivals => "each arrival has one state and all its exchanges",
            Self::Exchanges => "exchanges as in result.json",
            Self::States => "states as in result.json",
        }
    }

    /// Whether it compares the two clocks.
    pub(super) fn is_of_time(self) -> bool {
        matches!(self, Self::Due | Self::Sent | Self::End | Self::Service)
    }
}

/// Counts what holds and what does not.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// By rule: held against it, and of these not holding.
    counts: BTreeMap<Rule, (u64, u64)>,
    faults: Vec<(Rule, Fault)>,
}

impl Ledger {
    /// One thing holds or does not, which is then told of the request with that id, or of the whole.
    pub(super) fn hold(&mut self, rule: Rule, holds: bool, id: Option<&str>, text: impl FnOnce() -> String) {
        let (of, faults) = self.counts.entry(rule).or_default();
        *of += 1;
        if holds {
            return;
        }
        *faults += 1;
        if *faults <= TOLD {
            self.faults.push((rule, Fault { check: rule.name(), id: id.map(str::to_owned), text: text() }));
        }
    }

    /// So many things were looked at, and so many of them do not hold.
    pub(super) fn count(&mut self, rule: Rule, of: u64, faults: u64) {
        let counts = self.counts.entry(rule).or_default();
        *counts = (counts.0 + of, counts.1 + faults);
    }

    /// How many were held against a rule, and how many of them do not hold.
    pub(super) fn of(&self, rule: Rule) -> (u64, u64) {
        self.counts.get(&rule).copied().unwrap_or_default()
    }

    /// What does not hold, in the order of the checks.
    pub(super) fn faults(mut self) -> Vec<Fault> {
        self.faults.sort_by_key(|&(rule, _)| rule);
        self.faults.into_iter().map(|(_, fault)| fault).collect()
    }
}

/// Something that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// Name of the check.
    pub check: &'static str,
    /// The request or arrival; null where it is of none.
    pub id: Option<String>,
    /// What is wrong.
    pub text: String,
}
