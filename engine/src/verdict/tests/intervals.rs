//! Confidence intervals of percentiles.

use super::super::{RankInterval, least_count, rank_interval};
use crate::record::Percentile;

#[test]
fn p95_needs_72_samples_p99_368_and_p99_9_3688() {
    let p999 = Percentile::new(99.9).expect("a percentile");
    for (percentile, least) in [(Percentile::P95, 72), (Percentile::P99, 368), (p999, 3_688), (Percentile::P50, 6)] {
        assert_eq!(least_count(percentile), Some(least));
        assert_eq!(rank_interval(least - 1, percentile), None, "{percentile} of {}", least - 1);
        assert!(rank_interval(least, percentile).is_some(), "{percentile} of {least}");
    }
}

#[test]
fn there_is_none_for_the_maximum_or_without_samples() {
    assert_eq!(least_count(Percentile::MAX), None);
    assert_eq!(rank_interval(1_000_000, Percentile::MAX), None);
    assert_eq!(rank_interval(0, Percentile::P50), None);
}

#[test]
fn a_low_percentile_needs_samples_below_it() {
    let p5 = Percentile::new(5.0).expect("a percentile");
    assert_eq!((rank_interval(71, p5), least_count(p5)), (None, Some(72)));
    assert_eq!(rank_interval(72, p5).map(|ranks| ranks.low), Some(1));
}

/// P(B ≤ k) of B(n, p) by summing every term in logarithms: slow, and by another way than the code.
fn cumulative(n: u64, p: f64, k: u64) -> f64 {
    let mut ln_choose = 0.0;
    let mut sum = 0.0;
    for i in 0..=k {
        sum += (ln_choose + i as f64 * p.ln() + (n - i) as f64 * (1.0 - p).ln()).exp();
        ln_choose += ((n - i) as f64).ln() - ((i + 1) as f64).ln();
    }
    sum
}

#[test]
fn the_ranks_are_the_tightest_that_leave_at_most_2_5_percent_on_each_side() {
    for percentile in [Percentile::P50, Percentile::P90, Percentile::P95, Percentile::P99] {
        for n in [6, 20, 72, 100, 368, 973, 5_000] {
            let p = percentile.share();
            let Some(RankInterval { low, high }) = rank_interval(n, percentile) else {
                assert!(least_count(percentile) > Some(n));
                continue;
            };
            assert!(cumulative(n, p, low - 1) <= 0.025 && cumulative(n, p, low) > 0.025, "{percentile} of {n}");
            let above = |rank: u64| 1.0 - cumulative(n, p, rank - 1);
            assert!(above(high) <= 0.025 && above(high - 1) > 0.025, "{percentile} of {n}");
        }
    }
}

#[test]
fn known_ranks_are_found() {
    // 100 samples: the median lies between the 40th and the 61st (tables of the sign test).
    assert_eq!(rank_interval(100, Percentile::P50), Some(RankInterval { low: 40, high: 61 }));
}

#[test]
fn a_billion_samples_are_no_problem() {
    let ranks = rank_interval(1_000_000_000, Percentile::P99).expect("ranks");
    // Ten million above, with a standard deviation of 3,146: 1.96 of them to each side.
    let width = (ranks.high - ranks.low) as f64;
    assert!((width - 2.0 * 1.959_96 * 3_146.4).abs() < 3.0, "{width}");
    assert!(ranks.low < 990_000_000 && 990_000_000 < ranks.high);
}
