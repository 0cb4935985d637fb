import assert from "node:assert/strict";
import { test } from "node:test";

import { defineWorkload, mark, percentEncode, refuse, Rng, Stop } from "engine-sdk";
import { configSchema, configure } from "engine-sdk/testing";

import { cutUtf8, decodeLossy } from "../src/text.js";
import { describeError } from "../src/trap.js";
import { lower } from "../src/verdict.js";

test("the sequence is that of the Rust SDK", () => {
  const rng = new Rng(1_234_567n);
  const first = Array.from({ length: 5 }, () => rng.nextU64());
  assert.deepEqual(first, [6457827717110365317n, 3203168211198807973n, 9817491932198370423n, 4593380528125082431n, 16408922859458223821n]);
});

test("draws stay within their bounds", () => {
  const rng = new Rng(7);
  const seen = [0, 0, 0];
  for (let k = 0; k < 3000; k++) {
    seen[rng.pick([0, 1, 2])]++;
    const unit = rng.unit();
    assert.ok(unit >= 0 && unit < 1);
  }
  assert.ok(seen.every((n) => n > 900 && n < 1100), `${seen}`);
  assert.deepEqual([rng.below(0), rng.pick([]), rng.chance(0), rng.chance(1)], [0, undefined, false, true]);
});

test("only what is unreserved stands for itself", () => {
  assert.equal(percentEncode("a-b_c.d~1"), "a-b_c.d~1");
  assert.equal(percentEncode("a b/é?#%+*'()!"), "a%20b%2F%C3%A9%3F%23%25%2B%2A%27%28%29%21");
});

test("a long text is cut between characters", () => {
  assert.equal(lower(Stop.failed("ü".repeat(150) + "x"), true).val, "ü".repeat(100));
  assert.equal(new TextEncoder().encode(lower(Stop.failed("x" + "ü".repeat(150)), true).val).length, 199);
  assert.equal(cutUtf8("abc", 3), "abc");
});

test("a quoted text keeps its words and loses what varies", () => {
  const quoted = (text) => Stop.quoting("error", text).message;
  assert.equal(
    quoted("QueuePool limit of size 5 overflow 10 reached, timed out after 30.00 31.00 s"),
    "error: QueuePool limit of size # overflow # reached, timed out after # s",
  );
  assert.equal(quoted("no agent 910a2dec-8902 for ann@example.org"), "error: no agent # for #");
  for (const nothing of ["  ", "910a2dec", "x".repeat(25)]) assert.equal(quoted(nothing), "error");
  assert.ok(quoted("word ".repeat(100)).length <= 107);
});

test("bytes that are no UTF-8 become U+FFFD, as TextDecoder has it", () => {
  const cases = [[0x61, 0xff, 0x62], [0xe2, 0x82], [0xe2, 0x82, 0x41], [0xf0, 0x9f, 0x98, 0x80], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xef, 0xbb, 0xbf, 0x61], [0xc3, 0xbc]];
  for (const bytes of cases) {
    assert.equal(decodeLossy(new Uint8Array(bytes)), new TextDecoder().decode(new Uint8Array(bytes)), `${bytes}`);
  }
});

const declared = { name: "w", version: "1.0.0", summary: "s", iterate() {} };

test("a declaration that is wrong is an error", () => {
  const wrong = (change, message) => assert.throws(() => defineWorkload({ ...declared, ...change }), { message });
  wrong({ name: "my-plugin" }, "defineWorkload: name: lower-case letters, digits and _, at most 64");
  wrong({ version: undefined }, "defineWorkload: version: missing");
  wrong({ iterate: undefined }, "defineWorkload: iterate: missing");
  wrong({ metrics: ["x"] }, "defineWorkload: metrics: made by mark, counter, observation or check");
  assert.throws(() => defineWorkload({ ...declared, metric: [] }), /unknown key metric, expected one of name, /);
});

