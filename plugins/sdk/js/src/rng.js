// Repeatable randomness.

const BITS = 64;
const GAMMA = 0x9e3779b97f4a7c15n;

/**
 * A small generator seeded by the arrival: SplitMix64 (Steele, Lea, Flood, 2014), as in the Rust SDK, so that one seed
 * gives one sequence in both. Not for secrets.
 */
export class Rng {
  constructor(seed) {
    this.state = BigInt.asUintN(BITS, BigInt(seed));
  }

  /** The next 64 random bits. */
  nextU64() {
    this.state = BigInt.asUintN(BITS, this.state + GAMMA);
    let z = this.state;
    z = BigInt.asUintN(BITS, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = BigInt.asUintN(BITS, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    return z ^ (z >> 31n);
  }

  /** An integer from 0 to below `bound`; 0 where that is 0. */
  below(bound) {
    return Number((this.nextU64() * BigInt(bound)) >> 64n);
  }

  /** A number from 0 to below 1, in steps of 2^-53. */
  unit() {
    return Number(this.nextU64() >> 11n) / 2 ** 53;
  }

  /** True with this probability, 0 to 1. */
  chance(probability) {
    return this.unit() < probability;
  }

  /** One of these; undefined of nothing. */
  pick(from) {
    return from[this.below(from.length)];
  }
}
