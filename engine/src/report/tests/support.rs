//! A made-up run with something of everything.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::super::{
    About, Engine, Machine, MixEntry, PhaseEntry, PluginFile, PluginTrap, Run, RunResult, Setting, SetupExchange, build,
};
use crate::clock::Time;
use crate::record::{
    CheckSample, ConnectParts, CountSample, ExchangeOutcome, ExchangeSample, Finished, Layout, MarkSample, Metric,
    MetricKind, Missed, ObservationSample, Outcome, Percentile, Recorder, Span,
};
use crate::report::{ProbeFailure, ProbeResult, ProbeSample, ProbeSeries};
use crate::verdict::{
    ConnectionCap, Evidence, InFlightCap, Inputs, Measure, Op, Scope, Statistic, Threshold, TimeSeries, Usage,
    WorkerCpu, judge,
};

pub(super) const MS: u64 = 1_000_000;
pub(super) const SECOND: u64 = 1_000_000_000;

/// Where a committed file of this project is; `from_engine` is relative to the engine's crate.
pub(super) fn committed(from_engine: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(from_engine)
}

/// Holds a committed file against what it should be. With `UPDATE_SCHEMA=1` writes it instead.
pub(super) fn assert_committed(from_engine: &str, expected: &str) {
    let path = committed(from_engine);
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&path, expected).expect("the committed file can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "{from_engine} is not what the code makes. Run this test with UPDATE_SCHEMA=1 and read the difference.\n{expected}"
    );
}

pub(super) fn layout(phases: usize) -> Layout {
    let metric = |name: &str, kind, unit: &str| Metric { name: name.to_owned(), kind, unit: unit.to_owned() };
    let phases = [
        Span { start: 0, end: 2 * SECOND },
        Span { start: 2 * SECOND, end: 12 * SECOND },
        Span { start: 12 * SECOND, end: 17 * SECOND },
    ][..phases]
        .to_vec();
    let chat = vec![
        metric("first_token", MetricKind::Mark, ""),
        metric("tokens", MetricKind::Counter, "tokens"),
        metric("answer_size", MetricKind::Observation, "tokens"),
        metric("finish_reason", MetricKind::Check, ""),
    ];
    Layout { t0: Time(5), workloads: vec![vec![], chat], phases, plugins: 2 }
}

