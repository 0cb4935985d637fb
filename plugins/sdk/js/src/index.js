// Write workloads for the load engine in JavaScript. The types of all this, with their comments, are in `index.d.ts`.

export { all, allSettled, race } from "./join.js";
export { percentEncode } from "./text.js";
export { check, counter, mark, observation } from "./metric.js";
export { registerBlob } from "./request.js";
export { Rng } from "./rng.js";
export { ensure, ExchangeFailed, refuse, Stop } from "./verdict.js";
export { defineWorkload } from "./workload.js";
