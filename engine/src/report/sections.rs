//! The parts of a report that are tables.

use super::result::{PluginCostResult, RunResult, SetupExchange, Starts, Stretch};
use super::table::{NONE, code, plain, table};
use super::{Run, Summary, ValueSummary};
use crate::verdict::{Check, Quantity, ThresholdResult, grouped, percent, significant};

/// A time in milliseconds, or that there is none.
fn ms(value: Option<f64>) -> String {
    value.map_or_else(|| NONE.to_owned(), significant)
}

/// One of the figures of a summary that censoring may turn into a lower bound.
fn bounded(summary: &Summary, figure: &str, value: Option<f64>) -> String {
    if summary.is_at_least(figure) { format!("≥ {}", ms(value)) } else { ms(value) }
}

/// Bytes for people, in powers of 1,024.
pub(super) fn bytes(count: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    if count < 1024 {
        return format!("{count} B");
    }
    let mut value = count as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{} {}", significant(value), units[unit])
}

pub(super) fn starts(starts: &Starts) -> String {
    let headers = ["planned", "offered", "recorded", "started", "missed", "> 1 ms late"];
    let row = [starts.planned, starts.offered, starts.recorded, starts.started, starts.missed, starts.late];
    table(0, &headers, vec![row.into_iter().map(grouped).collect()])
}

pub(super) fn lateness(starts: &Starts) -> String {
    let row = |name: &str, summary| [vec![name.to_owned()], figures(summary)].concat();
    let rows = vec![
        row("lateness", &starts.lateness),
        row("waiting for a slot", &starts.slot_wait),
        row("generator's delay", &starts.generator_delay),
    ];
    table(1, &["ms", "count", "min", "mean", "p50", "p90", "p95", "p99", "max"], rows)
}

fn figures(summary: &Summary) -> Vec<String> {
    vec![
        grouped(summary.count),
        ms(summary.min_ms),
        bounded(summary, "mean", summary.mean_ms),
        bounded(summary, "p50", summary.p50_ms),
        bounded(summary, "p90", summary.p90_ms),
        bounded(summary, "p95", summary.p95_ms),
        bounded(summary, "p99", summary.p99_ms),
        bounded(summary, "max", summary.max_ms),
    ]
}

pub(super) fn plugins(run: &Run) -> String {
    let rows = run.plugins.iter();
    let rows =
        rows.map(|plugin| vec![plain(&plugin.name), plain(&plugin.version), code(&plugin.file), code(&plugin.sha256)]);
    table(4, &["plugin", "version", "file", "SHA-256"], rows.collect())
}

pub(super) fn mix(run: &Run) -> String {
    let rows = run.mix.iter().map(|entry| {
        let why = entry.why.as_deref().map(plain).unwrap_or_default();
        let time =
            |length: Option<f64>| length.map_or_else(|| NONE.to_owned(), |length| Quantity::seconds(length).plain());
        let (exchange, iteration) = (time(entry.timeout_s), time(entry.iteration_timeout_s));
        vec![plain(&entry.workload), plain(&entry.plugin), percent(entry.share), exchange, iteration, why]
    });
    table(6, &["workload", "plugin", "share", "time-out", "of iteration", "why"], rows.collect())
}

/// Each workload's configuration, in JSON.
pub(super) fn configs(run: &Run) -> Vec<String> {
    let given = run.mix.iter().filter(|entry| entry.config.as_object().is_some_and(|config| !config.is_empty()));
    given
        .map(|entry| format!("configuration of {}: {}", plain(&entry.workload), code(&entry.config.to_string())))
        .collect()
}

pub(super) fn schedule(result: &RunResult) -> String {
    let rows = result.run.phases.iter().map(|phase| {
        let role = if phase.name == result.judged_phase {
            "judged"
        } else if result.recovery_phase.as_ref() == Some(&phase.name) {
            "recovery"
        } else {
            ""
        };
        vec![
            plain(&phase.name),
            role.to_owned(),
            Quantity::seconds(phase.start_s).plain(),
            Quantity::seconds(phase.length_s).plain(),
            plain(&phase.profile),
            phase.why.as_deref().map(plain).unwrap_or_default(),
        ]
    });
    table(6, &["phase", "role", "from", "length", "profile", "why"], rows.collect())
}

