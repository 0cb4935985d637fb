// How an iteration ends.

import { cutUtf8, utf8Length } from "./text.js";

/** The longest text of a failure, in bytes; the rest is cut. */
const TEXT_LIMIT = 200;

/** The longest quoted text and the longest word in it, in bytes. */
const QUOTE_LIMIT = 100;
const WORD_LIMIT = 24;

const OK = { tag: "ok" };
const CANCELLED = { tag: "cancelled" };

/** Why an iteration stopped early: throw it. No `Error`, for a stack of each failure would cost more than the flow. */
export class Stop {
  constructor(kind, text) {
    this.kind = kind;
    this.message = text;
  }

  static failed(text) {
    return new Stop("failed", String(text));
  }

  static quoting(what, text) {
    const quoted = reduced(text);
    return new Stop("failed", quoted === "" ? what : `${what}: ${quoted}`);
  }

  static cancelled() {
    return new Stop("cancelled", "cancelled");
  }

  static failedBy(of) {
    const stop = new Stop("failed-by", "the exchange failed");
    stop.exchange = typeof of === "number" ? of : of.exchange;
    return stop;
  }

  toString() {
    return `Stop: ${this.message}`;
  }
}

/** An exchange that came to no answer. Thrown on, it ends the iteration by the engine's reason. */
export class ExchangeFailed {
  constructor(exchange, failure) {
    this.exchange = exchange;
    this.reason = failure.reason;
    this.detail = failure.detail;
  }

  get message() {
    return `${this.reason}: ${this.detail}`;
  }

  toString() {
    return `ExchangeFailed: ${this.message}`;
  }
}

/** What `configure` throws to refuse. */
export class Refusal {
  constructor(text) {
    this.message = text;
  }

  toString() {
    return `Refusal: ${this.message}`;
  }
}

export function refuse(text) {
  throw new Refusal(text);
}

export function ensure(condition, text) {
  if (!condition) throw Stop.failed(text);
}

/** The verdict as the interface has it; null where it is no verdict but an error of the author's code. */
export function lower(outcome, failed) {
  // What most flows come to, without the cost of `instanceof`.
  if (outcome === undefined && !failed) return OK;
  if (outcome instanceof Stop) {
    if (outcome.kind === "failed") return { tag: "failed", val: cutUtf8(outcome.message, TEXT_LIMIT) };
    return outcome.kind === "cancelled" ? CANCELLED : { tag: "failed-by", val: outcome.exchange };
  }
  if (!failed) return OK;
  return outcome instanceof ExchangeFailed ? { tag: "failed-by", val: outcome.exchange } : null;
}

/** A text without its ids and numbers: words with a digit or an `@` and long words become `#`. */
function reduced(text) {
  let kept = "";
  for (let word of String(text).split(/\s+/)) {
    if (word === "") continue;
    const varies = /[0-9@]/.test(word) || utf8Length(word) > WORD_LIMIT;
    if (varies && (kept === "#" || kept.endsWith(" #"))) continue;
    if (varies) word = "#";
    if (utf8Length(kept) + utf8Length(word) >= QUOTE_LIMIT) break;
    kept += kept === "" ? word : ` ${word}`;
  }
  return kept === "#" ? "" : kept;
}
