//! `[[threshold]]`: what must hold.

use std::fmt;
use std::time::Duration;

use serde::{Serialize, Serializer};

use super::code;
use super::fault::Fault;
use super::metric::Metric;
use super::nearest::did_you_mean;
use super::reader::{Field, Reader};
use super::source::Span;
use super::tree::{Node, Text, Value};
use super::units;

/// What must hold for the run to pass.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Threshold {
    /// The workload it judges.
    pub workload: Scope,
    /// The figure it judges.
    pub metric: Metric,
    /// How the figure is to compare with the value.
    pub op: Op,
    /// What the figure is held against.
    pub value: Limit,
    /// The stretch of the run whose figure it is.
    pub phase: Window,
    /// With fewer samples it is not measured.
    pub least: u64,
    /// Why it is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Where its metric stands, for faults that only a look at the plugin can find.
    #[serde(skip)]
    pub metric_span: Span,
}

/// Which workloads a threshold judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Each of them, for itself.
    Each,
    /// That one, by position.
    Workload(u16),
}

/// Which stretch of the run a threshold judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Window {
    /// That phase, by position.
    Phase(u16),
    /// The whole run.
    Run,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `<`
    Below,
    /// `<=`
    AtMost,
    /// `>`
    Above,
    /// `>=`
    AtLeast,
}

