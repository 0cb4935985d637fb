// Write workloads for the load engine in JavaScript or TypeScript. Lengths of time are milliseconds, sizes are bytes.

/** A JSON Schema of one key of the configuration. Checked are: type, enum, minimum, maximum, minLength, maxLength, pattern, minItems, maxItems, items, properties, required, additionalProperties. A word that is none of draft 07, and does not begin with `x-`, is an error. */
export interface KeySchema {
  type?: string | string[];
  description?: string;
  default?: unknown;
  [keyword: string]: unknown;
}

/** What a flow is made of: a generator, which gets an outcome with `yield`, or an async function with `await`. */
export type FlowOf = Generator<unknown, unknown, any> | PromiseLike<unknown> | void;

/** A plugin. `Config` is what `configure` is given, `Plan` what it returns; where there is no `configure` they are one. */
export interface Workload<Config = any, Plan = Config> {
  /** The name by which scenarios call it: lower-case letters, digits and `_`, at most 64. */
  name: string;
  /** Its own version, such as `1.2.0`. */
  version: string;
  /** One line for people. */
  summary: string;
  /** Its metrics; a metric that is not listed cannot be used. */
  metrics?: Metric[];
  /** The keys of its configuration. A key without a default is required, one that is not here is refused. */
  config?: Record<string, KeySchema>;
  /**
   * Called once in each instance, before the first arrival. `shared` is what setup flows have shared. `refuse(text)`
   * refuses: the run ends before it starts, and the text is shown. Another error is one of the plugin's, and traps.
   */
  configure?(config: Config, shared: Record<string, any>): Plan;
  /** One arrival. What it sends before it first waits counts from the arrival's due time. */
  iterate(ctx: Context, plan: Plan): FlowOf;
  /** Runs once before the load, in an instance of its own. A function that returns nothing has nothing to do. */
  setup?(ctx: Context, plan: Plan): FlowOf;
  /** Runs once after the load, as `setup`. */
  teardown?(ctx: Context, plan: Plan): FlowOf;
}

/** Declares the plugin: the default export of its `main`. Throws where the declaration is wrong, which ends the build. */
export function defineWorkload<Config = any, Plan = Config>(workload: Workload<Config, Plan>): Workload<Config, Plan>;

/** Refuses the configuration. Say what to change: `config.paths: give at least one path`. */
export function refuse(text: string): never;

/** A figure of the plugin's own, as one of the four functions below makes it. */
export interface Metric<Kind extends string = string> {
  readonly kind: Kind;
  readonly name: string;
  readonly summary: string;
  readonly unit: string;
}

/** A time: `ctx.mark`, `ctx.lap`. */
export function mark(name: string, summary: string): Metric<"mark">;
/** A sum: `ctx.count`. */
export function counter(name: string, summary: string, unit?: string): Metric<"counter">;
/** A distribution of values: `ctx.observe`. */
export function observation(name: string, summary: string, unit?: string): Metric<"observation">;
/** Passed and failed: `ctx.check`. */
export function check(name: string, summary: string): Metric<"check">;

/** Something to wait for. `await` it; in a generator `yield` it, or in TypeScript `yield*`, which keeps the type. */
export interface Awaitable<T> extends PromiseLike<T>, Iterable<unknown> {
  [Symbol.iterator](): Generator<unknown, T, any>;
  /** Gives it up: an exchange is cancelled, a timer cleared, the items of a stream left to the next wait. It never settles then. */
  cancel(): void;
}

/** An exchange on its way. Settles with the answer; fails with `ExchangeFailed`. */
export interface Sending<T> extends Awaitable<T> {
  /** Its number, for marks. */
  readonly exchange: number;
}

/** Fields as an object, or as pairs in order where a name repeats. Pairs are handed on as they are, which is cheaper. */
export type Fields = Record<string, string> | [string, string][];

/** What socket and request have in common. */
export interface ExchangeOptions {
  /** Names the series; method and path without query where absent. Give one where paths hold ids. */
  name?: string;
  /** Another host than the target's, as `host:port`, that the scenario allows. */
  authority?: string;
  /** Leave as written, in this order. */
  fields?: Fields;
  /** The longest it may take; the workload's limit where absent. */
  timeout?: number;
  /** Settings this SDK has no name for. One the engine does not know is the failure `protocol`. */
  extensions?: Fields;
}

export interface RequestOptions<Read extends ReadMode = ReadMode> extends ExchangeOptions {
  /** Sends these bytes, a text as UTF-8. */
  body?: string | Uint8Array;
  /** Sends this value as JSON, with `content-type: application/json` unless there is a content type. */
  json?: unknown;
  /** Sends these pairs as a form (`application/x-www-form-urlencoded`). */
  form?: Fields;
  /** Sends a body of `registerBlob`. */
  blob?: Blob;
  /** How the answer is handed over: `whole` where absent. `count` is the cheapest way to see a status. */
  read?: Read;
  /** The most bytes a whole body may have, 1 to 64 MiB; 16 MiB where absent. A larger one is the failure `body_too_large`. */
  maxBody?: number;
  /** Has only these response fields handed over (names in lower case). Cheaper than all of them. */
  wantedFields?: string[];
  /** The most redirects to follow, 0 to 20; the workload's setting where absent. */
  followRedirects?: number;
}

