//! Distributions of times, in room that does not grow.

use hdrhistogram::Histogram;
use serde::Serialize;

/// The longest time that is told apart: an hour, in nanoseconds.
const MOST_NS: u64 = 3_600_000_000_000;

/// Times in nanoseconds, to three significant digits.
#[derive(Debug)]
pub(crate) struct Times(Histogram<u64>);

/// What is said of times: in microseconds, by the nearest rank. None where there is no time.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct Figures {
    pub(crate) count: u64,
    pub(crate) p50_us: Option<f64>,
    pub(crate) p90_us: Option<f64>,
    pub(crate) p99_us: Option<f64>,
    pub(crate) max_us: Option<f64>,
}

impl Times {
    pub(crate) fn new() -> Self {
        // Cannot fail: three digits over this range.
        Self(Histogram::new_with_bounds(1, MOST_NS, 3).unwrap_or_else(|error| unreachable!("{error}")))
    }

    /// One more; those beyond the range count as its end.
    pub(crate) fn record(&mut self, ns: u64) {
        self.0.saturating_record(ns);
    }

    pub(crate) fn figures(&self) -> Figures {
        let any = !self.0.is_empty();
        let us = |ns: u64| any.then_some(ns as f64 / 1e3);
        let at = |quantile| us(self.0.value_at_quantile(quantile).min(self.0.max()));
        Figures { count: self.0.len(), p50_us: at(0.5), p90_us: at(0.9), p99_us: at(0.99), max_us: us(self.0.max()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_times_have_their_ranks_to_three_digits() {
        let mut times = Times::new();
        (1..=1_000).for_each(|us| times.record(us * 1_000));
        let figures = times.figures();
        let near = |figure: Option<f64>, us: f64| figure.is_some_and(|figure| (figure - us).abs() <= us / 1e3);
        assert_eq!(figures.count, 1_000);
        assert!(near(figures.p50_us, 500.0) && near(figures.p90_us, 900.0), "{figures:?}");
        assert!(near(figures.p99_us, 990.0) && near(figures.max_us, 1_000.0), "{figures:?}");
    }

    #[test]
    fn no_time_has_no_figures() {
        assert_eq!(
            Times::new().figures(),
            Figures { count: 0, p50_us: None, p90_us: None, p99_us: None, max_us: None }
        );
    }
}
