// What the build makes of a plugin's sources.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

import { nameGenerators, ownAsync } from "../build/async.mjs";
import { bundle } from "../build/bundle.mjs";

const SDK = dirname(dirname(fileURLToPath(import.meta.url)));
const folders = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

/** A plugin's folder with these files. */
function folder(files) {
  const root = mkdtempSync(join(tmpdir(), "plugin-"));
  folders.push(root);
  mkdirSync(join(root, "node_modules"));
  symlinkSync(SDK, join(root, "node_modules/engine-sdk"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** Builds a folder: status and what was said. */
function build(root) {
  const done = spawnSync("node", ["node_modules/engine-sdk/build.mjs", "--out", "out.wasm"], { cwd: root, encoding: "utf8" });
  return { status: done.status, said: done.stderr };
}

const manifest = (main) => JSON.stringify({ main, type: "module" });
const PLUGIN = `import { defineWorkload } from "engine-sdk";

async function helper(ctx) {
  await ctx.get("/");
  throw new Error("here");
}
export default defineWorkload({
  name: "a",
  version: "1",
  summary: "s",
  async iterate(ctx) {
    await helper(ctx);
  },
});
`;

test("lines of the bundle are those of the author's files, and async functions keep their names", async () => {
  const root = folder({ "src/plugin.js": PLUGIN });
  const { code, place } = await bundle(root, { main: "src/plugin.js" });
  const lines = code.split("\n");
  const at = (text) => lines.findIndex((line) => line.includes(text)) + 1;
  assert.equal(place(at('new Error("here")')), "src/plugin.js:5");
  assert.equal(place(at("yield helper(ctx)")), "src/plugin.js:12");
  assert.equal(place(at("class Awaitable")), null, "the SDK's lines are not the author's");
  assert.match(code, /function\* helper\$async \(/);
  assert.match(code, /function\* iterate\$async \(/);
  const bare = lines.filter((line) => !/^\s*(\/\/|\/?\*)/.test(line)).join("\n");
  assert.doesNotMatch(bare, /(?<!\$)\basync |\bawait /, "no native promise is left");
  assert.doesNotMatch(code, new RegExp(root), "no path of this machine");
});

test("generators are named after their functions", () => {
  const named = (head, call) => /function\* (\S*)\$async/.exec(nameGenerators(`${head}\n${call}`))?.[1];
  const body = "  return __async(this, null, function* () {";
  assert.equal(named("async function a(x) {".replace("async ", ""), body), "a");
  assert.equal(named("  static b(x, { y }) {", body), "b");
  assert.equal(named("  #c() {", body), "c");
  assert.equal(named("", "var d = (x, y = 1) => __async(null, null, function* () {"), "d");
  assert.equal(named("", "  e: () => __async(null, null, function* () {"), "e");
  assert.equal(named("  f: function() {", body), "f");
  assert.equal(named("", "run(() => __async(null, null, function* () {"), undefined, "what has no name gets none");
});

test("esbuild's helper is replaced line for line", async () => {
  const helper = "var __async = (a, b) => {\n  return 1;\n};\nrest";
  assert.equal(ownAsync(helper).split("\n").length, 4);
  assert.match(ownAsync(helper), /__runAsync/);
  assert.equal(ownAsync("none"), "none");
});

test("a plugin becomes a component, from JavaScript as from TypeScript", () => {
  const typed = PLUGIN.replace("helper(ctx)", "helper(ctx: { get(path: string): PromiseLike<unknown> }): Promise<void>");
  for (const [main, text] of [["src/plugin.js", PLUGIN], ["src/plugin.ts", typed]]) {
    const root = folder({ "package.json": manifest(main), [main]: text });
    const { status, said } = build(root);
    assert.equal(status, 0, said);
    const component = readFileSync(join(root, "out.wasm"));
    assert.deepEqual([...component.subarray(0, 8)], [0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0], "a component's first bytes");
    assert.ok(!component.includes(root), "no path of this machine");
  }
});

test("a fault of the source comes out with its file and line", () => {
  const failed = (text) => {
    const { status, said } = build(folder({ "package.json": manifest("src/plugin.js"), "src/plugin.js": text }));
    assert.equal(status, 1);
    return said;
  };
  assert.match(failed("export default {\n  a: 1,,\n};\n"), /src\/plugin\.js:2:7:/);
  assert.match(failed('import { nothing } from "engine-sdk";\nexport default nothing;\n'), /No matching export .* for import "nothing"[\s\S]*src\/plugin\.js:1:9:/);
  const thrown = failed(PLUGIN.replace('"a"', '"a-b"'));
  assert.match(thrown, /^error: Error: defineWorkload: name: lower-case letters[^\n]*\n\s+at [^\n]*src\/plugin\.js:7\n$/);
  assert.match(failed("const f = async () => 1;\nexport default await f();\n"), /Top-level await[\s\S]*src\/plugin\.js:2:15:/);
});

test("a folder without a main says so", () => {
  const { status, said } = build(folder({ "package.json": "{}" }));
  assert.equal(status, 1);
  assert.match(said, /^error: package\.json: main: missing/);
});

test("the interface is the project's", { skip: !existsInProject() }, () => {
  assert.equal(readFileSync(join(SDK, "wit/workload.wit"), "utf8"), readFileSync(join(SDK, "../../../wit/workload.wit"), "utf8"));
});

function existsInProject() {
  try {
    readFileSync(join(SDK, "../../../wit/workload.wit"));
    return true;
  } catch {
    return false;
  }
}
