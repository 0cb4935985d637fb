// One running flow: what the engine holds a handle to.

import { actions } from "#actions";
import { pending, runJobs } from "#jobs";
import { inherit, Task, toAwaitable } from "./awaitable.js";
import { Context } from "./context.js";
import { current } from "./current.js";
import { NONE } from "./exchange.js";
import { trap } from "./trap.js";
import { lower } from "./verdict.js";

/** What `ctx.arrival` gives in setup and teardown. */
const NO_ARRIVAL = { sequence: 0, index: 0, seed: 0, client: 1, wallTime: 0, phase: "", row: null };

const GeneratorFunction = thrown.constructor;

/** A flow and the events delivered to it. An event for what nobody waits for any more changes nothing. */
export class Iteration {
  constructor(arrival) {
    this.raw = arrival;
  }

  /** Begins the flow of an arrival. */
  static start(workload, plan, arrival) {
    const iteration = new Iteration(arrival);
    iteration.begin(workload, "iterate", plan);
    return iteration;
  }

  /** Begins `setup` or `teardown`, which belong to no arrival; null where the plugin has no such flow. */
  static once(workload, flow, plan) {
    if (workload[flow] === undefined) return null;
    const iteration = new Iteration(NO_ARRIVAL);
    return iteration.begin(workload, flow, plan) ? iteration : null;
  }

  /** False where there is no flow. */
  begin(workload, flow, plan) {
    current.iteration = this;
    let begun;
    try {
      begun = workload[flow](this, plan);
    } catch (error) {
      // Of a plain function; a generator or an async one keeps it for later.
      begun = thrown(error);
    }
    if (begun === undefined && this.raw === NO_ARRIVAL) return false;
    if (begun !== undefined && workload[flow].constructor === GeneratorFunction) {
      this.main = new Task(begun);
      this.main.run(undefined, false);
    } else {
      this.main = toAwaitable(begun);
      this.main.handled = true;
    }
    this.after();
    return true;
  }

  onResponse(exchange, response) {
    current.iteration = this;
    const waiting = this.exchanges[exchange];
    if (waiting !== undefined) {
      this.exchanges[exchange] = undefined;
      waiting.onResponse(response);
    }
    if (pending) this.after();
    else if (this.main !== null && this.main.settled) this.finish();
  }

  onHead(exchange, status, fields) {
    this.of(exchange)?.onHead(status, fields);
    this.after();
  }

  onOpen(exchange, subprotocol, fields) {
    this.of(exchange)?.onOpen(subprotocol, fields);
    this.after();
  }

  onItems(exchange, items) {
    this.of(exchange)?.onItems(items);
    this.after();
  }

  onEnd(exchange, end) {
    this.last(exchange)?.onEnd(end);
    this.after();
  }

  onFailure(exchange, failure) {
    this.last(exchange)?.onFailure(failure);
    this.after();
  }

  onTimer(timer) {
    current.iteration = this;
    const waiting = this.timers[timer];
    if (waiting !== undefined) {
      this.timers[timer] = undefined;
      waiting.settle(undefined, false);
    }
    this.after();
  }

  /** Who waits for this exchange. */
  of(exchange) {
    current.iteration = this;
    return this.exchanges[exchange];
  }

  /** Who waits for the end of this exchange. */
  last(exchange) {
    current.iteration = this;
    const waiting = this.exchanges[exchange];
    if (waiting !== undefined) this.exchanges[exchange] = undefined;
    return waiting;
  }

  /** Runs the jobs that the event has caused, and ends the iteration where its flow has ended. */
  after() {
    if (pending) {
      const rejected = runJobs();
      if (rejected !== null) this.lose(rejected);
    }
    if (this.main !== null && this.main.settled) this.finish();
  }

  finish() {
    let { value, failed } = this.main;
    // No cycle is left behind: what the iteration held is free without a collection.
    this.main = null;
    if (this.exchanges !== NONE) this.exchanges = NONE;
    if (this.timers !== NONE) this.timers = NONE;
    if (!failed && this.rejected !== null) {
      // The stop of a promise that nobody has awaited stands in for the success of the flow.
      const lost = this.rejected.find((promise) => !promise.handled);
      if (lost !== undefined) [value, failed] = [lost.value, true];
      this.rejected = null;
    }
    const verdict = lower(value, failed);
    if (verdict === null) trap(value);
    actions.finish(verdict);
  }

  /** Promises that were rejected while nobody waited for them. An author's error is never lost. */
  lose(rejected) {
    for (const promise of rejected) {
      if (!promise.handled && lower(promise.value, true) === null) trap(promise.value);
    }
    this.rejected = (this.rejected ?? []).concat(rejected);
  }

  /** Gives up what a cancelled task has open. */
  giveUp(task) {
    for (const exchange of this.exchanges) if (exchange?.owner?.within(task)) exchange.cancel();
    for (const timer of this.timers) if (timer?.owner?.within(task)) timer.cancel();
  }
}
inherit(Iteration, Context);
/** The flow; null before and after it. */
Iteration.prototype.main = null;
/** What waits for each exchange and timer, by its id; undefined where nobody does any more. */
Iteration.prototype.exchanges = NONE;
Iteration.prototype.timers = NONE;
Iteration.prototype.rejected = null;

function* thrown(error) {
  throw error;
}
