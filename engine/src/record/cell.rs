//! Everything recorded of one workload in one phase.

use std::collections::BTreeMap;

use super::{Distribution, Metric, MetricKind, Trail, Values};

/// The distributions of times that every workload has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Series {
    /// From due to the event that finished it, of iterations that were ok.
    Iteration,
    /// End − asked of the exchanges of iterations that were ok.
    Response,
    /// End − sent of the same.
    Service,
    /// Sent − asked of the same.
    ConnectionWait,
    /// The part of it spent waiting because the cap on connections was reached, of all exchanges.
    Queue,
    /// The part of it spent looking up names, of exchanges that opened a connection.
    Lookup,
    /// The part of it spent in the transport's handshake, of the same.
    Connect,
    /// The part of it spent in the TLS handshake, of those that had one.
    Tls,
    /// From due to the end of iterations that failed.
    Failed,
    /// From due to the end of iterations that failed by a time-out or were abandoned: they would have taken longer.
    Censored,
    /// From due to the end of iterations that were cancelled.
    Cancelled,
    /// From due to the end of iterations that were abandoned or lost.
    Unfinished,
    /// Start − due of everything started.
    Lateness,
    /// The part of it spent waiting for a slot.
    SlotWait,
    /// The rest of it: the generator's own delay.
    GeneratorDelay,
}

impl Series {
    /// How many there are.
    const COUNT: usize = Self::GeneratorDelay as usize + 1;
}

/// How many arrivals came to each final state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Arrivals of the schedule.
    pub planned: u64,
    /// Due after the run was stopped.
    pub not_offered: u64,
    /// Never started: all slots were taken.
    pub no_slot: u64,
    /// Never started: the generator was late.
    pub generator_late: u64,
    /// Started.
    pub started: u64,
    /// Right in everything.
    pub ok: u64,
    /// Ended early by plan.
    pub cancelled: u64,
    /// Failed, for whatever reason.
    pub failed: u64,
    /// In flight when the drain ended.
    pub abandoned: u64,
    /// Torn down by another iteration's trap.
    pub lost: u64,
    /// Of the failed, those that failed by a time-out.
    pub timed_out: u64,
    /// Iterations that ended by themselves within the time of the phase, whenever they were due.
    pub completed: u64,
}

impl Counts {
    /// Planned − not offered.
    pub fn offered(&self) -> u64 {
        self.planned.saturating_sub(self.not_offered)
    }

    /// Never started, for either cause.
    pub fn missed(&self) -> u64 {
        self.no_slot + self.generator_late
    }

    /// The sum of the final states of those started.
    pub fn ended(&self) -> u64 {
        self.ok + self.cancelled + self.failed + self.abandoned + self.lost
    }

    /// The sum of all final states.
    pub fn recorded(&self) -> u64 {
        self.not_offered + self.missed() + self.ended()
    }

    /// Whether every arrival ended in exactly one state: planned = not offered + missed + started, and started = ok +
    /// cancelled + failed + abandoned + lost.
    pub fn identity_holds(&self) -> bool {
        self.planned == self.not_offered + self.missed() + self.started && self.started == self.ended()
    }

    /// Failed and abandoned: the numerator of the error rate.
    pub fn errors(&self) -> u64 {
        self.failed + self.abandoned
    }

    /// Started − lost: the denominator of the error rate.
    pub fn judged(&self) -> u64 {
        self.started.saturating_sub(self.lost)
    }

    /// (failed + abandoned) ÷ (started − lost); none where nothing is left to divide by.
    pub fn error_rate(&self) -> Option<f64> {
        (self.judged() > 0).then(|| self.errors() as f64 / self.judged() as f64)
    }

    /// Iterations that were cut off, by a time-out or by the end of the drain: they censor the tail.
    pub fn censored(&self) -> u64 {
        self.timed_out + self.abandoned
    }

    /// Adds another's counts.
    pub fn merge(&mut self, other: &Self) {
        self.planned += other.planned;
        self.not_offered += other.not_offered;
        self.no_slot += other.no_slot;
        self.generator_late += other.generator_late;
        self.started += other.started;
        self.ok += other.ok;
        self.cancelled += other.cancelled;
        self.failed += other.failed;
        self.abandoned += other.abandoned;
        self.lost += other.lost;
        self.timed_out += other.timed_out;
        self.completed += other.completed;
    }
}

/// Exchanges and what they moved, whatever became of their iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Exchanges asked for.
    pub exchanges: u64,
    /// Bytes handed to sockets.
    pub bytes_sent: u64,
    /// Bytes that came off the wire, heads and framing included; of an exchange that was given up, what had been handed over.
    pub bytes_received: u64,
    /// Exchanges that opened a connection.
    pub connects: u64,
    /// Exchanges sent over a connection that was open.
    pub reused: u64,
    /// Sent again because an idle connection turned out to be closed.
    pub stale_resends: u64,
}

