// Runs a plugin natively against scripted answers, in virtual time and without a network. Times are milliseconds.

import type { Arrival, CloseInfo, Fields, ReadMode, Workload } from "engine-sdk";

/** What the plugin says of its configuration: its JSON Schema. */
export function configSchema(workload: Workload): any;

/** The plan that comes of a configuration; throws the refusal, whose `message` is what a user would see. */
export function configure<Plan>(workload: Workload<any, Plan>, config?: object, shared?: object | null): Plan;

/** A scripted target and the arrival that meets it. The first answer whose method and path fit and that is not used up is taken; a request that none fits is an error that shows both. */
export class Script {
  /** Begins the answer to requests of this method (`WS` for a WebSocket) and path. A path without `?` fits any query. */
  on(method: string, path: string): Answering;
  /** Changes the arrival: index 0, seed 1, client 1 and phase `test` where not said. */
  arrival(change: Partial<Omit<Arrival, "seed" | "wallTime">> & { seed?: number | bigint; wallTime?: number }): Script;
  /** What setup has shared, given to `configure`. */
  shared(object: object): Script;
  /** Runs one iteration. An error of the plugin's code rejects; so does a refusal. */
  run(workload: Workload, config?: object): Promise<Run>;
  /** Runs so many iterations one after the other on one plan; index, sequence and seed count on. */
  runMany(workload: Workload, config: object, count: number): Promise<Run[]>;
  /** Runs the setup flow; null where the workload has none. */
  setup(workload: Workload, config?: object): Promise<Run | null>;
  /** Runs the teardown flow; null where the workload has none. */
  teardown(workload: Workload, config?: object): Promise<Run | null>;
}

export interface Answering {
  once(): this;
  times(uses: number): this;
  /** Comes so long after the request; 1 ms where not said. */
  after(milliseconds: number): this;
  field(name: string, value: string): this;
  reply(status: number, body?: string | Uint8Array): Script;
  replyJson(status: number, value: unknown): Script;
  /** Fails with the engine's reason, such as `timeout_total` or `refused`. */
  fail(reason: string): Script;
  stream(status: number): StreamScript;
  open(subprotocol?: string): SocketScript;
}

/** Each call is one read off the wire. */
export interface StreamScript {
  pause(milliseconds: number): this;
  events(datas: string[]): this;
  event(event: string, data: string): this;
  lines(lines: string[]): this;
  chunk(bytes: string | Uint8Array): this;
  end(): Script;
  fail(reason: string): Script;
}

export interface SocketScript {
  pause(milliseconds: number): this;
  /** Waits until the plugin has written this text; another message is an error that shows both. */
  expectText(text: string): this;
  text(text: string): this;
  /** Several messages in one read. */
  texts(texts: string[]): this;
  binary(bytes: string | Uint8Array): this;
  close(code: number, reason?: string): Script;
  /** The peer says nothing more and answers the plugin's close. */
  untilClosed(): Script;
  fail(reason: string): Script;
}

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly name?: string;
  readonly authority?: string;
  readonly fields: [string, string][];
  readonly read: ReadMode | "socket";
  readonly subprotocols: string[];
  readonly wantedFields?: string[];
  readonly followRedirects?: number;
  readonly timeout?: number;
  readonly body: Uint8Array;
  field(name: string): string | undefined;
  text(): string;
  json(): any;
}

export interface Run {
  /** `ok`, `cancelled`, or the reason a report would count it under: `check: <text>`, `http_503`, `timeout_total`, `plugin_stalled` … */
  readonly verdict: string;
  /** From its start to its end. */
  readonly took: number;
  /** Every request and WebSocket in the order asked: the position is its exchange. */
  readonly requests: Sent[];
  /** Such as `GET /agents`. */
  readonly requestLines: string[];
  readonly marks: { name: string; since: "due" | "previous" | number; weight: number; at: number }[];
  readonly logs: { level: string; text: string }[];
  /** What setup has shared, merged. */
  readonly shared: Record<string, any>;
  /** The exchanges the plugin gave up while it went on. */
  readonly cancelled: number[];
  counted(name: string): number;
  observed(name: string): number[];
  checked(name: string): boolean[];
  written(exchange: number): (string | Uint8Array)[];
  closed(exchange: number): CloseInfo | undefined;
}
