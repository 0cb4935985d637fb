// What a flow waits for, and the runner of generators.

import { current } from "./current.js";

/**
 * Something that settles once: with a value, or with a failure that is thrown into whoever waits. A generator gets it
 * with `yield`, an async function with `await`.
 *
 * What waits is any object with `wake(awaitable)`: no closure is made for the usual case.
 */
export class Awaitable {
  settle(value, failed) {
    if (this.settled) return;
    this.settled = true;
    this.value = value;
    this.failed = failed;
    const waiter = this.waiter;
    if (waiter === null) return;
    this.waiter = null;
    if (Array.isArray(waiter)) for (const one of waiter) one.wake(this);
    else waiter.wake(this);
  }

  subscribe(waiter) {
    if (this.settled) waiter.wake(this);
    else if (this.waiter === null) this.waiter = waiter;
    else if (Array.isArray(this.waiter)) this.waiter.push(waiter);
    else this.waiter = [this.waiter, waiter];
  }

  /** Makes `await` work. In a component `Promise` is the SDK's own, see `component/promise.js`. */
  then(fulfilled, rejected) {
    const promise = new Promise((resolve, reject) => {
      this.subscribe({ wake: (awaited) => (awaited.failed ? reject : resolve)(awaited.value) });
    });
    return promise.then(fulfilled, rejected);
  }

  /** Makes `yield*` work, which keeps the type in TypeScript where `yield` does not. */
  *[Symbol.iterator]() {
    return yield this;
  }

  /** Gives up what is waited for; it never settles then. Nothing to do where nothing is held. */
  cancel() {}

  /** The task that waits has been cancelled: what comes must not be taken for it. It goes on where others hold it. */
  leave() {}
}
// On the prototype: most awaitables change few of them.
Awaitable.prototype.settled = false;
Awaitable.prototype.failed = false;
Awaitable.prototype.value = undefined;
Awaitable.prototype.waiter = null;

/** A generator being run; settles with what it returns or throws. */
export class Task extends Awaitable {
  constructor(generator) {
    super();
    this.generator = generator;
    this.parent = current.task;
  }

  wake(awaited) {
    if (!this.settled) this.run(awaited.value, awaited.failed);
  }

  /** Runs to the next thing that has not settled yet, or to the end. */
  run(value, failed) {
    const outer = current.task;
    current.task = this;
    const generator = this.generator;
    try {
      for (;;) {
        const step = failed ? generator.throw(value) : generator.next(value);
        value = step.value;
        if (step.done) break;
        const awaited = toAwaitable(value);
        if (!awaited.settled) {
          this.waiting = awaited;
          awaited.subscribe(this);
          return;
        }
        value = awaited.value;
        failed = awaited.failed;
      }
      failed = false;
    } catch (error) {
      value = error;
      failed = true;
    } finally {
      current.task = outer;
    }
    this.settle(value, failed);
  }

  /** Ends the generator where it stands (its `finally` runs) and gives up what it has open. */
  cancel() {
    if (this.settled) return;
    this.settled = true;
    this.waiting.leave();
    this.generator.return();
    current.iteration.giveUp(this);
  }

  /** A generator belongs to who waits for it. */
  leave() {
    this.cancel();
  }

  /** Whether it is this task or one that runs within it. */
  within(task) {
    for (let one = this; one !== null; one = one.parent) if (one === task) return true;
    return false;
  }
}

/** Waits for a promise, in one tick of the job queue. */
class FromPromise extends Awaitable {
  constructor(promise) {
    super();
    promise.then(
      (value) => this.settle(value, false),
      (error) => this.settle(error, true),
    );
  }
}

/** Anything that may stand after `yield`: an awaitable, a generator, a promise, or a value that is there already. */
export function toAwaitable(thing) {
  if (thing instanceof Awaitable) return thing;
  if (typeof thing === "object" && thing !== null) {
    if (typeof thing.then === "function") return new FromPromise(thing);
    if (typeof thing.next === "function" && typeof thing.throw === "function") {
      const task = new Task(thing);
      task.run(undefined, false);
      return task;
    }
  }
  const there = new Awaitable();
  there.settle(thing, false);
  return there;
}
