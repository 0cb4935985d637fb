//! The recorder of one worker.

use std::sync::Arc;

use super::cell::{self, Cell, MetricData, Series};
use super::names::{Names, Texts};
use super::window::{Window, Windows};
use super::{
    ExchangeOutcome, ExchangeSample, Finished, Flight, Layout, Live, LongestCall, Missed, NameId, Outcome, PluginCost,
    WorkerLoad,
};
use crate::clock::Time;

/// Records what becomes of arrivals. Each worker has its own; [`Recorder::merge`] joins them when the run has ended.
///
/// Workloads, phases and plugins are named by their positions in the [`Layout`]; a position outside it is a fault of the
/// engine and panics.
#[derive(Clone, Debug)]
pub struct Recorder {
    layout: Arc<Layout>,
    workloads: Vec<Workload>,
    flight: Flight,
    /// When offering was stopped, where it was: what ends after it ends in the drain.
    stopped: Option<Time>,
    live: Live,
    plugins: Vec<PluginCost>,
    workers: Vec<WorkerLoad>,
}

/// What is recorded of one workload.
#[derive(Clone, Debug)]
pub(super) struct Workload {
    pub(super) names: Names,
    texts: Texts,
    /// By phase.
    pub(super) cells: Vec<Cell>,
    pub(super) windows: Windows,
}

impl Recorder {
    /// An empty recorder of the worker of that number.
    pub fn new(layout: Arc<Layout>, worker: u32) -> Self {
        let workloads = layout
            .workloads
            .iter()
            .map(|metrics| Workload {
                names: Names::default(),
                texts: Texts::default(),
                cells: layout.phases.iter().map(|_| Cell::new(metrics)).collect(),
                windows: Windows::default(),
            })
            .collect();
        let plugins = vec![PluginCost::default(); layout.plugins];
        let load = WorkerLoad { worker, plugin_ns: vec![0; layout.phases.len()], ..WorkerLoad::default() };
        Self {
            layout,
            workloads,
            flight: Flight::default(),
            stopped: None,
            live: Live::default(),
            plugins,
            workers: vec![load],
        }
    }

    /// The shape of the run.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Counts `n` arrivals that the schedule has for a workload in a phase. For one recorder of the run only, or for
    /// each with its own share: they add up.
    pub fn planned(&mut self, workload: usize, phase: usize, n: u64) {
        self.workloads[workload].cells[phase].counts.planned += n;
    }

    /// Counts `n` arrivals that were due after the run was stopped.
    pub fn not_offered(&mut self, workload: usize, phase: usize, n: u64) {
        self.workloads[workload].cells[phase].counts.not_offered += n;
    }

    /// An arrival was never started.
    pub fn missed(&mut self, workload: usize, phase: usize, due: Time, cause: Missed) {
        let workload = &mut self.workloads[workload];
        let counts = &mut workload.cells[phase].counts;
        match cause {
            Missed::NoSlot => counts.no_slot += 1,
            Missed::GeneratorLate => counts.generator_late += 1,
        }
        let window = workload.windows.at(self.layout.t0, due);
        window.offered += 1;
        window.missed += 1;
        self.live.tally(|tally| {
            tally.offered += 1;
            tally.missed += 1;
        });
    }

    /// An iteration starts. `slot_wait` is the part of its lateness, in nanoseconds, spent waiting for a slot.
    pub fn started(&mut self, workload: usize, phase: usize, due: Time, start: Time, slot_wait: u64) {
        let cell = &mut self.workloads[workload].cells[phase];
        cell.counts.started += 1;
        let lateness = start.since(due);
        let slot_wait = slot_wait.min(lateness);
        cell.times_mut(Series::Lateness).record(lateness);
        cell.times_mut(Series::SlotWait).record(slot_wait);
        cell.times_mut(Series::GeneratorDelay).record(lateness - slot_wait);
        self.offered_and_sent(workload, due, start);
    }

    /// An iteration of a closed phase starts. Nothing was due, so that there is no lateness.
    pub fn started_closed(&mut self, workload: usize, phase: usize, start: Time) {
        self.workloads[workload].cells[phase].counts.started += 1;
        self.offered_and_sent(workload, start, start);
    }

    fn offered_and_sent(&mut self, workload: usize, due: Time, start: Time) {
        let windows = &mut self.workloads[workload].windows;
        windows.at(self.layout.t0, due).offered += 1;
        windows.at(self.layout.t0, start).sent += 1;
        self.flight.start(start);
        self.live.tally(|tally| {
            tally.offered += 1;
            tally.started += 1;
        });
    }

