import assert from "node:assert/strict";
import { test } from "node:test";

import { all, check, counter, defineWorkload, ensure, mark, observation, race, registerBlob, Stop } from "engine-sdk";
import { Script } from "engine-sdk/testing";

const TOKEN = mark("token", "A token.");
const BYTES = counter("bytes", "Bytes.", "bytes");
const HITS = observation("hits", "Hits.", "hits");
const SORTED = check("sorted", "In order.");

const of = (iterate, more = {}) =>
  defineWorkload({ name: "w", version: "1.0.0", summary: "s", metrics: [TOKEN, BYTES, HITS, SORTED], iterate, ...more });

test("a mistyped option is an error that names the one that is meant", async () => {
  const thrown = async (ask) => {
    let error;
    const flow = function (ctx) {
      try {
        ask(ctx);
      } catch (caught) {
        error = caught;
      }
    };
    await new Script().run(of(flow));
    return `${error}`;
  };
  assert.equal(await thrown((ctx) => ctx.get("/", { hedaers: {} })), 'TypeError: the options of a request: unknown "hedaers", did you mean fields?');
  assert.equal(await thrown((ctx) => ctx.post("/", { Timeout: 1 })), 'TypeError: the options of a request: unknown "Timeout", did you mean timeout?');
  assert.equal(
    await thrown((ctx) => ctx.socket("/", { read: "whole" })),
    'TypeError: the options of a socket: unknown "read", expected one of name, authority, fields, timeout, extensions, subprotocols',
  );
});

test("an answer that was not waited for is an error that says so", async () => {
  const texts = [];
  const flow = function* (ctx) {
    const sending = ctx.get("/");
    const opening = ctx.get("/lines", { read: "lines" });
    const socket = ctx.socket("/ws");
    for (const forgotten of [() => sending.status, () => sending.json(), () => opening.nextBatch(), () => socket.sendText("a")]) {
      try {
        forgotten();
      } catch (error) {
        texts.push(`${error}`);
      }
    }
    for (const exchange of [sending, opening, socket]) exchange.cancel();
  };
  const script = new Script();
  script.on("GET", "/").reply(200);
  script.on("GET", "/lines").fail("reset");
  script.on("WS", "/ws").fail("reset");
  await script.run(of(flow));
  const told = (name) => `TypeError: ${name} of what has not come yet: did you forget yield or await?`;
  assert.deepEqual(texts, ["status", "json", "nextBatch", "sendText"].map(told));
});

test("a request carries what was said of it", async () => {
  const workload = of(function* (ctx) {
    yield ctx.request("PUT", "/a?b=c", {
      name: "put",
      authority: "other:80",
      fields: { "X-One": "1" },
      json: { tea: "grün" },
      read: "count",
      wantedFields: ["etag"],
      followRedirects: 3,
      timeout: 1500.5,
    });
    yield ctx.post("/form", { form: { "a b": "c&d", e: "ü" } });
    yield ctx.patch("/typed", { fields: [["Content-Type", "text/x"]], json: 1 });
    yield ctx.delete("/blob", { blob: registerBlob("blob") });
    yield ctx.get("/bytes", { body: new Uint8Array([1, 2]), maxBody: 9 });
  });
  const script = new Script();
  for (const [method, path] of [["PUT", "/a?b=c"], ["POST", "/form"], ["PATCH", "/typed"], ["DELETE", "/blob"], ["GET", "/bytes"]]) {
    script.on(method, path).reply(200, "ignored");
  }
  const { verdict, requests, actions } = await script.run(workload);
  assert.equal(verdict, "ok");
  const [put, form, typed, blob, bytes] = requests;
  const { name, authority, fields, read, wantedFields, followRedirects, timeout } = put;
  assert.deepEqual(
    { name, authority, fields, read, wantedFields, followRedirects, timeout },
    {
      name: "put",
      authority: "other:80",
      fields: [["X-One", "1"], ["content-type", "application/json"]],
      read: "count",
      wantedFields: ["etag"],
      followRedirects: 3,
      timeout: 1500.5,
    },
  );
  assert.equal(actions[0].request.timeout, 1_500_500_000);
  assert.deepEqual(put.json(), { tea: "grün" });
  assert.equal(form.text(), "a%20b=c%26d&e=%C3%BC");
  assert.equal(form.field("content-type"), "application/x-www-form-urlencoded");
  assert.deepEqual(typed.fields, [["Content-Type", "text/x"]], "a content type that was given stays");
  assert.equal(blob.text(), "blob");
  assert.deepEqual([...bytes.body], [1, 2]);
  assert.deepEqual(actions.find(({ request }) => request?.pathWithQuery === "/bytes").request.read, { tag: "whole", val: 9 });
});