pub(super) fn setup(setup: &[SetupExchange]) -> String {
    let rows = setup.iter().map(|exchange| {
        vec![
            plain(&exchange.stage),
            plain(&exchange.plugin),
            code(&exchange.request),
            exchange.status.map_or_else(|| NONE.to_owned(), |status| status.to_string()),
            exchange.failure.as_deref().map(code).unwrap_or_default(),
            ms(exchange.response_ms),
        ]
    });
    table(5, &["stage", "plugin", "request", "status", "failure", "response ms"], rows.collect())
}

pub(super) fn states(stretch: &Stretch) -> String {
    let headers = [
        "workload",
        "planned",
        "ok",
        "failed",
        "missed",
        "cancelled",
        "abandoned",
        "lost",
        "not offered",
        "error rate",
    ];
    let rows = stretch.workloads.iter().map(|workload| {
        let states = &workload.states;
        let counts = [
            states.planned,
            states.ok,
            states.failed,
            states.no_slot + states.generator_late,
            states.cancelled,
            states.abandoned,
            states.lost,
            states.not_offered,
        ];
        let rate = workload.error_rate.map_or_else(|| NONE.to_owned(), percent);
        [vec![plain(&workload.workload)], counts.into_iter().map(grouped).collect(), vec![rate]].concat()
    });
    table(1, &headers, rows.collect())
}

pub(super) fn rates(stretch: &Stretch) -> String {
    let headers = [
        "workload",
        "offered/s",
        "sent/s",
        "completed/s",
        "exchanges",
        "bytes sent",
        "bytes received",
        "connects",
        "re-sent",
    ];
    let rows = stretch.workloads.iter().map(|workload| {
        let traffic = &workload.traffic;
        vec![
            plain(&workload.workload),
            ms(workload.rates.offered_per_s),
            ms(workload.rates.sent_per_s),
            ms(workload.rates.completed_per_s),
            grouped(traffic.exchanges),
            bytes(traffic.bytes_sent),
            bytes(traffic.bytes_received),
            grouped(traffic.connects),
            grouped(traffic.stale_resends),
        ]
    });
    table(1, &headers, rows.collect())
}

pub(super) fn times(stretch: &Stretch) -> String {
    let mut rows = Vec::new();
    for workload in &stretch.workloads {
        let mut row = |series: String, summary: &Summary| {
            rows.push([vec![plain(&workload.workload), series], figures(summary)].concat());
        };
        let times = &workload.times;
        row("iteration".to_owned(), &times.iteration);
        row("response".to_owned(), &times.response);
        row("service".to_owned(), &times.service);
        row("connection wait".to_owned(), &times.connection_wait);
        // One named request is the response again.
        if workload.requests.len() > 1 {
            for request in &workload.requests {
                row(format!("response({})", code(&request.request)), &request.response);
            }
        }
        for metric in &workload.metrics {
            if let Some(mark) = &metric.mark {
                row(format!("mark {}", plain(&metric.metric)), mark);
            }
        }
        for (series, summary) in [("failed iterations", &times.failed), ("cancelled iterations", &times.cancelled)] {
            if summary.count > 0 {
                row(series.to_owned(), summary);
            }
        }
    }
    table(2, &["workload", "ms", "count", "min", "mean", "p50", "p90", "p95", "p99", "max"], rows)
}

/// What there is to know about the distributions of a stretch: bounds, resolution and range.
pub(super) fn remarks(stretch: &Stretch) -> Vec<String> {
    let mut remarks = Vec::new();
    for workload in &stretch.workloads {
        let name = plain(&workload.workload);
        let times = &workload.times;
        if !times.iteration.at_least.is_empty() {
            let which = times.iteration.at_least.join(", ");
            remarks.push(format!(
                "{name}: time-outs and abandonment censor {which}: the true figures are at least those shown (≥)."
            ));
        }
        if !times.iteration.exact {
            remarks.push(format!(
                "{name}: more than 10,000 iterations, so percentiles are of three significant digits; all others are \
                 exact."
            ));
        }
        let beyond = times.iteration.beyond_range;
        if beyond > 0 {
            remarks.push(format!("{name}: {} iterations took more than one hour.", grouped(beyond)));
        }
        if workload.refused_metrics > 0 {
            remarks.push(format!("{name}: {} figures of its plugin were refused.", grouped(workload.refused_metrics)));
        }
    }
    remarks
}

