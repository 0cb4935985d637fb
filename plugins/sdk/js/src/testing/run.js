// What came of a scripted iteration.

import { blobOf } from "./recorder.js";

/** A request or WebSocket as the plugin asked for it. */
export class Sent {
  constructor({ kind, request }) {
    this.method = kind === "open" ? "WS" : request.method;
    this.path = request.pathWithQuery;
    this.name = request.name;
    this.authority = request.authority;
    this.fields = request.fields;
    this.read = kind === "open" ? "socket" : request.read.tag;
    this.subprotocols = request.subprotocols ?? [];
    this.wantedFields = request.wantedFields;
    this.followRedirects = request.followRedirects;
    /** Milliseconds; undefined where not said. */
    this.timeout = request.timeout === undefined ? undefined : request.timeout / 1e6;
    const { tag = "empty", val } = request.body ?? {};
    this.body = tag === "bytes" ? val : tag === "blob" ? blobOf(val) : new Uint8Array();
  }

  /** The first field of this name, in any capitalisation. */
  field(name) {
    return this.fields.find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1];
  }

  text() {
    return new TextDecoder().decode(this.body);
  }

  json() {
    return JSON.parse(this.text());
  }
}

/** One iteration as it went. */
export class Run {
  constructor(metrics) {
    this.metrics = metrics;
    this.actions = [];
    /** Every request and WebSocket in the order asked: the position is its exchange. */
    this.requests = [];
    /** `ok`, `cancelled`, or the reason a report would count it under: `check: <text>`, `http_503`, `timeout_total` … */
    this.verdict = "ok";
    /** From its start to its end, in virtual milliseconds. */
    this.took = 0;
  }

  /** Method and path of every request in order, such as `GET /agents`. */
  get requestLines() {
    return this.requests.map((sent) => `${sent.method} ${sent.path}`);
  }

  /** Every mark in order: its name, `since` (`due`, `previous`, or the number of an exchange), weight and moment in ms. */
  get marks() {
    return this.of("mark").map(({ metric, since, weight, at }) => {
      return { name: this.metrics[metric], since: since.tag === "asked" ? since.val : since.tag, weight, at };
    });
  }

  /** The sum of a counter. */
  counted(name) {
    return this.figures("count", name).reduce((sum, { n }) => sum + n, 0);
  }

  /** The values of an observation in order. */
  observed(name) {
    return this.figures("observe", name).map(({ value }) => value);
  }

  /** The outcomes of a check in order. */
  checked(name) {
    return this.figures("check", name).map(({ passed }) => passed);
  }

  /** The log's lines in order: `{ level, text }`. */
  get logs() {
    return this.of("log").map(({ level, text }) => ({ level, text }));
  }

  /** What setup has shared, merged: give it to `script.shared`. */
  get shared() {
    return Object.assign({}, ...this.of("share").map(({ json }) => JSON.parse(json)));
  }

  /** The messages written to a WebSocket in order. */
  written(exchange) {
    return this.of("write").filter((action) => action.exchange === exchange).map(({ message }) => message);
  }

  /** The close the plugin started on a WebSocket; undefined where it did not. */
  closed(exchange) {
    return this.of("close").find((action) => action.exchange === exchange)?.info;
  }

  /** The exchanges the plugin gave up while it went on. */
  get cancelled() {
    return this.of("cancel").map(({ exchange }) => exchange);
  }

  of(kind) {
    return this.actions.filter((action) => action.kind === kind);
  }

  figures(kind, name) {
    return this.of(kind).filter(({ metric }) => this.metrics[metric] === name);
  }
}