    /// An iteration has reached its final state.
    pub fn finished(&mut self, finished: &Finished<'_>) {
        let workload = &mut self.workloads[finished.workload];
        let time = finished.end.since(finished.due);
        let ok = finished.outcome == Outcome::Ok;
        let cell = &mut workload.cells[finished.phase];
        let (mut sent, mut received) = (0, 0);
        for exchange in finished.exchanges {
            record_exchange(cell, &mut workload.texts, exchange, ok);
            sent += exchange.bytes_sent;
            received += exchange.bytes_received;
        }
        record_metrics(cell, finished, ok);
        match finished.outcome {
            Outcome::Ok => {
                cell.counts.ok += 1;
                cell.times_mut(Series::Iteration).record(time);
                cell.trail.record(self.layout.phases[finished.phase], self.layout.offset(finished.due), time);
                self.live.recent_times.record(time);
                self.live.tally(|tally| tally.ok += 1);
            }
            Outcome::Cancelled => {
                cell.counts.cancelled += 1;
                cell.times_mut(Series::Cancelled).record(time);
                self.live.tally(|tally| tally.cancelled += 1);
            }
            Outcome::Failed(reason) => {
                cell.counts.failed += 1;
                cell.times_mut(Series::Failed).record(time);
                if reason.starts_with("timeout_") {
                    cell.counts.timed_out += 1;
                    cell.times_mut(Series::Censored).record(time);
                }
                count_reason(&mut cell.failures, &mut workload.texts, reason);
                self.live.tally(|tally| tally.failed += 1);
            }
            Outcome::Abandoned => {
                cell.counts.abandoned += 1;
                cell.times_mut(Series::Censored).record(time);
                cell.times_mut(Series::Unfinished).record(time);
                self.live.tally(|tally| tally.unfinished += 1);
            }
            Outcome::Lost => {
                cell.counts.lost += 1;
                cell.times_mut(Series::Unfinished).record(time);
                self.live.tally(|tally| tally.unfinished += 1);
            }
        }
        let window = workload.windows.at(self.layout.t0, finished.end);
        window.bytes_sent += sent;
        window.bytes_received += received;
        if matches!(finished.outcome, Outcome::Ok | Outcome::Cancelled | Outcome::Failed(_)) {
            window.completed += 1;
            let in_drain = self.stopped.is_some_and(|stopped| finished.end > stopped);
            if let Some(phase) = self.layout.phase_at(finished.end).filter(|_| !in_drain) {
                workload.cells[phase].counts.completed += 1;
            }
        }
        if ok {
            window.ok += 1;
            window.ok_time_sum = window.ok_time_sum.saturating_add(time);
            window.ok_time_max = window.ok_time_max.max(time);
        }
        window.failed += u64::from(matches!(finished.outcome, Outcome::Failed(_)));
        self.flight.end(finished.end);
    }

    /// The id of a named request of a workload. Look it up once and keep it where requests repeat.
    pub fn name(&mut self, workload: usize, name: &str) -> NameId {
        self.workloads[workload].names.id(name)
    }

    /// The series of the handshakes of a series of sockets.
    pub fn handshake_name(&mut self, workload: usize, socket: NameId) -> NameId {
        let names = &mut self.workloads[workload].names;
        let name = format!("{} handshake", names.all()[socket.index()]);
        names.id(&name)
    }

    /// The worker's loop came round that many nanoseconds later than asked.
    pub fn stalled(&mut self, nanoseconds: u64) {
        self.workers[0].stall.record(nanoseconds);
    }

    /// A call of that function of a plugin took that many nanoseconds, for an iteration of that phase, or for none.
    pub fn plugin_call(&mut self, plugin: usize, phase: Option<usize>, function: &'static str, nanoseconds: u64) {
        let cost = &mut self.plugins[plugin];
        cost.calls.record(nanoseconds);
        cost.called(LongestCall { nanoseconds, function });
        if let Some(phase) = phase {
            self.workers[0].plugin_ns[phase] += nanoseconds;
        }
    }

    /// So many instances were made of a plugin, and the largest had grown to so many bytes.
    pub fn plugin_instances(&mut self, plugin: usize, made: u64, largest: u64) {
        let cost = &mut self.plugins[plugin];
        cost.instances = cost.instances.saturating_add(made);
        cost.largest = cost.largest.max(largest);
    }

    /// Nothing more is offered from here on, although the schedule is not over: the drain has begun.
    pub fn stop(&mut self, at: Time) {
        self.stopped.get_or_insert(at);
    }

    /// The run has ended, with its drain.
    pub fn close(&mut self, end: Time) {
        self.flight.close(end);
    }

    /// The figures of the live view; the next ones count from here.
    pub fn take_live(&mut self) -> Live {
        let total = self.live.total;
        std::mem::replace(&mut self.live, Live { total, ..Live::default() })
    }

