// The exports of a component, for any workload.

import { Iteration } from "../iteration.js";
import { trapHard } from "../trap.js";
import { Refusal } from "../verdict.js";
import { configure, describe } from "../workload.js";

/** What the component exports as its interface `workload`. */
export function component(workload) {
  /** A configured workload: what the engine holds a handle to. */
  class Plan {
    constructor(plan) {
      this.plan = plan;
    }

    /** A thrown text is the refusal; an error of the author's must not become one. */
    static configure(config, shared) {
      let plan;
      try {
        plan = configure(workload, config, shared);
      } catch (error) {
        if (error instanceof Refusal) throw error.message;
        trapHard(error);
      }
      return new Plan(plan);
    }

    setup() {
      return Iteration.once(workload, "setup", this.plan);
    }

    teardown() {
      return Iteration.once(workload, "teardown", this.plan);
    }

    start(arrival) {
      return Iteration.start(workload, this.plan, arrival);
    }
  }

  return { describe: () => describe(workload), Plan, Iteration };
}
