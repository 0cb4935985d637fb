//! Validity: whether the generator or the target decided the numbers.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::evaluate;
use super::judge::Inputs;
use super::number::{Quantity, Unit, grouped, significant};
use super::resources;
use super::steady;
use super::threshold::{Measure, Scope};
use crate::record::{Counts, Percentile, Series};

/// What came of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckVerdict {
    /// Within the limit.
    Ok,
    /// Worth a look; the run stays valid.
    Warning,
    /// Past the limit: the run is invalid.
    Invalid,
    /// What it needs was not there. Never a pass.
    NotChecked,
}

impl fmt::Display for CheckVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Invalid => "invalid",
            Self::NotChecked => "not checked",
        })
    }
}

/// One check of the generator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// What is checked.
    pub name: String,
    /// The figure; null where it was not checked.
    pub figure: Option<Quantity>,
    /// The limit; null where it was not checked.
    pub limit: Option<Quantity>,
    /// What came of it.
    pub verdict: CheckVerdict,
    /// What the figure is of, or why it was not checked.
    pub detail: String,
    /// What to change; null where nothing need be.
    pub advice: Option<String>,
}

impl Check {
    /// A check whose figure must not be above its limit.
    pub(super) fn at_most(name: &str, figure: Quantity, limit: Quantity, detail: String, advice: &str) -> Self {
        Self::judged(name, figure, limit, figure.value <= limit.value, detail, advice)
    }

    pub(super) fn judged(
        name: &str,
        figure: Quantity,
        limit: Quantity,
        holds: bool,
        detail: String,
        advice: &str,
    ) -> Self {
        let verdict = if holds { CheckVerdict::Ok } else { CheckVerdict::Invalid };
        let advice = (!holds).then(|| advice.to_owned());
        Self { name: name.to_owned(), figure: Some(figure), limit: Some(limit), verdict, detail, advice }
    }

    /// A check that could not be made.
    pub(super) fn not_checked(name: &str, why: &str) -> Self {
        let verdict = CheckVerdict::NotChecked;
        Self { name: name.to_owned(), figure: None, limit: None, verdict, detail: why.to_owned(), advice: None }
    }

    /// The limit for people: those of times are computed, the others are set.
    pub fn limit_text(&self) -> Option<String> {
        self.limit.map(|limit| if limit.unit == Unit::Ms { limit.to_string() } else { limit.plain() })
    }

    /// What came of it in one line, with what to change.
    pub fn sentence(&self) -> String {
        let compared = match (self.figure, self.limit_text()) {
            (Some(figure), Some(limit)) => format!(" {figure}, limit {limit}"),
            _ => String::new(),
        };
        let advice = self.advice.as_ref().map(|advice| format!(": {advice}")).unwrap_or_default();
        format!("{}{compared} ({}){advice}", self.name, self.detail)
    }
}

/// Makes every check, in the order of the report.
pub(super) fn all(inputs: &Inputs<'_>) -> Vec<Check> {
    let mut checks = vec![
        accounting(inputs),
        lateness(inputs),
        stall(inputs),
        generator_missed(inputs),
        sent(inputs),
        resources::cpu(inputs),
        resources::throttling(inputs),
        resources::plugin_time(inputs),
        resources::connection_cap(inputs),
        resources::descriptors(inputs),
        resources::ports(inputs),
        in_flight(inputs),
    ];
    checks.extend(steady::all(inputs));
    checks
}

/// Every arrival ended in exactly one state, per workload and per phase.
fn accounting(inputs: &Inputs<'_>) -> Check {
    let mut deviations = Vec::new();
    let mut planned = 0;
    for workload in 0..inputs.workloads.len() {
        for phase in 0..inputs.phases.len() {
            let counts = inputs.select(Some(workload), Scope::Phase(phase)).counts();
            planned += counts.planned;
            if !counts.identity_holds() {
                deviations.push(deviation(&inputs.workload(workload), &inputs.phase(phase), &counts));
            }
        }
    }
    let detail = deviations
        .first()
        .cloned()
        .unwrap_or_else(|| format!("all {} arrivals ended in exactly one state", grouped(planned)));
    let advice = "this is a fault of the engine: keep the result and report it";
    let deviating = Quantity::count(deviations.len() as u64);
    Check::at_most("accounting identity", deviating, Quantity::count(0), detail, advice)
}

fn deviation(workload: &str, phase: &str, counts: &Counts) -> String {
    format!(
        "`{workload}` in `{phase}`: planned {} against not offered {} + missed {} + started {}; started {} against ok \
         {} + cancelled {} + failed {} + abandoned {} + lost {}",
        counts.planned,
        counts.not_offered,
        counts.missed(),
        counts.started,
        counts.started,
        counts.ok,
        counts.cancelled,
        counts.failed,
        counts.abandoned,
        counts.lost
    )
}

