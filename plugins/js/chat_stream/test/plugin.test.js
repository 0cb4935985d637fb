import assert from "node:assert/strict";
import { test } from "node:test";

import { Rng } from "engine-sdk";
import { configSchema, configure, Script } from "engine-sdk/testing";

import workload from "../src/plugin.js";
import { question } from "../src/texts.js";

const CONFIG = { token: "t.1-x", organization: "org/1", agent: "a-1", messages: ["hello"] };
const OPENING = '{"message":"hello","conversation_id":null,"agent_id":"a-1"}';
const COMPLETE = '{"type":"complete","conversation_id":"c-1"}';
const STOP = '{"type":"stop"}';
const GAP = 10;

const delta = (text) => JSON.stringify({ type: "text_delta", delta: text });
const error = (message) => JSON.stringify({ type: "error", message });
const socket = () => new Script().on("WS", "/api/v1/ws/agent").open("chat").expectText(OPENING);
const run = (script) => script.run(workload, CONFIG);

test("an answer is timed by its texts", async () => {
  const script = socket()
    .text('{"type":"started"}')
    .pause(GAP)
    .text(delta(""))
    .text('{"type":"text_delta","delta":null}')
    .pause(GAP)
    .text(delta("Hel"))
    .pause(GAP)
    .texts([delta("lo"), delta(" there")])
    .text('{"type":"tool_call","delta":"x"}')
    .pause(GAP)
    .texts([delta("!"), COMPLETE])
    .untilClosed();
  const timed = await run(script);
  assert.equal(timed.verdict, "ok");
  const laps = timed.marks.filter(({ name }) => name === "token_gap").map(({ weight, at }) => [weight, at]);
  assert.deepEqual(laps, [[1, 21], [2, 31], [1, 41]]);
  const first = timed.marks.filter(({ name }) => name === "first_token");
  assert.deepEqual(first, [{ name: "first_token", since: "due", weight: 1, at: 21 }], "an empty text is no token");
  assert.equal(timed.counted("deltas"), 4);
});

test("the handshake carries token and organization as a browser would", async () => {
  const { requests } = await run(socket().texts([delta("x"), COMPLETE]).untilClosed());
  assert.equal(requests[0].path, "/api/v1/ws/agent?organization_id=org%2F1");
  assert.deepEqual(requests[0].subprotocols, ["access_token.t.1-x", "chat"]);
  assert.equal(requests[0].name, "chat");
  assert.deepEqual(requests[0].fields, []);
});

test("every fifth stops after its first text and waits for the end", async () => {
  const script = socket().text(delta("")).pause(GAP).text(delta("a")).expectText(STOP).pause(GAP).text(delta("b")).text(COMPLETE);
  const stopped = await run(script.untilClosed().arrival({ index: 4 }));
  assert.equal(stopped.verdict, "cancelled");
  assert.equal(stopped.written(0).length, 2);
  assert.equal(stopped.took, 2 * GAP + 1);
});

test("the others do not stop", async () => {
  const script = socket().text(delta("a")).text(COMPLETE).untilClosed();
  const stopping = async (every) => {
    const runs = await script.runMany(workload, { ...CONFIG, cancel_every: every }, 20);
    for (const one of runs) assert.equal(one.verdict === "cancelled", one.written(0).includes(STOP));
    return runs.flatMap((one, at) => (one.verdict === "cancelled" ? [at] : []));
  };
  assert.deepEqual(await stopping(5), [4, 9, 14, 19]);
  assert.deepEqual(await stopping(0), []);
  assert.equal((await stopping(1)).length, 20);
});

test("a whole answer in one read needs no stop and is cancelled all the same", async () => {
  const whole = await run(socket().texts([delta("a"), COMPLETE]).untilClosed().arrival({ index: 4 }));
  assert.equal(whole.verdict, "cancelled");
  assert.equal(whole.written(0).length, 1);
});

