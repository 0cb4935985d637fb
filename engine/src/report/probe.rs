//! What probes have read: as `result.json` has it, and as a table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::table::{NONE, code, plain, table as set};
use crate::verdict::{grouped, significant};

/// What one probe has read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeResult {
    /// Its name.
    pub probe: String,
    /// Readings that came to something.
    pub readings: u64,
    /// Readings that did not, by what was said.
    pub failures: Vec<ProbeFailure>,
    /// Each series.
    pub series: Vec<ProbeSeries>,
}

/// A way in which readings failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeFailure {
    /// What was said.
    pub failure: String,
    /// How often.
    pub count: u64,
}

/// What was read of one series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeSeries {
    /// The series, as the scenario has it. Where several fit, their sum was read.
    pub series: String,
    /// The value before the load; null where there was none.
    pub before: Option<f64>,
    /// The largest value during the load and its drain, where it was first seen.
    pub peak: Option<ProbeSample>,
    /// The phase of the peak; `drain` after the last one.
    pub peak_phase: Option<String>,
    /// The value after the load and its drain.
    pub after: Option<f64>,
    /// All values, oldest first.
    pub samples: Vec<ProbeSample>,
}

/// One value of a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeSample {
    /// Seconds after the start of the schedule; 0 for the one before.
    pub at_s: f64,
    /// The value.
    pub value: f64,
}

/// What probes read; empty where there are none.
pub(super) fn table(probes: &[ProbeResult]) -> String {
    let value = |value: Option<f64>| value.map_or_else(|| NONE.to_owned(), figure);
    let mut rows = Vec::new();
    for probe in probes {
        for series in &probe.series {
            let when = series.peak.as_ref().map_or_else(String::new, |peak| {
                let phase = series.peak_phase.as_deref().map(plain).unwrap_or_default();
                format!("{phase}, at {} s", significant(peak.at_s))
            });
            let change = series.before.zip(series.after).map(|(before, after)| after - before);
            rows.push(vec![
                plain(&probe.probe),
                code(&series.series),
                value(series.before),
                value(series.peak.as_ref().map(|peak| peak.value)),
                value(series.after),
                value(change),
                when,
            ]);
        }
    }
    if rows.is_empty() {
        String::new()
    } else {
        set(2, &["probe", "series", "before", "peak", "after", "after − before", "first at its peak"], rows)
    }
}

/// Counts as whole numbers, the rest to three digits.
fn figure(value: f64) -> String {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number below 2^53")]
        let whole = grouped(value.abs() as u64);
        return if value < 0.0 { format!("-{whole}") } else { whole };
    }
    significant(value)
}

/// What of the probes could not be read.
pub(super) fn failures(probes: &[ProbeResult]) -> Vec<String> {
    let mut lines = Vec::new();
    for probe in probes {
        let failed: u64 = probe.failures.iter().map(|failure| failure.count).sum();
        for failure in &probe.failures {
            lines.push(format!(
                "{}: {} of {} readings failed: {}",
                plain(&probe.probe),
                grouped(failure.count),
                grouped(probe.readings + failed),
                plain(&failure.failure)
            ));
        }
        for series in probe.series.iter().filter(|series| series.samples.is_empty() && probe.readings > 0) {
            lines.push(format!("{}: no sample of {} in any reading", plain(&probe.probe), code(&series.series)));
        }
    }
    lines
}