impl Op {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Below => "<",
            Self::AtMost => "<=",
            Self::Above => ">",
            Self::AtLeast => ">=",
        }
    }

    /// Whether `left` compares so with `right`; never where they cannot be compared.
    pub fn holds<T: PartialOrd>(self, left: &T, right: &T) -> bool {
        match self {
            Self::Below => left < right,
            Self::AtMost => left <= right,
            Self::Above => left > right,
            Self::AtLeast => left >= right,
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Serialize for Op {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// What a figure is held against.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// A length of time, for series of times.
    #[serde(rename = "seconds", serialize_with = "units::seconds")]
    Time(Duration),
    /// A part, in millionths: 1,000 for 0.1 %. Whole, so that what it allows of a count is exact.
    #[serde(rename = "millionths")]
    Part(u64),
    /// How many.
    Count(u64),
}

/// The millionths of a whole.
const WHOLE: u64 = 1_000_000;

impl Limit {
    /// How many of `n` are allowed by a part or a count, rounded down; `None` for the others.
    pub fn allowed_of(self, n: u64) -> Option<u64> {
        match self {
            Self::Part(millionths) => u64::try_from(u128::from(n) * u128::from(millionths) / u128::from(WHOLE)).ok(),
            Self::Count(count) => Some(count),
            Self::Time(_) => None,
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(time) => formatter.write_str(&units::show_duration(*time)),
            Self::Part(millionths) => write!(formatter, "{}%", *millionths as f64 / 10_000.0),
            Self::Count(count) => write!(formatter, "{count}"),
        }
    }
}

/// What thresholds may name.
pub(super) struct Known {
    /// The names of the workloads; empty where one has none.
    pub(super) workloads: Vec<String>,
    /// The names of the phases, and whether each is a pause.
    pub(super) phases: Vec<(String, bool)>,
    /// The judged phase.
    pub(super) judged: u16,
}

/// Reads one threshold; `None` after noting what is wrong with it.
pub(super) fn read(reader: Reader<'_>, known: &Known) -> Option<Threshold> {
    let scope = reader.text("workload").and_then(|name| scope(&reader, name, &known.workloads));
    let metric = reader.text("metric").and_then(|text| metric(&reader, text));
    let op = match reader.choice("op").map(|op| op.value) {
        Some("<") => Op::Below,
        Some(">") => Op::Above,
        Some(">=") => Op::AtLeast,
        _ => Op::AtMost,
    };
    let node = reader.limit("value");
    let value = metric.as_ref().zip(node).and_then(|(metric, node)| limit(&reader, &metric.value, node));
    let window = match (reader.text("phase"), reader.has("phase")) {
        (Some(name), _) => window(&reader, name, &known.phases),
        (None, false) => Some(Window::Phase(known.judged)),
        (None, true) => None,
    };
    let least = reader.integer("least").map(|least| least.value);
    let why = reader.text("why").map(|why| why.value.value.clone());
    reader.finish();
    let (metric_span, metric) = metric.map(|metric| (metric.span, metric.value))?;
    let least = least.unwrap_or_else(|| metric.least());
    Some(Threshold { workload: scope?, metric, op, value: value?, phase: window?, least, why, metric_span })
}

fn scope(reader: &Reader<'_>, name: Field<&Text>, workloads: &[String]) -> Option<Scope> {
    if name.value.value == "*" {
        return Some(Scope::Each);
    }
    let found = workloads.iter().position(|workload| *workload == name.value.value);
    if let Some(found) = found.and_then(|found| u16::try_from(found).ok()) {
        return Some(Scope::Workload(found));
    }
    let mut names: Vec<_> = workloads.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    names.dedup();
    if names.is_empty() {
        // That none can be read is a fault of its own, of which this is only an echo.
        return None;
    }
    let fault = Fault::new(code::THRESHOLD_WORKLOAD, format!("there is no workload `{}`", name.value.raw))
        .at(name.span, did_you_mean(&name.value.value, names.iter().copied(), "not a workload"));
    reader.note(fault.hint(format!("there are: {}; `*` for each of them", names.join(", "))));
    None
}

fn window(reader: &Reader<'_>, name: Field<&Text>, phases: &[(String, bool)]) -> Option<Window> {
    if name.value.value == "*" {
        return Some(Window::Run);
    }
    let with_rate: Vec<_> =
        phases.iter().filter(|(name, pause)| !pause && !name.is_empty()).map(|(name, _)| name.as_str()).collect();
    let found = phases.iter().position(|(phase, _)| *phase == name.value.value);
    let (message, label) = match found.and_then(|found| Some((u16::try_from(found).ok()?, phases.get(found)?))) {
        Some((found, (_, false))) => return Some(Window::Phase(found)),
        Some(_) => {
            (format!("phase `{}` is a pause: nothing in it can be judged", name.value.raw), "a pause".to_owned())
        }
        None => (
            format!("there is no phase `{}`", name.value.raw),
            did_you_mean(&name.value.value, with_rate.iter().copied(), "not a phase"),
        ),
    };
    let hint = format!("there are: {}; `*` for the whole run", with_rate.join(", "));
    reader.note(Fault::new(code::THRESHOLD_PHASE, message).at(name.span, label).hint(hint));
    None
}

fn metric(reader: &Reader<'_>, text: Field<&Text>) -> Option<Field<Metric>> {
    if let Some(value) = Metric::parse(&text.value.value) {
        return Some(Field { value, span: text.span });
    }
    let known = ["error_rate", "missed", "p50", "p90", "p95", "p99", "mean", "min", "max"];
    let fault = Fault::new(code::THRESHOLD_METRIC, format!("`{}` is not a metric", text.value.raw))
        .at(text.span, did_you_mean(&text.value.value, known, "not understood"))
        .hint("there are: error_rate, missed, and p50 … p99.999, mean, min, max over a series: p95(iteration)")
        .hint("series: iteration, response, service, response(NAME) for a named request, or a mark's name");
    reader.note(fault);
    None
}

fn limit(reader: &Reader<'_>, metric: &Metric, node: &Node) -> Option<Limit> {
    let part = |text: &str| text.strip_suffix('%').and_then(|number| number.trim().parse().ok()).and_then(percent);
    let (found, hint) = match (metric, &node.value) {
        (Metric::ErrorRate, Value::Text(text)) => (part(&text.value).map(Limit::Part), PART),
        (Metric::ErrorRate, value) => (number(value).and_then(|number| percent(number * 100.0)).map(Limit::Part), PART),
        (Metric::Missed, Value::Text(text)) => (part(&text.value).map(Limit::Part), COUNT),
        (Metric::Missed, Value::Integer(count)) => (u64::try_from(*count).ok().map(Limit::Count), COUNT),
        (Metric::Missed, _) => (None, COUNT),
        (Metric::Statistic(..), Value::Text(text)) => (units::duration(&text.value).map(Limit::Time), TIME),
        (Metric::Statistic(..), _) => (None, TIME),
    };
    if found.is_none() {
        let fault = Fault::new(code::THRESHOLD_VALUE, format!("this value does not fit `{metric}`"));
        reader.note(fault.at(node.span, "not understood").hint(hint));
    }
    found
}

const PART: &str = "a part of 1 or in per cent, with at most four decimals of a per cent: 0.001 or \"0.1%\"";
const COUNT: &str = "a whole number of arrivals, or a part of those offered: 3 or \"0.1%\"";
const TIME: &str = "a length of time with its unit: \"300ms\" or \"1s 500ms\"";

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(integer) => Some(*integer as f64),
        Value::Float(float) => Some(*float),
        _ => None,
    }
}

/// Millionths of a whole from per cent; `None` unless from 0 to 100 with at most four decimals.
fn percent(percent: f64) -> Option<u64> {
    if !(0.0..=100.0).contains(&percent) {
        return None;
    }
    let millionths = (percent * 10_000.0).round();
    // What was written in decimal comes within rounding of a whole number of millionths.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, and within 0..=1,000,000")]
    ((percent * 10_000.0 - millionths).abs() < 1e-6).then_some(millionths as u64)
}
