// Globals of a component: what authors and packages expect and QuickJS lacks, and what must not be used.

import { actions } from "#actions";
import { decodeUtf8, encodeUtf8 } from "../text.js";
import { enqueue, EnginePromise, runAsync } from "./promise.js";

// The SDK's own frames, and those of async functions, are among them.
Error.stackTraceLimit = 40;

globalThis.Promise = EnginePromise;
globalThis.queueMicrotask = enqueue;
globalThis.__runAsync = runAsync;

globalThis.TextEncoder = class TextEncoder {
  encode(text = "") {
    return encodeUtf8(String(text));
  }
};

globalThis.TextDecoder = class TextDecoder {
  decode(bytes = new Uint8Array()) {
    return decodeUtf8(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes.buffer ?? bytes));
  }
};

const logger = (level) => (...parts) => {
  actions.log(level, parts.map((part) => (typeof part === "object" ? JSON.stringify(part) : String(part))).join(" "));
};
globalThis.console = {
  debug: logger("debug"),
  log: logger("info"),
  info: logger("info"),
  warn: logger("warn"),
  error: logger("error"),
};

// A run must be the same again: no clock and no ambient randomness.
const refused = (what, instead) => () => {
  throw new Error(`a plugin has no ${what}: use ${instead}`);
};
const noClock = refused("clock", "ctx.arrival.wallTime");
const NativeDate = Date;
globalThis.Date = new Proxy(NativeDate, {
  construct(target, args, newTarget) {
    return args.length === 0 ? noClock() : Reflect.construct(target, args, newTarget);
  },
  apply: noClock,
  get: (target, key) => (key === "now" ? noClock : Reflect.get(target, key)),
});
delete globalThis.performance;
Math.random = refused("ambient randomness", "ctx.rng()");
