// One exchange, written against the interface without the SDK: the least that an iteration of a JavaScript plugin costs.
// `cost_sdk` does the same through the SDK.
//
// Each iteration sends a POST of 300 bytes with five fields. The answer is right when it is a 200 whose `content-type`
// is JSON; then the time since the request was asked for is marked.

import actions from "engine:workload/actions@0.1.0";

const { finish, mark, send } = actions;

/** What need not be made for each iteration. */
const REQUEST = {
  name: "cost",
  method: "POST",
  pathWithQuery: "/api/v1/cost?limit=20",
  fields: [
    ["accept", "application/json"],
    ["content-type", "application/json"],
    ["authorization", "Bearer 0123456789abcdef0123456789abcdef"],
    ["x-organization", "910a2dec-8902-4cc1-bfcd-5625358f25c6"],
    ["user-agent", "cost/0.1"],
  ],
  body: { tag: "bytes", val: new Uint8Array(300).fill("x".charCodeAt(0)) },
  read: { tag: "whole", val: 16 << 20 },
  extensions: [],
  // Not left out: what an object lacks is looked for in its prototypes, too.
  authority: null,
  wantedFields: null,
  followRedirects: null,
  timeout: null,
};
const ASKED = { tag: "asked", val: 0 };
const OK = { tag: "ok" };

/** The exchange is the engine's to remember: there is one, and everything about it comes by its id. */
class Iteration {
  onResponse(exchange, response) {
    if (response.status !== 200) {
      finish({ tag: "failed-by", val: exchange });
    } else if (!isJson(response.fields)) {
      finish({ tag: "failed", val: "unexpected content type" });
    } else {
      ASKED.val = exchange;
      mark(0, ASKED, 1);
      finish(OK);
    }
  }

  onFailure(exchange) {
    finish({ tag: "failed-by", val: exchange });
  }

  // Nothing that this plugin asks for ends in one of these.
  onHead() {}
  onOpen() {}
  onItems() {}
  onEnd() {}
  onTimer() {}
}

function isJson(fields) {
  for (let at = 0; at < fields.length; at++) {
    if (fields[at][0] === "content-type" && fields[at][1] === "application/json") return true;
  }
  return false;
}

class Plan {
  static configure(config) {
    if (Object.keys(JSON.parse(config)).length > 0) throw "config: this plugin has none";
    return new Plan();
  }

  setup() {
    return null;
  }

  teardown() {
    return null;
  }

  start() {
    send(REQUEST);
    return new Iteration();
  }
}

function describe() {
  return {
    name: "cost_raw_js",
    version: "0.1.0",
    summary: "Measures what an iteration costs the engine: one exchange, with raw bindings",
    metrics: [{ name: "answered", kind: "mark", unit: "", summary: "From asking to the answer." }],
    configSchema: '{"type": "object", "additionalProperties": false}',
  };
}

export const workload = { describe, Plan, Iteration };