/// max(1 ms, 5 % of the median iteration time of a workload in the judged phase), in nanoseconds.
pub(super) fn time_limit(inputs: &Inputs<'_>, workload: usize) -> f64 {
    let times = inputs.select(Some(workload), Scope::Judged).times(Series::Iteration);
    let median = times.percentile(Percentile::P50).unwrap_or(0);
    (median as f64 * 0.05).max(1e6)
}

/// The smallest such limit among the workloads that started anything in the judged phase, and the series that thresholds
/// judge: who judges gaps of 12 ms must not have gaps of the generator's own among them.
pub(super) fn strictest_time_limit(inputs: &Inputs<'_>) -> f64 {
    let of_workloads = (0..inputs.workloads.len())
        .filter(|&workload| inputs.select(Some(workload), Scope::Judged).counts().started > 0)
        .map(|workload| time_limit(inputs, workload));
    let of_thresholds = inputs.thresholds.iter().filter_map(|threshold| {
        let Measure::Time(series, _) = &threshold.measure else { return None };
        let times = evaluate::times(&inputs.select(threshold.workload, threshold.scope), series);
        times.percentile(Percentile::P50).map(|median| (median as f64 * 0.05).max(1e6))
    });
    of_workloads.chain(of_thresholds).min_by(f64::total_cmp).unwrap_or(1e6)
}

/// Starts were on time in the judged phase. With the cap on iterations in flight at its default or above, waiting for a
/// slot is the target's doing, so only the generator's own delay counts. The limit is that of the workload with the
/// shortest times: lateness is the loop's and strikes all alike.
fn lateness(inputs: &Inputs<'_>) -> Check {
    let name = "lateness p99";
    let (series, what) = if inputs.in_flight.is_lowered() {
        (Series::Lateness, "waiting for a slot included, as the cap on iterations in flight was lowered")
    } else {
        (Series::GeneratorDelay, "without waiting for slots, which the target decides")
    };
    let judged = inputs.select(None, Scope::Judged);
    let times = judged.times(series);
    let Some(p99) = times.percentile(Percentile::P99) else {
        let why = if judged.counts().started > 0 {
            "nothing is due in a closed phase"
        } else {
            "nothing was started in the judged phase"
        };
        return Check::not_checked(name, why);
    };
    let limit = strictest_time_limit(inputs);
    // What the timer's setting explains; who is later than that has another trouble.
    let gap = inputs.wake_gap.as_nanos() as f64;
    let waited = || judged.times(Series::SlotWait).percentile(Percentile::P99).is_some_and(|p99| p99 as f64 > limit);
    Check::at_most(
        name,
        Quantity::ns(p99 as f64),
        Quantity::ns(limit),
        format!("{} starts, {what}", grouped(times.count())),
        if inputs.in_flight.is_lowered() && waited() {
            "iterations waited for a slot under a cap that was lowered: leave limits.in_flight at its default, or raise it"
        } else if gap > 0.9 * limit && p99 as f64 <= limit + gap {
            "the timer is too coarse for a target this quick: set limits.timer to \"balanced\""
        } else if times.count() < FEW {
            "so few starts that their p99 is the latest of all: one hiccup of the machine decides it; lengthen the run, \
             or repeat it on a machine with nothing else to do"
        } else {
            "the generator started late: use more workers, a lower rate, or a machine with nothing else to do"
        },
    )
}

/// Below this many, a p99 by nearest rank is the maximum.
const FEW: u64 = 100;

/// Of fewer wake-ups the p99 is a single hiccup. A closed phase has few: what ends there wakes the loop.
const FEWEST_STALLS: u64 = 20;

/// What is longer is no hiccup, however few samples there are: a worker that was away for long has few for that reason.
const HICCUP: u64 = 20_000_000;

/// No worker's loop was away for long.
fn stall(inputs: &Inputs<'_>) -> Check {
    let name = "worker loop stall p99";
    let worst = inputs
        .recorder
        .workers()
        .iter()
        .filter_map(|load| Some((load.stall.percentile(Percentile::P99)?, load.worker, load.stall.count())))
        .max();
    let Some((p99, worker, count)) = worst else {
        return Check::not_checked(name, "no stall was sampled");
    };
    if count < FEWEST_STALLS && p99 <= HICCUP {
        return Check::not_checked(name, "too few samples: the loop hardly ever slept until a moment of its own");
    }
    let limit = strictest_time_limit(inputs);
    let mut detail = format!("worker {worker}, {} samples", grouped(count));
    if p99 as f64 > limit {
        detail.extend(resources::longest_call(inputs, limit));
    }
    Check::at_most(
        name,
        Quantity::ns(p99 as f64),
        Quantity::ns(limit),
        detail,
        "a worker was busy or had no core for that long: use more workers, cheaper plugins, or a quieter machine",
    )
}

