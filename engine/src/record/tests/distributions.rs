//! Percentiles, histograms and their bounds.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::super::{Buckets, Distribution, EXACT_SAMPLES, Percentile, RANGE_END_NS, Values};
use super::support::MS;

/// Fixed inputs, the same on every machine.
pub(super) fn fixed(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(20_261_130),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn of(values: impl IntoIterator<Item = u64>) -> Distribution {
    let mut distribution = Distribution::default();
    for value in values {
        distribution.record(value);
    }
    distribution
}

fn p(percent: f64) -> Percentile {
    Percentile::new(percent).expect("a percentile")
}

#[test]
fn a_rank_is_the_ceiling_of_its_share_of_the_count() {
    let cases = [(99.0, 200, 198), (50.0, 1, 1), (50.0, 2, 1), (50.0, 3, 2), (99.9, 1_000, 999), (99.9, 1_001, 1_000)];
    for (percent, count, rank) in cases {
        assert_eq!(p(percent).rank(count), rank, "p{percent} of {count}");
    }
    assert_eq!(Percentile::P99.rank(0), 0);
    assert_eq!(Percentile::MAX.rank(7), 7);
}

#[test]
fn ranks_of_billions_of_samples_do_not_overflow() {
    assert_eq!(Percentile::P99.rank(25_000_000), 24_750_000);
    assert_eq!(Percentile::P99.rank(5_000_000_000), 4_950_000_000);
    assert_eq!(Percentile::MAX.rank(u64::MAX), u64::MAX);
}

#[test]
fn a_percentile_is_above_0_and_at_most_100() {
    assert_eq!([0.0, -1.0, 100.001, f64::NAN, 0.0001].map(Percentile::new), [None; 5]);
    assert_eq!(p(99.9).to_string(), "p99.9");
    assert_eq!(p(95.0), Percentile::P95);
}

#[test]
fn nothing_recorded_has_no_figures() {
    let empty = Distribution::default();
    assert_eq!((empty.count(), empty.min(), empty.max(), empty.mean()), (0, None, None, None));
    assert_eq!(empty.percentile(Percentile::P50), None);
    let values = Values::default();
    assert_eq!(
        (values.count(), values.min(), values.mean(), values.percentile(Percentile::MAX)),
        (0, None, None, None)
    );
}

#[test]
fn ten_thousand_samples_are_exact_and_one_more_is_not() {
    let mut distribution = of(1..=EXACT_SAMPLES);
    assert!(distribution.is_exact());
    assert_eq!(distribution.percentile(Percentile::P99), Some(9_900));
    distribution.record(EXACT_SAMPLES + 1);
    assert!(!distribution.is_exact());
    assert_eq!((distribution.min(), distribution.max()), (Some(1), Some(10_001)));
    assert_eq!(distribution.mean(), Some(5_001.0), "the mean stays exact");
}

#[test]
fn samples_beyond_an_hour_are_counted_and_a_percentile_among_them_is_the_maximum() {
    let mut distribution = of((0..20_000).map(|_| MS));
    distribution.record_weighted(2 * RANGE_END_NS, 1_000);
    distribution.record(3 * RANGE_END_NS);
    assert_eq!(distribution.beyond(), 1_001);
    assert_eq!(distribution.percentile(Percentile::P99), Some(3 * RANGE_END_NS));
    assert_eq!(distribution.buckets().0.iter().sum::<u64>(), 21_001);
    assert_eq!(of([RANGE_END_NS]).beyond(), 0);
    assert_eq!(of([RANGE_END_NS + 1]).beyond(), 1);
}

#[test]
fn a_weight_counts_as_so_many_samples() {
    let mut distribution = Distribution::default();
    distribution.record_weighted(5, 0);
    assert_eq!(distribution.count(), 0);
    distribution.record_weighted(5, 3);
    distribution.record(50);
    assert_eq!((distribution.count(), distribution.sum()), (4, 65));
    assert_eq!(distribution.percentile(Percentile::P50), Some(5));
    distribution.record_weighted(7, u64::from(u32::MAX));
    assert_eq!(distribution.percentile(Percentile::P50), Some(7));
}

#[test]
fn microseconds_keep_three_digits_in_the_histogram() {
    let mut distribution = of((0..EXACT_SAMPLES).map(|_| 1_234));
    distribution.record(45_678);
    assert!(!distribution.is_exact());
    assert_eq!(distribution.percentile(Percentile::P50), Some(1_234));
    let p100 = distribution.percentile(Percentile::MAX).expect("a maximum");
    assert_eq!(p100, 45_678);
}

#[test]
fn fixed_buckets_include_their_upper_bound() {
    let buckets = of([0, MS, MS + 1, 2 * MS, 5 * MS, 10_000 * MS, 10_000 * MS + 1]).buckets();
    assert_eq!(buckets, Buckets([2, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]));
}

#[test]
fn values_out_of_range_are_refused() {
    let mut values = Values::default();
    for refused in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.001, 1e300] {
        assert!(!values.record(refused), "{refused}");
    }
    assert!(values.record(0.012_3) && values.record(-0.0) && values.record(9_007_199_254_740_992.0));
    assert_eq!((values.count(), values.percentile(Percentile::P50)), (3, Some(0.012_3)));
}

