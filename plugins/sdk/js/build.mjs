// Builds the plugin in the current folder: node node_modules/engine-sdk/build.mjs --out FILE
//
// esbuild makes one module of the plugin and what it imports, componentize-qjs makes a component of that. Faults of the
// author's source come out on stderr with file and line.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { componentize } from "componentize-qjs";

import { bundle } from "./build/bundle.mjs";

const USAGE = "usage: node build.mjs --out FILE";

try {
  const out = outOf(process.argv.slice(2));
  const manifest = JSON.parse(readFileSync("package.json", "utf8"));
  const { code, place } = await bundle(process.cwd(), manifest);
  writeFileSync(out, await componentOf(code, place));
} catch (error) {
  // esbuild has told its own already.
  if (error.errors === undefined) console.error(`error: ${error.message}`);
  process.exitCode = 1;
}

function outOf(args) {
  if (args.length !== 2 || args[0] !== "--out") throw new Error(USAGE);
  return args[1];
}

/** The component's bytes. What the module throws when it is loaded ends the build. */
async function componentOf(code, place) {
  try {
    const { component } = await componentize({
      witPath: join(fileURLToPath(new URL(".", import.meta.url)), "wit"),
      jsSource: code,
      sync: true,
      stubWasi: true,
    });
    return component;
  } catch (error) {
    throw new Error(readable(error.message, place));
  }
}

/** What the toolchain says of an error, without its own words and frames, and with the author's files. */
function readable(message, place) {
  const lines = message.replace(/^[\s\S]*module evaluation: /, "").split("\n");
  const told = lines.map((line) => line.replace(/\(?componentize-qjs:user\.js:(\d+)(?::\d+)?\)?/, (_, at) => place(Number(at)) ?? "sdk"));
  return told.filter((line) => !/^\s+at .*sdk$/.test(line) && line.trim() !== "").join("\n");
}
