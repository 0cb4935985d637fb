//! Confidence intervals against the binomial distribution itself, in whole numbers of any length: no rounding at all.

use std::cmp::Ordering;

use super::super::{RankInterval, least_count, rank_interval};
use crate::record::Percentile;

/// A whole number of any length, its least digit of 32 bits first; no zeros at its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Natural(Vec<u32>);

impl Natural {
    fn one() -> Self {
        Self(vec![1])
    }

    fn trimmed(mut self) -> Self {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }

    fn times(&self, factor: u32) -> Self {
        let mut carry = 0;
        let mut digits: Vec<u32> = Vec::with_capacity(self.0.len() + 1);
        for &digit in &self.0 {
            let product = u64::from(digit) * u64::from(factor) + carry;
            digits.push((product & 0xffff_ffff) as u32);
            carry = product >> 32;
        }
        digits.push(u32::try_from(carry).expect("below the factor"));
        Self(digits).trimmed()
    }

    /// A quotient without a rest.
    fn over(&self, divisor: u32) -> Self {
        let mut rest = 0;
        let mut digits = vec![0; self.0.len()];
        for (at, &digit) in self.0.iter().enumerate().rev() {
            let dividend = rest << 32 | u64::from(digit);
            digits[at] = u32::try_from(dividend / u64::from(divisor)).expect("below 2^32");
            rest = dividend % u64::from(divisor);
        }
        assert_eq!(rest, 0, "the divisor divides it");
        Self(digits).trimmed()
    }

    fn add(&mut self, other: &Self) {
        self.0.resize(self.0.len().max(other.0.len()) + 1, 0);
        let mut carry = 0;
        for (at, digit) in self.0.iter_mut().enumerate() {
            let sum = u64::from(*digit) + u64::from(other.0.get(at).copied().unwrap_or(0)) + carry;
            *digit = (sum & 0xffff_ffff) as u32;
            carry = sum >> 32;
        }
        *self = std::mem::take(self).trimmed();
    }

    fn power(base: u32, exponent: u32) -> Self {
        (0..exponent).fold(Self::one(), |power, _| power.times(base))
    }

    fn at_most(&self, other: &Self) -> bool {
        let longer = self.0.len().cmp(&other.0.len());
        longer.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev())) != Ordering::Greater
    }
}

/// The ranks by their definition: with B of B(n, hit ÷ whole), l is the largest with P(B < l) ≤ 2.5 % and u the smallest
/// with P(B ≥ u) ≤ 2.5 %. All probabilities are numerators over whole^n, and 2.5 % is one in forty.
fn by_definition(n: u32, hit: u32, whole: u32) -> Option<RankInterval> {
    let all = Natural::power(whole, n);
    let within_tail = |sum: &Natural| sum.times(40).at_most(&all);
    // From below: the sum of P(B = 0) … P(B = l − 1).
    let walk = |hit: u32, miss: u32| {
        let mut term = Natural::power(miss, n);
        let mut sum = Natural::default();
        for count in 0..=n {
            sum.add(&term);
            if !within_tail(&sum) {
                return count;
            }
            term = term.times(n - count).times(hit).over(count + 1).over(miss);
        }
        n + 1
    };
    let low = walk(hit, whole - hit);
    // From above it is the same walk with the others counted: P(B ≥ u) = P(n − B ≤ n − u).
    let high = n + 1 - walk(whole - hit, hit);
    (low > 0 && high <= n).then_some(RankInterval { low: low.into(), high: high.into() })
}

/// Percentiles in thousandths of a percent, with their shares in lowest terms.
const SHARES: [(u32, u32, u32); 8] = [
    (5_000, 1, 20),
    (25_000, 1, 4),
    (50_000, 1, 2),
    (75_000, 3, 4),
    (90_000, 9, 10),
    (95_000, 19, 20),
    (99_000, 99, 100),
    (99_900, 999, 1_000),
];

fn percentile(thousandths: u32) -> Percentile {
    Percentile::from_thousandths(thousandths).expect("a percentile")
}

#[test]
fn whole_numbers_of_any_length_are_calculated_with_as_on_paper() {
    let power = Natural::power(10, 40);
    assert_eq!(power.over(10).times(10), power);
    let mut sum = power.clone();
    sum.add(&power.times(9));
    assert_eq!(sum, Natural::power(10, 41));
    assert!(power.at_most(&sum) && !sum.at_most(&power) && sum.at_most(&sum));
    assert_eq!(Natural(vec![1, 2]).times(3), Natural(vec![3, 6]));
    assert_eq!(Natural(vec![u32::MAX]).times(2), Natural(vec![u32::MAX - 1, 1]));
}

#[test]
fn the_ranks_of_every_count_up_to_four_hundred_are_those_of_the_exact_distribution() {
    for (thousandths, hit, whole) in SHARES {
        for n in 1..=400 {
            let found = rank_interval(n.into(), percentile(thousandths));
            assert_eq!(found, by_definition(n, hit, whole), "{hit}/{whole} of {n}");
        }
    }
}

#[test]
fn the_ranks_of_large_counts_are_those_of_the_exact_distribution() {
    for (thousandths, hit, whole, n) in [
        (50_000, 1, 2, 5_000),
        (95_000, 19, 20, 3_000),
        (99_000, 99, 100, 2_500),
        (99_900, 999, 1_000, 3_687),
        (99_900, 999, 1_000, 3_688),
        (99_900, 999, 1_000, 4_001),
    ] {
        let found = rank_interval(n.into(), percentile(thousandths));
        assert_eq!(found, by_definition(n, hit, whole), "{hit}/{whole} of {n}");
    }
}

#[test]
fn the_least_counts_are_those_from_which_the_exact_distribution_leaves_an_interval() {
    for (thousandths, hit, whole) in SHARES {
        // The larger of p^n and (1 − p)^n is what is left beyond the last rank.
        let larger = hit.max(whole - hit);
        let left = |n: u32| Natural::power(larger, n).times(40).at_most(&Natural::power(whole, n));
        let least = least_count(percentile(thousandths)).expect("not the maximum");
        let least = u32::try_from(least).expect("a small count");
        assert!(left(least) && !left(least - 1), "{hit}/{whole}: {least}");
    }
    let least = |thousandths| least_count(percentile(thousandths));
    assert_eq!([95_000, 99_000, 99_900].map(least), [Some(72), Some(368), Some(3_688)]);
}
