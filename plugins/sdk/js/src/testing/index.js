// Runs a plugin natively against scripted answers, in virtual time and without a network.

import { forget } from "./recorder.js";
import { configure as build, describe } from "../workload.js";

export { Script } from "./script.js";

/** What the plugin says of its configuration: its JSON Schema. */
export function configSchema(workload) {
  return JSON.parse(describe(workload).configSchema);
}

/** The plan that comes of a configuration; throws the refusal, whose `message` is what a user would see. */
export function configure(workload, config = {}, shared = null) {
  forget();
  return build(workload, JSON.stringify(config), shared === null ? null : JSON.stringify(shared));
}
