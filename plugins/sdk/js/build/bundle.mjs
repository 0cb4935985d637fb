// One module of a plugin and all it imports.

import { realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import * as esbuild from "esbuild";

import { nameGenerators, ownAsync } from "./async.mjs";
import { lineTable, placeOf } from "./lines.mjs";

const SDK = dirname(dirname(fileURLToPath(import.meta.url)));

/** Bundles the plugin of this folder. `place` tells where a line of the code comes from, as `src/plugin.js:12`. */
export async function bundle(folder, manifest) {
  if (typeof manifest.main !== "string") throw new Error("package.json: main: missing, such as \"src/plugin.js\"");
  const main = JSON.stringify(`./${manifest.main.replace(/^\.\//, "")}`);
  // A plugin that is written against the interface itself exports `workload`, and takes nothing from the SDK.
  const entry = manifest["engine-sdk"]?.raw
    ? `export { workload } from ${main};`
    : `import "engine-sdk/component/globals";
import { component } from "engine-sdk/component";
import declared from ${main};
export const workload = component(declared);`;
  const result = await esbuild.build({
    stdin: { contents: entry, resolveDir: folder, sourcefile: "engine-sdk-entry.js" },
    absWorkingDir: folder,
    outfile: "plugin.js",
    write: false,
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["component"],
    external: ["engine:*"],
    target: "es2022",
    // Made generators of: no job of a native promise would run before a call of the engine returns.
    supported: { "async-await": false, "async-generator": false, "for-await": false, "top-level-await": false },
    charset: "utf8",
    sourcemap: "external",
    sourcesContent: false,
    logLevel: "warning",
  });
  const map = JSON.parse(result.outputFiles.find((file) => file.path.endsWith(".map")).text);
  const code = result.outputFiles.find((file) => file.path.endsWith(".js")).text;
  const table = lineTable(map, (source) => isAuthors(folder, source));
  return {
    code: `${nameGenerators(ownAsync(code))}\nglobalThis.__lines = ${JSON.stringify(table)};\n`,
    place: (line) => placeOf(table, line),
  };
}

/** Whether a source is the author's own: not the SDK's, not a package's, not the entry. */
function isAuthors(folder, source) {
  if (source === "engine-sdk-entry.js" || source.includes("node_modules/")) return false;
  return !realpathSync(resolve(folder, source)).startsWith(SDK);
}
