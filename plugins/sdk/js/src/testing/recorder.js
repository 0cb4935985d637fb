// The actions of a test: each is kept, in order, for whoever plays the engine.

let taken = [];
let exchanges = 0;
let timers = 0;
let blobs = [];

/** Begins an iteration: exchanges and timers are numbered from 0 again. */
export function begin() {
  taken = [];
  exchanges = 0;
  timers = 0;
}

/** Begins a plugin's instance. */
export function forget() {
  begin();
  blobs = [];
}

/** Takes what was asked for since the last time. */
export function take() {
  const actions = taken;
  taken = [];
  return actions;
}

/** The bytes of a registered body. */
export function blobOf(id) {
  return blobs[id];
}

function book(kind, action) {
  taken.push({ kind, ...action });
}

export const actions = {
  registerBlob(bytes) {
    return blobs.push(bytes.slice()) - 1;
  },
  send(request) {
    // A copy, here and of a mark's `since`: the SDK uses its records again.
    const { body } = request;
    book("send", { request: { ...request, body: { ...body } } });
    return exchanges++;
  },
  open(request) {
    book("open", { request });
    return exchanges++;
  },
  write: (exchange, message) => book("write", { exchange, message: message.val }),
  close: (exchange, info) => book("close", { exchange, info }),
  cancel: (exchange) => book("cancel", { exchange }),
  wait(nanoseconds) {
    book("wait", { timer: timers, nanoseconds });
    return timers++;
  },
  clear: (timer) => book("clear", { timer }),
  mark: (metric, since, weight) => book("mark", { metric, since: { ...since }, weight }),
  count: (metric, n) => book("count", { metric, n }),
  observe: (metric, value) => book("observe", { metric, value }),
  check: (metric, passed) => book("check", { metric, passed }),
  share: (json) => book("share", { json }),
  log: (level, text) => book("log", { level, text }),
  finish: (verdict) => book("finish", { verdict }),
};
