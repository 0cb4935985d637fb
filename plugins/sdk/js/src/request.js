// Requests: what an author says of one, and the wait for its answer.

import { actions } from "#actions";
import { current } from "./current.js";
import { Exchange } from "./exchange.js";
import { Reply } from "./reply.js";
import { Stream } from "./stream.js";
import { encodeUtf8, percentEncode } from "./text.js";

/** The most bytes a body may have where nothing else is said: 16 MiB. */
const DEFAULT_MAX_BODY = 16 << 20;

/** Shared by all requests: these never change. */
const NO_FIELDS = [];
const NO_BODY = { tag: "empty" };
const READS = {
  whole: { tag: "whole", val: DEFAULT_MAX_BODY },
  count: { tag: "count" },
  head: { tag: "head" },
  events: { tag: "events" },
  lines: { tag: "lines" },
  chunks: { tag: "chunks" },
};
const NOTHING = {};

/** A body registered once and sent many times without being copied again. */
class Blob {
  constructor(id) {
    this.body = { tag: "blob", val: id };
  }
}

export function registerBlob(bytes) {
  return new Blob(actions.registerBlob(toBytes(bytes)));
}

/** Asks for an exchange; what is given settles with the answer. */
export function send(ctx, method, path, options = NOTHING) {
  if (current.iteration !== ctx) ctx.guard();
  const read = options.read ?? "whole";
  const mode = options.maxBody === undefined ? READS[read] : { tag: "whole", val: options.maxBody };
  if (mode === undefined) throw new TypeError(`read: no such mode: ${read}`);
  let fields = options.fields ?? NO_FIELDS;
  if (!Array.isArray(fields)) fields = toFields(fields);
  let body = NO_BODY;
  if (options.body !== undefined) {
    body = { tag: "bytes", val: options.body instanceof Uint8Array ? options.body : toBytes(options.body) };
  } else if (options.json !== undefined) {
    body = { tag: "bytes", val: encodeUtf8(JSON.stringify(options.json)) };
    fields = typed(fields, "application/json");
  } else if (options.form !== undefined) {
    body = { tag: "bytes", val: encodeUtf8(toForm(options.form)) };
    fields = typed(fields, "application/x-www-form-urlencoded");
  } else if (options.blob !== undefined) {
    body = options.blob.body;
  }
  const exchange = actions.send({
    name: options.name,
    method,
    authority: options.authority,
    pathWithQuery: path,
    fields,
    body,
    read: mode,
    wantedFields: options.wantedFields,
    followRedirects: options.followRedirects,
    extensions: options.extensions === undefined ? NO_FIELDS : toFields(options.extensions),
    timeout: options.timeout === undefined ? undefined : nanoseconds(options.timeout),
  });
  const whole = read === "whole" || read === "count";
  const sending = whole ? new Sending(ctx, exchange) : new OpeningStream(ctx, exchange, read);
  ctx.exchanges[exchange] = sending;
  return sending;
}

/** Waits for a whole answer. */
class Sending extends Exchange {
  onResponse(response) {
    this.settle(new Reply(this.exchange, response), false);
  }
}

/** Waits for status and fields of an answer that comes in pieces. */
class OpeningStream extends Exchange {
  constructor(ctx, exchange, read) {
    super(ctx, exchange);
    this.read = read;
  }

  onHead(status, fields) {
    const stream = new Stream(this, this.read, status, fields);
    this.ctx.exchanges[this.exchange] = stream;
    this.settle(stream, false);
  }
}

/** Milliseconds as the interface has them. */
export function nanoseconds(milliseconds) {
  if (!(milliseconds >= 0)) throw new RangeError(`no length of time in milliseconds: ${milliseconds}`);
  // Up to 104 days a number is exact; the engine has no use for longer ones.
  return Math.min(Math.round(milliseconds * 1e6), Number.MAX_SAFE_INTEGER);
}

/** Fields as pairs: an array of pairs is taken as it is. */
export function toFields(fields) {
  if (fields === undefined) return NO_FIELDS;
  return Array.isArray(fields) ? fields : Object.entries(fields);
}

/** Bytes of a body. */
export function toBytes(body) {
  if (body instanceof Uint8Array) return body;
  if (typeof body === "string") return encodeUtf8(body);
  throw new TypeError("a body is a string or a Uint8Array");
}

/** Fields with this content type, unless they have one. */
function typed(fields, type) {
  for (const pair of fields) if (pair[0].toLowerCase() === "content-type") return fields;
  return [...fields, ["content-type", type]];
}

/** A space is sent as `%20`, which every reader of forms takes: the engine masks a secret in that form, too. */
function toForm(pairs) {
  return toFields(pairs)
    .map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`)
    .join("&");
}
