//! The verdict of a run.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::checks::{self, Check, CheckVerdict};
use super::evaluate::evaluate;
use super::number::grouped;
use super::rules::standing;
use super::threshold::{Measure, Scope, Threshold, ThresholdResult, ThresholdVerdict};
use super::{Evidence, InFlightCap};
use crate::record::{Counts, Recorder, Selection};

/// What there is to judge.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// All workers' recorders, merged and closed.
    pub recorder: &'a Recorder,
    /// The names of the workloads, as in the recorder's layout.
    pub workloads: &'a [String],
    /// The names of the phases, as in the recorder's layout.
    pub phases: &'a [String],
    /// The names of the plugins, as in the recorder's layout.
    pub plugins: &'a [String],
    /// Position of the judged phase.
    pub judged: usize,
    /// The thresholds.
    pub thresholds: &'a [Threshold],
    /// The cap on iterations in flight.
    pub in_flight: InFlightCap,
    /// How late its timer's setting alone may make an arrival.
    pub wake_gap: Duration,
    /// What the engine noticed about itself.
    pub evidence: &'a Evidence,
    /// Whether the run was interrupted.
    pub interrupted: bool,
    /// Whether the run was stopped because its plugins kept failing.
    pub plugin_faults: bool,
}

impl<'a> Inputs<'a> {
    /// One workload or all, over one phase or all.
    pub(super) fn select(&self, workload: Option<usize>, scope: Scope) -> Selection<'a> {
        let mut selection = self.recorder.all();
        if let Some(workload) = workload {
            selection = selection.workload(workload);
        }
        match scope {
            Scope::Judged => selection.phase(self.judged),
            Scope::Phase(phase) => selection.phase(phase),
            Scope::Run => selection,
        }
    }

    pub(super) fn workload(&self, index: usize) -> String {
        self.workloads.get(index).cloned().unwrap_or_else(|| format!("workload {index}"))
    }

    pub(super) fn phase(&self, index: usize) -> String {
        self.phases.get(index).cloned().unwrap_or_else(|| format!("phase {index}"))
    }
}

/// What a run comes to, the gravest first: where several apply, the first is the run's verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunVerdict {
    /// It was stopped before its schedule was over.
    Interrupted,
    /// It was stopped because its plugins kept failing.
    StoppedByPluginFaults,
    /// The generator and not the target decided the numbers.
    Invalid,
    /// A threshold or a standing rule failed.
    Failed,
    /// A threshold or a standing rule had too little to go by.
    NotMeasured,
    /// None of these.
    Passed,
}

impl fmt::Display for RunVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Interrupted => "interrupted",
            Self::StoppedByPluginFaults => "stopped by plugin faults",
            Self::Invalid => "invalid",
            Self::Failed => "failed",
            Self::NotMeasured => "not measured",
            Self::Passed => "passed",
        })
    }
}

/// All that was judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// Whether the generator can be trusted.
    pub checks: Vec<Check>,
    /// The standing rules, then the thresholds in the order of the scenario.
    pub thresholds: Vec<ThresholdResult>,
    /// The verdict: the first of those that apply.
    pub verdict: RunVerdict,
    /// All verdicts that apply, the gravest first.
    pub applies: Vec<RunVerdict>,
    /// Why: a sentence for each thing that stands in the way of `passed`.
    pub reasons: Vec<String>,
    /// What failed and no threshold judges: nobody has said how much of it is fine.
    #[serde(default)]
    pub unjudged: Vec<String>,
}

/// Judges a run.
pub fn judge(inputs: &Inputs<'_>) -> Judgement {
    let checks = checks::all(inputs);
    let mut thresholds = standing(inputs);
    thresholds.extend(inputs.thresholds.iter().map(|threshold| evaluate(inputs, threshold)));

    let mut found: Vec<(RunVerdict, String)> = Vec::new();
    if inputs.interrupted {
        found.push((RunVerdict::Interrupted, "the run was stopped before its schedule was over".to_owned()));
    }
    if inputs.plugin_faults {
        let reason = "the run was stopped because its plugins kept failing".to_owned();
        found.push((RunVerdict::StoppedByPluginFaults, reason));
    }
    for check in checks.iter().filter(|check| check.verdict == CheckVerdict::Invalid) {
        found.push((RunVerdict::Invalid, check.sentence()));
    }
    for (wanted, verdict) in
        [(ThresholdVerdict::Fail, RunVerdict::Failed), (ThresholdVerdict::NotMeasured, RunVerdict::NotMeasured)]
    {
        let of_kind = thresholds.iter().filter(|result| result.verdict == wanted);
        found.extend(of_kind.map(|result| (verdict, result.sentence())));
    }
    let mut applies: Vec<RunVerdict> = found.iter().map(|&(verdict, _)| verdict).collect();
    applies.dedup();
    let verdict = applies.first().copied().unwrap_or(RunVerdict::Passed);
    let reasons = found.into_iter().map(|(_, reason)| reason).collect();
    Judgement { checks, thresholds, verdict, applies, reasons, unjudged: unjudged(inputs) }
}

/// Errors in phases in which no threshold judges the errors of their workload, a sentence for each workload.
fn unjudged(inputs: &Inputs<'_>) -> Vec<String> {
    let judged = |workload: usize, phase: usize| {
        inputs.thresholds.iter().any(|threshold| {
            threshold.measure == Measure::ErrorRate
                && threshold.workload.is_none_or(|of| of == workload)
                && match threshold.scope {
                    Scope::Judged => phase == inputs.judged,
                    Scope::Phase(of) => phase == of,
                    Scope::Run => true,
                }
        })
    };
    let mut sentences = Vec::new();
    for workload in 0..inputs.workloads.len() {
        let phases = (0..inputs.phases.len()).filter(|&phase| !judged(workload, phase));
        let counts: Vec<(usize, Counts)> = phases
            .map(|phase| (phase, inputs.select(Some(workload), Scope::Phase(phase)).counts()))
            .filter(|(_, counts)| counts.errors() > 0)
            .collect();
        if counts.is_empty() {
            continue;
        }
        let each = counts.iter().map(|(phase, counts)| {
            format!("{} of {} in `{}`", grouped(counts.errors()), grouped(counts.judged()), inputs.phase(*phase))
        });
        let each = each.collect::<Vec<_>>().join(", ");
        sentences.push(format!("`{}`: {each} failed, and no threshold judges errors there", inputs.workload(workload)));
    }
    sentences
}

impl ThresholdResult {
    /// What came of it in one line.
    pub fn sentence(&self) -> String {
        let place = match (&self.workload, &self.phase) {
            (Some(workload), Some(phase)) => format!("`{workload}` in `{phase}`"),
            (Some(workload), None) => format!("`{workload}` in the whole run"),
            (None, Some(phase)) => format!("all workloads in `{phase}`"),
            (None, None) => "all workloads in the whole run".to_owned(),
        };
        let figure = self.figure.map_or_else(|| "n/a".to_owned(), |figure| figure.to_string());
        let bound = if self.at_least { "≥ " } else { "" };
        let note = self.note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
        format!(
            "{place}: {} {bound}{figure}, must be {} {}: {}{note}",
            self.measure,
            self.op,
            self.limit.plain(),
            self.verdict
        )
    }
}