/// Times from a nanosecond to beyond the range, spread over all magnitudes.
fn any_time() -> impl Strategy<Value = u64> {
    (0_u32..43, any::<u64>()).prop_map(|(bits, value)| value & ((1 << bits) - 1))
}

proptest! {
    #![proptest_config(fixed(64))]

    #[test]
    fn percentiles_are_those_of_a_sort(values in prop::collection::vec(any_time(), 1..400), thousandths in 1_u64..=100_000) {
        let percentile = p(thousandths as f64 / 1_000.0);
        let mut sorted = values.clone();
        sorted.sort_unstable();
        let rank = (u128::from(thousandths) * sorted.len() as u128).div_ceil(100_000);
        let expected = sorted[usize::try_from(rank).expect("a small rank") - 1];
        prop_assert_eq!(of(values).percentile(percentile), Some(expected));
    }

    #[test]
    fn buckets_are_those_of_a_count(values in prop::collection::vec(any_time(), 1..400)) {
        let mut expected = Buckets::default();
        for &value in &values {
            expected.record(value, 1);
        }
        prop_assert_eq!(of(values.iter().copied()).buckets(), expected);
    }
}

proptest! {
    #![proptest_config(fixed(8))]

    #[test]
    fn beyond_ten_thousand_percentiles_are_within_a_thousandth_of_a_sort(
        values in prop::collection::vec(any_time(), 10_001..12_000),
    ) {
        let distribution = of(values.iter().copied());
        let mut sorted = values;
        sorted.sort_unstable();
        let ranked = distribution.ranked();
        let mut before = 0;
        for thousandths in (1_000..=100_000).step_by(500) {
            let percentile = p(f64::from(thousandths) / 1_000.0);
            let rank = usize::try_from(percentile.rank(sorted.len() as u64)).expect("a small rank");
            let (exact, shown) = (sorted[rank - 1], ranked.percentile(percentile).expect("a value"));
            if exact <= RANGE_END_NS {
                prop_assert!(shown.abs_diff(exact) as f64 <= exact as f64 / 1_000.0, "{shown} for {exact}");
            }
            prop_assert!(shown >= before, "monotone");
            before = shown;
        }
        prop_assert!(Some(before) <= distribution.max() && ranked.at(1) >= distribution.min());
    }

    #[test]
    fn observed_values_keep_three_digits(values in prop::collection::vec(0.0_f64..1e9, 10_001..11_000)) {
        let mut distribution = Values::default();
        for &value in &values {
            prop_assert!(distribution.record(value));
        }
        let mut sorted = values;
        sorted.sort_unstable_by(f64::total_cmp);
        for percentile in [Percentile::P50, Percentile::P99, Percentile::MAX] {
            let exact = sorted[usize::try_from(percentile.rank(sorted.len() as u64)).expect("a small rank") - 1];
            let shown = distribution.percentile(percentile).expect("a value");
            prop_assert!((shown - exact).abs() <= exact / 1_000.0, "{} for {}", shown, exact);
        }
    }
}
