//! The mix: which workload each arrival is of.

use super::rate::millionths;

/// 2⁶⁴ × (√5 − 1) ÷ 2, rounded to odd: its multiples fill the range of 64 bits as evenly as any number's.
pub(super) const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// A workload's share of the arrivals: a positive number, exact to a millionth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Weight(u64);

impl Weight {
    /// The weight of which `value` is the nearest `f64`; `None` unless it is above 0, at most 10⁹, and has at most six
    /// decimals.
    pub fn new(value: f64) -> Option<Self> {
        millionths(value).filter(|&millionths| millionths > 0).map(Self)
    }
}

/// Draws workloads in proportion to their weights, by a low-discrepancy sequence.
///
/// Arrival k draws x = k × 0x9E3779B97F4A7C15 mod 2⁶⁴; the workloads divide the range of x among themselves in order.
/// Not random: any stretch of arrivals, however short, has nearly its fair share of each workload, and the same in
/// every run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mix {
    /// Where the part of each workload but the last ends, rising.
    bounds: Vec<u64>,
}

/// Why there is no mix of these weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MixError {
    /// There are no workloads.
    #[error("no workload")]
    Empty,
    /// Workloads are numbered in 16 bits.
    #[error("more than 65,535 workloads")]
    TooMany,
}

impl Mix {
    /// The mix of these weights, in order.
    ///
    /// # Errors
    /// Where there are none, or more than can be numbered.
    pub fn new(weights: &[Weight]) -> Result<Self, MixError> {
        if weights.len() > usize::from(u16::MAX) {
            return Err(MixError::TooMany);
        }
        let total: u128 = weights.iter().map(|weight| u128::from(weight.0)).sum();
        let Some((_, all_but_last)) = weights.split_last() else { return Err(MixError::Empty) };
        let mut below = 0_u128;
        let bounds = all_but_last
            .iter()
            .map(|weight| {
                below += u128::from(weight.0);
                // Below 2^64, since the last weight is not in it: `below` < `total` ≤ 2^66.
                u64::try_from(scale(below, total)).unwrap_or(u64::MAX)
            })
            .collect();
        Ok(Self { bounds })
    }

    /// The number of workloads.
    pub fn workloads(&self) -> usize {
        self.bounds.len() + 1
    }

    /// The workload of arrival `k`.
    #[inline]
    pub fn pick(&self, k: u64) -> u16 {
        let x = k.wrapping_mul(GOLDEN);
        // Mixes are short: counting without a branch beats a search.
        self.bounds.iter().map(|&bound| u16::from(x >= bound)).sum()
    }

    /// How many of the arrivals 0 to `n` − 1 are of each workload.
    pub(super) fn counts_before(&self, n: u64) -> Vec<u64> {
        let mut counts = Vec::with_capacity(self.workloads());
        let mut below = 0;
        for &bound in &self.bounds {
            let up_to = draws_below(n, bound);
            counts.push(up_to - below);
            below = up_to;
        }
        counts.push(n - below);
        counts
    }
}

/// ⌊part × 2⁶⁴ ÷ whole⌋ for part ≤ whole < 2⁶⁷, by long division in two halves so that nothing overflows.
fn scale(part: u128, whole: u128) -> u128 {
    let high = part << 32;
    let (first, rest) = (high / whole, high % whole);
    (first << 32) + (rest << 32) / whole
}

/// How many of the draws 0 to `n` − 1 are below `bound`.
///
/// x mod M < b exactly where ⌊x ÷ M⌋ − ⌊(x − b) ÷ M⌋ = 1, else that difference is 0: so the count is a difference of two
/// sums of floors.
fn draws_below(n: u64, bound: u64) -> u64 {
    let modulus = 1_u128 << 64;
    let whole = floor_sum(n, modulus, GOLDEN, 0);
    let shifted = floor_sum(n, modulus, GOLDEN, modulus - u128::from(bound));
    // (x + M − b) ÷ M is one more than (x − b) ÷ M, for each of the n.
    u64::try_from(whole + u128::from(n) - shifted).unwrap_or(n)
}

/// Σ ⌊(a × k + b) ÷ m⌋ over k = 0 to `n` − 1, for n < 2⁶³ and b ≤ m ≤ 2⁶⁴; Euclid's algorithm, in O(log m) steps.
///
/// After the `AtCoder` library's `floor_sum`.
fn floor_sum(n: u64, m: u128, a: u64, b: u128) -> u128 {
    let (mut n, mut m, mut a, mut b) = (u128::from(n), m, u128::from(a), b);
    let mut sum = 0;
    loop {
        if a >= m {
            sum += n * n.saturating_sub(1) / 2 * (a / m);
            a %= m;
        }
        if b >= m {
            sum += n * (b / m);
            b %= m;
        }
        let last = a * n + b;
        if last < m {
            return sum;
        }
        (n, b) = (last / m, last % m);
        (a, m) = (m, a);
    }
}