test("a read mode that there is not is an error", async () => {
  await assert.rejects(new Script().run(of((ctx) => { ctx.get("/", { read: "all" }); })), /read: no such mode: all/);
});

test("a reply is read as text, JSON and fields; what is no JSON is a failure that the log explains", async () => {
  const workload = of(function* (ctx) {
    const reply = yield ctx.get("/a");
    ensure(reply.text() === '{"a":"ü"}' && reply.json().a === "ü" && reply.size === 10, "body");
    ensure(reply.field("Content-TYPE") === "application/json" && reply.field("etag") === undefined, "fields");
    (yield ctx.get("/b")).json();
  });
  const run = await new Script().on("GET", "/a").replyJson(200, { a: "ü" }).on("GET", "/b").reply(200, "<html>").run(workload);
  assert.equal(run.verdict, "check: unexpected JSON");
  assert.match(run.logs[0].text, /^unexpected JSON: /);
});

test("items of one read share a batch, and lap counts them", async () => {
  const workload = of(function* (ctx) {
    const stream = yield ctx.post("/chat", { read: "events" });
    stream.expectStatus(200);
    for (let batch = yield stream.nextBatch(); batch !== null; batch = yield stream.nextBatch()) {
      ctx.lap(TOKEN, batch.filter(({ event }) => event === "token").length);
    }
  });
  const script = new Script().on("POST", "/chat").stream(200).event("token", "a").pause(10).events(["x", "y"]).pause(5).event("token", "b").end();
  const { verdict, marks } = await script.run(workload);
  assert.equal(verdict, "ok");
  assert.deepEqual(marks.map(({ since, weight, at }) => [since, weight, at]), [["previous", 1, 1], ["previous", 0, 11], ["previous", 1, 16]]);
});

test("a stream is read item by item, in each of its kinds, also by for await", async () => {
  const workload = of(async (ctx) => {
    const lines = await ctx.get("/lines", { read: "lines" });
    ensure((await lines.next()) === "a" && (await lines.next()) === "b" && (await lines.next()) === null, "lines");
    let size = 0;
    for await (const chunk of await ctx.get("/chunks", { read: "chunks" })) size += chunk.length;
    ensure(size === 5, "chunks");
    const head = await ctx.get("/head", { read: "head" });
    ensure(head.status === 200 && head.field("etag") === "e", "head");
    await head.finish();
    for await (const line of await ctx.get("/lines", { read: "lines" })) if (line === "a") break;
    await ctx.wait(1);
  });
  const script = new Script().on("GET", "/lines").once().stream(200).lines(["a", "b"]).end();
  script.on("GET", "/lines").stream(200).lines(["a"]).pause(50).lines(["b"]).end();
  script.on("GET", "/chunks").stream(200).chunk("abc").pause(1).chunk("de").end();
  script.on("GET", "/head").field("etag", "e").reply(200, "body");
  const run = await script.run(workload);
  assert.deepEqual([run.verdict, run.cancelled], ["ok", [3]], "a loop that is left cancels");
});

test("a stream that breaks hands over what came before", async () => {
  const seen = [];
  const workload = of(function* (ctx) {
    const stream = yield ctx.get("/a", { read: "lines" });
    for (;;) seen.push(yield stream.next());
  });
  const run = await new Script().on("GET", "/a").stream(200).lines(["a", "b"]).fail("reset").run(workload);
  assert.deepEqual([run.verdict, seen], ["reset", ["a", "b"]]);
});

