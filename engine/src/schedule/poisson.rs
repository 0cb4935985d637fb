//! Counts that are Poisson distributed, drawn by table.

use super::rate::{Area, ONE_ARRIVAL};

/// The weight of the likeliest count: probabilities below 2⁻⁵² of it are 0.
const LIKELIEST: u128 = 1 << 52;

/// The distribution of the number of arrivals in a cell, all cells having the same mean.
///
/// Made of integers alone: weights are w(n + 1) = w(n) × mean ÷ (n + 1), up and down from the likeliest count, and the
/// probability of a count is its weight over the sum of all. So there is neither an exponential nor a logarithm in it, whose
/// last digits differ between machines.
pub(super) struct Poisson {
    /// The lowest count.
    lowest: u64,
    /// For each count but the highest, the number of 64-bit draws that give it or a lower one.
    bounds: Vec<u64>,
}

impl Poisson {
    /// The highest mean: with it the sum of the weights is just below 2⁶⁴.
    pub(super) const HIGHEST_MEAN: u64 = 1 << 20;

    /// The distribution whose mean is this integral, rounded down to 2⁻³² of an arrival.
    ///
    /// The mean must not be above [`Poisson::HIGHEST_MEAN`].
    pub(super) fn new(mean: Area) -> Self {
        // In units of 2⁻³², as the denominators below are: 53 bits at most.
        let mean = (mean << 32) / ONE_ARRIVAL;
        let likeliest = mean >> 32;
        let mut lowest = likeliest;
        let mut weights = Vec::new();
        let mut weight = LIKELIEST;
        while lowest > 0 && weight > 0 {
            weight = weight * (lowest << 32) / mean;
            lowest -= 1;
            weights.push(weight);
        }
        weights.reverse();
        weight = LIKELIEST;
        let mut count = likeliest;
        while weight > 0 {
            weights.push(weight);
            count += 1;
            weight = weight * mean / (count << 32);
        }
        let sum: u128 = weights.iter().sum();
        weights.pop();
        let mut below = 0_u128;
        let bound = |weight| {
            below += weight;
            u64::try_from((below << 64) / sum).unwrap_or(u64::MAX)
        };
        Self { lowest: u64::try_from(lowest).unwrap_or(0), bounds: weights.into_iter().map(bound).collect() }
    }

    /// The count of a draw, where all draws are equally likely.
    pub(super) fn count(&self, draw: u64) -> u64 {
        let above_lowest = self.bounds.partition_point(|&bound| bound <= draw);
        self.lowest + above_lowest as u64
    }

    /// The probability of each count, from the lowest, times 2⁶⁴.
    #[cfg(test)]
    pub(super) fn probabilities(&self) -> impl Iterator<Item = (u64, u128)> {
        let ends = self.bounds.iter().map(|&bound| u128::from(bound)).chain([1 << 64]);
        let mut before = 0;
        (self.lowest..).zip(ends.map(move |end| end - std::mem::replace(&mut before, end)))
    }
}
