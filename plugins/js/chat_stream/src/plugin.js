// Talks to an agent over a WebSocket and reads the answer as it is made: `plugins/chat_stream` in JavaScript, with the
// same configuration, metrics and behaviour.
//
// Each arrival opens `/api/v1/ws/agent?organization_id=…` and offers the subprotocols `access_token.<token>` and
// `chat`, as a browser does, which can set no `Authorization`. It sends one message and reads frames: `text_delta`,
// `error`, `complete`; other types are passed over. The answer is right when text came and then `complete`. Everything
// else is a failure: an error frame (`check: error frame: …`), a close before `complete`, a connection that broke (the
// engine's reason).
//
// Every fifth arrival has seen enough after its first token: it sends `{"type":"stop"}`, waits for `complete` and counts
// as cancelled, which is no failure.

import { counter, defineWorkload, mark, percentEncode, refuse, Stop } from "engine-sdk";

import { COMPLETE, OTHER, readFrame, TEXT } from "./frame.js";
import { given, printable } from "./given.js";
import { oneOf } from "./texts.js";

/** Ends an answer early. */
const STOP = '{"type":"stop"}';

const FIRST_TOKEN = mark("first_token", "From due to the first text of the answer that is not empty.");
const TOKEN_GAP = mark("token_gap", "Between texts of the answer; of several in one read each has an equal part.");
const DELTAS = counter("deltas", "Texts received that were not empty.", "deltas");

/** A text that may be absent. */
function optional(description) {
  return { type: ["string", "null"], default: null, description };
}

export default defineWorkload({
  name: "chat_stream_js",
  version: "0.1.0",
  summary: "Talks to an agent over a WebSocket and reads the answer as it is made",
  metrics: [FIRST_TOKEN, TOKEN_GAP, DELTAS],

  config: {
    token: optional("The bearer token; that of `login` where absent."),
    organization: optional("The organization's id; that of `login` where absent."),
    agent: optional("The agent's id; that of `login` where absent."),
    messages: {
      type: "array",
      items: { type: "string" },
      default: [],
      description: "Messages to choose from, by the arrival's seed; questions of the plugin's own where empty.",
    },
    cancel_every: {
      type: "integer",
      minimum: 0,
      maximum: 4294967295,
      default: 5,
      description: "Every so many arrivals one stops the answer after its first token; 0 for never.",
    },
  },

  configure(config, shared) {
    const token = given("token", config.token, shared, "access_token");
    const organization = given("organization", config.organization, shared, "organization");
    printable("token", token);
    printable("organization", organization);
    const agent = given("agent", config.agent, shared, "agent");
    const subprotocol = `access_token.${token}`;
    // RFC 6455 wants a token of HTTP here (RFC 9110, 5.6.2).
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(subprotocol)) {
      refuse("config.token: has characters that a WebSocket's subprotocol cannot carry");
    }
    return {
      path: `/api/v1/ws/agent?organization_id=${percentEncode(organization)}`,
      options: { name: "chat", subprotocols: [subprotocol, "chat"] },
      token,
      agent,
      messages: config.messages,
      cancelEvery: config.cancel_every,
    };
  },

  *iterate(ctx, plan) {
    const socket = yield ctx.socket(plan.path, plan.options);
    const message = oneOf(plan.messages, ctx.rng());
    socket.sendText(JSON.stringify({ message, conversation_id: null, agent_id: plan.agent }));
    // The fifth, the tenth, …: never where it is 0.
    const stops = plan.cancelEvery > 0 && (ctx.arrival.index + 1) % plan.cancelEvery === 0;
    let spoke = false;
    for (let batch = yield socket.nextBatch(); batch !== null; batch = yield socket.nextBatch()) {
      let deltas = 0;
      let complete = false;
      for (const message of batch) {
        const frame = readFrame(message);
        if (frame === TEXT) deltas++;
        else if (frame === COMPLETE) complete = true;
        else if (frame !== OTHER) throw Stop.quoting("error frame", frame.error.replaceAll(plan.token, "***"));
      }
      if (deltas > 0) {
        ctx.lap(TOKEN_GAP, deltas);
        ctx.count(DELTAS, deltas);
        if (!spoke) {
          spoke = true;
          ctx.mark(FIRST_TOKEN);
          if (stops && !complete) socket.sendText(STOP);
        }
      }
      if (complete) {
        if (!spoke) throw Stop.failed("complete without text");
        if (stops) throw Stop.cancelled();
        return;
      }
    }
    throw closed(socket.closeInfo);
  },
});

/** The verdict on a socket that was closed before its answer was complete. */
function closed(info) {
  if (info === null) return Stop.failed("closed without complete");
  return Stop.quoting(`closed without complete, code ${info.code}`, info.reason);
}
