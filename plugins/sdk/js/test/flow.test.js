import assert from "node:assert/strict";
import { test } from "node:test";

import { all, allSettled, defineWorkload, ensure, ExchangeFailed, mark, race, Stop } from "engine-sdk";
import { Script } from "engine-sdk/testing";

import { Iteration } from "../src/iteration.js";
import { begin, take } from "../src/testing/recorder.js";

const M = mark("m", "A mark.");

/** A workload of this flow. */
const of = (iterate) => defineWorkload({ name: "w", version: "1.0.0", summary: "s", metrics: [M], iterate });

/** Each flow as a generator and as an async function: they must come to the same. */
function both(name, generator, asynchronous, look) {
  test(`${name}, as a generator`, () => look(of(generator)));
  test(`${name}, as an async function`, () => look(of(asynchronous)));
}

both(
  "a failed exchange that is not caught ends the iteration by the engine's reason",
  function* (ctx) {
    yield ctx.get("/a");
  },
  async (ctx) => {
    await ctx.get("/a");
  },
  async (workload) => {
    assert.equal((await new Script().on("GET", "/a").fail("timeout_total").run(workload)).verdict, "timeout_total");
  },
);

both(
  "a failed exchange may be caught",
  function* (ctx) {
    try {
      yield ctx.get("/a");
    } catch (error) {
      ensure(error instanceof ExchangeFailed && error.reason === "refused" && error.exchange === 0, "another error");
    }
  },
  async (ctx) => {
    try {
      await ctx.get("/a");
    } catch (error) {
      ensure(error instanceof ExchangeFailed && error.reason === "refused" && error.exchange === 0, "another error");
    }
  },
  async (workload) => assert.equal((await new Script().on("GET", "/a").fail("refused").run(workload)).verdict, "ok"),
);

both(
  "a status that was not expected ends it by the exchange",
  function* (ctx) {
    (yield ctx.get("/a")).expectStatus([200, 404]).expectStatus((status) => status >= 200);
    (yield ctx.get("/b")).expectStatus(200);
  },
  async (ctx) => {
    (await ctx.get("/a")).expectStatus([200, 404]).expectStatus((status) => status >= 200);
    (await ctx.get("/b")).expectStatus(200);
  },
  async (workload) => {
    const run = await new Script().on("GET", "/a").reply(404).on("GET", "/b").reply(503).run(workload);
    assert.equal(run.verdict, "http_503");
  },
);

both(
  "an error of the author's code is not finished over",
  function* (ctx) {
    yield ctx.wait(5);
    undefined.x;
  },
  async (ctx) => {
    await ctx.wait(5);
    undefined.x;
  },
  (workload) => assert.rejects(new Script().run(workload), TypeError),
);

both(
  "requests that are asked for together are open together",
  function* (ctx) {
    const [a, b] = yield all([ctx.get("/a"), ctx.get("/b")]);
    ensure(a.text() === "A" && b.text() === "B", "order");
  },
  async (ctx) => {
    const [a, b] = await Promise.all([ctx.get("/a"), ctx.get("/b")]);
    ensure(a.text() === "A" && b.text() === "B", "order");
  },
  async (workload) => {
    const script = new Script().on("GET", "/a").after(30).reply(200, "A").on("GET", "/b").after(20).reply(200, "B");
    const run = await script.run(workload);
    assert.deepEqual([run.verdict, run.took], ["ok", 30]);
  },
);

both(
  "the loser of a race is cancelled",
  function* (ctx) {
    const first = yield race([ctx.get("/slow"), ctx.wait(10)]);
    ensure(first === undefined, "the wait is first");
    yield ctx.get("/b");
  },
  async (ctx) => {
    const first = await race([ctx.get("/slow"), ctx.wait(10)]);
    ensure(first === undefined, "the wait is first");
    await ctx.get("/b");
  },
  async (workload) => {
    const script = new Script().on("GET", "/slow").after(500).reply(200).on("GET", "/b").reply(200);
    const run = await script.run(workload);
    assert.deepEqual([run.verdict, run.cancelled, run.took], ["ok", [0], 11]);
  },
);

test("a timer that loses a race is cleared", async () => {
  const workload = of(function* (ctx) {
    yield race([ctx.wait(1000), ctx.get("/a")]);
    yield ctx.get("/a");
  });
  const run = await new Script().on("GET", "/a").reply(200).run(workload);
  assert.deepEqual([run.verdict, run.took, run.of("clear").length], ["ok", 2, 1]);
});

test("a generator that loses a race is ended, and all it has open is given up", async () => {
  let cleaned = false;
  function* slow(ctx) {
    const stream = yield ctx.get("/stream", { read: "lines" });
    ctx.get("/other");
    try {
      yield ctx.wait(1000);
    } finally {
      cleaned = stream.status === 200;
    }
  }
  const workload = of(function* (ctx) {
    yield race([slow(ctx), ctx.wait(10)]);
    yield ctx.wait(10);
  });
  const script = new Script().on("GET", "/stream").stream(200).pause(900).lines(["x"]).end().on("GET", "/other").after(900).reply(200);
  const run = await script.run(workload);
  assert.deepEqual([run.verdict, run.cancelled, run.took, cleaned], ["ok", [0, 1], 20, true]);
  assert.equal(run.of("clear").length, 1);
});

test("with a generator that loses a race those it waits for are ended, too", async () => {
  const ended = [];
  function* inner(ctx, name) {
    try {
      yield ctx.wait(1000);
    } finally {
      ended.push(name);
    }
  }
  function* outer(ctx) {
    yield all([inner(ctx, "a"), inner(ctx, "b")]);
  }
  const workload = of(function* (ctx) {
    yield race([outer(ctx), ctx.wait(10)]);
    yield ctx.wait(1);
  });
  const run = await new Script().run(workload);
  assert.deepEqual([run.verdict, ended, run.took, run.of("clear").length], ["ok", ["a", "b"], 11, 2]);
});

