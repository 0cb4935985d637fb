// A WebSocket: its handshake, its messages, its close.

import { actions } from "#actions";
import { toAwaitable } from "./awaitable.js";
import { Exchange, hold } from "./exchange.js";
import { keys, unknown } from "./known.js";
import { Pieces } from "./pieces.js";
import { find } from "./reply.js";
import { nanoseconds, toFields } from "./request.js";
import { toEnd } from "./stream.js";

const NONE = [];
const OPTIONS = keys(["name", "authority", "fields", "timeout", "extensions", "subprotocols"]);

/** Starts the handshake; what is given settles with the open socket. */
export function open(ctx, path, options = {}) {
  for (const key in options) if (!(key in OPTIONS)) throw unknown("the options of a socket", key, OPTIONS);
  const exchange = actions.open({
    name: options.name,
    authority: options.authority,
    pathWithQuery: path,
    fields: toFields(options.fields),
    subprotocols: options.subprotocols ?? NONE,
    extensions: toFields(options.extensions),
    timeout: options.timeout === undefined ? undefined : nanoseconds(options.timeout),
  });
  const opening = new OpeningSocket(ctx, exchange);
  hold(ctx, exchange, opening);
  return opening;
}

/** Waits for the end of a handshake. */
class OpeningSocket extends Exchange {
  onOpen(subprotocol, fields) {
    const socket = new Socket(this, subprotocol, fields);
    this.ctx.exchanges[this.exchange] = socket;
    this.settle(socket, false);
  }
}

/** An open WebSocket. */
class Socket extends Pieces {
  constructor(opening, subprotocol, fields) {
    super(opening, "message");
    this.subprotocol = subprotocol;
    this.fields = fields;
    this.closeInfo = null;
  }

  field(name) {
    return find(this.fields, name);
  }

  sendText(text) {
    this.ctx.guard();
    actions.write(this.exchange, { tag: "text", val: String(text) });
  }

  sendBinary(bytes) {
    this.ctx.guard();
    actions.write(this.exchange, { tag: "binary", val: bytes });
  }

  /** Starts the close handshake and waits for its end; messages that still come are dropped. */
  close(code = 1000, reason = "") {
    this.ctx.guard();
    actions.close(this.exchange, { code, reason });
    return toAwaitable(closed(this));
  }
}

function* closed(socket) {
  yield* toEnd(socket);
  return socket.closeInfo;
}
