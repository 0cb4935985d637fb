// A plugin's own figures: a handle each, listed in the workload's `metrics`.

/** A figure. `id` is its position in the list, set by `defineWorkload`. */
export class Metric {
  constructor(kind, name, summary, unit = "") {
    this.kind = kind;
    this.name = name;
    this.summary = summary;
    this.unit = unit;
    this.id = -1;
  }
}

export function mark(name, summary) {
  return new Metric("mark", name, summary);
}

export function counter(name, summary, unit) {
  return new Metric("counter", name, summary, unit);
}

export function observation(name, summary, unit) {
  return new Metric("observation", name, summary, unit);
}

export function check(name, summary) {
  return new Metric("check", name, summary);
}

/** The position of a metric that was declared as of this kind. */
export function idOf(metric, kind) {
  if (metric?.kind !== kind) throw new TypeError(`no ${kind}: ${metric?.name ?? metric}`);
  if (metric.id < 0) throw new Error(`the ${kind} ${metric.name} is not in the workload's metrics`);
  return metric.id;
}
