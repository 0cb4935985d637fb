//! Randomness that every run can repeat.

/// The seed of arrival `sequence` in a run with this seed: output number `sequence`, from 0, of `SplitMix64` started at
/// the run's seed (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
///
/// Any arrival's seed is computed alone, whichever worker starts it.
pub fn arrival_seed(run_seed: u64, sequence: u64) -> u64 {
    let mut z = run_seed.wrapping_add(sequence.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
