// What a flow acts through.

import { actions } from "#actions";
import { Arrival } from "./arrival.js";
import { Awaitable } from "./awaitable.js";
import { current } from "./current.js";
import { NONE } from "./exchange.js";
import { idOf } from "./metric.js";
import { nanoseconds, send } from "./request.js";
import { parseJson } from "./reply.js";
import { Rng } from "./rng.js";
import { open } from "./socket.js";
import { Stop } from "./verdict.js";

const DUE = { tag: "due" };
/** One record for all marks, which whoever is given it copies. */
const ASKED = { tag: "asked", val: 0 };
const PREVIOUS = { tag: "previous" };

/** An iteration's access to the engine. `Iteration` adds what the engine calls. */
export class Context {
  get arrival() {
    return (this.made ??= new Arrival(this.raw));
  }

  /** The arrival's row of the workload's data file. */
  row() {
    if (this.raw.row === null) throw Stop.failed("no data row");
    return parseJson(this.raw.row, "unexpected data row");
  }

  /** Randomness of this iteration: each call starts the same sequence again. */
  rng() {
    return new Rng(this.raw.seed);
  }

  get(path, options) {
    return send(this, "GET", path, options);
  }

  post(path, options) {
    return send(this, "POST", path, options);
  }

  put(path, options) {
    return send(this, "PUT", path, options);
  }

  patch(path, options) {
    return send(this, "PATCH", path, options);
  }

  delete(path, options) {
    return send(this, "DELETE", path, options);
  }

  request(method, path, options) {
    return send(this, method, path, options);
  }

  socket(path, options) {
    this.guard();
    return open(this, path, options);
  }

  wait(milliseconds) {
    this.guard();
    const timer = actions.wait(nanoseconds(milliseconds));
    if (this.timers === NONE) this.timers = [];
    return (this.timers[timer] = new Timer(this, timer));
  }

  /** `since` is an answer or its exchange; the arrival's due time where absent. */
  mark(mark, since) {
    const id = mark?.kind === "mark" && mark.id >= 0 ? mark.id : idOf(mark, "mark");
    if (since === undefined) {
      actions.mark(id, DUE, 1);
    } else {
      ASKED.val = since.exchange ?? since;
      actions.mark(id, ASKED, 1);
    }
  }

  lap(mark, weight = 1) {
    actions.mark(idOf(mark, "mark"), PREVIOUS, weight);
  }

  count(counter, n = 1) {
    actions.count(idOf(counter, "counter"), n);
  }

  observe(observation, value) {
    actions.observe(idOf(observation, "observation"), value);
  }

  check(check, passed) {
    actions.check(idOf(check, "check"), Boolean(passed));
  }

  share(object) {
    if (typeof object !== "object" || object === null || Array.isArray(object)) {
      throw Stop.failed("what is shared is no JSON object");
    }
    actions.share(JSON.stringify(object));
  }

  log(level, text) {
    actions.log(level, String(text));
  }

  /** What is asked for now belongs to the iteration whose event is being handled, so it must be this one. */
  guard() {
    if (current.iteration !== this) throw new Error("this context belongs to another iteration");
  }
}
// Few flows look at their arrival.
Context.prototype.made = undefined;

/** A timer that has not fired. */
class Timer extends Awaitable {
  constructor(ctx, timer) {
    super();
    this.ctx = ctx;
    this.timer = timer;
    this.owner = current.task;
  }

  cancel() {
    if (this.settled || this.ctx.timers[this.timer] !== this) return;
    this.ctx.timers[this.timer] = undefined;
    actions.clear(this.timer);
  }
}