impl Traffic {
    /// Adds another's counts.
    pub fn merge(&mut self, other: &Self) {
        self.exchanges += other.exchanges;
        self.bytes_sent += other.bytes_sent;
        self.bytes_received += other.bytes_received;
        self.connects += other.connects;
        self.reused += other.reused;
        self.stale_resends += other.stale_resends;
    }
}

/// One named request.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Exchanges under this name.
    pub exchanges: u64,
    /// Of these, those that failed.
    pub failed: u64,
    /// End − asked, of iterations that were ok.
    pub response: Distribution,
}

impl Request {
    /// Adds another's.
    pub fn merge(&mut self, other: &Self) {
        self.exchanges += other.exchanges;
        self.failed += other.failed;
        self.response.merge(&other.response);
    }
}

/// What was recorded of one metric of a plugin.
#[derive(Clone, Debug)]
pub enum MetricData {
    /// Times, of iterations that were ok.
    Mark(Distribution),
    /// The sum over all iterations.
    Counter(u64),
    /// Values, of iterations that were ok.
    Observation(Values),
    /// Checks of all iterations.
    Check {
        /// How many passed.
        passed: u64,
        /// How many did not.
        failed: u64,
    },
}

impl MetricData {
    pub(super) fn new(kind: MetricKind) -> Self {
        match kind {
            MetricKind::Mark => Self::Mark(Distribution::default()),
            MetricKind::Counter => Self::Counter(0),
            MetricKind::Observation => Self::Observation(Values::default()),
            MetricKind::Check => Self::Check { passed: 0, failed: 0 },
        }
    }

    /// Adds another's of the same kind; one of another kind changes nothing.
    pub fn merge(&mut self, other: &Self) {
        match (self, other) {
            (Self::Mark(mine), Self::Mark(theirs)) => mine.merge(theirs),
            (Self::Counter(mine), Self::Counter(theirs)) => *mine = mine.saturating_add(*theirs),
            (Self::Observation(mine), Self::Observation(theirs)) => mine.merge(theirs),
            (Self::Check { passed, failed }, Self::Check { passed: theirs, failed: theirs_failed }) => {
                *passed += theirs;
                *failed += theirs_failed;
            }
            _ => {}
        }
    }
}

/// Everything recorded of one workload in one phase.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// Final states.
    pub counts: Counts,
    /// Failed iterations by reason.
    pub failures: BTreeMap<Box<str>, u64>,
    /// Failed exchanges by reason, whatever became of their iterations.
    pub exchange_failures: BTreeMap<Box<str>, u64>,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Exchanges and bytes.
    pub traffic: Traffic,
    /// Marks, counts, observations and checks that the recorder refused: a value out of range or a metric that is not
    /// there or of another kind.
    pub refused: u64,
    times: [Distribution; Series::COUNT],
    pub(super) trail: Trail,
    /// By name id of the recorder.
    pub(super) requests: Vec<Request>,
    /// By metric id.
    pub(super) metrics: Vec<MetricData>,
}

impl Cell {
    pub(super) fn new(metrics: &[Metric]) -> Self {
        Self { metrics: metrics.iter().map(|metric| MetricData::new(metric.kind)).collect(), ..Self::default() }
    }

    /// One of the distributions.
    pub fn times(&self, series: Series) -> &Distribution {
        &self.times[series as usize]
    }

    pub(super) fn times_mut(&mut self, series: Series) -> &mut Distribution {
        &mut self.times[series as usize]
    }

    pub(super) fn request_mut(&mut self, index: usize) -> &mut Request {
        if index >= self.requests.len() {
            self.requests.resize_with(index + 1, Request::default);
        }
        &mut self.requests[index]
    }

    /// Adds all of another but its named requests, whose ids mean other names.
    pub(super) fn merge_all_but_requests(&mut self, other: &Self) {
        self.counts.merge(&other.counts);
        merge_map(&mut self.failures, &other.failures);
        merge_map(&mut self.exchange_failures, &other.exchange_failures);
        for (&status, &count) in &other.statuses {
            *self.statuses.entry(status).or_default() += count;
        }
        self.traffic.merge(&other.traffic);
        self.refused += other.refused;
        for (mine, theirs) in self.times.iter_mut().zip(&other.times) {
            mine.merge(theirs);
        }
        for (mine, theirs) in self.metrics.iter_mut().zip(&other.metrics) {
            mine.merge(theirs);
        }
        self.trail.merge(&other.trail);
    }
}

fn merge_map(into: &mut BTreeMap<Box<str>, u64>, from: &BTreeMap<Box<str>, u64>) {
    for (reason, count) in from {
        add(into, reason, *count);
    }
}

/// Adds to the count of a text, which is copied only when it is new.
pub(super) fn add(counts: &mut BTreeMap<Box<str>, u64>, text: &str, n: u64) {
    if let Some(count) = counts.get_mut(text) {
        *count += n;
    } else {
        counts.insert(text.into(), n);
    }
}
