// Promises whose jobs the SDK runs itself: in a component of synchronous calls the engine of JavaScript runs none before
// a call returns. The build makes async functions generators (`runAsync` below), so that no other promises exist.

import { Awaitable } from "../awaitable.js";

/** Jobs in the order they were asked for. */
let jobs = [];

/** The executor of a promise that is settled from outside. */
const nothing = () => {};

/** Rejected promises that nobody had waited for when they were. */
let rejected = null;

/** Whether there is a job, or a promise that was rejected unheard. To be looked at before `runJobs` is called. */
export let pending = false;

function push(job) {
  pending = true;
  jobs.push(job);
}

/** Runs jobs until there are none. Gives the promises that were rejected unheard; null where there are none. */
export function runJobs() {
  while (jobs.length > 0) {
    const now = jobs;
    jobs = [];
    for (const job of now) job.run();
  }
  const taken = rejected;
  rejected = null;
  pending = false;
  return taken;
}

/** `queueMicrotask`. */
export function enqueue(callback) {
  push({ run: callback });
}

/** A promise as the language has it. It is an awaitable, too: a generator may yield it. */
export class EnginePromise extends Awaitable {
  constructor(executor) {
    super();
    if (executor === nothing) return;
    let called = false;
    const once = (act) => (value) => {
      if (called) return;
      called = true;
      act(value);
    };
    const reject = once((reason) => this.reject(reason));
    try {
      executor(once((value) => this.resolve(value)), reject);
    } catch (error) {
      reject(error);
    }
  }

  resolve(value) {
    if (value === this) return this.reject(new TypeError("a promise resolved with itself"));
    if (value === null || (typeof value !== "object" && typeof value !== "function")) return this.settle(value, false);
    if (value instanceof Awaitable) return value.subscribe(new Follow(this, value));
    let then;
    try {
      then = value.then;
    } catch (error) {
      return this.reject(error);
    }
    if (typeof then !== "function") return this.settle(value, false);
    enqueue(() => {
      const adopted = new EnginePromise((resolve, reject) => then.call(value, resolve, reject));
      adopted.subscribe(new Follow(this, adopted));
    });
  }

  reject(reason) {
    if (!this.handled) {
      pending = true;
      (rejected ??= []).push(this);
    }
    this.settle(reason, true);
  }

  subscribe(waiter) {
    this.handled = true;
    super.subscribe(waiter);
  }

  then(fulfilled, rejection) {
    return new EnginePromise((resolve, reject) => {
      this.subscribe(new Reaction(fulfilled, rejection, resolve, reject));
    });
  }

  catch(rejection) {
    return this.then(undefined, rejection);
  }

  finally(callback) {
    return this.then(
      (value) => EnginePromise.resolve(callback()).then(() => value),
      (reason) =>
        EnginePromise.resolve(callback()).then(() => {
          throw reason;
        }),
    );
  }

  static resolve(value) {
    return value instanceof EnginePromise ? value : new EnginePromise((resolve) => resolve(value));
  }

  static reject(reason) {
    return new EnginePromise((_, reject) => reject(reason));
  }

  static withResolvers() {
    const made = {};
    made.promise = new EnginePromise((resolve, reject) => Object.assign(made, { resolve, reject }));
    return made;
  }

  static all(things) {
    return collect(things, (value) => value, null);
  }

  static allSettled(things) {
    return collect(
      things,
      (value) => ({ status: "fulfilled", value }),
      (reason) => ({ status: "rejected", reason }),
    );
  }

  static race(things) {
    return new EnginePromise((resolve, reject) => {
      for (const thing of things) EnginePromise.resolve(thing).then(resolve, reject);
    });
  }

  static any(things) {
    return new EnginePromise((resolve, reject) => {
      const errors = [];
      const promises = [...things];
      let open = promises.length;
      const none = () => reject(new AggregateError(errors, "all promises were rejected"));
      if (open === 0) none();
      promises.forEach((thing, at) => {
        EnginePromise.resolve(thing).then(resolve, (reason) => {
          errors[at] = reason;
          if (--open === 0) none();
        });
      });
    });
  }
}
EnginePromise.prototype.handled = false;

function collect(things, fulfilled, rejection) {
  return new EnginePromise((resolve, reject) => {
    const values = [];
    const promises = [...things];
    let open = promises.length;
    if (open === 0) resolve(values);
    promises.forEach((thing, at) => {
      const keep = (of) => (value) => {
        values[at] = of(value);
        if (--open === 0) resolve(values);
      };
      EnginePromise.resolve(thing).then(keep(fulfilled), rejection === null ? reject : keep(rejection));
    });
  });
}

/** Calls back in a job of its own, and resolves the next promise of the chain. */
class Reaction {
  constructor(fulfilled, rejection, resolve, reject) {
    this.fulfilled = fulfilled;
    this.rejection = rejection;
    this.resolve = resolve;
    this.reject = reject;
  }

  wake(settled) {
    this.settled = settled;
    push(this);
  }

  run() {
    const { value, failed } = this.settled;
    const callback = failed ? this.rejection : this.fulfilled;
    if (typeof callback !== "function") return failed ? this.reject(value) : this.resolve(value);
    let result;
    try {
      result = callback(value);
    } catch (error) {
      return this.reject(error);
    }
    this.resolve(result);
  }
}

/** A promise that takes over what an awaitable comes to. */
class Follow {
  constructor(promise, of) {
    this.promise = promise;
    this.of = of;
  }

  wake() {
    push(this);
  }

  run() {
    if (this.of.failed) this.promise.reject(this.of.value);
    else this.promise.settle(this.of.value, false);
  }
}

/** An async function being run: the promise it gives, and what wakes it. */
class AsyncRun extends EnginePromise {
  constructor(generator) {
    super(nothing);
    this.generator = generator;
    this.waiting = null;
    this.step(undefined, false);
  }

  wake(awaited) {
    this.waiting = awaited;
    push(this);
  }

  run() {
    const { value, failed } = this.waiting;
    this.waiting = null;
    this.step(value, failed);
  }

  /** Runs to the next `await`, which takes a turn of the queue even where its value is there. */
  step(value, failed) {
    let step;
    try {
      step = failed ? this.generator.throw(value) : this.generator.next(value);
    } catch (error) {
      this.generator = null;
      this.reject(error);
      return;
    }
    if (step.done) {
      this.generator = null;
      this.resolve(step.value);
      return;
    }
    const awaited = step.value;
    if (awaited instanceof Awaitable) awaited.subscribe(this);
    else EnginePromise.resolve(awaited).subscribe(this);
  }
}

/** What the build puts in the place of esbuild's helper for async functions. */
export function runAsync(self, args, generator) {
  return new AsyncRun(generator.apply(self, args));
}
