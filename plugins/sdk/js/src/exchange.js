// The wait for the first that comes of an exchange.

import { actions } from "#actions";
import { Awaitable } from "./awaitable.js";
import { current } from "./current.js";
import { ExchangeFailed } from "./verdict.js";

/** The exchanges or timers of an iteration that has none. Never changed: who adds one makes a list first. */
export const NONE = [];

/** From now on `waiting` gets what comes for this exchange. */
export function hold(ctx, exchange, waiting) {
  if (ctx.exchanges === NONE) ctx.exchanges = [];
  ctx.exchanges[exchange] = waiting;
}

/** An exchange that was asked for and not answered yet. */
export class Exchange extends Awaitable {
  constructor(ctx, exchange) {
    super();
    this.ctx = ctx;
    this.exchange = exchange;
    this.owner = current.task;
  }

  /** It failed, before any answer. */
  onFailure(failure) {
    this.settle(new ExchangeFailed(this.exchange, failure), true);
  }

  /** It ended without an answer: only an exchange that was cancelled does so. */
  onEnd() {}

  cancel() {
    if (this.settled || this.ctx.exchanges[this.exchange] !== this) return;
    this.ctx.exchanges[this.exchange] = undefined;
    actions.cancel(this.exchange);
  }
}

// What an answer, a stream or a socket has: whoever asks the exchange for it has forgotten to wait.
for (const name of [
  "status", "fields", "field", "body", "size", "text", "json", "expectStatus", "next", "nextBatch", "finish", "bytes", "sendText", "sendBinary", "close",
]) {
  Object.defineProperty(Exchange.prototype, name, {
    get() {
      throw new TypeError(`${name} of what has not come yet: did you forget yield or await?`);
    },
  });
}
