// What the documentation shows is run: its modules, its tests, and that its first block is the template.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import { Script } from "engine-sdk/testing";

const HERE = dirname(fileURLToPath(import.meta.url));
const PROJECT = join(HERE, "../../../..");
const PAGE = join(PROJECT, "docs/plugins-js.md");
const TEMPLATE = join(PROJECT, "engine/src/cli/plugin/new/js/plugin.js.txt");
// Within the package, so that the blocks find it by its name.
const FOLDER = join(HERE, `.blocks-${process.pid}`);

const skip = !existsSync(PAGE);
mkdirSync(FOLDER);
// Not `after`: the blocks register tests of their own, which may end before all blocks are loaded.
process.on("exit", () => rmSync(FOLDER, { recursive: true }));

/** The page's code blocks. */
function blocks() {
  return [...readFileSync(PAGE, "utf8").matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
}

/** The module that a block is. */
function load(text, at) {
  const file = join(FOLDER, `block-${at}.mjs`);
  writeFileSync(file, text);
  return import(pathToFileURL(file));
}

test("the first block is the template", { skip }, () => {
  assert.equal(blocks()[0].replace('"checkout"', '"my_plugin"'), readFileSync(TEMPLATE, "utf8"));
});

if (!skip) {
  // The second block registers its tests here when it is loaded.
  const [checkout, , requests, chat, orders] = await Promise.all(blocks().map(load));

  test("the page's workloads do what they say", async () => {
    const verdict = async (script, { default: workload }, config) => (await script.run(workload, config)).verdict;
    const shop = new Script().on("GET", "/small").reply(200).on("POST", "/echo").reply(200, '{"item":"tea"}');
    assert.equal(await verdict(shop, checkout, { item: "tea" }), "ok");

    const pages = () => new Script().on("POST", "/pages").replyJson(201, { id: 7 }).on("GET", "/pages/7").field("etag", "e").reply(200);
    const rest = (script) => script.on("GET", "/lists").reply(304).on("PUT", "/pages/7/picture").reply(200).on("GET", "/extra").fail("timeout_total").on("DELETE", "/pages/7").reply(204);
    assert.equal(await verdict(rest(pages()).on("GET", "/slow").reply(200), requests), "ok");
    assert.equal(await verdict(rest(pages()).on("GET", "/slow").after(9000).reply(200), requests), "check: no answer after two seconds");

    const talk = new Script().on("POST", "/chat").stream(200).event("token", "a").pause(5).event("token", "b").end();
    const run = await talk.on("WS", "/ws").open("chat").expectText("hello").text("please").untilClosed().run(chat.default);
    assert.deepEqual([run.verdict, run.counted("tokens"), run.observed("length")], ["ok", 2, [2]]);

    const login = new Script().on("POST", "/login").reply(200, "t1").on("GET", "/orders").reply(200);
    const setup = await login.setup(orders.default);
    const read = await login.shared(setup.shared).run(orders.default);
    assert.deepEqual([read.verdict, read.requests[0].field("authorization")], ["ok", "Bearer t1"]);
  });
}
