//! Holding thresholds against what was recorded.

use super::judge::Inputs;
use super::number::{Quantity, Unit, grouped, percent};
use super::threshold::{
    Interval, Measure, Op, Scope, Statistic, Threshold, ThresholdResult, ThresholdVerdict, TimeSeries,
};
use super::{least_count, rank_interval};
use crate::record::{Distribution, Percentile, Selection, Series};

/// The least count of a statistic of times where the threshold sets none.
const LEAST_TIMES: u64 = 20;

/// Judges one threshold.
pub(super) fn evaluate(inputs: &Inputs<'_>, threshold: &Threshold) -> ThresholdResult {
    let selection = inputs.select(threshold.workload, threshold.scope);
    let (unit, least) = match threshold.measure {
        Measure::Time(..) => (Unit::Ms, LEAST_TIMES),
        Measure::ErrorRate | Measure::Missed => (Unit::Share, 1),
        Measure::MissedCount => (Unit::Count, 1),
    };
    let blank = ThresholdResult {
        workload: threshold.workload.map(|workload| inputs.workload(workload)),
        phase: match threshold.scope {
            Scope::Judged => Some(inputs.phase(inputs.judged)),
            Scope::Phase(phase) => Some(inputs.phase(phase)),
            Scope::Run => None,
        },
        measure: threshold.measure.to_string(),
        op: threshold.op,
        limit: Quantity { value: threshold.limit, unit },
        figure: None,
        at_least: false,
        count: 0,
        least: threshold.least.unwrap_or(least).max(1),
        hits: None,
        allowed: None,
        interval: None,
        verdict: ThresholdVerdict::NotMeasured,
        note: None,
        why: threshold.why.clone(),
        standing: false,
    };
    let counts = selection.counts();
    match &threshold.measure {
        Measure::ErrorRate => share(blank, threshold, counts.errors(), counts.judged()),
        Measure::Missed => share(blank, threshold, counts.missed(), counts.offered()),
        Measure::MissedCount => number(blank, threshold, counts.missed(), counts.offered()),
        Measure::Time(series, statistic) => time(blank, threshold, &selection, series, *statistic),
    }
}

/// Judges a share: `hits` of `count`.
fn share(mut result: ThresholdResult, threshold: &Threshold, hits: u64, count: u64) -> ThresholdResult {
    result.count = count;
    result.hits = Some(hits);
    if count > 0 {
        result.figure = Some(Quantity::share(hits as f64 / count as f64));
    }
    result.allowed = allowed(threshold.op, threshold.limit, count);
    if count < result.least {
        result.note = Some(too_few(count, result.least));
        return result;
    }
    result.verdict = pass_or_fail(threshold.op.holds(hits as f64 / count as f64, threshold.limit));
    result.note = result
        .allowed
        .map(|allowed| format!("{} of {}: {} allowed", result.limit.plain(), grouped(count), grouped(allowed)));
    result
}

/// Judges how many of `count` there were.
fn number(mut result: ThresholdResult, threshold: &Threshold, hits: u64, count: u64) -> ThresholdResult {
    result.count = count;
    result.hits = Some(hits);
    result.figure = Some(Quantity::count(hits));
    if count < result.least {
        result.note = Some(too_few(count, result.least));
        return result;
    }
    result.verdict = pass_or_fail(threshold.op.holds(hits as f64, threshold.limit));
    result
}

fn pass_or_fail(holds: bool) -> ThresholdVerdict {
    if holds { ThresholdVerdict::Pass } else { ThresholdVerdict::Fail }
}

/// How many of `count` an upper limit lets through: the largest number whose share compares as it must, by the same
/// comparison that judges.
pub(super) fn allowed(op: Op, limit: f64, count: u64) -> Option<u64> {
    if !op.is_upper() || count == 0 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the count")]
    let guess = (limit * count as f64).clamp(0.0, count as f64) as u64;
    let most = guess.saturating_add(1).min(count);
    // Within two steps of the guess, as a division rounds by less than one.
    (most.saturating_sub(2)..=most).rev().find(|&hits| op.holds(hits as f64 / count as f64, limit)).or(Some(0))
}

