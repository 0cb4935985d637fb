//! Making the data set of a run from what was recorded.

use super::result::{
    CheckCounts, Format, MetricResult, PluginCostResult, PluginTrap, Rates, Reason, RequestResult, RunResult, Second,
    Seconds, SetupExchange, Starts, States, StatusCount, Stretch, Times, TrafficResult, VERSION, WorkloadResult,
};
use super::{Bucket, ProbeResult, Run, Summary, ValueSummary};
use crate::record::{Counts, MetricData, Percentile, Selection, Series, Window};
use crate::verdict::{Inputs, Judgement};

/// What is known of a run besides its figures.
#[derive(Clone, Debug)]
pub struct About {
    /// What was run. `run.plugins` are in the order of the recorder's plugins.
    pub run: Run,
    /// Exchanges of setup and teardown.
    pub setup: Vec<SetupExchange>,
    /// Position of the recovery phase.
    pub recovery: Option<usize>,
    /// Traps and exceeded limits of plugins.
    pub plugin_traps: Vec<PluginTrap>,
    /// What probes read.
    pub probes: Vec<ProbeResult>,
    /// What else there is to know.
    pub notes: Vec<String>,
}

/// Puts a result together.
pub fn build(about: About, inputs: &Inputs<'_>, judgement: Judgement) -> RunResult {
    let layout = inputs.recorder.layout();
    let stop = about.run.stopped_at_s;
    let lengths: Vec<f64> = layout
        .phases
        .iter()
        .map(|span| {
            let start = span.start as f64 / 1e9;
            stop.map_or(span.seconds(), |stop| (stop - start).clamp(0.0, span.seconds()))
        })
        .collect();
    let name = |phase: usize| inputs.phases.get(phase).cloned().unwrap_or_default();
    let phases = lengths
        .iter()
        .enumerate()
        .map(|(phase, &length)| stretch(inputs, &inputs.recorder.all().phase(phase), Some(name(phase)), length))
        .collect();
    RunResult {
        format: Format::EngineResult,
        version: VERSION,
        starts: starts(&inputs.recorder.all()),
        setup: about.setup,
        judged_phase: name(inputs.judged),
        recovery_phase: about.recovery.map(name),
        phases,
        whole: stretch(inputs, &inputs.recorder.all(), None, lengths.iter().sum()),
        seconds: seconds(inputs),
        probes: about.probes,
        plugin_costs: plugin_costs(inputs, &about.run),
        plugin_traps: about.plugin_traps,
        notes: about.notes,
        judgement,
        run: about.run,
    }
}

fn starts(all: &Selection<'_>) -> Starts {
    let counts = all.counts();
    let lateness = all.times(Series::Lateness);
    Starts {
        planned: counts.planned,
        offered: counts.offered(),
        recorded: counts.recorded(),
        started: counts.started,
        missed: counts.missed(),
        // The first bucket ends at 1 ms.
        late: lateness.buckets().0.iter().skip(1).sum(),
        lateness: Summary::of(&lateness),
        slot_wait: Summary::of(&all.times(Series::SlotWait)),
        generator_delay: Summary::of(&all.times(Series::GeneratorDelay)),
    }
}

fn stretch(inputs: &Inputs<'_>, selection: &Selection<'_>, phase: Option<String>, length_s: f64) -> Stretch {
    let workloads = inputs
        .workloads
        .iter()
        .enumerate()
        .map(|(index, name)| workload(inputs, &selection.clone().workload(index), index, name, length_s))
        .collect();
    Stretch { phase, length_s, workloads }
}

