//! The histogram with fixed bounds, comparable from run to run.

/// Upper bounds of the fixed buckets, in milliseconds, each included. One more bucket holds what is longer.
pub const BUCKET_BOUNDS_MS: [u64; 13] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];

/// The same bounds in nanoseconds.
const BOUNDS_NS: [u64; BUCKET_BOUNDS_MS.len()] = {
    let mut bounds = BUCKET_BOUNDS_MS;
    let mut bucket = 0;
    while bucket < bounds.len() {
        bounds[bucket] *= 1_000_000;
        bucket += 1;
    }
    bounds
};

/// Counts of times in the buckets of [`BUCKET_BOUNDS_MS`], the last for what is beyond. Always exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Buckets(pub [u64; BUCKET_BOUNDS_MS.len() + 1]);

impl Buckets {
    /// Counts `weight` samples of `value` nanoseconds.
    pub fn record(&mut self, value: u64, weight: u64) {
        // Every bound is compared: without branches that is quicker than to search.
        let bucket = BOUNDS_NS.iter().map(|&bound| usize::from(bound < value)).sum::<usize>();
        self.0[bucket] = self.0[bucket].saturating_add(weight);
    }

    /// Adds the counts of another.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine = mine.saturating_add(theirs);
        }
    }
}
