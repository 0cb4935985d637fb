//! Confidence intervals of percentiles by order statistics, with exact binomial ranks.
//!
//! Of n independent samples the number at or below the true percentile p is binomial B(n, p). So the l-th and the u-th
//! smallest sample hold the percentile between them with probability P(l ≤ B < u), whatever the distribution. The
//! ranks here are two-sided at 95 %: l is the largest with P(B < l) ≤ 2.5 %, u the smallest with P(B ≥ u) ≤ 2.5 %.
//! (David and Nagaraja, Order Statistics, 3rd edition, section 7.1.)

use crate::record::Percentile;

/// The probability left out on each side.
const TAIL: f64 = 0.025;

/// Weights this much smaller than the largest are left out of the sums; together they are below the rounding of a float.
const NEGLIGIBLE: f64 = 1e-20;

/// The ranks, from 1, of the samples that bound a percentile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankInterval {
    /// Rank of the lower bound.
    pub low: u64,
    /// Rank of the upper bound.
    pub high: u64,
}

/// The 95 % interval of a percentile among `count` samples; none where `count` is too small for a two-sided one.
pub fn rank_interval(count: u64, percentile: Percentile) -> Option<RankInterval> {
    let p = percentile.share();
    if count == 0 || p >= 1.0 {
        return None;
    }
    // The weights are the binomial probabilities over that of the mode, by the ratio of neighbours. No logarithms of
    // factorials, so nothing is lost however large the count is; about 20 standard deviations are visited.
    let odds = p / (1.0 - p);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and count")]
    let mode = (((count as f64) + 1.0) * p).floor().min(count as f64) as u64;
    let mut below = Vec::new();
    let (mut k, mut weight) = (mode, 1.0);
    while k > 0 && weight > NEGLIGIBLE {
        weight *= k as f64 / ((count - k + 1) as f64 * odds);
        k -= 1;
        below.push(weight);
    }
    let lowest = k;
    let mut above = Vec::new();
    (k, weight) = (mode, 1.0);
    while k < count && weight > NEGLIGIBLE {
        weight *= (count - k) as f64 * odds / (k + 1) as f64;
        k += 1;
        above.push(weight);
    }
    let highest = k;
    // Small ones first, for the sake of rounding.
    let total = below.iter().rev().sum::<f64>() + above.iter().rev().sum::<f64>() + 1.0;
    let rising = below.iter().rev().chain(std::iter::once(&1.0)).chain(&above);
    let falling = above.iter().rev().chain(std::iter::once(&1.0)).chain(&below);
    let low = lowest + within_tail(rising, total);
    let high = highest + 1 - within_tail(falling, total);
    // The mode is within neither tail, so low is at most high; a rank of 0 or past the count is no sample.
    (low > 0 && high <= count).then_some(RankInterval { low, high })
}

/// How many weights from the start of a tail add up to no more than it may hold.
fn within_tail<'a>(weights: impl Iterator<Item = &'a f64>, total: f64) -> u64 {
    let mut sum = 0.0;
    let mut steps = 0;
    for weight in weights {
        sum += weight;
        if sum > TAIL * total {
            break;
        }
        steps += 1;
    }
    steps
}

/// The least count for which [`rank_interval`] gives one: the smallest n with max(p, 1 − p)^n ≤ 2.5 %. None for the
/// maximum, which has no upper bound at any count.
pub fn least_count(percentile: Percentile) -> Option<u64> {
    let p = percentile.share();
    if p >= 1.0 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number")]
    let count = (TAIL.ln() / p.max(1.0 - p).ln()).ceil() as u64;
    Some(count)
}