pub(crate) fn about() -> About {
    let plugin = |name: &str, digit: &str| PluginFile {
        name: name.to_owned(),
        version: "0.1.0".to_owned(),
        file: format!("plugins/components/{name}.wasm"),
        sha256: digit.repeat(64),
    };
    let mix = |workload: &str, plugin: &str, share, why: Option<&str>| MixEntry {
        workload: workload.to_owned(),
        plugin: plugin.to_owned(),
        share,
        timeout_s: Some(60.0),
        iteration_timeout_s: Some(90.0),
        config: if plugin == "http" {
            serde_json::json!({"path": "/small", "token": "***"})
        } else {
            serde_json::json!({})
        },
        why: why.map(str::to_owned),
    };
    let phase = |name: &str, start_s, length_s, why: Option<&str>| PhaseEntry {
        name: name.to_owned(),
        start_s,
        length_s,
        profile: "constant 100/s".to_owned(),
        why: why.map(str::to_owned),
    };
    let setting = |key: &str, value: &str| Setting { key: key.to_owned(), value: value.to_owned() };
    About {
        probes: vec![ProbeResult {
            probe: "platform".to_owned(),
            readings: 19,
            failures: vec![ProbeFailure { failure: "timeout_total: before the request was sent".to_owned(), count: 1 }],
            series: vec![
                ProbeSeries {
                    series: "pool_timeouts_total".to_owned(),
                    before: Some(2.0),
                    peak: Some(ProbeSample { at_s: 11.5, value: 1_234.0 }),
                    peak_phase: Some("steady".to_owned()),
                    after: Some(1_234.0),
                    samples: vec![ProbeSample { at_s: 0.0, value: 2.0 }, ProbeSample { at_s: 11.5, value: 1_234.0 }],
                },
                ProbeSeries {
                    series: "pool_sise".to_owned(),
                    before: None,
                    peak: None,
                    peak_phase: None,
                    after: None,
                    samples: Vec::new(),
                },
            ],
        }],
        run: Run {
            name: "example".to_owned(),
            title: Some("A made-up run".to_owned()),
            started_at: "2026-11-30T03:42:56Z".to_owned(),
            schedule_s: 17.0,
            took_s: 19.25,
            stopped_at_s: None,
            seed: 1,
            workers: 2,
            topology: Some("engine and target on one machine".to_owned()),
            target: "http://127.0.0.1:8080".to_owned(),
            engine: Engine { version: "0.1.0".to_owned(), revision: Some("0123abcd".to_owned()) },
            machine: Machine {
                cpu: "Example CPU @ 3.00GHz".to_owned(),
                cores: 4,
                memory_bytes: Some(8 << 30),
                kernel: "Linux 6.1.0".to_owned(),
            },
            overrides: vec!["--scale 0.5".to_owned(), "--set workload.small.config.path=/small".to_owned()],
            plugins: vec![plugin("http", "a"), plugin("chat_stream", "b")],
            mix: vec![
                mix("small", "http", 0.9, None),
                mix("chat", "chat_stream", 0.1, Some("one in ten talks to a model")),
            ],
            phases: vec![
                phase("warm-up", 0.0, 2.0, None),
                phase("steady", 2.0, 10.0, Some("the rate of a working day")),
                phase("after", 12.0, 5.0, None),
            ],
            settings: vec![setting("limits.in_flight", "3000"), setting("limits.drain", "30 s")],
        },
        setup: vec![SetupExchange {
            stage: "setup".to_owned(),
            plugin: "chat_stream".to_owned(),
            request: "POST /login".to_owned(),
            status: Some(200),
            failure: None,
            response_ms: Some(12.5),
        }],
        recovery: Some(2),
        plugin_traps: vec![PluginTrap {
            plugin: "chat_stream".to_owned(),
            reason: "plugin_trap".to_owned(),
            count: 1,
            text: "panicked at src/lib.rs:7:5: no choices\n  chat_stream::on_items".to_owned(),
        }],
        notes: vec!["2 log lines of chat_stream were dropped".to_owned()],
    }
}

pub(super) fn evidence() -> Evidence {
    Evidence {
        cpu: Some(vec![
            WorkerCpu { worker: 0, seconds: vec![0.12; 17] },
            WorkerCpu { worker: 1, seconds: vec![0.14; 17] },
        ]),
        throttled_ns: None,
        descriptors: Some(Usage { peak: 73, limit: 20_000 }),
        ports: Some(Usage { peak: 60, limit: 28_232 }),
        level_rate: Some(true),
        connection_cap: Some(ConnectionCap::Unlimited),
    }
}

pub(super) fn thresholds() -> Vec<Threshold> {
    let threshold = |workload, measure, limit, why: Option<&str>| Threshold {
        workload: Some(workload),
        scope: Scope::Judged,
        measure,
        op: Op::AtMost,
        limit,
        least: None,
        why: why.map(str::to_owned),
    };
    let p95 = Statistic::Percentile(Percentile::P95);
    let p99 = Statistic::Percentile(Percentile::P99);
    vec![
        threshold(0, Measure::Time(TimeSeries::Iteration, p95), 60.0, Some("lists feel instant")),
        threshold(0, Measure::ErrorRate, 0.001, None),
        threshold(1, Measure::Time(TimeSeries::Mark("first_token".to_owned()), p99), 900.0, None),
        threshold(1, Measure::Missed, 0.02, None),
    ]
}

/// The name of a request of the `k`-th arrival.
fn request(workload: usize, k: u64) -> &'static str {
    match (workload, k % 3) {
        (0, 0) => "GET /api/agents",
        (0, _) => "GET /api/chats",
        _ => "POST /v1/chat/completions",
    }
}

