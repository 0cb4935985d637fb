// Requests: what an author says of one, and the wait for its answer.

import { actions } from "#actions";
import { inherit } from "./awaitable.js";
import { current } from "./current.js";
import { Exchange, hold, NONE } from "./exchange.js";
import { keys, unknown } from "./known.js";
import { asReply } from "./reply.js";
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
const OPTIONS = keys([
  "name", "authority", "fields", "timeout", "extensions", "body", "json", "form", "blob", "read", "maxBody", "wantedFields", "followRedirects",
]);
const Bytes = Uint8Array;

/** The request that is being asked for, and its body: one record for all, which whoever is given it copies. */
const REQUEST = {
  name: undefined,
  method: "",
  authority: undefined,
  pathWithQuery: "",
  fields: NO_FIELDS,
  body: NO_BODY,
  read: READS.whole,
  wantedFields: undefined,
  followRedirects: undefined,
  extensions: NO_FIELDS,
  timeout: undefined,
};
const BYTES = { tag: "bytes", val: null };

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
  for (const key in options) if (!(key in OPTIONS)) throw unknown("the options of a request", key, OPTIONS);
  const read = options.read ?? "whole";
  const mode = options.maxBody === undefined ? READS[read] : { tag: "whole", val: options.maxBody };
  if (mode === undefined) throw new TypeError(`read: no such mode: ${read}`);
  let fields = options.fields ?? NO_FIELDS;
  // An array has a number here, and fields by name have texts. `Array.isArray` would be a call.
  if (typeof fields.length !== "number") fields = toFields(fields);
  const extensions = options.extensions === undefined ? NO_FIELDS : toFields(options.extensions);
  const timeout = options.timeout === undefined ? undefined : nanoseconds(options.timeout);
  let body = BYTES;
  let bytes = options.body;
  if (bytes !== undefined) {
    // The usual case without `instanceof`, which is a call, too.
    if (bytes?.constructor !== Bytes) bytes = toBytes(bytes);
  } else if (options.json !== undefined) {
    bytes = encodeUtf8(JSON.stringify(options.json));
    fields = typed(fields, "application/json");
  } else if (options.form !== undefined) {
    bytes = encodeUtf8(toForm(options.form));
    fields = typed(fields, "application/x-www-form-urlencoded");
  } else {
    body = options.blob === undefined ? NO_BODY : options.blob.body;
  }
  BYTES.val = bytes;
  REQUEST.name = options.name;
  REQUEST.method = method;
  REQUEST.authority = options.authority;
  REQUEST.pathWithQuery = path;
  REQUEST.fields = fields;
  REQUEST.body = body;
  REQUEST.read = mode;
  REQUEST.wantedFields = options.wantedFields;
  REQUEST.followRedirects = options.followRedirects;
  REQUEST.extensions = extensions;
  REQUEST.timeout = timeout;
  const exchange = actions.send(REQUEST);
  BYTES.val = null;
  const whole = read === "whole" || read === "count";
  const sending = whole ? new Sending(ctx, exchange) : new OpeningStream(ctx, exchange, read);
  if (exchange === 0 && ctx.exchanges === NONE) ctx.exchanges = [sending];
  else hold(ctx, exchange, sending);
  return sending;
}

/** Waits for a whole answer. */
class Sending {
  constructor(ctx, exchange) {
    this.ctx = ctx;
    this.exchange = exchange;
    this.owner = current.task;
  }

  onResponse(response) {
    this.settle(asReply(this.exchange, response), false);
  }
}
inherit(Sending, Exchange);

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