test("a stop that nothing answers is a failure", async () => {
  const stopped = () => socket().text(delta("a")).expectText(STOP);
  const verdict = async (script) => (await run(script.arrival({ index: 4 }))).verdict;
  assert.equal(await verdict(stopped().fail("timeout_idle")), "timeout_idle");
  assert.equal(await verdict(stopped().close(1000)), "check: closed without complete, code 1000");
});

test("an error frame fails with its words and without its ids", async () => {
  const verdict = async (frame) => (await run(socket().text(delta("a")).text(frame).untilClosed())).verdict;
  assert.equal(await verdict(error("model answered 500 for run 7b1c-44")), "check: error frame: model answered # for run #");
  assert.equal(await verdict(error("token t.1-x expired")), "check: error frame: token *** expired");
  assert.equal(await verdict('{"type":"error"}'), "check: error frame");
  assert.equal(await verdict('{"type":"error","message":{"code":3}}'), "check: error frame");
});

test("an answer without its end is a failure", async () => {
  const verdict = async (script) => (await run(script)).verdict;
  assert.equal(await verdict(socket().text(delta("a")).close(1000)), "check: closed without complete, code 1000");
  assert.equal(
    await verdict(socket().close(1011, "worker 12 died")),
    "check: closed without complete, code 1011: worker # died",
  );
  assert.equal(await verdict(socket().text(delta("a")).fail("reset")), "reset");
  assert.equal(await verdict(socket().text(COMPLETE).untilClosed()), "check: complete without text");
});

test("what is no frame is a failure", async () => {
  for (const text of ["", "hello", "3", '{"type":3}', '{"type":"text_delta","delta":["a"]}']) {
    assert.equal((await run(socket().text(text).untilClosed())).verdict, "check: unexpected frame", text);
  }
  const binary = await run(socket().binary(delta("a")).text(COMPLETE).untilClosed());
  assert.equal(binary.verdict, "ok", "a frame may come as bytes");
  const unknown = await run(socket().text("{}").text(delta("a")).text(COMPLETE).untilClosed());
  assert.equal(unknown.verdict, "ok", "what has no type is passed over");
});

test("a refused handshake keeps the engine's reason", async () => {
  assert.equal((await run(new Script().on("WS", "/api/v1/ws/agent").fail("upgrade_refused"))).verdict, "upgrade_refused");
});

test("messages are chosen by the seed", async () => {
  const said = async (seed) => {
    const script = new Script().shared({ access_token: "t", organization: "o", agent: "a" }).arrival({ seed });
    const one = await script.on("WS", "/api/v1/ws/agent").open().texts([delta("x"), COMPLETE]).untilClosed().run(workload);
    assert.equal(one.requests[0].subprotocols[0], "access_token.t");
    return one.written(0)[0];
  };
  assert.equal(await said(1), await said(1));
  assert.notEqual(await said(1), await said(2));
  const distinct = new Set(Array.from({ length: 200 }, (_, seed) => question(new Rng(seed))));
  assert.ok(distinct.size > 190, `${distinct.size}`);
});

test("what is missing is refused with what to do", () => {
  const refused = (config, shared, text) => assert.throws(() => configure(workload, config, shared), { message: text });
  refused({ token: "t", organization: "o" }, null, 'config.agent: missing; add [[setup]] plugin = "login", or give it here');
  refused({ token: "", organization: "o" }, null, "config.token: must not be empty");
  refused(
    { token: "a/b", organization: "o", agent: "a" },
    null,
    "config.token: has characters that a WebSocket's subprotocol cannot carry",
  );
  refused({}, { access_token: 3 }, "shared.access_token: invalid type: 3, expected a string");
  assert.throws(() => configure(workload, { cancel: 3 }), /config.cancel: unknown field `cancel`, expected one of /);
});

test("the schema knows the keys", () => {
  const schema = configSchema(workload);
  assert.equal(schema.additionalProperties, false);
  assert.equal(schema.properties.cancel_every.default, 5);
});