/// Records the `k`-th arrival of a hundred a second.
fn arrival(recorder: &mut Recorder, k: u64) {
    let workload = usize::from(k % 10 == 7);
    let due = 5 + k * SECOND / 100;
    let Some(phase) = recorder.layout().phase_at(Time(due)) else {
        return;
    };
    recorder.planned(workload, phase, 1);
    if k == 707 {
        recorder.missed(workload, phase, Time(due), Missed::NoSlot);
        return;
    }
    let late = 20_000 + k % 50 * 3_000 + if k == 400 { 2 * MS } else { 0 };
    recorder.started(workload, phase, Time(due), Time(due + late), 0);
    let time = if workload == 0 { (20 + k * 7 % 41) * MS + k * 131 } else { (600 + k * 13 % 400) * MS };
    let outcome = match k {
        607 => Outcome::Failed("check: no `finish_reason`"),
        617 => Outcome::Failed("timeout_total"),
        627 => Outcome::Failed("plugin_trap"),
        637 => Outcome::Lost,
        647 => Outcome::Abandoned,
        657 => Outcome::Cancelled,
        300 | 500 => Outcome::Failed("http_503"),
        _ => Outcome::Ok,
    };
    let end = if k == 647 { 19 * SECOND } else { due + time };
    let exchange = ExchangeSample {
        name: recorder.name(workload, request(workload, k)),
        asked: Time(due),
        sent: Some(Time(due + late + 30_000)),
        end: Time(end - 10_000),
        outcome: if k == 617 { ExchangeOutcome::Failed("timeout_total") } else { ExchangeOutcome::Complete },
        status: if k == 617 { None } else { Some(if k == 300 || k == 500 { 503 } else { 200 }) },
        bytes_sent: 180,
        bytes_received: if workload == 0 { 2_300 } else { 41_000 },
        queued: 0,
        connect: (k < 60).then_some(ConnectParts { lookup: 0, connect: 90_000, tls: None }),
        handshake: false,
        stale_resends: u32::from(k == 901),
    };
    let finished = Finished {
        workload,
        phase,
        due: Time(due),
        start: Time(due + late),
        end: Time(end),
        outcome,
        exchanges: &[exchange],
        marks: &[MarkSample { metric: 0, interval: time / 3, weight: 1 }],
        counters: &[CountSample { metric: 1, n: 250 }],
        observations: &[ObservationSample { metric: 2, value: 200.0 + k as f64 / 8.0 }],
        checks: &[CheckSample { metric: 3, passed: k != 607 }],
    };
    let bare = Finished { marks: &[], counters: &[], observations: &[], checks: &[], ..finished };
    recorder.finished(if workload == 0 { &bare } else { &finished });
    recorder.plugin_call(workload, Some(phase), "plan.start", 9_000 + k % 7 * 1_000);
    recorder.stalled(15_000 + k % 90 * 1_000);
}

/// The whole made-up run, on two workers.
pub(crate) fn result() -> RunResult {
    let layout = Arc::new(layout(3));
    let mut workers = [Recorder::new(layout.clone(), 0), Recorder::new(layout, 1)];
    for k in 0..1_700 {
        arrival(&mut workers[usize::from(k % 4 > 1)], k);
    }
    let [mut recorder, other] = workers;
    recorder.merge(&other);
    recorder.close(Time(5 + 19 * SECOND + SECOND / 4));
    finish(&recorder, about(), &evidence(), &thresholds())
}

/// Judges a run and makes its result.
pub(super) fn finish(recorder: &Recorder, about: About, evidence: &Evidence, thresholds: &[Threshold]) -> RunResult {
    let phases = ["warm-up".to_owned(), "steady".to_owned(), "after".to_owned()];
    let inputs = Inputs {
        recorder,
        workloads: &["small".to_owned(), "chat".to_owned()],
        phases: &phases[..recorder.layout().phases.len()],
        plugins: &["small".to_owned(), "chat".to_owned()],
        judged: recorder.layout().phases.len().min(2) - 1,
        thresholds,
        in_flight: InFlightCap { cap: 3_000, default: 3_000 },
        wake_gap: Duration::from_micros(250),
        evidence,
        interrupted: about.run.stopped_at_s.is_some(),
        plugin_faults: false,
    };
    let judgement = judge(&inputs);
    build(about, &inputs, judgement)
}
