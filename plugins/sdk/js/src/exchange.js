// The wait for the first that comes of an exchange.

import { actions } from "#actions";
import { Awaitable } from "./awaitable.js";
import { current } from "./current.js";
import { ExchangeFailed } from "./verdict.js";

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
