//! Ranks where there are very many samples, and what nearest rank means, by its definition.

use proptest::prelude::*;

use super::super::{Distribution, EXACT_SAMPLES, Percentile};
use super::distributions::fixed;

fn thousandths(thousandths: u32) -> Percentile {
    Percentile::from_thousandths(thousandths).expect("a percentile")
}

/// `each` samples of every whole number of nanoseconds from 1 to 100. The histogram tells all of these apart.
fn hundred(each: u64) -> Distribution {
    let mut distribution = Distribution::default();
    for value in 1..=100 {
        distribution.record_weighted(value, each);
    }
    distribution
}

/// Case N5: 25 million samples times 99 overflowed a rank of 32 bits.
#[test]
fn each_of_99_percentiles_of_25_million_samples_is_found() {
    // Also where not even the count has room in 32 bits, and where count times percentile has none in 64.
    for each in [250_000, 50_000_000_000, 1 << 57] {
        let distribution = hundred(each);
        assert_eq!((distribution.count(), distribution.is_exact()), (100 * each, false));
        let ranked = distribution.ranked();
        for percent in 1..=99 {
            let value = u64::from(percent);
            // The last sample of a value is that of its percentile, and the next one belongs to the next value.
            assert_eq!(ranked.percentile(thousandths(percent * 1_000)), Some(value), "p{percent} of {each}");
            assert_eq!(ranked.percentile(thousandths(percent * 1_000 + 1)), Some(value + 1), "past p{percent}");
            assert_eq!((ranked.at(value * each), ranked.at(value * each + 1)), (Some(value), Some(value + 1)));
        }
        assert_eq!((ranked.at(0), ranked.at(100 * each + 1)), (None, None));
    }
}

#[test]
fn merging_very_many_samples_keeps_their_ranks() {
    let mut merged = hundred(1 << 40);
    merged.merge(&hundred(3 << 40));
    let whole = hundred(1 << 42);
    assert_eq!((merged.count(), merged.sum()), (whole.count(), whole.sum()));
    for percent in 1..=100 {
        let percentile = thousandths(percent * 1_000);
        assert_eq!(merged.percentile(percentile), whole.percentile(percentile), "{percentile}");
    }
}

proptest! {
    #![proptest_config(fixed(512))]

    /// The nearest rank is the least one up to which at least that share of all samples lies.
    #[test]
    fn a_rank_is_the_least_that_holds_its_share(part in 1_u32..=100_000, count in prop_oneof![1..100_000_u64, any::<u64>()]) {
        let rank = thousandths(part).rank(count);
        let holds = |rank: u64| u128::from(rank) * 100_000 >= u128::from(part) * u128::from(count);
        prop_assert!(rank <= count && holds(rank), "{rank} of {count}");
        prop_assert!(rank == 0 || !holds(rank - 1), "{rank} of {count}");
        prop_assert_eq!(rank == 0, count == 0);
    }

    /// Whatever the samples and their weights: the same as a sort of as many samples without.
    #[test]
    fn weighted_samples_are_ranked_as_so_many_of_a_sort(
        samples in prop::collection::vec((0_u64..2_000, 0_u32..40), 1..600),
        part in 1_u32..=100_000,
    ) {
        let mut distribution = Distribution::default();
        let mut sorted = Vec::new();
        for &(value, weight) in &samples {
            distribution.record_weighted(value, weight.into());
            sorted.extend((0..weight).map(|_| value));
        }
        sorted.sort_unstable();
        prop_assert_eq!(distribution.count(), sorted.len() as u64);
        prop_assert_eq!(distribution.is_exact(), distribution.count() <= EXACT_SAMPLES);
        let rank = (u64::from(part) * sorted.len() as u64).div_ceil(100_000);
        let expected = usize::try_from(rank).ok().and_then(|rank| sorted.get(rank.checked_sub(1)?)).copied();
        // Below 2 µs each nanosecond has a bucket, so that the histogram is exact as well.
        prop_assert_eq!(distribution.percentile(thousandths(part)), expected);
    }
}
