// What the platform says.

import { Stop } from "engine-sdk";

/** `text_delta` with text that is not empty. */
export const TEXT = "text";
/** `complete`: the answer is whole. */
export const COMPLETE = "complete";
/** Anything else, an empty `text_delta` among it. */
export const OTHER = "other";

/** Reads a message: one of the three above, or `{ error }` with the text of an error frame, empty where it has none. */
export function readFrame(message) {
  const { type = "", delta = null, message: said } = parse(message);
  if (typeof type !== "string" || (delta !== null && typeof delta !== "string")) throw unexpected();
  if (type === "text_delta") return delta ? TEXT : OTHER;
  if (type === "complete") return COMPLETE;
  return type === "error" ? { error: typeof said === "string" ? said : "" } : OTHER;
}

/** The JSON object of a message, which may come as text or as bytes. */
function parse(message) {
  let value;
  try {
    value = JSON.parse(typeof message === "string" ? message : new TextDecoder().decode(message));
  } catch {
    throw unexpected();
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw unexpected();
  return value;
}

function unexpected() {
  return Stop.failed("unexpected frame");
}