/// The times of a series.
pub(super) fn times(selection: &Selection<'_>, series: &TimeSeries) -> Distribution {
    match series {
        TimeSeries::Iteration => selection.times(Series::Iteration),
        TimeSeries::Response => selection.times(Series::Response),
        TimeSeries::Service => selection.times(Series::Service),
        TimeSeries::ResponseOf(name) => selection.response_of(name),
        TimeSeries::Mark(name) => selection.mark(name),
    }
}

/// Judges a statistic of times.
fn time(
    mut result: ThresholdResult,
    threshold: &Threshold,
    selection: &Selection<'_>,
    series: &TimeSeries,
    statistic: Statistic,
) -> ThresholdResult {
    let times = times(selection, series);
    result.count = times.count();
    let Some(figure) = of(&times, statistic) else {
        result.note = Some(too_few(0, result.least));
        if let TimeSeries::ResponseOf(name) = series {
            result.note = Some(format!("{}; {}", too_few(0, result.least), unseen(name, selection)));
        }
        return result;
    };
    result.figure = Some(Quantity::ns(figure));
    let counts = selection.counts();
    let finished = counts.ok + counts.censored();
    result.at_least = match statistic {
        Statistic::Percentile(percentile) => percentile.is_within_upper(counts.censored(), finished),
        Statistic::Mean | Statistic::Max => counts.censored() > 0,
        Statistic::Min => false,
    };
    if let Statistic::Percentile(percentile) = statistic
        && !result.at_least
    {
        result.interval = interval(&times, percentile);
    }
    if result.count < result.least {
        result.note = Some(too_few(result.count, result.least));
        return result;
    }
    let holds = |nanoseconds: f64| threshold.op.holds(nanoseconds / 1e6, threshold.limit);
    if !result.at_least {
        result.verdict = pass_or_fail(holds(figure));
        result.note = interval_note(statistic, &result);
        return result;
    }
    // The figure is a lower bound. It can break an upper limit, but hold none. For iterations there is a better bound:
    // those cut off lasted at least until they were.
    let mut bound = figure;
    if *series == TimeSeries::Iteration {
        let mut with_censored = times;
        with_censored.merge(&selection.times(Series::Censored));
        bound = of(&with_censored, statistic).unwrap_or(figure).max(figure);
    }
    if threshold.op.is_upper() && !holds(bound) {
        result.verdict = ThresholdVerdict::Fail;
    } else if statistic == Statistic::Mean {
        // Few that were cut off move a mean by little, and by how much at the least is in the bound.
        result.verdict = pass_or_fail(holds(bound));
    }
    result.note = Some(format!(
        "{} of {} were cut off by a time-out or the end of the drain: the true {statistic} is at least {}",
        percent(counts.censored() as f64 / finished as f64),
        grouped(finished),
        Quantity::ns(bound),
    ));
    result
}

fn of(times: &Distribution, statistic: Statistic) -> Option<f64> {
    match statistic {
        Statistic::Percentile(percentile) => times.percentile(percentile).map(|value| value as f64),
        Statistic::Mean => times.mean(),
        Statistic::Min => times.min().map(|value| value as f64),
        Statistic::Max => times.max().map(|value| value as f64),
    }
}

/// What there is in the place of a named request that was never made.
fn unseen(name: &str, selection: &Selection<'_>) -> String {
    let seen: Vec<_> = selection.requests().into_keys().map(|request| format!("`{request}`")).collect();
    if seen.is_empty() {
        format!("no request named `{name}` was answered, nor any other")
    } else {
        format!("no request named `{name}` was answered; there are {}", seen.join(", "))
    }
}

fn too_few(count: u64, least: u64) -> String {
    format!("{} of at least {} samples", grouped(count), grouped(least))
}

/// The 95 % confidence interval of a percentile, in milliseconds.
fn interval(times: &Distribution, percentile: Percentile) -> Option<Interval> {
    let ranks = rank_interval(times.count(), percentile)?;
    let ranked = times.ranked();
    Some(Interval { low_ms: ranked.at(ranks.low)? as f64 / 1e6, high_ms: ranked.at(ranks.high)? as f64 / 1e6 })
}

fn interval_note(statistic: Statistic, result: &ThresholdResult) -> Option<String> {
    let Statistic::Percentile(percentile) = statistic else {
        return None;
    };
    if result.interval.is_some() {
        return None;
    }
    Some(least_count(percentile).map_or_else(
        || "no confidence interval: the maximum has none".to_owned(),
        |least| format!("no confidence interval: {percentile} needs {} samples", grouped(least)),
    ))
}
