// The promises of a component, which the SDK runs itself.

import assert from "node:assert/strict";
import { test } from "node:test";

import { enqueue, EnginePromise, runAsync, runJobs } from "../src/component/promise.js";
import { Awaitable } from "../src/awaitable.js";

/** What a promise has come to once all jobs have run. */
function outcome(promise) {
  let told = "pending";
  promise.then((value) => (told = value), (reason) => (told = `rejected: ${reason}`));
  runJobs();
  return told;
}

const fails = (reason) => EnginePromise.reject(reason);

test("a chain runs in jobs, not at once", () => {
  const order = [];
  EnginePromise.resolve(1).then((value) => order.push(value));
  enqueue(() => order.push(2));
  order.push(0);
  runJobs();
  assert.deepEqual(order, [0, 1, 2]);
});

test("a promise takes over what it is resolved with: a promise, an awaitable, any thenable", () => {
  const awaitable = new Awaitable();
  const waiting = new EnginePromise((resolve) => resolve(awaitable));
  assert.equal(outcome(waiting), "pending");
  awaitable.settle("later", false);
  assert.equal(outcome(waiting), "later");
  assert.equal(outcome(EnginePromise.resolve({ then: (resolve) => resolve(EnginePromise.resolve(3)) })), 3);
  assert.equal(outcome(new EnginePromise((resolve) => resolve(fails("x")))), "rejected: x");
  assert.match(outcome(EnginePromise.resolve({ get then() { throw new Error("no"); } })), /rejected: Error: no/);
});

test("it settles once, also where its executor throws", () => {
  assert.equal(outcome(new EnginePromise((resolve, reject) => { resolve(1); reject(2); resolve(3); })), 1);
  assert.equal(outcome(new EnginePromise(() => { throw "x"; })), "rejected: x");
  const self = EnginePromise.withResolvers();
  self.resolve(self.promise);
  assert.match(outcome(self.promise), /resolved with itself/);
});

test("catch and finally", () => {
  assert.equal(outcome(fails("x").catch((reason) => `${reason}y`)), "xy");
  let ran = 0;
  assert.equal(outcome(EnginePromise.resolve(1).finally(() => { ran++; })), 1);
  assert.equal(outcome(fails("x").finally(() => { ran++; })), "rejected: x");
  assert.equal(ran, 2);
});

test("all, allSettled, any and race", () => {
  assert.deepEqual(outcome(EnginePromise.all([1, EnginePromise.resolve(2)])), [1, 2]);
  assert.deepEqual(outcome(EnginePromise.all([])), []);
  assert.equal(outcome(EnginePromise.all([1, fails("x")])), "rejected: x");
  assert.deepEqual(outcome(EnginePromise.allSettled([1, fails("x")])), [{ status: "fulfilled", value: 1 }, { status: "rejected", reason: "x" }]);
  assert.equal(outcome(EnginePromise.any([fails("x"), 2])), 2);
  assert.match(outcome(EnginePromise.any([fails("x")])), /rejected: AggregateError/);
  assert.equal(outcome(EnginePromise.race([new EnginePromise(() => {}), 2])), 2);
});

test("an async function runs to its first await, and goes on in jobs", () => {
  const order = [];
  const run = runAsync({ x: 1 }, [2], function* (y) {
    order.push(this.x + y);
    order.push(yield EnginePromise.resolve("a"));
    try {
      yield fails("b");
    } catch (reason) {
      order.push(reason);
    }
    return yield "c";
  });
  assert.deepEqual(order, [3]);
  assert.equal(outcome(run), "c");
  assert.deepEqual(order, [3, "a", "b"]);
});

test("a rejection that nobody has heard is told, one that was heard is not", () => {
  runJobs();
  const heard = fails("x");
  heard.then(undefined, () => {});
  const unheard = runAsync(null, [], function* () { throw "y"; });
  const told = runJobs().filter((promise) => !promise.handled);
  assert.deepEqual(told, [unheard]);
  assert.equal(runJobs(), null);
});
