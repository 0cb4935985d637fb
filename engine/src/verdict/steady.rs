//! Whether the target had settled in the judged phase: a warm-up at its start (MSER-5), and a drift between its halves.
//!
//! Both only warn: such numbers are real, but a longer run would have others.

use super::checks::{Check, CheckVerdict};
use super::judge::Inputs;
use super::number::{Quantity, percent, significant};
use super::threshold::Scope;
use crate::record::{Span, TrailPart, part_length};

/// Observations in a batch, as in MSER-5.
const BATCH: u64 = 5;
/// Fewer batches say nothing.
const FEWEST: usize = 10;
/// A start of fewer batches is a few slow ones, and no warm-up.
const SHORTEST_START: usize = 3;
/// Means that differ by less are the same for our purposes.
const RELATIVE: f64 = 0.05;
/// Means that differ by fewer standard errors may well be so by chance: at three, one comparison in 370.
const STANDARD_ERRORS: f64 = 3.0;

/// Iterations one after the other by due time, taken together.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Batch {
    /// When the first of them could be due, in nanoseconds from the start of the phase.
    from_ns: u64,
    /// Their mean iteration time, in nanoseconds.
    mean: f64,
}

/// Where the means of some batches lie.
#[derive(Clone, Copy, Debug)]
struct Level {
    count: f64,
    mean: f64,
    median: f64,
    /// The sum of the squares of their distances from the mean.
    squares: f64,
}

/// What was found out about one workload.
struct Found {
    workload: usize,
    /// How many of the batches are before the steady part, by MSER-5.
    cut: usize,
    batches: Vec<Batch>,
    /// Where those before and those after it lie; none where too few are before it to be a start.
    levels: Option<(Level, Level)>,
}

impl Found {
    fn new(workload: usize, batches: Vec<Batch>) -> Self {
        let cut = mser(&batches);
        let (start, rest) = batches.split_at(cut);
        let levels = Level::of(start).zip(Level::of(rest)).filter(|_| cut >= SHORTEST_START);
        Self { workload, cut, batches, levels }
    }
}

/// The checks, warm-up before drift.
pub(super) fn all(inputs: &Inputs<'_>) -> [Check; 2] {
    const NAMES: [&str; 2] = ["warm-up in the judged phase", "drift of the judged phase"];
    let not_checked = |why: &str| NAMES.map(|name| Check::not_checked(name, why));
    match inputs.evidence.level_rate {
        None => return not_checked("whether its rate is level is not known"),
        Some(false) => return not_checked("its rate is not level, so its times may not be either"),
        Some(true) => {}
    }
    let Some(&phase) = inputs.recorder.layout().phases.get(inputs.judged) else {
        return not_checked("there is no judged phase");
    };
    let found: Vec<Found> = (0..inputs.workloads.len())
        .filter_map(|workload| {
            let trail = inputs.select(Some(workload), Scope::Judged).trail();
            let batches = batches(&trail, phase);
            (batches.len() >= FEWEST).then(|| Found::new(workload, batches))
        })
        .collect();
    if found.is_empty() {
        return not_checked("too few iterations were ok: fewer than ten times five of any workload");
    }
    let [warm_up, drift] = NAMES;
    [
        worst(warm_up, found.iter().map(|found| warmed_up(warm_up, inputs, found, phase))),
        worst(drift, found.iter().map(|found| drifted(drift, inputs, found))),
    ]
}

/// The one to be shown: a warning before what is fine, then the larger figure.
fn worst(name: &str, checks: impl Iterator<Item = Check>) -> Check {
    let size = |check: &Check| check.figure.map_or(0.0, |figure| figure.value);
    let order = |check: &Check| (check.verdict == CheckVerdict::Warning, size(check));
    checks
        .max_by(|a, b| order(a).0.cmp(&order(b).0).then(order(a).1.total_cmp(&order(b).1)))
        .unwrap_or_else(|| Check::not_checked(name, "nothing was ok"))
}