test("of settled waits each tells what came of it", async () => {
  const workload = of(function* (ctx) {
    const [a, b] = yield allSettled([ctx.get("/a"), ctx.get("/b")]);
    ensure(a.status === "rejected" && a.reason.reason === "reset" && b.value.status === 200, "outcomes");
    ensure((yield all([])).length === 0, "nothing to wait for");
  });
  const script = new Script().on("GET", "/a").fail("reset").on("GET", "/b").reply(200);
  assert.equal((await script.run(workload)).verdict, "ok");
});

test("of all waits the first failure ends the iteration", async () => {
  const workload = of(function* (ctx) {
    yield all([ctx.get("/a"), ctx.get("/b")]);
  });
  const script = new Script().on("GET", "/a").fail("reset").on("GET", "/b").after(99).reply(200);
  const run = await script.run(workload);
  assert.deepEqual([run.verdict, run.took], ["reset", 1]);
});

test("flows are composed with yield*, and an awaitable may be, too", async () => {
  function* twice(ctx) {
    const reply = yield* ctx.get("/a");
    return reply.text() + (yield ctx.get("/a")).text();
  }
  const workload = of(function* (ctx) {
    ensure((yield* twice(ctx)) === "xx", "text");
  });
  assert.equal((await new Script().on("GET", "/a").reply(200, "x").run(workload)).verdict, "ok");
});

test("a stop ends it: failed, cancelled, returned as well as thrown", async () => {
  const verdict = async (iterate) => (await new Script().run(of(iterate))).verdict;
  assert.equal(await verdict(() => ensure(false, "wrong total")), "check: wrong total");
  assert.equal(await verdict(() => Stop.cancelled()), "cancelled");
  assert.equal(await verdict(async () => { throw Stop.failed("no"); }), "check: no");
  assert.equal(await verdict(() => {}), "ok");
});

test("a flow that waits for what cannot come has stalled", async () => {
  assert.equal((await new Script().run(of(() => new Promise(() => {})))).verdict, "plugin_stalled");
});

test("what comes for an exchange that nobody looks at changes nothing", () => {
  begin();
  const workload = of(function* (ctx) {
    ctx.get("/a").cancel();
    ctx.get("/b", { read: "lines" });
    yield ctx.wait(1);
  });
  const iteration = Iteration.start(workload, {}, { row: null });
  for (const exchange of [0, 7]) {
    iteration.onResponse(exchange, { status: 200, fields: [], body: new Uint8Array(), size: 0 });
    iteration.onHead(exchange, 200, []);
    iteration.onItems(exchange, [{ tag: "line", val: "x" }]);
    iteration.onOpen(exchange, "", []);
    iteration.onEnd(exchange, { tag: "cancelled" });
    iteration.onFailure(exchange, { reason: "reset", detail: "" });
  }
  iteration.onTimer(7);
  iteration.onEnd(1, { tag: "cancelled" });
  assert.deepEqual(take().map(({ kind }) => kind), ["send", "cancel", "send", "wait"]);
  iteration.onTimer(0);
  assert.deepEqual(take().map(({ kind }) => kind), ["finish"]);
  iteration.onTimer(0);
  iteration.onFailure(1, { reason: "reset", detail: "" });
  assert.deepEqual(take(), [], "nothing is asked for after the end");
});

test("a flow that has ended leaves no cycle, which only a collection would free", () => {
  begin();
  const iteration = Iteration.start(of(function* (ctx) { yield ctx.get("/a"); }), {}, { row: null });
  const { main, exchanges: [sending] } = iteration;
  assert.deepEqual([sending.owner === main, main.waiting === sending], [true, true]);
  iteration.onResponse(0, { status: 200, fields: [], body: new Uint8Array(), size: 0 });
  assert.deepEqual([main.waiting, sending.waiter, iteration.main], [null, null, null]);
  assert.deepEqual(take().map(({ kind }) => kind), ["send", "finish"]);
});

test("a value that looks like an awaitable is none", async () => {
  const workload = of(function* () {
    const given = JSON.parse('{"brand":true,"settled":false}');
    ensure((yield given) === given, "not the same");
  });
  assert.equal((await new Script().run(workload)).verdict, "ok");
});

test("actions after the end touch no other iteration", () => {
  begin();
  const flow = of(function* (ctx) { late ??= ctx; });
  let late;
  const first = Iteration.start(flow, {}, { row: null });
  late.get("/a");
  late.wait(1);
  const second = Iteration.start(flow, {}, { row: null });
  assert.deepEqual([first.exchanges.length, first.timers.length, second.exchanges, second.timers], [1, 1, [], []]);
});

test("an iteration that has ended holds nothing", () => {
  begin();
  const iteration = Iteration.start(of(function* (ctx) { ctx.get("/a"); }), {}, { row: null });
  assert.deepEqual([iteration.main, iteration.exchanges, iteration.timers], [null, [], []]);
});

test("a context is of no use in another iteration", async () => {
  let first;
  const workload = of(function* (ctx) {
    first ??= ctx;
    yield first.wait(1);
  });
  await assert.rejects(new Script().runMany(workload, {}, 2), /belongs to another iteration/);
});

test("nothing but a length of time can be waited for", async () => {
  for (const wrong of [-1, NaN, undefined, "x"]) {
    await assert.rejects(new Script().run(of((ctx) => { ctx.wait(wrong); })), RangeError);
  }
});