export type ReadMode = "whole" | "count" | "head" | "events" | "lines" | "chunks";

/** What comes of a read mode. */
export type Answer<Read extends ReadMode> = Read extends "events"
  ? Stream<ServerSentEvent>
  : Read extends "lines"
    ? Stream<string>
    : Read extends "chunks"
      ? Stream<Uint8Array>
      : Read extends "head"
        ? Stream<never>
        : Reply;

export interface SocketOptions extends ExchangeOptions {
  /** Offered subprotocols, the preferred one first. */
  subprotocols?: string[];
}

/** A body registered once and sent many times without being copied again. */
export interface Blob {
  readonly body: unknown;
}

/** Keeps bytes for later requests. Only in `configure`; at most 64 MiB in all. */
export function registerBlob(bytes: string | Uint8Array): Blob;

/** An iteration's access to the engine. Of no use in another iteration: what it asks for there is an error. */
export interface Context {
  /** The arrival; in setup and teardown all numbers are 0, the client is 1, the phase is empty, there is no row. */
  readonly arrival: Arrival;
  /** The arrival's row of the workload's data file, from JSON. Throws a `Stop` where there is none. */
  row(): any;
  /** Randomness of this iteration: each call starts the same sequence again. */
  rng(): Rng;
  /** Asks for a `GET` now. `path` is path and query as sent, and begins with `/`. */
  get<R extends ReadMode = "whole">(path: string, options?: RequestOptions<R>): Sending<Answer<R>>;
  post<R extends ReadMode = "whole">(path: string, options?: RequestOptions<R>): Sending<Answer<R>>;
  put<R extends ReadMode = "whole">(path: string, options?: RequestOptions<R>): Sending<Answer<R>>;
  patch<R extends ReadMode = "whole">(path: string, options?: RequestOptions<R>): Sending<Answer<R>>;
  delete<R extends ReadMode = "whole">(path: string, options?: RequestOptions<R>): Sending<Answer<R>>;
  /** Asks for any other method, such as `HEAD`. */
  request<R extends ReadMode = "whole">(method: string, path: string, options?: RequestOptions<R>): Sending<Answer<R>>;
  /** Starts the handshake of a WebSocket now. A refused upgrade is a failure. */
  socket(path: string, options?: SocketOptions): Sending<Socket>;
  /** Waits so long, counted from the event being handled. */
  wait(milliseconds: number): Awaitable<void>;
  /** Records a time: of when the bytes of the event being handled were read, from due or from when an exchange was asked for. */
  mark(mark: Metric<"mark">, since?: number | { readonly exchange: number }): void;
  /** Records the time since the mark of the same metric before it, as `weight` samples of an equal part each; 0 counts nothing. The first one only sets the start. */
  lap(mark: Metric<"mark">, weight?: number): void;
  /** Adds to a counter; 1 where absent. */
  count(counter: Metric<"counter">, n?: number): void;
  /** Records a value, 0 to 2^53. */
  observe(observation: Metric<"observation">, value: number): void;
  /** Counts a check as passed or failed without deciding the iteration. */
  check(check: Metric<"check">, passed: boolean): void;
  /** In setup only: merges these keys into what every later `configure` is given. Each text in it is masked wherever text leaves the engine. */
  share(object: Record<string, unknown>): void;
  /** A line for the plugin's author: shown by `engine try`, rate-limited in a run. At most 4 KiB. */
  log(level: "debug" | "info" | "warn" | "error", text: string): void;
}

/** One scheduled start. */
export interface Arrival {
  /** Position in the whole run's schedule, from 0. */
  readonly sequence: number;
  /** Position within its own workload, from 0: "every fifth" is `index % 5`. */
  readonly index: number;
  /** The numbered identity it belongs to, from 1. */
  readonly client: number;
  /** Seeds all randomness. Comes through a double: of a seed above 2^53 the lowest bits (at most eleven) are rounded. */
  readonly seed: bigint;
  /** Nanoseconds since the Unix epoch; comes through a double, so to 256 ns. The same again when a run is replayed. */
  readonly wallTime: bigint;
  /** Name of the phase in which it is due. */
  readonly phase: string;
  /** One row of the workload's data file as JSON; null where it has none. */
  readonly row: string | null;
}

/** SplitMix64, as in the Rust SDK: one seed gives one sequence in both. Not for secrets. */
export class Rng {
  constructor(seed: bigint | number);
  /** The next 64 random bits. */
  nextU64(): bigint;
  /** An integer from 0 to below `bound`; 0 where that is 0. */
  below(bound: number): number;
  /** A number from 0 to below 1, in steps of 2^-53. */
  unit(): number;
  /** True with this probability, 0 to 1. */
  chance(probability: number): boolean;
  /** One of these; undefined of nothing. */
  pick<T>(from: readonly T[]): T | undefined;
}