/// Statuses and failures by reason; empty where there are none.
pub(super) fn outcomes(stretch: &Stretch) -> String {
    let mut rows = Vec::new();
    for workload in &stretch.workloads {
        let name = plain(&workload.workload);
        for status in &workload.statuses {
            rows.push(vec![name.clone(), "status".to_owned(), status.status.to_string(), grouped(status.count)]);
        }
        for failure in &workload.failures {
            rows.push(vec![name.clone(), "failed by".to_owned(), code(&failure.reason), grouped(failure.count)]);
        }
        if workload.states.no_slot > 0 {
            rows.push(vec![name.clone(), "missed by".to_owned(), code("no_slot"), grouped(workload.states.no_slot)]);
        }
        let late = workload.states.generator_late;
        if late > 0 {
            rows.push(vec![name.clone(), "missed by".to_owned(), code("generator_late"), grouped(late)]);
        }
    }
    if rows.is_empty() { String::new() } else { table(3, &["workload", "kind", "which", "count"], rows) }
}

/// Counters, observations and checks of plugins; empty where there are none.
pub(super) fn metrics(stretch: &Stretch) -> String {
    let value = |value: Option<f64>| value.map_or_else(|| NONE.to_owned(), significant);
    let observed = |values: &ValueSummary| {
        format!(
            "{} values, mean {}, p50 {}, p95 {}, max {}",
            grouped(values.count),
            value(values.mean),
            value(values.p50),
            value(values.p95),
            value(values.max)
        )
    };
    let mut rows = Vec::new();
    for workload in &stretch.workloads {
        for metric in &workload.metrics {
            let data = if let Some(sum) = metric.counter {
                let rate = metric.counter_per_s.map(|rate| format!(", {} per second", significant(rate)));
                format!("{} in all{}", grouped(sum), rate.unwrap_or_default())
            } else if let Some(values) = &metric.observation {
                observed(values)
            } else if let Some(check) = &metric.check {
                format!("{} passed, {} failed", grouped(check.passed), grouped(check.failed))
            } else {
                continue;
            };
            rows.push(vec![plain(&workload.workload), plain(&metric.metric), plain(&metric.unit), data]);
        }
    }
    if rows.is_empty() { String::new() } else { table(4, &["workload", "metric", "unit", "data"], rows) }
}

pub(super) fn plugin_costs(costs: &[PluginCostResult]) -> String {
    let rows = costs.iter().map(|cost| {
        vec![
            plain(&cost.plugin),
            grouped(cost.calls),
            ms(cost.mean_ms),
            ms(cost.p99_ms),
            ms(cost.longest_ms),
            cost.longest_in.as_deref().map_or_else(|| NONE.to_owned(), code),
            grouped(cost.instances),
            bytesize::ByteSize(cost.largest_instance).to_string(),
            cost.share_of_cpu.map_or_else(|| NONE.to_owned(), percent),
        ]
    });
    let head =
        ["plugin", "calls", "mean ms", "p99 ms", "longest ms", "in", "instances", "largest", "of the workers' CPU"];
    table(1, &head, rows.collect())
}

pub(super) fn checks(checks: &[Check]) -> String {
    let rows = checks.iter().map(|check| {
        vec![
            check.verdict.to_string(),
            plain(&check.name),
            check.figure.map_or_else(|| NONE.to_owned(), |figure| figure.to_string()),
            check.limit_text().unwrap_or_else(|| NONE.to_owned()),
            plain(&check.detail),
        ]
    });
    table(5, &["verdict", "check", "figure", "limit", "of what"], rows.collect())
}

pub(super) fn thresholds(thresholds: &[ThresholdResult]) -> String {
    let rows = thresholds.iter().map(|result| {
        let figure = result.figure.map_or_else(|| NONE.to_owned(), |figure| figure.to_string());
        let interval = result.interval.map_or_else(
            || NONE.to_owned(),
            |interval| format!("{} to {} ms", significant(interval.low_ms), significant(interval.high_ms)),
        );
        let why = result.why.as_deref().map(|why| format!("why: {}", plain(why)));
        let note: Vec<String> = result.note.as_deref().map(plain).into_iter().chain(why).collect();
        vec![
            result.verdict.to_string(),
            result.workload.as_deref().map_or_else(|| "all".to_owned(), plain),
            result.phase.as_deref().map_or_else(|| "whole run".to_owned(), plain),
            code(&result.measure),
            format!("{} {}", result.op, result.limit.plain()),
            if result.at_least { format!("≥ {figure}") } else { figure },
            grouped(result.count),
            interval,
            note.join("; "),
        ]
    });
    let headers = ["verdict", "workload", "phase", "measure", "must be", "figure", "count", "95 % interval", "to note"];
    table(9, &headers, rows.collect())
}