/// Arrivals the generator itself did not start.
fn by_generator(inputs: &Inputs<'_>, counts: &Counts) -> u64 {
    counts.generator_late + if inputs.in_flight.is_lowered() { counts.no_slot } else { 0 }
}

/// At most 0.1 % was missed through the generator's fault, in the judged phase and in the whole run.
fn generator_missed(inputs: &Inputs<'_>) -> Check {
    let name = "missed by the generator";
    let Some((share, missed, offered, place)) = worst_share(inputs) else {
        return Check::not_checked(name, "nothing was offered");
    };
    // In integers, so that exactly 0.1 % holds.
    let holds = u128::from(missed) * 1_000 <= u128::from(offered);
    Check::judged(
        name,
        Quantity::share(share),
        Quantity::share(0.001),
        holds,
        format!("{} of {} offered, {place}", grouped(missed), grouped(offered)),
        if held_by_cap(inputs) {
            "iterations waited for a slot under a cap that was lowered: leave limits.in_flight at its default, or raise it"
        } else {
            "the generator was late beyond the tolerance: use more workers, a lower rate, or a quieter machine"
        },
    )
}

/// Whether most of what the generator missed was missed for want of a slot under a cap that was lowered.
fn held_by_cap(inputs: &Inputs<'_>) -> bool {
    let counts = inputs.select(None, Scope::Run).counts();
    inputs.in_flight.is_lowered() && counts.no_slot > counts.generator_late
}

/// At least 99 % of what was offered was sent, as far as that was up to the generator.
fn sent(inputs: &Inputs<'_>) -> Check {
    let name = "sent of offered";
    let Some((share, missed, offered, place)) = worst_share(inputs) else {
        return Check::not_checked(name, "nothing was offered");
    };
    Check::judged(
        name,
        Quantity::share(1.0 - share),
        Quantity::share(0.99),
        u128::from(missed) * 100 <= u128::from(offered),
        format!("must be at least that; without what the target held back, {place}"),
        if held_by_cap(inputs) {
            "iterations waited for a slot under a cap that was lowered: leave limits.in_flight at its default, or raise it"
        } else {
            "the generator could not offer this rate: use more workers, more machines, or a lower rate"
        },
    )
}

/// The worse of judged phase and whole run: share, missed, offered, place.
fn worst_share(inputs: &Inputs<'_>) -> Option<(f64, u64, u64, &'static str)> {
    [(Scope::Judged, "judged phase"), (Scope::Run, "whole run")]
        .into_iter()
        .filter_map(|(scope, place)| {
            let counts = inputs.select(None, scope).counts();
            let missed = by_generator(inputs, &counts);
            (counts.offered() > 0).then(|| (missed as f64 / counts.offered() as f64, missed, counts.offered(), place))
        })
        .max_by(|a, b| a.0.total_cmp(&b.0))
}

/// Little's law over the whole run with its drain: mean in flight = throughput × mean time. The left side comes from
/// starts and ends, the right side from the distributions: a check of the engine's book-keeping.
fn in_flight(inputs: &Inputs<'_>) -> Check {
    let name = "in flight against throughput × time";
    let flight = inputs.recorder.flight();
    let Some(closed) = flight.closed() else {
        return Check::not_checked(name, "the end of the run was not recorded");
    };
    let all = inputs.recorder.all();
    let sum = |series| all.times(series).sum() as f64;
    let times = sum(Series::Iteration) + sum(Series::Failed) + sum(Series::Cancelled) + sum(Series::Unfinished)
        - sum(Series::Lateness);
    let area = flight.area() as f64;
    // In nanoseconds: where nothing ran, both are 0.
    let deviation = (area - times).abs() / area.abs().max(times.abs()).max(1.0);
    let seconds = closed.since(inputs.recorder.layout().t0) as f64 / 1e9;
    let (held, expected) = if seconds > 0.0 { (area / 1e9 / seconds, times / 1e9 / seconds) } else { (0.0, 0.0) };
    Check::at_most(
        name,
        Quantity::share(deviation),
        Quantity::share(0.01),
        format!("{} against {} over {} s", significant(held), significant(expected), significant(seconds)),
        "this is a fault of the engine: keep the result and report it",
    )
}