/** A status that is right, several, or a function that takes it. */
export type Statuses = number | readonly number[] | ((status: number) => boolean);

/** What answers have in common. */
export interface Head {
  /** The exchange, for marks and verdicts. */
  readonly exchange: number;
  /** The status, 100 to 999. */
  readonly status: number;
  /** The wanted response fields in order; names in lower case. */
  readonly fields: [string, string][];
  /** The first field of this name, in any capitalisation. */
  field(name: string): string | undefined;
  /** Stops the iteration unless the status is an expected one. The failure is the engine's `http_<status>`. */
  expectStatus(expected: Statuses): this;
}

/** A whole answer. */
export interface Reply extends Head {
  /** The body after decompression; empty where it was only counted. */
  readonly body: Uint8Array;
  /** Bytes of the body as they came off the wire. */
  readonly size: number;
  /** The body as text; bytes that are not UTF-8 become U+FFFD. */
  text(): string;
  /** The body as JSON. Throws a `Stop` (`unexpected JSON`) where it is none; the log says what is wrong with it. */
  json(): any;
}

/** What streams and sockets have in common. One wait at a time. Left before its end, cancel it: nothing else does before the iteration ends. */
export interface Pieces<T> extends AsyncIterable<T> {
  readonly exchange: number;
  /** The next item; null when it is complete or closed. Fails with the exchange's failure, after the items before it. */
  next(): Awaitable<T | null>;
  /** All items at hand, at least one: those of one read share its time. Null and failures as of `next`. */
  nextBatch(): Awaitable<T[] | null>;
  /** Gives up the exchange, which is no failure. */
  cancel(): void;
}

/** An answer whose status and fields have arrived. */
export interface Stream<T> extends Pieces<T>, Head {
  /** Reads to the end, whatever still comes. */
  finish(): Awaitable<void>;
  /** Reads to the end and gives the bytes that came in the place of items, at most so many: of an answer in JSON to a request for events, the whole body. */
  bytes(most: number): Awaitable<Uint8Array>;
}

export interface ServerSentEvent {
  /** Its type; `message` where the stream names none. */
  event: string;
  data: string;
  /** The last event id seen; empty where there was none. */
  id: string;
}

/** An open WebSocket. A message is a string or bytes. */
export interface Socket extends Pieces<string | Uint8Array> {
  /** The subprotocol the peer chose; empty where it chose none. */
  readonly subprotocol: string;
  readonly fields: [string, string][];
  field(name: string): string | undefined;
  sendText(text: string): void;
  sendBinary(bytes: Uint8Array): void;
  /** Starts the close handshake (1000 where absent) and waits for its end; messages that still come are dropped. */
  close(code?: number, reason?: string): Awaitable<CloseInfo | null>;
  /** Code and reason of the close, once `next` has given null. */
  readonly closeInfo: CloseInfo | null;
}

export interface CloseInfo {
  code: number;
  reason: string;
}

/** Why an iteration stopped early: throw it, or return it from `iterate`. */
export class Stop {
  private constructor();
  readonly message: string;
  /** The plugin's own judgement, counted as `check: <text>`. Keep the texts short, few and constant. At most 200 bytes, the rest is cut. */
  static failed(text: string): Stop;
  /** As `failed`, quoting a peer: words with a digit or an `@` and words of more than 24 bytes become `#`, all is cut after 100 bytes. */
  static quoting(what: string, text: string): Stop;
  /** The plan said so; no failure. */
  static cancelled(): Stop;
  /** The engine's reason for that exchange stands: its failure, or `http_<status>`. */
  static failedBy(exchange: number | { readonly exchange: number }): Stop;
}

/** An exchange that came to no answer. Not caught, it ends the iteration by the engine's reason. */
export class ExchangeFailed {
  private constructor();
  readonly exchange: number;
  /** The engine's reason, such as `timeout_total`. An open set: match what you know, treat the rest alike. */
  readonly reason: string;
  /** For people: what was seen. */
  readonly detail: string;
  readonly message: string;
}

/** Stops the iteration as failed with this text unless the condition holds. */
export function ensure(condition: unknown, text: string): asserts condition;

/** What may be waited for together: a generator is run. */
export type Part<T> = Awaitable<T> | PromiseLike<T> | Generator<unknown, T, any>;

type Values<P extends readonly unknown[]> = { -readonly [K in keyof P]: P[K] extends Part<infer T> ? T : P[K] };

/** Waits for all of them: the values in the order given, or the first failure. */
export function all<const P extends readonly unknown[]>(parts: P): Awaitable<Values<P>>;
/** Waits for all of them, whatever comes of each. */
export function allSettled<T>(parts: Iterable<Part<T>>): Awaitable<PromiseSettledResult<T>[]>;
/** Waits for whichever settles first and gives up the others: exchanges are cancelled, timers cleared, generators ended. An async function that has lost runs on. */
export function race<const P extends readonly unknown[]>(parts: P): Awaitable<Values<P>[number]>;

/** A text as one segment of a path, or a value of a query or form: all but letters, digits and `-._~` is encoded. */
export function percentEncode(text: string): string;
