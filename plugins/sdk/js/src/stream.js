// Answers that come in pieces.

import { toAwaitable } from "./awaitable.js";
import { Pieces } from "./pieces.js";
import { expectStatus, find } from "./reply.js";
import { Stop } from "./verdict.js";

/** The tag of the items that a read mode brings. */
const KINDS = { events: "event", lines: "line", chunks: "chunk", head: "" };

/** An answer whose status and fields have arrived. */
export class Stream extends Pieces {
  constructor(opening, read, status, fields) {
    super(opening, KINDS[read]);
    this.status = status;
    this.fields = fields;
  }

  field(name) {
    return find(this.fields, name);
  }

  expectStatus(expected) {
    return expectStatus(this, expected);
  }

  /** Reads to the end, whatever still comes. */
  finish() {
    return toAwaitable(toEnd(this));
  }

  /** Reads to the end and gives the bytes that came in the place of items. */
  bytes(most) {
    this.kind = "chunk";
    return toAwaitable(collect(this, most));
  }
}

/** Takes all batches and drops them. */
export function* toEnd(pieces) {
  while ((yield pieces.nextBatch()) !== null);
}

function* collect(stream, most) {
  const chunks = [];
  let size = 0;
  for (let batch = yield stream.nextBatch(); batch !== null; batch = yield stream.nextBatch()) {
    for (const chunk of batch) {
      size += chunk.length;
      if (size > most) throw Stop.failed("answer too large");
      chunks.push(chunk);
    }
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
