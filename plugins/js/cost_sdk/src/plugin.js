// One exchange through the SDK, the same as that of `cost_raw`: how much the SDK adds to what an iteration costs.

import { defineWorkload, ensure, mark } from "engine-sdk";

/** The request, as in `cost_raw`. */
const REQUEST = {
  name: "cost",
  fields: [
    ["accept", "application/json"],
    ["content-type", "application/json"],
    ["authorization", "Bearer 0123456789abcdef0123456789abcdef"],
    ["x-organization", "910a2dec-8902-4cc1-bfcd-5625358f25c6"],
    ["user-agent", "cost/0.1"],
  ],
  body: new Uint8Array(300).fill("x".charCodeAt(0)),
};

const ANSWERED = mark("answered", "From asking to the answer.");

export default defineWorkload({
  name: "cost_sdk_js",
  version: "0.1.0",
  summary: "Measures what an iteration costs the engine: one exchange, through the SDK",
  metrics: [ANSWERED],

  *iterate(ctx) {
    const reply = yield ctx.post("/api/v1/cost?limit=20", REQUEST);
    reply.expectStatus(200);
    ensure(reply.field("content-type") === "application/json", "unexpected content type");
    ctx.mark(ANSWERED, reply);
  },
});
