//! The distribution of counts, by its table alone.

use super::super::poisson::Poisson;
use super::super::rate::ONE_ARRIVAL;

/// Mean and variance of the counts with this mean, in thousandths of an arrival.
fn moments(thousandths: u64) -> (f64, f64) {
    let table = Poisson::new(u128::from(thousandths) * ONE_ARRIVAL / 1_000);
    let whole = 2_f64.powi(64);
    let mean: f64 = table.probabilities().map(|(count, weight)| count as f64 * (weight as f64 / whole)).sum();
    let square = |(count, weight): (u64, u128)| (count as f64 - mean).powi(2) * (weight as f64 / whole);
    (mean, table.probabilities().map(square).sum())
}

#[test]
fn mean_and_variance_are_the_mean() {
    for thousandths in [1, 300, 1_000, 3_000, 64_000, 1_372_500, 1_048_576_000] {
        let mean = thousandths as f64 / 1_000.0;
        let (got, variance) = moments(thousandths);
        assert!((got / mean - 1.0).abs() < 1e-6, "mean {got} instead of {mean}");
        assert!((variance / mean - 1.0).abs() < 1e-6, "variance {variance} instead of {mean}");
    }
}

#[test]
fn probabilities_are_those_of_the_formula() {
    let table = Poisson::new(3 * ONE_ARRIVAL);
    let mut expected = (-3.0_f64).exp();
    for (count, weight) in table.probabilities().take(20) {
        let probability = weight as f64 / 2_f64.powi(64);
        assert!((probability - expected).abs() < 1e-14, "{probability} of {count} instead of {expected}");
        expected *= 3.0 / (count + 1) as f64;
    }
}

#[test]
fn each_count_has_the_draws_of_its_probability() {
    let table = Poisson::new(5 * ONE_ARRIVAL);
    let mut below = 0;
    for (count, weight) in table.probabilities().filter(|&(_, weight)| weight > 0) {
        let draw = |at: u128| u64::try_from(at).expect("below 2^64");
        assert_eq!((table.count(draw(below)), table.count(draw(below + weight - 1))), (count, count));
        below += weight;
    }
    assert_eq!(below, 1 << 64);
}

#[test]
fn the_extremes_of_a_draw_have_counts() {
    for mean in [0, 1, ONE_ARRIVAL, u128::from(Poisson::HIGHEST_MEAN) * ONE_ARRIVAL] {
        let table = Poisson::new(mean);
        let (low, high) = (table.count(0), table.count(u64::MAX));
        let mean = mean as f64 / ONE_ARRIVAL as f64;
        let reach = 12.0 * mean.sqrt() + 40.0;
        assert!(low <= high && low as f64 >= mean - reach && high as f64 <= mean + reach, "{low} to {high} for {mean}");
    }
}
