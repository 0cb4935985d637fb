// What a flow waits for, and the runner of generators.

import { current } from "./current.js";

/**
 * Makes `type` one of `parent` whose constructor needs no `super()`: for what is made in every iteration, as QuickJS takes
 * long for each level of constructors.
 */
export function inherit(type, parent) {
  Object.setPrototypeOf(type.prototype, parent.prototype);
}

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
    if (value !== undefined) this.value = value;
    if (failed) this.failed = true;
    const waiter = this.waiter;
    if (waiter === null) return;
    this.waiter = null;
    waiter.wake(this);
  }

  subscribe(waiter) {
    if (this.settled) waiter.wake(this);
    else if (this.waiter === null) this.waiter = waiter;
    else if (this.waiter instanceof Waiters) this.waiter.list.push(waiter);
    else this.waiter = new Waiters(this.waiter, waiter);
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
// On the prototype: most awaitables change few of them. The first tells an awaitable, faster than
// `instanceof`; no JSON of a peer's can have that value.
Awaitable.prototype.brand = Awaitable;
Awaitable.prototype.settled = false;
Awaitable.prototype.failed = false;
Awaitable.prototype.value = undefined;
Awaitable.prototype.waiter = null;

/** Several that wait for one, in the order they came. */
class Waiters {
  constructor(first, second) {
    this.list = [first, second];
  }

  wake(awaited) {
    for (const one of this.list) one.wake(awaited);
  }
}

/** A generator being run; settles with what it returns or throws. */
export class Task {
  constructor(generator) {
    this.generator = generator;
    if (current.task !== null) this.parent = current.task;
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
        const awaited = value?.brand === Awaitable ? value : toAwaitable(value);
        if (!awaited.settled) {
          this.waiting = awaited;
          awaited.subscribe(this);
          current.task = outer;
          return;
        }
        value = awaited.value;
        failed = awaited.failed;
      }
      failed = false;
    } catch (error) {
      value = error;
      failed = true;
    }
    current.task = outer;
    // What it has waited for knows it as its owner: a cycle, which only a collection would free.
    this.waiting = null;
    this.settle(value, failed);
  }

  /** Ends the generator where it stands (its `finally` runs) and gives up what it has open. */
  cancel() {
    if (this.settled) return;
    this.settled = true;
    this.waiting?.leave();
    this.waiting = null;
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
inherit(Task, Awaitable);
Task.prototype.parent = null;

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
  if (thing?.brand === Awaitable) return thing;
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
