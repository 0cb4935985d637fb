//! Numbers decided by a seed, so that two runs of a stub say and do the same.

/// The `k`-th number of a space: the finaliser of `splitmix64` (Steele, Lea, Flood 2014) over the three.
pub fn random(seed: u64, space: u64, k: u64) -> u64 {
    let mut z = seed ^ mix(space.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ mix(k));
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mix(z)
}

/// A number of [`random`] as a fraction: 0 or more, less than 1.
pub fn fraction(number: u64) -> f64 {
    (number >> 11) as f64 / (1_u64 << 53) as f64
}

/// An id in the form of a UUID.
pub fn id(seed: u64, space: u64, k: u64) -> String {
    let (high, low) = (random(seed, space, 2 * k), random(seed, space, 2 * k + 1));
    // Version 4 and its variant, so that what checks ids accepts them.
    let (version, variant) = (0x4000 | (high & 0x0fff), 0x8000 | ((low >> 48) & 0x3fff));
    let (head, middle, node) = (high >> 32, (high >> 16) & 0xffff, low & 0xffff_ffff_ffff);
    format!("{head:08x}-{middle:04x}-{version:04x}-{variant:04x}-{node:012x}")
}

/// A number for bytes that is the same on every machine: FNV-1a, mixed so that all bits count.
pub fn hash(bytes: &[u8]) -> u64 {
    let fold = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    mix(bytes.iter().fold(0xcbf2_9ce4_8422_2325, fold))
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