test("a word of a schema that is mistyped is an error", () => {
  const wrong = (config, message) => assert.throws(() => defineWorkload({ ...declared, config }), { name: "TypeError", message });
  wrong({ n: { type: "integer", minumum: 1 } }, 'defineWorkload: config.n: unknown "minumum", did you mean minimum?');
  wrong({ n: { items: { Type: "string" } } }, 'defineWorkload: config.n[]: unknown "Type", did you mean type?');
  wrong({ n: { properties: { m: { minlength: 1 } } } }, 'defineWorkload: config.n.m: unknown "minlength", did you mean minLength?');
  assert.throws(() => defineWorkload({ ...declared, config: { n: { zzzzzz: 1 } } }), { message: /^defineWorkload: config\.n: unknown "zzzzzz", expected one of type, description, / });
  defineWorkload({ ...declared, config: { n: { const: 1, "x-unit": "s", properties: { zzzzzz: {} } } } });
});

const limit = { type: "integer", minimum: 1, maximum: 9, default: 2, description: "d" };
const keys = { token: { type: "string", minLength: 1, pattern: "^[a-z]+$" }, paths: { type: "array", items: { type: "string" }, minItems: 1, default: ["/a"] }, limit, kind: { enum: ["a", "b"], default: "a" } };

test("a configuration has its defaults, and what does not fit is refused by its key", () => {
  const workload = defineWorkload({ ...declared, config: keys });
  assert.deepEqual(configure(workload, { token: "t" }), { token: "t", paths: ["/a"], limit: 2, kind: "a" });
  const refused = (config, message) => assert.throws(() => configure(workload, config), { message });
  refused({}, "config: missing field `token`");
  refused({ token: 3 }, "config.token: invalid type: 3, expected a string");
  refused({ token: "" }, "config.token: must have 1 characters or more");
  refused({ token: "A" }, "config.token: does not match ^[a-z]+$");
  refused({ token: "t", paths: ["/a", null] }, "config.paths[1]: invalid type: null, expected a string");
  refused({ token: "t", paths: [] }, "config.paths: give at least 1");
  refused({ token: "t", limit: 2.5 }, "config.limit: invalid type: 2.5, expected an integer");
  refused({ token: "t", limit: 0 }, "config.limit: 0 is below 1");
  refused({ token: "t", kind: "c" }, 'config.kind: "c", expected one of "a", "b"');
  refused({ token: "t", pths: [] }, "config.pths: unknown field `pths`, expected one of `token`, `paths`, `limit`, `kind`");
  assert.throws(() => configure(defineWorkload(declared), { a: 1 }), { message: "config.a: unknown field `a`, there are no fields" });
});

test("a default is copied for each plan", () => {
  const workload = defineWorkload({ ...declared, config: keys });
  configure(workload, { token: "t" }).paths.push("/b");
  assert.deepEqual(configure(workload, { token: "t" }).paths, ["/a"]);
});

test("the schema is the keys, and those without a default are required", () => {
  const schema = configSchema(defineWorkload({ ...declared, config: keys }));
  assert.deepEqual([schema.required, schema.additionalProperties, schema.properties.limit], [["token"], false, limit]);
});

test("configure refuses with a text", () => {
  const workload = defineWorkload({ ...declared, configure: () => refuse("config.a: say what to change"), metrics: [mark("m", "s")] });
  assert.throws(() => configure(workload), { message: "config.a: say what to change" });
});

test("an error is told in one line, with the author's functions and lines", () => {
  globalThis.__lines = [[10, 5, "src/plugin.js", 3], [20, 1, "src/a.ts", 1]];
  try {
    const error = new TypeError("two\n  lines");
    error.stack = "    at dig (componentize-qjs:user.js:12:3)\n    at load$async (componentize-qjs:user.js:14:1)\n    at next (native)\n    at step (componentize-qjs:user.js:99:1)\n    at load (componentize-qjs:user.js:13:1)\n    at <anonymous> (componentize-qjs:user.js:20:1)";
    assert.equal(describeError(error), "TypeError: two lines at dig (src/plugin.js:5) at load (src/plugin.js:7) at src/a.ts:1");
    const outer = new Error("outer", { cause: error });
    outer.stack = "";
    assert.match(describeError(outer), /^Error: outer; caused by TypeError: two lines at dig /);
    assert.equal(describeError("text"), "thrown, but no Error, so that its place is not known: text");
  } finally {
    delete globalThis.__lines;
  }
});
