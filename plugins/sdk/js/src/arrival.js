// One scheduled start, as an author sees it.

/** The engine's record. Numbers that a double may not hold exactly are BigInts, made when they are asked for. */
export class Arrival {
  constructor(raw) {
    this.sequence = raw.sequence;
    this.index = raw.index;
    this.client = raw.client;
    this.phase = raw.phase;
    this.row = raw.row;
    this.raw = raw;
  }

  /** Seeds all randomness of the iteration. */
  get seed() {
    return BigInt(this.raw.seed);
  }

  /** Nanoseconds since the Unix epoch. */
  get wallTime() {
    return BigInt(this.raw.wallTime);
  }
}
