//! Distributions of times.

use hdrhistogram::Histogram;

use super::{Buckets, Percentile};

/// Up to this many samples a distribution keeps each of them; beyond, an `HdrHistogram` at three significant digits.
pub const EXACT_SAMPLES: u64 = 10_000;

/// The longest time the histogram resolves: one hour, in nanoseconds. Longer ones are counted as beyond its range.
pub const RANGE_END_NS: u64 = 3_600_000_000_000;

/// Times in nanoseconds. Nothing is allocated before the first sample.
#[derive(Clone, Debug, Default)]
pub struct Distribution {
    count: u64,
    sum: u128,
    min: u64,
    max: u64,
    beyond: u64,
    store: Store,
}

/// How the samples are kept. Which one depends on the count alone, so that merging in any order ends alike.
#[derive(Clone, Debug)]
enum Store {
    /// Every sample, in no order.
    Exact(Vec<u64>),
    Hdr(Box<Hdr>),
}

impl Default for Store {
    fn default() -> Self {
        Self::Exact(Vec::new())
    }
}

#[derive(Clone, Debug)]
struct Hdr {
    /// Samples within the range, at a resolution of 1 ns below 2 µs and of 1/1,024 above. Grows up to one hour,
    /// where it takes 270 KiB.
    histogram: Histogram<u64>,
    /// All samples.
    buckets: Buckets,
}

impl Hdr {
    fn new() -> Self {
        // One second to begin with: most distributions never have to grow.
        let mut histogram = Histogram::new_with_bounds(1, 1_000_000_000, 3).expect("constant bounds are in order");
        histogram.auto(true);
        Self { histogram, buckets: Buckets::default() }
    }

    fn record(&mut self, value: u64, weight: u64) {
        self.buckets.record(value, weight);
        if value <= RANGE_END_NS {
            self.histogram.record_n(value, weight).expect("the histogram grows up to the end of the range");
        }
    }
}

impl Distribution {
    /// Records one sample of `value` nanoseconds.
    pub fn record(&mut self, value: u64) {
        self.record_weighted(value, 1);
    }

    /// Records `weight` samples of `value` nanoseconds; none where `weight` is 0.
    pub fn record_weighted(&mut self, value: u64, weight: u64) {
        if weight == 0 {
            return;
        }
        if self.count == 0 {
            (self.min, self.max) = (value, value);
        } else {
            self.min = self.min.min(value);
            self.max = self.max.max(value);
        }
        self.count = self.count.saturating_add(weight);
        self.sum = self.sum.saturating_add(u128::from(value) * u128::from(weight));
        if value > RANGE_END_NS {
            self.beyond = self.beyond.saturating_add(weight);
        }
        if let Store::Exact(samples) = &mut self.store
            && self.count <= EXACT_SAMPLES
        {
            if weight == 1 {
                samples.push(value);
            } else {
                samples.extend((0..weight).map(|_| value));
            }
        } else {
            self.hdr().record(value, weight);
        }
    }

    /// The histogram; turns the exact samples into one where there is none yet.
    fn hdr(&mut self) -> &mut Hdr {
        if let Store::Exact(samples) = &self.store {
            let mut hdr = Hdr::new();
            for &sample in samples {
                hdr.record(sample, 1);
            }
            self.store = Store::Hdr(Box::new(hdr));
        }
        match &mut self.store {
            Store::Hdr(hdr) => hdr,
            Store::Exact(_) => unreachable!("just converted"),
        }
    }

    /// Adds all samples of another: the result is what one distribution would be that had recorded both.
    pub fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = other.clone();
            return;
        }
        let count = self.count.saturating_add(other.count);
        match &other.store {
            Store::Exact(theirs) => match &mut self.store {
                Store::Exact(mine) if count <= EXACT_SAMPLES => mine.extend_from_slice(theirs),
                _ => {
                    let hdr = self.hdr();
                    for &sample in theirs {
                        hdr.record(sample, 1);
                    }
                }
            },
            Store::Hdr(theirs) => {
                let hdr = self.hdr();
                hdr.buckets.merge(&theirs.buckets);
                hdr.histogram.add(&theirs.histogram).expect("both histograms grow up to the end of the range");
            }
        }
        self.count = count;
        self.sum = self.sum.saturating_add(other.sum);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.beyond = self.beyond.saturating_add(other.beyond);
    }

    /// How many samples there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// How many samples are longer than one hour. Their values are kept up to [`EXACT_SAMPLES`]; beyond that a
    /// percentile that falls among them is given as the maximum.
    pub fn beyond(&self) -> u64 {
        self.beyond
    }

    /// Whether every sample is kept, so that percentiles are exact values and not ends of histogram buckets.
    pub fn is_exact(&self) -> bool {
        matches!(self.store, Store::Exact(_))
    }

    /// The sum of all samples, in nanoseconds.
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// The smallest sample, in nanoseconds; none without samples.
    pub fn min(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min)
    }

    /// The largest sample, in nanoseconds; none without samples.
    pub fn max(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max)
    }

    /// The arithmetic mean, in nanoseconds, from the exact sum; none without samples.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// One percentile by nearest rank, in nanoseconds; none without samples. For several, rank once.
    pub fn percentile(&self, percentile: Percentile) -> Option<u64> {
        self.ranked().percentile(percentile)
    }

    /// The samples in order, to look up any number of ranks.
    pub fn ranked(&self) -> Ranked {
        let mut steps = Vec::new();
        match &self.store {
            Store::Exact(samples) => {
                let mut sorted = samples.clone();
                sorted.sort_unstable();
                steps.extend(sorted.into_iter().zip(1..));
            }
            Store::Hdr(hdr) => {
                let mut up_to = 0_u64;
                for step in hdr.histogram.iter_recorded() {
                    up_to = up_to.saturating_add(step.count_at_value());
                    steps.push((step.value_iterated_to().clamp(self.min, self.max), up_to));
                }
                if self.beyond > 0 {
                    steps.push((self.max, self.count));
                }
            }
        }
        Ranked { count: self.count, steps }
    }

    /// The counts in the fixed buckets, exact whatever the store.
    pub fn buckets(&self) -> Buckets {
        match &self.store {
            Store::Exact(samples) => {
                let mut buckets = Buckets::default();
                for &sample in samples {
                    buckets.record(sample, 1);
                }
                buckets
            }
            Store::Hdr(hdr) => hdr.buckets,
        }
    }
}

/// The samples of a [`Distribution`] in rising order.
#[derive(Clone, Debug)]
pub struct Ranked {
    count: u64,
    /// A value and the rank of its last sample, both rising.
    steps: Vec<(u64, u64)>,
}

impl Ranked {
    /// The sample of that rank in nanoseconds, from 1; none for a rank that does not exist.
    pub fn at(&self, rank: u64) -> Option<u64> {
        if rank == 0 || rank > self.count {
            return None;
        }
        let step = self.steps.partition_point(|&(_, up_to)| up_to < rank);
        self.steps.get(step).map(|&(value, _)| value)
    }

    /// A percentile by nearest rank, in nanoseconds; none without samples.
    pub fn percentile(&self, percentile: Percentile) -> Option<u64> {
        self.at(percentile.rank(self.count))
    }
}
