// What the scripted target answers.

import { playFlow, playMany } from "./play.js";

/** How long an answer takes where nothing else is said, in milliseconds. */
const LATENCY = 1;

const ARRIVAL = { sequence: 0, index: 0, seed: 1, client: 1, wallTime: 1.7e18, phase: "test", row: null };

/**
 * A scripted target and the arrival that meets it. Answers are tried in the order written; the first whose method and
 * path fit and that is not used up is taken. A request that none fits is an error that shows both. A script is not
 * changed by a run.
 */
export class Script {
  constructor() {
    this.answers = [];
    this.given = ARRIVAL;
    this.setUp = null;
  }

  /** Begins the answer to requests of this method (`WS` for a WebSocket) and path. A path without `?` fits any query. */
  on(method, path) {
    return new Answering(this, method, path);
  }

  /** Changes the arrival: `script.arrival({ index: 3 })`. */
  arrival(change) {
    this.given = { ...this.given, ...change };
    return this;
  }

  /** What setup has shared, given to `configure`. */
  shared(object) {
    this.setUp = object;
    return this;
  }

  /** Runs one iteration of a workload with this configuration. */
  async run(workload, config = {}) {
    const [run] = await playMany(this, workload, config, 1);
    return run;
  }

  /** Runs so many iterations one after the other on one plan; index, sequence and seed count on. */
  runMany(workload, config, count) {
    return playMany(this, workload, config, count);
  }

  /** Runs the setup flow; null where the workload has none. */
  setup(workload, config = {}) {
    return playFlow(this, workload, config, "setup");
  }

  /** Runs the teardown flow; null where the workload has none. */
  teardown(workload, config = {}) {
    return playFlow(this, workload, config, "teardown");
  }
}

/** The answer to a request, as its steps: taken from answers whose uses this run counts. */
export function answerTo(answers, sent) {
  const path = sent.path.split("?")[0];
  const answer = answers.find(
    (one) => one.method === sent.method && one.path === (one.path.includes("?") ? sent.path : path) && one.uses !== 0,
  );
  if (answer !== undefined) {
    answer.uses--;
    return [...answer.steps];
  }
  const scripted = answers.map((one) => `\n  ${one.method} ${one.path}${one.uses === 0 ? " (used up)" : ""}`);
  throw new Error(
    `unexpected request\n  ${sent.method} ${sent.path}\nscripted are, in this order:${scripted.join("") || "\n  nothing"}`,
  );
}

/** An answer being written. Nothing is scripted before `reply`, `fail`, or the end of a stream or socket. */
class Answering {
  constructor(script, method, path) {
    this.script = script;
    this.answer = { method, path, uses: Infinity, steps: [] };
    this.delay = LATENCY;
    this.fields = [];
  }

  /** Used for one request only; the next one takes a later answer. */
  once() {
    return this.times(1);
  }

  /** Used for so many requests. */
  times(uses) {
    this.answer.uses = uses;
    return this;
  }

  /** Comes so many milliseconds after the request; 1 where not said. */
  after(milliseconds) {
    this.delay = milliseconds;
    return this;
  }

  /** Adds a response field. All are handed over, whichever the plugin asked for. */
  field(name, value) {
    this.fields.push([name.toLowerCase(), value]);
    return this;
  }

  /** Answers with this status and body, a text or bytes. */
  reply(status, body = "") {
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    this.step({ kind: "reply", status, fields: this.fields, body: bytes });
    return this.done();
  }

  /** Answers with this status and JSON. */
  replyJson(status, value) {
    return this.field("content-type", "application/json").reply(status, JSON.stringify(value));
  }

  /** Fails with the engine's reason, such as `timeout_total` or `refused`. */
  fail(reason) {
    this.step({ kind: "fail", failure: { reason, detail: "scripted" } });
    return this.done();
  }

  /** Answers with this status and a body in pieces. */
  stream(status) {
    this.step({ kind: "head", status, fields: this.fields });
    return new StreamScript(this);
  }

  /** Opens the WebSocket, with this subprotocol or none. */
  open(subprotocol = "") {
    this.step({ kind: "open", subprotocol, fields: this.fields });
    return new SocketScript(this);
  }

  /** The delay counts once: what follows comes at the same moment unless it says otherwise. */
  step(what) {
    this.answer.steps.push({ after: this.delay, ...what });
    this.delay = 0;
    return this;
  }

  done() {
    this.script.answers.push(this.answer);
    return this.script;
  }
}

/** What streams and sockets have in common while they are written. Each call is one read off the wire. */
class PiecesScript {
  constructor(answering) {
    this.answering = answering;
  }

  /** The next piece comes so many milliseconds after the one before it. */
  pause(milliseconds) {
    this.answering.delay += milliseconds;
    return this;
  }

  items(items) {
    this.answering.step({ kind: "items", items });
    return this;
  }

  /** The exchange fails here. */
  fail(reason) {
    return this.answering.fail(reason);
  }
}

/** A body in pieces being written; `end` or `fail` is its last. */
class StreamScript extends PiecesScript {
  /** Server-sent events of type `message`, all in one read. */
  events(datas) {
    return this.items(datas.map((data) => ({ tag: "event", val: { event: "message", data, id: "" } })));
  }

  /** One server-sent event of this type. */
  event(event, data) {
    return this.items([{ tag: "event", val: { event, data, id: "" } }]);
  }

  /** Lines, all in one read. */
  lines(lines) {
    return this.items(lines.map((line) => ({ tag: "line", val: line })));
  }

  /** Bytes, given as a text or as bytes. */
  chunk(bytes) {
    return this.items([{ tag: "chunk", val: typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes }]);
  }

  /** The answer is complete. */
  end() {
    return this.answering.step({ kind: "end", end: { tag: "complete" } }).done();
  }
}

/** A WebSocket's course being written; `close`, `untilClosed` or `fail` is its last. */
class SocketScript extends PiecesScript {
  /** Waits until the plugin has written this text; another message is an error that shows both. */
  expectText(text) {
    this.answering.step({ kind: "expect", text });
    return this;
  }

  /** The peer sends a text message. */
  text(text) {
    return this.texts([text]);
  }

  /** The peer sends several text messages that come in one read. */
  texts(texts) {
    return this.items(texts.map((text) => ({ tag: "message", val: { tag: "text", val: text } })));
  }

  /** The peer sends a binary message, given as a text or as bytes. */
  binary(bytes) {
    const val = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
    return this.items([{ tag: "message", val: { tag: "binary", val } }]);
  }

  /** The peer closes. */
  close(code, reason = "") {
    return this.answering.step({ kind: "end", end: { tag: "closed", val: { code, reason } } }).done();
  }

  /** The peer says nothing more and answers the plugin's close. */
  untilClosed() {
    return this.answering.done();
  }
}
