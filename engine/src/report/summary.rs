//! Distributions, summed up.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::record::{BUCKET_BOUNDS_MS, Buckets, Counts, Distribution, Percentile, Values};

/// A distribution of times. All null where there are no samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// How many samples there are.
    pub count: u64,
    /// Whether percentiles are exact: up to 10,000 samples. Beyond, they are of three significant digits.
    pub exact: bool,
    /// Samples longer than one hour, past the range in which percentiles are resolved.
    pub beyond_range: u64,
    /// The smallest.
    pub min_ms: Option<f64>,
    /// The arithmetic mean.
    pub mean_ms: Option<f64>,
    /// The median, by nearest rank as all percentiles.
    pub p50_ms: Option<f64>,
    /// 90th percentile.
    pub p90_ms: Option<f64>,
    /// 95th percentile.
    pub p95_ms: Option<f64>,
    /// 99th percentile.
    pub p99_ms: Option<f64>,
    /// The largest.
    pub max_ms: Option<f64>,
    /// Which of these are lower bounds only, since time-outs and abandonment censor them: `mean`, and from the first of
    /// `p50`, `p90`, `p95`, `p99` and `max` on.
    pub at_least: Vec<String>,
}

/// The figures of a [`Summary`] that censoring may turn into lower bounds.
const CENSORED: [(&str, Percentile); 5] = [
    ("p50", Percentile::P50),
    ("p90", Percentile::P90),
    ("p95", Percentile::P95),
    ("p99", Percentile::P99),
    ("max", Percentile::MAX),
];

impl Summary {
    /// Sums up times that nothing censors.
    pub fn of(times: &Distribution) -> Self {
        let ranked = times.ranked();
        let at = |percentile| ranked.percentile(percentile).map(|value| value as f64 / 1e6);
        Self {
            count: times.count(),
            exact: times.is_exact(),
            beyond_range: times.beyond(),
            min_ms: times.min().map(|value| value as f64 / 1e6),
            mean_ms: times.mean().map(|value| value / 1e6),
            p50_ms: at(Percentile::P50),
            p90_ms: at(Percentile::P90),
            p95_ms: at(Percentile::P95),
            p99_ms: at(Percentile::P99),
            max_ms: times.max().map(|value| value as f64 / 1e6),
            at_least: Vec::new(),
        }
    }

    /// Sums up times of iterations that were ok, where others were cut off.
    pub fn censored(times: &Distribution, counts: &Counts) -> Self {
        let (cut, finished) = (counts.censored(), counts.ok + counts.censored());
        let mut summary = Self::of(times);
        if times.count() > 0 {
            let bounds = CENSORED.iter().filter(|(_, percentile)| percentile.is_within_upper(cut, finished));
            let mean = (cut > 0).then(|| "mean".to_owned());
            summary.at_least = mean.into_iter().chain(bounds.map(|&(name, _)| name.to_owned())).collect();
        }
        summary
    }

    /// Whether a figure is a lower bound only.
    pub fn is_at_least(&self, figure: &str) -> bool {
        self.at_least.iter().any(|name| name == figure)
    }
}

/// A distribution of values. All null where there are none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ValueSummary {
    /// How many values there are.
    pub count: u64,
    /// Whether percentiles are exact: up to 10,000 values. Beyond, they are of three significant digits.
    pub exact: bool,
    /// The sum.
    pub sum: f64,
    /// The smallest.
    pub min: Option<f64>,
    /// The arithmetic mean.
    pub mean: Option<f64>,
    /// The median.
    pub p50: Option<f64>,
    /// 90th percentile.
    pub p90: Option<f64>,
    /// 95th percentile.
    pub p95: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// The largest.
    pub max: Option<f64>,
}

impl ValueSummary {
    /// Sums up values.
    pub fn of(values: &Values) -> Self {
        Self {
            count: values.count(),
            exact: values.is_exact(),
            sum: values.sum(),
            min: values.min(),
            mean: values.mean(),
            p50: values.percentile(Percentile::P50),
            p90: values.percentile(Percentile::P90),
            p95: values.percentile(Percentile::P95),
            p99: values.percentile(Percentile::P99),
            max: values.max(),
        }
    }
}

/// A bucket of the histogram with fixed bounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bucket {
    /// Its upper bound, included; null for the last, which has none. Its lower bound is the upper one before.
    pub up_to_ms: Option<u64>,
    /// How many samples are in it. Exact.
    pub count: u64,
}

impl Bucket {
    /// All buckets in order.
    pub(super) fn all(buckets: &Buckets) -> Vec<Self> {
        let bounds = BUCKET_BOUNDS_MS.iter().copied().map(Some).chain([None]);
        bounds.zip(buckets.0).map(|(up_to_ms, count)| Self { up_to_ms, count }).collect()
    }
}