    /// Adds all that another recorder of the same layout holds.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.workloads.iter_mut().zip(&other.workloads) {
            let ids: Vec<NameId> = theirs.names.all().iter().map(|name| mine.names.id_unbounded(name)).collect();
            for (cell, their_cell) in mine.cells.iter_mut().zip(&theirs.cells) {
                cell.merge_all_but_requests(their_cell);
                for (request, id) in their_cell.requests.iter().zip(&ids) {
                    cell.request_mut(id.index()).merge(request);
                }
            }
            mine.windows.merge(&theirs.windows);
        }
        self.flight.merge(&other.flight);
        self.live.merge(&other.live);
        for (mine, theirs) in self.plugins.iter_mut().zip(&other.plugins) {
            mine.merge(theirs);
        }
        for theirs in &other.workers {
            match self.workers.iter_mut().find(|mine| mine.worker == theirs.worker) {
                Some(mine) => mine.merge(theirs),
                None => self.workers.push(theirs.clone()),
            }
        }
        self.workers.sort_by_key(|load| load.worker);
    }

    /// The seconds of a workload, from the start of the schedule to the last in which something happened.
    pub fn windows(&self, workload: usize) -> &[Window] {
        self.workloads[workload].windows.all()
    }

    /// Time in flight, from starts and ends.
    pub fn flight(&self) -> &Flight {
        &self.flight
    }

    /// What calling each plugin cost.
    pub fn plugins(&self) -> &[PluginCost] {
        &self.plugins
    }

    /// The loop of each worker, by number.
    pub fn workers(&self) -> &[WorkerLoad] {
        &self.workers
    }

    pub(super) fn workloads(&self) -> &[Workload] {
        &self.workloads
    }
}

/// Records one exchange of an iteration that was ok or was not.
fn record_exchange(cell: &mut Cell, texts: &mut Texts, exchange: &ExchangeSample<'_>, ok: bool) {
    if exchange.handshake {
        return record_handshake(cell, exchange, ok);
    }
    cell.traffic.exchanges += 1;
    cell.traffic.bytes_sent += exchange.bytes_sent;
    cell.traffic.bytes_received += exchange.bytes_received;
    cell.traffic.stale_resends += u64::from(exchange.stale_resends);
    cell.traffic.connects += u64::from(exchange.connect.is_some());
    cell.traffic.reused += u64::from(exchange.connect.is_none() && exchange.sent.is_some());
    if let Some(status) = exchange.status {
        *cell.statuses.entry(status).or_default() += 1;
    }
    cell.times_mut(Series::Queue).record(exchange.queued);
    let response = exchange.end.since(exchange.asked);
    let complete = exchange.outcome == ExchangeOutcome::Complete;
    let request = cell.request_mut(exchange.name.index());
    request.exchanges += 1;
    if ok && complete {
        request.response.record(response);
        cell.times_mut(Series::Response).record(response);
        if let Some(sent) = exchange.sent {
            cell.times_mut(Series::Service).record(exchange.end.since(sent));
            cell.times_mut(Series::ConnectionWait).record(sent.since(exchange.asked));
        }
        if let Some(parts) = &exchange.connect {
            cell.times_mut(Series::Lookup).record(parts.lookup);
            cell.times_mut(Series::Connect).record(parts.connect);
            if let Some(tls) = parts.tls {
                cell.times_mut(Series::Tls).record(tls);
            }
        }
    } else if let ExchangeOutcome::Failed(reason) = exchange.outcome {
        request.failed += 1;
        count_reason(&mut cell.exchange_failures, texts, reason);
    }
}

fn record_handshake(cell: &mut Cell, exchange: &ExchangeSample<'_>, ok: bool) {
    if let Some(status) = exchange.status {
        *cell.statuses.entry(status).or_default() += 1;
    }
    let request = cell.request_mut(exchange.name.index());
    request.exchanges += 1;
    if ok {
        request.response.record(exchange.end.since(exchange.asked));
    }
}

/// Records marks and observations of iterations that were ok, counters and checks of all.
fn record_metrics(cell: &mut Cell, finished: &Finished<'_>, ok: bool) {
    for mark in finished.marks {
        match metric(&mut cell.metrics, mark.metric) {
            Some(MetricData::Mark(times)) if ok => {
                if mark.weight > 0 {
                    times.record_weighted(mark.interval / u64::from(mark.weight), u64::from(mark.weight));
                }
            }
            Some(MetricData::Mark(_)) => {}
            _ => cell.refused += 1,
        }
    }
    for count in finished.counters {
        match metric(&mut cell.metrics, count.metric) {
            Some(MetricData::Counter(sum)) => *sum = sum.saturating_add(count.n),
            _ => cell.refused += 1,
        }
    }
    for observation in finished.observations {
        match metric(&mut cell.metrics, observation.metric) {
            Some(MetricData::Observation(values)) if ok => {
                if !values.record(observation.value) {
                    cell.refused += 1;
                }
            }
            Some(MetricData::Observation(_)) => {}
            _ => cell.refused += 1,
        }
    }
    for check in finished.checks {
        match metric(&mut cell.metrics, check.metric) {
            Some(MetricData::Check { passed, .. }) if check.passed => *passed += 1,
            Some(MetricData::Check { failed, .. }) => *failed += 1,
            _ => cell.refused += 1,
        }
    }
}

fn metric(metrics: &mut [MetricData], id: u32) -> Option<&mut MetricData> {
    usize::try_from(id).ok().and_then(|index| metrics.get_mut(index))
}

/// Counts a reason; a free text past the bound counts under another name.
fn count_reason(counts: &mut std::collections::BTreeMap<Box<str>, u64>, texts: &mut Texts, reason: &str) {
    if let Some(count) = counts.get_mut(reason) {
        *count += 1;
    } else {
        cell::add(counts, texts.admit(reason), 1);
    }
}
