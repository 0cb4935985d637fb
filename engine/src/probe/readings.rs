//! What a probe has read.

use std::collections::BTreeMap;
use std::time::Duration;

/// The most readings that are kept: with one a second, most of a day.
const MOST_KEPT: usize = 50_000;

/// All that one probe read in a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Readings {
    /// Each series, in the order of the scenario.
    pub series: Vec<SeriesReadings>,
    /// Readings that came to something.
    pub read: u64,
    /// Readings that failed, by what was said.
    pub failures: BTreeMap<String, u64>,
}

/// What was read of one series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeriesReadings {
    /// The last value before the load.
    pub before: Option<f64>,
    /// The largest value from the start of the load to the end of its drain, and when it was first seen.
    pub peak: Option<Sample>,
    /// The value after the load and its drain.
    pub after: Option<f64>,
    /// All of it, oldest first; at most 50,000.
    pub samples: Vec<Sample>,
}

/// One value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// After the start of the schedule; zero for the one before.
    pub at: Duration,
    /// The value.
    pub value: f64,
}

/// When a reading was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    Before,
    During(Duration),
    After(Duration),
}

impl Readings {
    /// Nothing read yet of so many series.
    pub(super) fn new(series: usize) -> Self {
        Self { series: vec![SeriesReadings::default(); series], ..Self::default() }
    }

    /// Takes what one reading came to.
    pub(super) fn add(&mut self, when: When, values: Result<Vec<Option<f64>>, String>) {
        let values = match values {
            Ok(values) => values,
            Err(failure) => {
                *self.failures.entry(failure).or_insert(0) += 1;
                return;
            }
        };
        self.read += 1;
        for (series, value) in self.series.iter_mut().zip(values) {
            if let Some(value) = value.filter(|value| value.is_finite()) {
                series.add(when, value);
            }
        }
    }
}

impl SeriesReadings {
    fn add(&mut self, when: When, value: f64) {
        let at = match when {
            When::Before => {
                self.before = Some(value);
                Duration::ZERO
            }
            When::During(at) => at,
            When::After(at) => {
                self.after = Some(value);
                at
            }
        };
        let sample = Sample { at, value };
        if when != When::Before && self.peak.is_none_or(|peak| value > peak.value) {
            self.peak = Some(sample);
        }
        if self.samples.len() < MOST_KEPT {
            self.samples.push(sample);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn before_peak_and_after_are_kept_apart_and_failures_counted() {
        let mut readings = Readings::new(2);
        let second = Duration::from_secs;
        readings.add(When::Before, Ok(vec![Some(9.0), None]));
        readings.add(When::During(second(1)), Ok(vec![Some(2.0), None]));
        readings.add(When::During(second(2)), Err("timeout_total".to_owned()));
        readings.add(When::During(second(3)), Ok(vec![Some(5.0), Some(f64::NAN)]));
        readings.add(When::During(second(4)), Ok(vec![Some(5.0), None]));
        readings.add(When::After(second(9)), Ok(vec![Some(1.0), None]));
        let first = &readings.series[0];
        assert_eq!((first.before, first.after), (Some(9.0), Some(1.0)));
        assert_eq!(first.peak, Some(Sample { at: second(3), value: 5.0 }));
        assert_eq!(first.samples.len(), 5);
        assert_eq!(readings.series[1], SeriesReadings::default());
        assert_eq!((readings.read, readings.failures.get("timeout_total")), (5, Some(&1)));
    }
}
