//! Repeatable randomness.

/// A small generator seeded by the arrival, so that two runs with one seed send the same bytes.
///
/// `SplitMix64` (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014), written out here because
/// its sequence must never change with a dependency's version. Not for secrets.
///
/// ```
/// use engine_sdk::Rng;
///
/// let (mut one, mut other) = (Rng::from_seed(7), Rng::from_seed(7));
/// assert_eq!(one.next_u64(), other.next_u64());
/// ```
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// A generator of its own sequence for this seed. [`Context::rng`](crate::Context::rng) takes the arrival's.
    ///
    /// ```
    /// use engine_sdk::Rng;
    ///
    /// assert_ne!(Rng::from_seed(1).next_u64(), Rng::from_seed(2).next_u64());
    /// ```
    pub fn from_seed(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    ///
    /// ```
    /// use engine_sdk::Rng;
    ///
    /// // The published sequence: it never changes.
    /// assert_eq!(Rng::from_seed(1_234_567).next_u64(), 6_457_827_717_110_365_317);
    /// ```
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from 0 to below `bound`; 0 where `bound` is 0. By multiplication (Lemire, 2019) without its rejection
    /// step: the bias is below `bound` ÷ 2⁶⁴.
    ///
    /// ```
    /// let mut rng = engine_sdk::Rng::from_seed(7);
    /// assert!(rng.below(6) < 6);
    /// assert_eq!(rng.below(0), 0);
    /// ```
    pub fn below(&mut self, bound: u64) -> u64 {
        #[allow(clippy::cast_possible_truncation)] // the upper half of a 128-bit product fits
        let high = ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64;
        high
    }

    /// A number from 0 to below 1, in steps of 2⁻⁵³.
    ///
    /// ```
    /// let mut rng = engine_sdk::Rng::from_seed(7);
    /// assert!((0.0..1.0).contains(&rng.unit()));
    /// ```
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True with this probability, 0 to 1: always from 1 on, never at 0 and below.
    ///
    /// ```
    /// let mut rng = engine_sdk::Rng::from_seed(7);
    /// assert!(rng.chance(1.0) && !rng.chance(0.0));
    /// ```
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// One of these; `None` of nothing.
    ///
    /// ```
    /// let mut rng = engine_sdk::Rng::from_seed(7);
    /// let drink = rng.pick(&["tea", "milk"]);
    /// assert!(drink.is_some());
    /// assert_eq!(rng.pick::<u8>(&[]), None);
    /// ```
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let index = self.below(from.len() as u64);
        from.get(usize::try_from(index).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        let mut rng = Rng::from_seed(1_234_567);
        let first: Vec<u64> = (0..5).map(|_| rng.next_u64()).collect();
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821
            ]
        );
    }

    #[test]
    fn draws_stay_within_their_bounds() {
        let mut rng = Rng::from_seed(7);
        let mut seen = [0_u32; 3];
        for _ in 0..3_000 {
            *rng.pick(&[0, 1, 2]).map(|&i: &usize| &mut seen[i]).expect("not empty") += 1;
            let unit = rng.unit();
            assert!((0.0..1.0).contains(&unit));
        }
        assert!(seen.iter().all(|&n| (900..1_100).contains(&n)), "{seen:?}");
        assert_eq!(rng.below(0), 0);
        assert_eq!(rng.pick::<u8>(&[]), None);
        assert!(!rng.chance(0.0));
        assert!(rng.chance(1.0));
    }
}
