// An error of the author's code: told to the author, then the call traps.

import { actions } from "#actions";
import { placeOf } from "../build/lines.mjs";
import { cutUtf8 } from "./text.js";

/** The longest log line, in bytes. */
const LINE_LIMIT = 4096;

/** Logs the error in one line and throws it on: what leaves an exported function is a trap. */
export function trap(error) {
  actions.log("error", cutUtf8(describeError(error), LINE_LIMIT));
  throw error;
}

/** The error's text, and the author's functions and lines: `TypeError: … at total (src/plugin.js:12), at …`. */
export function describeError(error) {
  if (!(error instanceof Error)) return `thrown, but no Error, so that its place is not known: ${String(error)}`;
  const places = frames(error.stack ?? "");
  const text = `${error.name}: ${error.message}`.replace(/\s*\n\s*/g, " ");
  const told = [text, ...places].join(places.length === 0 ? "" : " at ");
  return error.cause === undefined ? told : `${told}; caused by ${describeError(error.cause)}`;
}

/** The author's frames of a stack. `globalThis.__lines` is the build's table of the bundle's lines. */
function frames(stack) {
  const table = globalThis.__lines;
  const found = [];
  let inner = null;
  for (const line of stack.split("\n")) {
    const frame = /^\s*at (?:(.+) )?\(?(.+?):(\d+)(?::\d+)?\)?$/.exec(line);
    if (frame === null) continue;
    const place = table === undefined ? `${frame[2]}:${frame[3]}` : placeOf(table, Number(frame[3]));
    if (place === null) continue;
    // An async function is a function around a generator here; the build names both, and one of them is enough.
    const name = (frame[1] ?? "").replace(/^<anonymous>$/, "");
    const wrapper = name === inner;
    inner = name.endsWith("$async") ? name.slice(0, -6) : null;
    if (!wrapper) found.push(name === "" ? place : `${inner ?? name} (${place})`);
  }
  return found;
}

/** As `trap`, where a thrown error would become an ordinary result: an action that is given no number traps. */
export function trapHard(error) {
  try {
    trap(error);
  } finally {
    actions.count("trap", "trap");
  }
}
