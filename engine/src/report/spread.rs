//! The spread of figures over repeated runs: how far one run may be believed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::result::{RunResult, WorkloadResult};
use super::table::{NONE, code, plain, table};
use super::{Summary, VERSION};
use crate::verdict::{Quantity, RunVerdict, ThresholdResult, ThresholdVerdict, Unit, percent, significant};

/// Marks a file as a spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum SpreadFormat {
    /// The only format.
    #[serde(rename = "engine-spread")]
    EngineSpread,
}

/// What several runs of one plan came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// Marks the file as a spread.
    pub format: SpreadFormat,
    /// Version of the format, that of results.
    pub version: u32,
    /// Name of what was run.
    pub name: String,
    /// How many runs were asked for; fewer are listed where they were stopped.
    pub asked: u32,
    /// Each run in order.
    pub runs: Vec<RunOf>,
    /// Name of the judged phase, which all figures are of.
    pub judged_phase: String,
    /// Each figure of each workload.
    pub figures: Vec<SpreadFigure>,
    /// What each threshold and standing rule came to.
    pub thresholds: Vec<ThresholdCounts>,
}

/// One of the runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunOf {
    /// The folder of its results.
    pub folder: String,
    /// Its verdict.
    pub verdict: RunVerdict,
}

/// One figure over all runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpreadFigure {
    /// The workload.
    pub workload: String,
    /// Which figure.
    pub figure: String,
    /// Its unit; `count` also stands for a rate a second.
    pub unit: Unit,
    /// Its value in each run; null where a run had none.
    pub values: Vec<Option<f64>>,
    /// The smallest of them.
    pub min: Option<f64>,
    /// The median, by nearest rank.
    pub median: Option<f64>,
    /// The largest.
    pub max: Option<f64>,
    /// (max − min) ÷ median; null where the median is 0 or a run had no value.
    pub spread: Option<f64>,
}

/// What one threshold came to over all runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ThresholdCounts {
    /// The workload; null for all together.
    pub workload: Option<String>,
    /// The threshold, as the report has it.
    pub threshold: String,
    /// In how many runs it passed.
    pub pass: u32,
    /// In how many it failed.
    pub fail: u32,
    /// In how many there was too little to go by.
    pub not_measured: u32,
}