test("an answer in JSON to a request for events is read as bytes, up to a limit", async () => {
  const workload = of(function* (ctx) {
    const stream = yield ctx.get("/a", { read: "events" });
    const bytes = yield stream.bytes(100);
    ensure(new TextDecoder().decode(bytes) === '{"error":1}', "bytes");
    yield (yield ctx.get("/a", { read: "events" })).bytes(3);
  });
  assert.equal((await new Script().on("GET", "/a").replyJson(400, { error: 1 }).run(workload)).verdict, "check: answer too large");
});

test("a socket talks, and is closed from here", async () => {
  const workload = of(function* (ctx) {
    const socket = yield ctx.socket("/ws", { name: "talk", subprotocols: ["chat"], fields: { origin: "x" } });
    ensure(socket.subprotocol === "chat", "subprotocol");
    socket.sendText("hello");
    ensure((yield socket.next()) === "you", "text");
    const bytes = yield socket.next();
    ensure(bytes instanceof Uint8Array && bytes[0] === 97, "binary");
    socket.sendBinary(bytes);
    const closed = yield socket.close(1000, "done");
    ensure(closed.code === 1000 && closed.reason === "done", "close");
  });
  const script = new Script().on("WS", "/ws").open("chat").expectText("hello").text("you").binary("a").untilClosed();
  const run = await script.run(workload);
  assert.equal(run.verdict, "ok");
  assert.deepEqual(run.closed(0), { code: 1000, reason: "done" });
  assert.deepEqual([run.written(0)[0], [...run.written(0)[1]]], ["hello", [97]]);
  assert.deepEqual([run.requests[0].name, run.requests[0].subprotocols], ["talk", ["chat"]]);
});

test("a wait for items that loses a race leaves the exchange open and the items to the next wait", async () => {
  const workload = of(function* (ctx) {
    const socket = yield ctx.socket("/ws");
    ensure((yield race([socket.next(), ctx.wait(10)])) === undefined, "too early");
    function* reads() {
      return yield socket.next();
    }
    ensure((yield race([reads(), ctx.wait(10)])) === undefined, "too early");
    ensure((yield socket.next()) === "a" && (yield race([socket.next(), ctx.wait(50)])) === "b", "messages");
    yield socket.close();
  });
  const run = await new Script().on("WS", "/ws").open().pause(30).text("a").pause(5).text("b").untilClosed().run(workload);
  assert.deepEqual([run.verdict, run.cancelled], ["ok", []]);
});

test("a socket is closed from there, refused, or broken", async () => {
  const workload = of(function* (ctx) {
    const socket = yield ctx.socket("/ws");
    while ((yield socket.nextBatch()) !== null);
    throw Stop.quoting("closed", `${socket.closeInfo.code} ${socket.closeInfo.reason}`);
  });
  const verdict = async (script) => (await script.run(workload)).verdict;
  const ws = () => new Script().on("WS", "/ws");
  assert.equal(await verdict(ws().open().texts(["a", "b"]).close(1001, "restart")), "check: closed: # restart");
  assert.equal(await verdict(ws().fail("upgrade_refused")), "upgrade_refused");
  assert.equal(await verdict(ws().open().text("a").fail("reset")), "reset");
});

test("figures come as they were declared", async () => {
  const workload = of(function* (ctx) {
    const reply = yield ctx.get("/a");
    ctx.mark(TOKEN);
    ctx.mark(TOKEN, reply);
    ctx.mark(TOKEN, reply.exchange);
    ctx.count(BYTES, reply.size);
    ctx.count(BYTES);
    ctx.observe(HITS, 2.5);
    ctx.check(SORTED, true);
    ctx.check(SORTED, 0);
    ctx.log("info", "line");
  });
  const run = await new Script().on("GET", "/a").reply(200, "abc").run(workload);
  assert.deepEqual(run.marks.map(({ since }) => since), ["due", 0, 0]);
  assert.deepEqual([run.counted("bytes"), run.observed("hits"), run.checked("sorted")], [4, [2.5], [true, false]]);
  assert.deepEqual(run.logs, [{ level: "info", text: "line" }]);
});

