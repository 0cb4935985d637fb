// What streams and sockets have in common: items that come in reads, and an end.

import { actions } from "#actions";
import { Awaitable } from "./awaitable.js";
import { ExchangeFailed } from "./verdict.js";

/** The source of a stream's or a socket's items. */
export class Pieces {
  /** `kind` is the tag of the items that are handed over. */
  constructor(opening, kind) {
    this.kind = kind;
    this.ctx = opening.ctx;
    this.exchange = opening.exchange;
    this.owner = opening.owner;
    /** Items not taken yet, from `at` on. */
    this.items = [];
    this.at = 0;
    this.ended = false;
    this.failure = null;
    /** Who waits, and how to answer: with `one`, or `batch`. */
    this.pending = null;
    this.take = null;
  }

  next() {
    return this.wait(one);
  }

  nextBatch() {
    return this.wait(batch);
  }

  wait(take) {
    const awaitable = new Next(this);
    this.pending = awaitable;
    this.take = take;
    this.answer();
    return awaitable;
  }

  /** Settles whoever waits where there is something for it. */
  answer() {
    const pending = this.pending;
    if (pending === null) return;
    const taken = this.take(this);
    if (taken === undefined && !this.ended) return;
    this.pending = null;
    if (taken !== undefined) pending.settle(taken, false);
    else if (this.failure !== null) pending.settle(this.failure, true);
    else pending.settle(null, false);
  }

  onItems(items) {
    // The usual case: nothing is left of the read before.
    this.items = this.at === this.items.length ? items : this.items.slice(this.at).concat(items);
    this.at = 0;
    this.answer();
  }

  onEnd(end) {
    this.ended = true;
    if (end.tag === "closed") this.closeInfo = end.val;
    this.answer();
  }

  onFailure(failure) {
    this.ended = true;
    this.failure = new ExchangeFailed(this.exchange, failure);
    this.answer();
  }

  cancel() {
    if (this.ended) return;
    this.ended = true;
    this.items = [];
    this.at = 0;
    if (this.ctx.exchanges[this.exchange] === this) {
      this.ctx.exchanges[this.exchange] = undefined;
      actions.cancel(this.exchange);
    }
  }

  /** Makes `for await` work; leaving the loop cancels the exchange. */
  [Symbol.asyncIterator]() {
    return {
      next: async () => {
        const value = await this.next();
        return value === null ? { done: true, value: undefined } : { done: false, value };
      },
      return: async () => {
        this.cancel();
        return { done: true, value: undefined };
      },
    };
  }
}

/** The wait for items. Given up, the items stay for the next wait: the exchange goes on. */
class Next extends Awaitable {
  constructor(pieces) {
    super();
    this.pieces = pieces;
  }

  cancel() {
    if (this.pieces.pending === this) this.pieces.pending = null;
  }

  leave() {
    this.cancel();
  }
}

/** The next item of the right kind; undefined where none is at hand. */
function one(pieces) {
  while (pieces.at < pieces.items.length) {
    const item = pieces.items[pieces.at++];
    // A message is a variant within the variant: text comes as a string, bytes as an array.
    if (item.tag === pieces.kind) return item.tag === "message" ? item.val.val : item.val;
  }
  return undefined;
}

/** All items of the right kind; undefined where none is at hand. */
function batch(pieces) {
  const taken = [];
  for (let item = one(pieces); item !== undefined; item = one(pieces)) taken.push(item);
  return taken.length === 0 ? undefined : taken;
}