/// The figures that are compared: name, unit, and where they are found.
type Pick = (&'static str, Unit, fn(&WorkloadResult) -> Option<f64>);

const PICKS: [Pick; 9] = [
    ("ok", Unit::Count, |of| Some(of.states.ok as f64)),
    ("completed/s", Unit::Count, |of| of.rates.completed_per_s),
    ("error rate", Unit::Share, |of| of.error_rate),
    ("iteration mean", Unit::Ms, |of| iteration(of).mean_ms),
    ("iteration p50", Unit::Ms, |of| iteration(of).p50_ms),
    ("iteration p90", Unit::Ms, |of| iteration(of).p90_ms),
    ("iteration p95", Unit::Ms, |of| iteration(of).p95_ms),
    ("iteration p99", Unit::Ms, |of| iteration(of).p99_ms),
    ("iteration max", Unit::Ms, |of| iteration(of).max_ms),
];

fn iteration(of: &WorkloadResult) -> &Summary {
    &of.times.iteration
}

impl Spread {
    /// Of these results, each with its folder; `None` where there are none. All are of one plan. A run that was stopped is
    /// listed, and in no figure.
    pub fn of(asked: u32, all: &[(String, RunResult)]) -> Option<Self> {
        let (_, first) = all.first()?;
        let stopped = [RunVerdict::Interrupted, RunVerdict::StoppedByPluginFaults];
        let whole = all.iter().filter(|(_, result)| !stopped.contains(&result.judgement.verdict));
        let runs = &whole.collect::<Vec<_>>()[..];
        let judged = |result: &RunResult, workload: usize| {
            let stretch = result.phases.iter().find(|stretch| stretch.phase.as_ref() == Some(&result.judged_phase));
            stretch.and_then(|stretch| stretch.workloads.get(workload).cloned())
        };
        let mut figures = Vec::new();
        for (position, entry) in first.run.mix.iter().enumerate() {
            let each: Vec<_> = runs.iter().map(|(_, result)| judged(result, position)).collect();
            figures.extend(PICKS.iter().map(|(figure, unit, pick)| {
                let values = each.iter().map(|workload| workload.as_ref().and_then(pick)).collect();
                SpreadFigure::of(&entry.workload, figure, *unit, values)
            }));
        }
        let thresholds = first.judgement.thresholds.iter().enumerate();
        Some(Self {
            format: SpreadFormat::EngineSpread,
            version: VERSION,
            name: first.run.title.clone().unwrap_or_else(|| first.run.name.clone()),
            asked,
            runs: all
                .iter()
                .map(|(folder, result)| RunOf { folder: folder.clone(), verdict: result.judgement.verdict })
                .collect(),
            judged_phase: first.judged_phase.clone(),
            figures,
            thresholds: thresholds.map(|(position, threshold)| counts(threshold, position, runs)).collect(),
        })
    }
}

impl Spread {
    /// The gravest verdict of all runs.
    pub fn gravest(&self) -> RunVerdict {
        self.runs.iter().map(|run| run.verdict).min().unwrap_or(RunVerdict::NotMeasured)
    }
}

impl SpreadFigure {
    pub(super) fn of(workload: &str, figure: &str, unit: Unit, values: Vec<Option<f64>>) -> Self {
        let mut sorted: Vec<f64> = values.iter().flatten().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let (min, max) = (sorted.first().copied(), sorted.last().copied());
        let median = sorted.get(sorted.len().div_ceil(2).saturating_sub(1)).copied();
        let whole = sorted.len() == values.len();
        let spread = match (min, median, max) {
            (Some(min), Some(median), Some(max)) if whole && median > 0.0 => Some((max - min) / median),
            _ => None,
        };
        Self { workload: workload.to_owned(), figure: figure.to_owned(), unit, values, min, median, max, spread }
    }
}

fn counts(threshold: &ThresholdResult, position: usize, runs: &[&(String, RunResult)]) -> ThresholdCounts {
    let of = |wanted: ThresholdVerdict| {
        let verdicts = runs.iter().filter_map(|(_, result)| result.judgement.thresholds.get(position));
        u32::try_from(verdicts.filter(|result| result.verdict == wanted).count()).unwrap_or(u32::MAX)
    };
    ThresholdCounts {
        workload: threshold.workload.clone(),
        threshold: format!("{} {} {}", threshold.measure, threshold.op, threshold.limit.plain()),
        pass: of(ThresholdVerdict::Pass),
        fail: of(ThresholdVerdict::Fail),
        not_measured: of(ThresholdVerdict::NotMeasured),
    }
}

/// The spread as text: Markdown that reads well in a terminal.
pub fn spread_markdown(spread: &Spread) -> String {
    let runs = spread
        .runs
        .iter()
        .zip(1_u32..)
        .map(|(run, number)| vec![number.to_string(), run.verdict.to_string(), code(&run.folder)]);
    let figure = |figure: &SpreadFigure| {
        let shown = |value: Option<f64>| {
            value.map_or_else(
                || NONE.to_owned(),
                |value| {
                    let is_rate = figure.unit == Unit::Count && value.fract() > 0.0;
                    if is_rate { significant(value) } else { Quantity { value, unit: figure.unit }.to_string() }
                },
            )
        };
        let spread = figure.spread.map_or_else(|| NONE.to_owned(), percent);
        let texts = [plain(&figure.workload), figure.figure.clone()];
        texts.into_iter().chain([shown(figure.min), shown(figure.median), shown(figure.max), spread]).collect()
    };
    let threshold = |of: &ThresholdCounts| {
        let workload = of.workload.as_deref().map_or_else(|| "all".to_owned(), plain);
        vec![workload, code(&of.threshold), of.pass.to_string(), of.fail.to_string(), of.not_measured.to_string()]
    };
    let figures = spread.figures.iter().map(figure).collect();
    let thresholds = spread.thresholds.iter().map(threshold).collect();
    let gravest = spread.gravest();
    format!(
        "# {name}: {of} of {asked} runs\n\n{runs}\n\n## Judged phase: {phase}, {whole} whole runs\n\n{figures}\n\nThe \
         median is by nearest rank: of an even number of runs the lower one. The spread is (max − min) ÷ median. Between two \
         versions of a target a difference that is not clearly larger says nothing.\n\n## Thresholds\n\n{thresholds}\n\n## \
         Verdict\n\nThe gravest of all runs: **{gravest}**\n",
        name = plain(&spread.name),
        of = spread.runs.len(),
        whole = spread.figures.first().map_or(0, |figure| figure.values.len()),
        asked = spread.asked,
        runs = table(3, &["run", "verdict", "results"], runs.collect()),
        phase = plain(&spread.judged_phase),
        figures = table(2, &["workload", "figure", "min", "median", "max", "spread"], figures),
        thresholds = table(2, &["workload", "threshold", "pass", "fail", "not measured"], thresholds),
    )
}