test("a figure of another kind, or one that is not declared, is an error", async () => {
  await assert.rejects(new Script().run(of((ctx) => { ctx.mark(BYTES); })), /no mark: bytes/);
  await assert.rejects(new Script().run(of((ctx) => { ctx.mark(mark("other", "s")); })), /not in the workload's metrics/);
});

test("setup shares, and what comes later is given it", async () => {
  const workload = of((ctx, plan) => ensure(plan === "t1", "token"), {
    configure: (_, shared) => shared.token,
    *setup(ctx) {
      ctx.share({ token: (yield ctx.post("/login")).text() });
    },
  });
  const script = new Script().on("POST", "/login").reply(200, "t1");
  const setup = await script.setup(workload);
  assert.equal(setup.verdict, "ok");
  assert.equal((await script.shared(setup.shared).run(workload)).verdict, "ok");
  assert.equal(await script.teardown(workload), null);
  assert.equal(await script.setup(of(() => {}, { setup: () => {} })), null, "a setup that returns nothing is none");
  const wrong = await new Script().setup(of(() => {}, { *setup(ctx) { ctx.share([1]); } }));
  assert.equal(wrong.verdict, "check: what is shared is no JSON object");
});

test("the arrival is what the script says", async () => {
  const workload = of((ctx) => {
    const { index, seed, wallTime, client, phase } = ctx.arrival;
    ctx.log("info", JSON.stringify([index, String(seed), String(wallTime), client, phase, ctx.row().a]));
    ensure(ctx.rng().nextU64() === ctx.rng().nextU64(), "each call starts the same sequence");
  });
  const run = await new Script().arrival({ index: 3, seed: 7n, row: '{"a":1}' }).run(workload);
  assert.equal(run.verdict, "ok");
  assert.equal(run.logs[0].text, '[3,"7","1700000000000000000",1,"test",1]');
  assert.equal((await new Script().run(workload)).verdict, "check: no data row");
});

test("a request that is not scripted is an error that shows both", async () => {
  const script = new Script().on("GET", "/a").once().reply(200);
  const workload = of(function* (ctx) {
    yield ctx.get("/a");
    yield ctx.get("/a");
  });
  await assert.rejects(script.run(workload), /unexpected request\n {2}GET \/a\nscripted are, in this order:\n {2}GET \/a \(used up\)/);
});

test("a request says nothing of the one before it", async () => {
  const workload = of(function* (ctx) {
    const options = { name: "one", body: "x", read: "count", authority: "other:80", wantedFields: ["etag"], followRedirects: 1, extensions: { a: "b" }, timeout: 9 };
    yield all([ctx.post("/one", options), ctx.get("/two"), ctx.post("/three", { body: "y" })]);
  });
  const script = new Script().on("POST", "/one").reply(200).on("GET", "/two").reply(200).on("POST", "/three").reply(200);
  const { verdict, requests, actions } = await script.run(workload);
  assert.equal(verdict, "ok");
  assert.deepEqual(requests.map((sent) => sent.text()), ["x", "", "y"]);
  const { name, authority, wantedFields, followRedirects, timeout, extensions, body, read } = actions[1].request;
  assert.deepEqual(
    [name, authority, wantedFields, followRedirects, timeout, extensions, body.tag, read.tag],
    [undefined, undefined, undefined, undefined, undefined, [], "empty", "whole"],
  );
});

test("what is waited for by several wakes all of them, in order", async () => {
  const woken = [];
  const waits = function* (name, sent) {
    woken.push([name, (yield sent).status]);
  };
  const workload = of(function* (ctx) {
    const sent = ctx.get("/a");
    yield all([waits("a", sent), waits("b", sent), waits("c", sent)]);
  });
  await new Script().on("GET", "/a").reply(204).run(workload);
  assert.deepEqual(woken, [["a", 204], ["b", 204], ["c", 204]]);
});
