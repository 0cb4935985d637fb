// Answers.

import { actions } from "#actions";
import { decodeUtf8 } from "./text.js";
import { Stop } from "./verdict.js";

/** The first value of this name, in whatever capitalisation it is asked for. */
export function find(fields, name) {
  // By index: QuickJS makes an iterator and a result object a turn for `of`. Received names are in lower case.
  for (let at = 0; at < fields.length; at++) if (fields[at][0] === name) return fields[at][1];
  const wanted = name.toLowerCase();
  return wanted === name ? undefined : find(fields, wanted);
}

/** Stops the iteration unless the status is an expected one: a number, one of several, or what a function takes. */
export function expectStatus(answer, expected) {
  const status = answer.status;
  const right =
    typeof expected === "function" ? expected(status) : [expected].flat().includes(status);
  if (!right) throw Stop.failedBy(answer.exchange);
  return answer;
}

/** A text as JSON; the log says what is wrong with it. */
export function parseJson(text, what) {
  try {
    return JSON.parse(text);
  } catch (error) {
    actions.log("debug", `${what}: ${error.message}`);
    throw Stop.failed(what);
  }
}

/** A whole answer: the engine's record of it, with its exchange, which `asReply` makes one of. */
class Reply {
  field(name) {
    return find(this.fields, name);
  }

  text() {
    return decodeUtf8(this.body);
  }

  json() {
    return parseJson(decodeUtf8(this.body), "unexpected JSON");
  }

  expectStatus(expected) {
    return expected === this.status ? this : expectStatus(this, expected);
  }
}

const { setPrototypeOf } = Object;

/** Makes the engine's record the reply, which costs less than an object to copy its values to. */
export function asReply(exchange, response) {
  response.exchange = exchange;
  return setPrototypeOf(response, Reply.prototype);
}