fn warmed_up(name: &str, inputs: &Inputs<'_>, found: &Found, phase: Span) -> Check {
    let workload = inputs.workload(found.workload);
    let none = format!("`{workload}`: no start that differs, by MSER-5 over {} batches", found.batches.len());
    let Some((start, rest)) = found.levels else { return judged(name, 0.0, false, none, "") };
    let relative = start.relative_to(rest);
    if !start.differs_from(rest) {
        return judged(name, relative.abs(), false, none, "");
    }
    let cut_ns = found.batches.get(found.cut).map_or(phase.length(), |batch| batch.from_ns);
    let detail = format!(
        "`{workload}`: the first {} s took {} ms on the mean, the rest {} ms (MSER-5)",
        significant(cut_ns as f64 / 1e9),
        significant(start.mean / 1e6),
        significant(rest.mean / 1e6)
    );
    let advice = if found.cut >= found.batches.len() / 2 {
        "half of the phase is unlike the rest: make it longer, or put a phase before it in which the target warms up"
    } else {
        "the start is unlike the rest: put a phase before this one in which the target warms up, and judge this one"
    };
    judged(name, relative.abs(), true, detail, advice)
}

/// The halves of what is steady by MSER-5, so that a warm-up is not told twice.
fn drifted(name: &str, inputs: &Inputs<'_>, found: &Found) -> Check {
    let workload = inputs.workload(found.workload);
    let warm_up = found.levels.is_some_and(|(start, rest)| start.differs_from(rest));
    let steady = &found.batches[if warm_up { found.cut } else { 0 }..];
    let (first, second) = steady.split_at(steady.len() / 2);
    let (Some(first), Some(second)) = (Level::of(first), Level::of(second)) else {
        return Check::not_checked(name, "too little is left after the warm-up");
    };
    let relative = second.relative_to(first);
    let differs = second.differs_from(first);
    let trend = match (differs, relative > 0.0) {
        (false, _) => "no trend",
        (true, true) => "rising",
        (true, false) => "falling",
    };
    let detail = format!(
        "`{workload}`: {trend}, from {} ms on the mean in the first half to {} ms in the second",
        significant(first.mean / 1e6),
        significant(second.mean / 1e6)
    );
    let advice = if relative > 0.0 {
        "times rose over the phase: repeat it longer; where they rise on, the target does not sustain this rate"
    } else {
        "times fell over the phase: the target was still warming up; judge a later phase, or a longer one"
    };
    judged(name, relative.abs(), differs, detail, advice)
}

/// Above the limit by more than chance is a warning.
fn judged(name: &str, relative: f64, differs: bool, detail: String, advice: &str) -> Check {
    let (figure, limit) = (Quantity::share(relative), Quantity::share(RELATIVE));
    let mut check = Check::judged(name, figure, limit, true, detail, "");
    if differs {
        check.verdict = CheckVerdict::Warning;
        check.advice = Some(advice.to_owned());
    } else if relative > RELATIVE {
        check.detail.push_str("; ");
        check.detail.push_str(&percent(relative));
        check.detail.push_str(" is within chance, or of a few slow ones");
    }
    check
}

impl Level {
    fn of(batches: &[Batch]) -> Option<Self> {
        let mut means: Vec<f64> = batches.iter().map(|batch| batch.mean).collect();
        means.sort_by(f64::total_cmp);
        let median = *means.get(means.len().checked_sub(1)? / 2)?;
        let count = means.len() as f64;
        let mean = means.iter().sum::<f64>() / count;
        let squares = means.iter().map(|each| (each - mean).powi(2)).sum();
        Some(Self { count, mean, median, squares })
    }

    /// By which part of the other's mean this one's is above it; below 0 where it is below.
    fn relative_to(self, other: Self) -> f64 {
        if other.mean > 0.0 { self.mean / other.mean - 1.0 } else { 0.0 }
    }

    /// Whether they differ by more than is the same for our purposes, and by more than chance would have it: the means by
    /// more than three standard errors (spread of both together), and the medians the same way, so that a few slow ones on
    /// one side are no trend.
    fn differs_from(self, other: Self) -> bool {
        let (off, median_off) = (self.mean - other.mean, self.median - other.median);
        let variance = (self.squares + other.squares) / (self.count + other.count - 2.0).max(1.0);
        let error = (variance * (1.0 / self.count + 1.0 / other.count)).sqrt();
        off.abs() > STANDARD_ERRORS * error
            && off.abs() > RELATIVE * other.mean
            && median_off.abs() > RELATIVE * other.median
            && off.is_sign_positive() == median_off.is_sign_positive()
    }
}

