//! What is asked of the target, and what came of it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Quantity;
use crate::record::Percentile;

/// A threshold, resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    /// Position of the workload it judges; all of them together where absent.
    pub workload: Option<usize>,
    /// The time it judges.
    pub scope: Scope,
    /// The figure it judges.
    pub measure: Measure,
    /// How the figure must compare to the limit.
    pub op: Op,
    /// The limit: milliseconds for times, a share from 0 to 1 for `error_rate` and `missed`.
    pub limit: f64,
    /// The least count of samples below which it is not measured; at least 1. Where absent, 20 for times and 1 for
    /// shares.
    pub least: Option<u64>,
    /// Why it is set, for the report.
    pub why: Option<String>,
}

/// Over which time a threshold judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The judged phase.
    Judged,
    /// The phase at that position.
    Phase(usize),
    /// All phases together.
    Run,
}

/// What a threshold judges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measure {
    /// (failed + abandoned) ÷ (started − lost).
    ErrorRate,
    /// Missed ÷ offered.
    Missed,
    /// How many were missed.
    MissedCount,
    /// A statistic of a series of times.
    Time(TimeSeries, Statistic),
}

/// A series of times that thresholds may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimeSeries {
    /// Iteration times.
    Iteration,
    /// Response times.
    Response,
    /// Service times.
    Service,
    /// Response times of one named request.
    ResponseOf(String),
    /// A mark of the plugin.
    Mark(String),
}

/// A statistic of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// A percentile by nearest rank.
    Percentile(Percentile),
    /// The arithmetic mean.
    Mean,
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

/// How a figure must compare to its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Op {
    /// Below the limit.
    #[serde(rename = "<")]
    Below,
    /// At most the limit.
    #[serde(rename = "<=")]
    AtMost,
    /// Above the limit.
    #[serde(rename = ">")]
    Above,
    /// At least the limit.
    #[serde(rename = ">=")]
    AtLeast,
}

impl Op {
    /// Whether `value` compares to `limit` as it must.
    pub fn holds(self, value: f64, limit: f64) -> bool {
        match self {
            Self::Below => value < limit,
            Self::AtMost => value <= limit,
            Self::Above => value > limit,
            Self::AtLeast => value >= limit,
        }
    }

    /// Whether it sets a limit from above.
    pub fn is_upper(self) -> bool {
        matches!(self, Self::Below | Self::AtMost)
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Below => "<",
            Self::AtMost => "<=",
            Self::Above => ">",
            Self::AtLeast => ">=",
        })
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Percentile(percentile) => percentile.fmt(f),
            Self::Mean => f.write_str("mean"),
            Self::Min => f.write_str("min"),
            Self::Max => f.write_str("max"),
        }
    }
}

impl fmt::Display for TimeSeries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Iteration => f.write_str("iteration"),
            Self::Response => f.write_str("response"),
            Self::Service => f.write_str("service"),
            Self::ResponseOf(name) => write!(f, "response({name})"),
            Self::Mark(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ErrorRate => f.write_str("error_rate"),
            Self::Missed | Self::MissedCount => f.write_str("missed"),
            Self::Time(series, statistic) => write!(f, "{statistic} {series}"),
        }
    }
}

/// What came of a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThresholdVerdict {
    /// The figure compares as it must.
    Pass,
    /// It does not.
    Fail,
    /// Too few samples, or samples that do not decide it.
    NotMeasured,
}

impl fmt::Display for ThresholdVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::NotMeasured => "not measured",
        })
    }
}

/// A confidence interval in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Its lower bound.
    pub low_ms: f64,
    /// Its upper bound.
    pub high_ms: f64,
}

/// A threshold or standing rule with the figure it was held against.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThresholdResult {
    /// Name of the workload; null for all of them together.
    pub workload: Option<String>,
    /// Name of the phase; null for the whole run.
    pub phase: Option<String>,
    /// What is judged, such as `p95 iteration`, `error_rate` or `missed`.
    pub measure: String,
    /// How the figure must compare to the limit.
    pub op: Op,
    /// The limit.
    pub limit: Quantity,
    /// The figure; null without samples.
    pub figure: Option<Quantity>,
    /// Whether the figure is a lower bound, because time-outs and abandonment censor it.
    pub at_least: bool,
    /// The number of samples, or what a share is a share of.
    pub count: u64,
    /// The least count below which it is not measured.
    pub least: u64,
    /// For a share: how many failed or were missed.
    pub hits: Option<u64>,
    /// For a share with an upper limit: how many may, at this count.
    pub allowed: Option<u64>,
    /// For a percentile: its 95 % confidence interval by order statistics; null where none exists.
    pub interval: Option<Interval>,
    /// What came of it.
    pub verdict: ThresholdVerdict,
    /// What there is to know about it.
    pub note: Option<String>,
    /// Why it was set.
    pub why: Option<String>,
    /// Whether it holds for every run unless a threshold says otherwise.
    pub standing: bool,
}
