// What a plugin declares.

import { Metric } from "./metric.js";
import { ensureKeywords, read, schemaOf } from "./config.js";
import { Refusal } from "./verdict.js";

const KEYS = ["name", "version", "summary", "metrics", "config", "configure", "iterate", "setup", "teardown"];

/** Checks a declaration and numbers its metrics. Errors here end the build. */
export function defineWorkload(declared) {
  for (const key of Object.keys(declared)) {
    if (!KEYS.includes(key)) throw new TypeError(`defineWorkload: unknown key ${key}, expected one of ${KEYS.join(", ")}`);
  }
  for (const key of ["name", "version", "summary"]) {
    if (typeof declared[key] !== "string" || declared[key] === "") throw new TypeError(`defineWorkload: ${key}: missing`);
  }
  if (!/^[a-z0-9_]{1,64}$/.test(declared.name)) {
    throw new TypeError("defineWorkload: name: lower-case letters, digits and _, at most 64");
  }
  if (typeof declared.iterate !== "function") throw new TypeError("defineWorkload: iterate: missing");
  const metrics = declared.metrics ?? [];
  metrics.forEach((metric, id) => {
    if (!(metric instanceof Metric)) throw new TypeError("defineWorkload: metrics: made by mark, counter, observation or check");
    metric.id = id;
  });
  const config = declared.config ?? {};
  for (const [key, schema] of Object.entries(config)) ensureKeywords(schema, `defineWorkload: config.${key}`);
  return { ...declared, metrics, config };
}

/** What the interface's `describe` gives. */
export function describe(workload) {
  return {
    name: workload.name,
    version: workload.version,
    summary: workload.summary,
    metrics: workload.metrics.map(({ name, kind, unit, summary }) => ({ name, kind, unit, summary })),
    configSchema: JSON.stringify(schemaOf(workload.config)),
  };
}

/** The author's plan; throws a `Refusal` where the configuration or what was shared is not right. */
export function configure(workload, config, shared) {
  const own = read(workload.config, parse("config", config));
  const given = shared === null ? {} : parse("shared", shared);
  return workload.configure === undefined ? own : workload.configure(own, given);
}

function parse(what, json) {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new Refusal(`${what}: ${error.message}`);
  }
}
