//! What holds for every run, whatever thresholds it has.

use super::judge::Inputs;
use super::number::Quantity;
use super::threshold::{Measure, Op, Scope, Threshold, ThresholdResult, ThresholdVerdict};

/// Judges the standing rules: no arrival of any workload is missed for want of a slot unless a threshold says how many
/// may be, and each workload has an iteration that was ok in the judged phase. A rule that holds everywhere is one
/// line; one that does not has a line for each place where it does not.
pub(super) fn standing(inputs: &Inputs<'_>) -> Vec<ThresholdResult> {
    let mut results = Vec::new();
    // A cap set lower than its default makes misses the generator's doing: a validity check.
    if !inputs.in_flight.is_lowered() {
        results.extend(no_slot(inputs));
    }
    results.extend(any_ok(inputs));
    results
}

fn no_slot(inputs: &Inputs<'_>) -> Vec<ThresholdResult> {
    let mut broken = Vec::new();
    let mut offered = 0;
    for workload in 0..inputs.workloads.len() {
        for phase in 0..inputs.phases.len() {
            if inputs.thresholds.iter().any(|threshold| covers(inputs, threshold, workload, phase)) {
                continue;
            }
            let counts = inputs.select(Some(workload), Scope::Phase(phase)).counts();
            offered += counts.offered();
            if counts.no_slot > 0 {
                broken.push(ThresholdResult {
                    workload: Some(inputs.workload(workload)),
                    phase: Some(inputs.phase(phase)),
                    verdict: ThresholdVerdict::Fail,
                    note: Some(
                        "all slots were taken, at a cap that leaves room for every time-out: the target did not keep \
                         up; a threshold on `missed` says how many may be missed"
                            .to_owned(),
                    ),
                    ..rule("no_slot", Op::AtMost, Quantity::count(0), counts.no_slot, counts.offered())
                });
            }
        }
    }
    if broken.is_empty() && offered > 0 {
        broken.push(rule("no_slot", Op::AtMost, Quantity::count(0), 0, offered));
    }
    broken
}

/// Whether a threshold on `missed` judges that workload in that phase.
fn covers(inputs: &Inputs<'_>, threshold: &Threshold, workload: usize, phase: usize) -> bool {
    matches!(threshold.measure, Measure::Missed | Measure::MissedCount)
        && threshold.workload.is_none_or(|only| only == workload)
        && match threshold.scope {
            Scope::Judged => phase == inputs.judged,
            Scope::Phase(only) => phase == only,
            Scope::Run => true,
        }
}

fn any_ok(inputs: &Inputs<'_>) -> Vec<ThresholdResult> {
    let mut broken = Vec::new();
    let mut fewest = u64::MAX;
    let mut offered = 0;
    for workload in 0..inputs.workloads.len() {
        let counts = inputs.select(Some(workload), Scope::Judged).counts();
        if counts.planned == 0 {
            continue;
        }
        offered += counts.offered();
        fewest = fewest.min(counts.ok);
        if counts.ok == 0 {
            let (verdict, note) = if counts.errors() > 0 {
                (ThresholdVerdict::Fail, "not one iteration was ok")
            } else {
                (ThresholdVerdict::NotMeasured, "no iteration was ok and none failed: there is nothing to judge")
            };
            broken.push(ThresholdResult {
                workload: Some(inputs.workload(workload)),
                phase: Some(inputs.phase(inputs.judged)),
                verdict,
                note: Some(note.to_owned()),
                ..rule("ok", Op::AtLeast, Quantity::count(1), 0, counts.offered())
            });
        }
    }
    if broken.is_empty() {
        let held = ThresholdResult {
            phase: Some(inputs.phase(inputs.judged)),
            ..rule("ok", Op::AtLeast, Quantity::count(1), if offered > 0 { fewest } else { 0 }, offered)
        };
        broken.push(if offered > 0 {
            ThresholdResult { note: Some("fewest of any workload".to_owned()), ..held }
        } else {
            ThresholdResult {
                verdict: ThresholdVerdict::NotMeasured,
                note: Some("nothing was offered in the judged phase".to_owned()),
                ..held
            }
        });
    }
    broken
}

/// A rule that holds.
fn rule(measure: &str, op: Op, limit: Quantity, figure: u64, count: u64) -> ThresholdResult {
    ThresholdResult {
        workload: None,
        phase: None,
        measure: measure.to_owned(),
        op,
        limit,
        figure: Some(Quantity::count(figure)),
        at_least: false,
        count,
        least: 1,
        hits: None,
        allowed: None,
        interval: None,
        verdict: ThresholdVerdict::Pass,
        note: None,
        why: None,
        standing: true,
    }
}
