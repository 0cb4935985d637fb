// Plays a script: delivers what is scripted in virtual time and books what the plugin does.

import { Iteration } from "../iteration.js";
import { configure } from "../workload.js";
import * as recorder from "./recorder.js";
import { Run, Sent } from "./run.js";
import { answerTo } from "./script.js";

/** Runs iterations one after the other on one plan. */
export async function playMany(script, workload, config, count) {
  const plan = planOf(script, workload, config);
  const answers = copied(script);
  const runs = [];
  for (let k = 0; k < count; k++) {
    const { sequence, index, seed } = script.given;
    const arrival = { ...script.given, sequence: sequence + k, index: index + k, seed: BigInt(seed) + BigInt(k) };
    recorder.begin();
    const iteration = Iteration.start(workload, plan, arrival);
    runs.push(await new Stage(answers, workload, iteration).play());
  }
  return runs;
}

/** Runs a setup or teardown flow; null where there is none. */
export async function playFlow(script, workload, config, flow) {
  const plan = planOf(script, workload, config);
  recorder.begin();
  const iteration = Iteration.once(workload, flow, plan);
  return iteration === null ? null : new Stage(copied(script), workload, iteration).play();
}

function planOf(script, workload, config) {
  recorder.forget();
  return configure(workload, JSON.stringify(config), script.setUp === null ? null : JSON.stringify(script.setUp));
}

function copied(script) {
  return script.answers.map((answer) => ({ ...answer }));
}

/** Lets promises run as far as they can: all their jobs come before this. */
function jobs() {
  return new Promise((resolve) => setImmediate(resolve));
}

/** One iteration being played. */
class Stage {
  constructor(answers, workload, iteration) {
    this.answers = answers;
    this.iteration = iteration;
    this.now = 0;
    this.exchanges = [];
    this.timers = new Map();
    this.run = new Run(workload.metrics.map((metric) => metric.name));
    this.finished = null;
  }

  async play() {
    await this.apply();
    while (this.finished === null) {
      const next = this.next();
      if (next === null) break;
      this.now = next.due;
      if (next.timer !== undefined) {
        this.timers.delete(next.timer);
        this.iteration.onTimer(next.timer);
        await this.apply();
      } else {
        await this.step(next.exchange);
      }
    }
    this.run.took = this.now / 1e6;
    this.run.verdict = this.verdict();
    return this.run;
  }

  /** The earliest thing due; of several at one moment the exchanges come first, in order. */
  next() {
    let earliest = null;
    const consider = (one) => {
      if (earliest === null || one.due < earliest.due) earliest = one;
    };
    for (const exchange of this.exchanges) {
      if (!exchange.ended && exchange.due !== null && exchange.steps.length > 0) consider({ due: exchange.due, exchange });
    }
    for (const [timer, due] of this.timers) consider({ due, timer });
    return earliest;
  }

  /** Plays an exchange's next step. */
  async step(exchange) {
    const step = exchange.steps[0];
    if (step.kind === "expect") {
      if (exchange.written.length === 0) {
        // It goes on when the plugin has written.
        exchange.due = null;
        return;
      }
      const written = exchange.written.shift();
      if (written !== step.text) throw new Error(`the socket expected ${step.text}, the plugin wrote ${written}`);
    }
    exchange.steps.shift();
    this.schedule(exchange);
    if (step.kind !== "expect") await this.deliver(exchange, step);
  }

  async deliver(exchange, step) {
    const { id, read } = exchange;
    const { iteration } = this;
    switch (step.kind) {
      case "reply":
        await this.reply(exchange, step);
        break;
      case "head":
        if (read === "socket" || read === "whole" || read === "count") {
          throw new Error(`the plugin reads this as ${read}: script it with ${read === "socket" ? "open" : "reply"}`);
        }
        exchange.status = step.status;
        iteration.onHead(id, step.status, step.fields);
        break;
      case "open":
        if (read !== "socket") throw new Error("a request is scripted with reply or stream, not with open");
        iteration.onOpen(id, step.subprotocol, step.fields);
        break;
      case "items":
        if (read !== "head") iteration.onItems(id, step.items);
        break;
      case "end":
        exchange.ended = true;
        iteration.onEnd(id, step.end);
        break;
      case "fail":
        exchange.ended = true;
        exchange.reason = step.failure.reason;
        iteration.onFailure(id, step.failure);
        break;
    }
    await this.apply();
  }

  /** A whole answer, cut into pieces where the plugin reads it so. */
  async reply(exchange, { status, fields, body }) {
    const { id, read } = exchange;
    if (read === "socket") throw new Error("a WebSocket is scripted with open or fail, not with reply");
    exchange.status = status;
    exchange.ended = true;
    if (read === "whole" || read === "count") {
      const handed = read === "whole" ? body : new Uint8Array();
      this.iteration.onResponse(id, { status, fields, body: handed, size: body.length });
      return;
    }
    this.iteration.onHead(id, status, fields);
    await this.apply();
    const items = cut(read, fields, body);
    if (this.finished === null && items.length > 0) {
      this.iteration.onItems(id, items);
      await this.apply();
    }
    if (this.finished === null) this.iteration.onEnd(id, { tag: "complete" });
  }

  /** Books what the last call and the jobs it caused have asked for. */
  async apply() {
    await jobs();
    this.iteration.after();
    for (const action of recorder.take()) {
      this.book(action);
      this.run.actions.push({ at: this.now / 1e6, ...action });
    }
  }

  book(action) {
    const exchange = this.exchanges[action.exchange];
    switch (action.kind) {
      case "send":
      case "open": {
        const sent = new Sent(action);
        const asked = { id: this.exchanges.length, read: sent.read, steps: answerTo(this.answers, sent), written: [], ended: false };
        this.schedule(asked);
        this.exchanges.push(asked);
        this.run.requests.push(sent);
        break;
      }
      case "write":
        exchange.written.push(action.message);
        exchange.due ??= this.now;
        break;
      case "close":
        if (!exchange.ended) {
          exchange.steps = [{ after: 0, kind: "end", end: { tag: "closed", val: action.info } }];
          exchange.due = this.now;
        }
        break;
      case "cancel":
        exchange.ended = true;
        break;
      case "wait":
        this.timers.set(action.timer, this.now + action.nanoseconds);
        break;
      case "clear":
        this.timers.delete(action.timer);
        break;
      case "finish":
        this.finished = action.verdict;
        break;
    }
  }

  /** The next step counts from now. */
  schedule(exchange) {
    exchange.due = exchange.steps.length === 0 ? null : this.now + exchange.steps[0].after * 1e6;
  }

  /** The verdict in the words of a report. */
  verdict() {
    const verdict = this.finished;
    if (verdict === null) return "plugin_stalled";
    if (verdict.tag === "failed") return `check: ${verdict.val}`;
    if (verdict.tag !== "failed-by") return verdict.tag;
    const { reason, status } = this.exchanges[verdict.val];
    return reason ?? (status === undefined ? "plugin_misuse" : `http_${status}`);
  }
}

/** A whole body as a stream's items, where the script wrote it in one piece. */
function cut(read, fields, body) {
  if (body.length === 0) return [];
  const type = fields.find(([name]) => name === "content-type")?.[1] ?? "";
  const json = /^application\/(?:.+\+)?json\b/i.test(type);
  // As the engine does it: an answer in JSON is no stream of events.
  if (read === "chunks" || (read === "events" && json)) return [{ tag: "chunk", val: body }];
  if (read !== "lines") return [];
  const lines = new TextDecoder().decode(body).split(/\r?\n/).filter((line) => line !== "");
  return lines.map((val) => ({ tag: "line", val }));
}