fn workload(inputs: &Inputs<'_>, selection: &Selection<'_>, index: usize, name: &str, length_s: f64) -> WorkloadResult {
    let counts = selection.counts();
    let traffic = selection.traffic();
    let rate = |count: u64| (length_s > 0.0).then(|| count as f64 / length_s);
    let reasons = |counted: Vec<(String, u64)>| {
        counted.into_iter().map(|(reason, count)| Reason { reason, count }).collect::<Vec<_>>()
    };
    let metrics = &inputs.recorder.layout().workloads[index];
    WorkloadResult {
        workload: name.to_owned(),
        states: states(&counts),
        error_rate: counts.error_rate(),
        rates: Rates {
            offered_per_s: rate(counts.offered()),
            sent_per_s: rate(counts.started),
            completed_per_s: rate(counts.completed),
        },
        failures: reasons(selection.failures()),
        exchange_failures: reasons(selection.exchange_failures()),
        statuses: selection.statuses().into_iter().map(|(status, count)| StatusCount { status, count }).collect(),
        traffic: TrafficResult {
            exchanges: traffic.exchanges,
            bytes_sent: traffic.bytes_sent,
            bytes_received: traffic.bytes_received,
            connects: traffic.connects,
            reused: traffic.reused,
            stale_resends: traffic.stale_resends,
        },
        times: times(selection, &counts),
        histogram: Bucket::all(&selection.times(Series::Iteration).buckets()),
        requests: selection
            .requests()
            .into_iter()
            .map(|(request, data)| RequestResult {
                request,
                exchanges: data.exchanges,
                failed: data.failed,
                response: Summary::censored(&data.response, &counts),
            })
            .collect(),
        metrics: metrics
            .iter()
            .zip(selection.metrics(index))
            .map(|(metric, data)| {
                let blank = MetricResult {
                    metric: metric.name.clone(),
                    unit: metric.unit.clone(),
                    mark: None,
                    counter: None,
                    counter_per_s: None,
                    observation: None,
                    check: None,
                };
                match data {
                    MetricData::Mark(times) => MetricResult { mark: Some(Summary::censored(&times, &counts)), ..blank },
                    MetricData::Counter(sum) => MetricResult { counter: Some(sum), counter_per_s: rate(sum), ..blank },
                    MetricData::Observation(values) => {
                        MetricResult { observation: Some(ValueSummary::of(&values)), ..blank }
                    }
                    MetricData::Check { passed, failed } => {
                        MetricResult { check: Some(CheckCounts { passed, failed }), ..blank }
                    }
                }
            })
            .collect(),
        refused_metrics: selection.refused(),
    }
}

fn states(counts: &Counts) -> States {
    States {
        planned: counts.planned,
        not_offered: counts.not_offered,
        no_slot: counts.no_slot,
        generator_late: counts.generator_late,
        started: counts.started,
        ok: counts.ok,
        cancelled: counts.cancelled,
        failed: counts.failed,
        abandoned: counts.abandoned,
        lost: counts.lost,
    }
}

fn times(selection: &Selection<'_>, counts: &Counts) -> Times {
    let of = |series| Summary::of(&selection.times(series));
    let censored = |series| Summary::censored(&selection.times(series), counts);
    Times {
        iteration: censored(Series::Iteration),
        response: censored(Series::Response),
        service: censored(Series::Service),
        connection_wait: of(Series::ConnectionWait),
        queue: of(Series::Queue),
        lookup: of(Series::Lookup),
        connect: of(Series::Connect),
        tls: of(Series::Tls),
        failed: of(Series::Failed),
        cancelled: of(Series::Cancelled),
        lateness: of(Series::Lateness),
        slot_wait: of(Series::SlotWait),
        generator_delay: of(Series::GeneratorDelay),
    }
}

fn seconds(inputs: &Inputs<'_>) -> Vec<Seconds> {
    let second = |window: &Window| Second {
        offered: window.offered,
        sent: window.sent,
        completed: window.completed,
        ok: window.ok,
        failed: window.failed,
        missed: window.missed,
        ok_mean_ms: window.ok_time_mean().map(|mean| mean / 1e6),
        ok_max_ms: (window.ok > 0).then_some(window.ok_time_max as f64 / 1e6),
        bytes_sent: window.bytes_sent,
        bytes_received: window.bytes_received,
    };
    let names = inputs.workloads.iter().enumerate();
    names
        .map(|(index, name)| Seconds {
            workload: name.clone(),
            windows: inputs.recorder.windows(index).iter().map(second).collect(),
        })
        .collect()
}

fn plugin_costs(inputs: &Inputs<'_>, run: &Run) -> Vec<PluginCostResult> {
    let cpu_s: f64 = inputs.evidence.cpu.iter().flatten().flat_map(|cpu| &cpu.seconds).sum();
    let costs = run.plugins.iter().zip(inputs.recorder.plugins());
    costs
        .map(|(plugin, cost)| {
            let total = cost.calls.sum() as f64;
            PluginCostResult {
                plugin: plugin.name.clone(),
                calls: cost.calls.count(),
                total_ms: total / 1e6,
                mean_ms: cost.calls.mean().map(|mean| mean / 1e6),
                p99_ms: cost.calls.percentile(Percentile::P99).map(|p99| p99 as f64 / 1e6),
                longest_ms: cost.longest.map(|call| call.nanoseconds as f64 / 1e6),
                longest_in: cost.longest.map(|call| call.function.to_owned()),
                instances: cost.instances,
                largest_instance: cost.largest,
                share_of_cpu: (cpu_s > 0.0).then_some(total / 1e9 / cpu_s),
            }
        })
        .collect()
}