/// Batches of five iterations or more, in the order in which they were due. Where a part of the phase holds more than five
/// it is one batch: what was due at one time stays together. Iterations that fill no batch at the end are left out.
fn batches(parts: &[TrailPart], phase: Span) -> Vec<Batch> {
    let length = part_length(phase);
    let mut batches = Vec::new();
    let (mut from_ns, mut open) = (0, TrailPart::default());
    for (part, at_ns) in parts.iter().zip((0_u64..).map(|part| part * length)) {
        open.count += part.count;
        open.sum = open.sum.saturating_add(part.sum);
        if open.count >= BATCH {
            batches.push(Batch { from_ns, mean: open.sum as f64 / open.count as f64 });
            (from_ns, open) = (at_ns + length, TrailPart::default());
        }
    }
    batches
}

/// How many batches at the start to leave out so that the mean of the rest is known best: the d up to half of them for which
/// Σ (Yᵢ − Ȳ)² ÷ (n − d)² over the rest is least, the first among equals.
///
/// K. P. White, "An effective truncation heuristic for bias reduction in simulation output", Simulation 69 (1997);
/// K. P. White, M. J. Cobb, S. C. Spratt, "A comparison of five steady-state truncation heuristics for simulation" (2000).
fn mser(batches: &[Batch]) -> usize {
    let mut best = (f64::INFINITY, 0);
    // From the end, by Welford's recurrence: mean and sum of squares of those behind.
    let (mut count, mut mean, mut squares) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (left_out, batch) in batches.iter().enumerate().rev() {
        count += 1.0;
        let off = batch.mean - mean;
        mean += off / count;
        squares += off * (batch.mean - mean);
        let statistic = squares / (count * count);
        if left_out <= batches.len() / 2 && statistic <= best.0 {
            best = (statistic, left_out);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(means: &[f64]) -> Vec<Batch> {
        (0..).zip(means).map(|(from_ns, &mean)| Batch { from_ns, mean }).collect()
    }

    /// By the definition, term by term.
    fn by_definition(means: &[f64]) -> Vec<f64> {
        let statistic = |left_out: usize| {
            let rest = &means[left_out..];
            let count = rest.len() as f64;
            let mean = rest.iter().sum::<f64>() / count;
            rest.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count * count)
        };
        (0..=means.len() / 2).map(statistic).collect()
    }

    #[test]
    fn a_start_that_is_unlike_the_rest_is_left_out_to_the_batch() {
        let mut means = vec![9.0, 7.0, 5.0];
        means.extend((0..37).map(|k| 1.0 + f64::from(k % 2) / 100.0));
        assert_eq!(mser(&of(&means)), 3);
        assert_eq!(mser(&of(&[1.0; 20])), 0, "where nothing differs nothing is left out");
        let rising: Vec<f64> = (0..20).map(f64::from).collect();
        assert_eq!(mser(&of(&rising)), 10, "never more than half");
    }

    proptest! {
        #[test]
        fn the_statistic_is_least_where_its_definition_says(means in prop::collection::vec(0.0..1e3, 10..60)) {
            let all = by_definition(&means);
            let least = all.iter().copied().fold(f64::INFINITY, f64::min);
            let chosen = all[mser(&of(&means))];
            prop_assert!(chosen <= least + 1e-9 * least.abs().max(1e-9), "{chosen} against {least}");
        }
    }

    #[test]
    fn batches_hold_five_or_all_that_was_due_at_one_time() {
        let phase = Span { start: 0, end: 256 };
        let part = |count, sum| TrailPart { count, sum };
        let parts = [part(2, 20), part(0, 0), part(3, 30), part(7, 700), part(4, 1)];
        assert_eq!(batches(&parts, phase), [Batch { from_ns: 0, mean: 10.0 }, Batch { from_ns: 3, mean: 100.0 }]);
    }
}
