// Several waits at once.

import { Awaitable, toAwaitable } from "./awaitable.js";

/** Waits for all of them: the values in the order given, or the first failure. The others stay open then. */
export function all(things) {
  return new All(things, valueOf);
}

/** Waits for all of them, whatever comes of each: `{ status, value }` or `{ status, reason }`, as of a promise. */
export function allSettled(things) {
  return new All(things, outcomeOf);
}

/** Waits for whichever settles first, the first one given where several have, and gives up the others. */
export function race(things) {
  return new Race(things);
}

/** A wait for several parts; given up, it gives up those that are open. */
class Several extends Awaitable {
  constructor(things) {
    super();
    this.parts = Array.from(things, toAwaitable);
  }

  cancel() {
    if (this.settled) return;
    for (const part of this.parts) if (!part.settled) part.cancel();
  }

  leave() {
    for (const part of this.parts) part.leave();
  }
}

class All extends Several {
  /** `outcome` makes what is told of a part; of `valueOf` a failure ends the wait. */
  constructor(things, outcome) {
    super(things);
    this.outcome = outcome;
    this.open = this.parts.length;
    if (this.open === 0) this.settle([], false);
    for (const part of this.parts) part.subscribe(this);
  }

  wake(part) {
    if (this.settled) return;
    this.open--;
    if (part.failed && this.outcome === valueOf) this.settle(part.value, true);
    else if (this.open === 0) this.settle(this.parts.map(this.outcome), false);
  }
}

class Race extends Several {
  constructor(things) {
    super(things);
    for (const part of this.parts) if (!this.settled) part.subscribe(this);
  }

  wake(first) {
    if (this.settled) return;
    for (const part of this.parts) if (part !== first && !part.settled) part.cancel();
    this.settle(first.value, first.failed);
  }
}

function valueOf(part) {
  return part.value;
}

function outcomeOf(part) {
  return part.failed ? { status: "rejected", reason: part.value } : { status: "fulfilled", value: part.value };
}
