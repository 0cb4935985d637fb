//! Distributions of plain values: what plugins observe.

use std::collections::BTreeMap;

use super::{EXACT_SAMPLES, Percentile};

/// Bits of a float's fraction that a bucket ignores; the ten that are left give three significant digits.
const IGNORED_BITS: u32 = 42;

/// Fractions of one in which sums are kept: whole numbers, so that merging in any order ends alike.
const SUM_SCALE: f64 = (1_u64 << 40) as f64;

/// Values from 0 to 2^53. Exact up to [`EXACT_SAMPLES`] samples; beyond, buckets of three significant digits.
#[derive(Clone, Debug, Default)]
pub struct Values {
    count: u64,
    /// In units of 2^-40.
    sum: u128,
    min: f64,
    max: f64,
    /// Every sample, while they are few.
    samples: Vec<f64>,
    /// Counts by bucket, once they are many: a value's bit pattern without its last bits. Patterns of floats that are
    /// not negative sort as their values do.
    buckets: BTreeMap<u64, u64>,
}

impl Values {
    /// Records one value. NaN, infinite and negative values and those above 2^53 are refused: `false`, nothing is
    /// recorded.
    #[must_use]
    pub fn record(&mut self, value: f64) -> bool {
        const LARGEST: f64 = (1_u64 << 53) as f64;
        if !(0.0..=LARGEST).contains(&value) {
            return false;
        }
        // A negative zero is a zero.
        let value = value.abs();
        if self.count == 0 {
            (self.min, self.max) = (value, value);
        } else {
            self.min = self.min.min(value);
            self.max = self.max.max(value);
        }
        self.count += 1;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 2^93")]
        let fractions = (value * SUM_SCALE).round() as u128;
        self.sum = self.sum.saturating_add(fractions);
        if self.count <= EXACT_SAMPLES {
            self.samples.push(value);
        } else {
            self.spill();
            *self.buckets.entry(value.to_bits() >> IGNORED_BITS).or_default() += 1;
        }
        true
    }

    /// Moves exact samples into buckets.
    fn spill(&mut self) {
        for sample in std::mem::take(&mut self.samples) {
            *self.buckets.entry(sample.to_bits() >> IGNORED_BITS).or_default() += 1;
        }
    }

    /// Adds all values of another.
    pub fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = other.clone();
            return;
        }
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.samples.extend_from_slice(&other.samples);
        for (&bucket, &count) in &other.buckets {
            *self.buckets.entry(bucket).or_default() += count;
        }
        if self.count > EXACT_SAMPLES {
            self.spill();
        }
    }

    /// How many values there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether every value is kept.
    pub fn is_exact(&self) -> bool {
        self.buckets.is_empty()
    }

    /// The smallest value; none without values.
    pub fn min(&self) -> Option<f64> {
        (self.count > 0).then_some(self.min)
    }

    /// The largest value; none without values.
    pub fn max(&self) -> Option<f64> {
        (self.count > 0).then_some(self.max)
    }

    /// The sum of all values, to 2^-40.
    pub fn sum(&self) -> f64 {
        self.sum as f64 / SUM_SCALE
    }

    /// The arithmetic mean; none without values.
    pub fn mean(&self) -> Option<f64> {
        // The rounding of the sum must not push the mean of equal values past them.
        (self.count > 0).then(|| (self.sum() / self.count as f64).clamp(self.min, self.max))
    }

    /// A percentile by nearest rank; none without values.
    pub fn percentile(&self, percentile: Percentile) -> Option<f64> {
        if self.count == 0 {
            return None;
        }
        let rank = percentile.rank(self.count);
        if self.is_exact() {
            let mut sorted = self.samples.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            return usize::try_from(rank - 1).ok().and_then(|index| sorted.get(index).copied());
        }
        let mut up_to = 0;
        for (&bucket, &count) in &self.buckets {
            up_to += count;
            if up_to >= rank {
                // The largest value of the bucket, as for times.
                let largest = f64::from_bits((bucket << IGNORED_BITS) | ((1 << IGNORED_BITS) - 1));
                return Some(largest.clamp(self.min, self.max));
            }
        }
        Some(self.max)
    }
}
