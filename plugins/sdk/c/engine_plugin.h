/* Write workloads for the load engine in C.
 *
 * A plugin is a declaration, `ENGINE_PLUGIN`, and functions. An iteration is a function that is called again for every
 * event of its own and goes on where it stopped to await something:
 *
 *     #include "engine_plugin.h"
 *
 *     struct visit {
 *         engine_reply agents;
 *     };
 *
 *     static engine_verdict iterate(engine_ctx *ctx)
 *     {
 *         struct visit *visit = ctx->state;
 *         ENGINE_BEGIN(&ctx->flow);
 *         engine_get(ctx, &visit->agents, "/agents", .name = "agents");
 *         ENGINE_ANSWER(&visit->agents);
 *         ENGINE_EXPECT_STATUS(&visit->agents, 200);
 *         ENGINE_END;
 *     }
 *
 *     ENGINE_PLUGIN(.name = "agents", .version = PLUGIN_VERSION, .summary = "Reads the list of agents",
 *                   .state_size = sizeof(struct visit), .iterate = iterate);
 *
 * What must outlive an await stands in the iteration's state, which begins as zeros: a local variable that is set
 * between ENGINE_BEGIN and ENGINE_END has no value behind the next await. An await may stand in loops and branches, but
 * in no `switch`, and only one on a line. There is no clock, no thread, no file; `assert` works.
 */
#ifndef ENGINE_PLUGIN_H
#define ENGINE_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine_json.h"
#include "engine_text.h"

#ifndef PLUGIN_VERSION
#ifdef __wasm__
#error "PLUGIN_VERSION is not defined: `engine plugin build` takes it from plugin.toml"
#else
#define PLUGIN_VERSION "0.0.0-test"
#endif
#endif

/* Lengths of time, in nanoseconds. */
#define ENGINE_MS(n) ((uint64_t)(n) * 1000000u)
#define ENGINE_S(n) ((uint64_t)(n) * 1000000000u)

typedef struct engine_ctx engine_ctx;

/* ---- How an iteration ends -------------------------------------------------------------------------------------- */

typedef enum engine_outcome {
    ENGINE_PENDING, /* Not yet: it awaits something. */
    ENGINE_OK,
    ENGINE_CANCELLED,
    ENGINE_FAILED,
    ENGINE_FAILED_BY,
} engine_outcome;

typedef struct engine_verdict {
    engine_outcome outcome;
    uint32_t exchange;
    const char *text;
} engine_verdict;

/* A request with its answer, a stream or a WebSocket; below. */
typedef struct engine_exchange engine_exchange;

/* Everything was right. */
static inline engine_verdict engine_ok(void) { return (engine_verdict){ENGINE_OK, 0, NULL}; }

/* Ended early because the plan said so: no failure. */
static inline engine_verdict engine_cancelled(void) { return (engine_verdict){ENGINE_CANCELLED, 0, NULL}; }

/* A failure by the plugin's own judgement, counted as `check: <text>`. Keep the texts short, few and constant: no ids,
 * no numbers. At most 200 bytes, the rest is cut. The text must live on (a literal, `engine_format`). */
static inline engine_verdict engine_failed(const char *text) { return (engine_verdict){ENGINE_FAILED, 0, text}; }

/* A failure that quotes what the peer said, as `<what>: <text>`: reduced, so that texts which differ in ids and numbers
 * alone are one. Words with a digit or an `@` and words of more than 24 bytes become `#`, and all is cut after 100. */
engine_verdict engine_failed_quoting(engine_ctx *ctx, const char *what, engine_bytes text);

/* The engine's reason for that exchange stands: its failure, or `http_<status>` where it was answered. */
engine_verdict engine_failed_by(const engine_exchange *exchange);

/* ---- Flows and awaits ------------------------------------------------------------------------------------------- */

/* A timer; in the iteration's state. */
typedef struct engine_timer {
    bool running, fired;
    uint32_t id; /* From here on the SDK's own. */
    struct engine_timer *next;
} engine_timer;

/* Where a function that awaits goes on. The iteration has one, `ctx->flow`; a function that awaits and is called by
 * another (`ENGINE_CALL`) has one of its own in the state. */
typedef struct engine_flow {
    unsigned at;
    engine_verdict verdict;
    engine_timer timer;
} engine_flow;

/* Begins and ends what a function does in steps. Behind the end the verdict is ok. */
#define ENGINE_BEGIN(flow)               \
    engine_flow *const engine_flow_ = (flow); \
    switch (engine_flow_->at) {          \
    default: engine_panic("a flow that is no flow of this function"); \
    case 0:
#define ENGINE_END                       \
    }                                    \
    return engine_ok()

/* Waits until the condition holds. It is looked at now and after each event of the iteration. */
#define ENGINE_AWAIT(condition)                              \
    do {                                                     \
        engine_flow_->at = __LINE__;                         \
        __attribute__((__fallthrough__));                    \
    case __LINE__:                                           \
        if (!(condition)) return (engine_verdict){ENGINE_PENDING, 0, NULL}; \
    } while (0)

/* Waits so many nanoseconds, counted from the event being handled. */
#define ENGINE_WAIT(ctx, duration)                                  \
    do {                                                            \
        engine_wait((ctx), &engine_flow_->timer, (duration));       \
        ENGINE_AWAIT(engine_flow_->timer.fired);                    \
    } while (0)

/* Waits for the answer: the whole of it, or status and fields of a stream, or that a WebSocket is open. Ends the
 * iteration by the engine's reason where the exchange failed. To look at a failure instead:
 * `ENGINE_AWAIT(engine_settled(&x)); if (x.failed) …`. */
#define ENGINE_ANSWER(exchange)                                        \
    do {                                                               \
        ENGINE_AWAIT(engine_settled(exchange));                        \
        if (!(exchange)->answered) return engine_failed_by(exchange);  \
    } while (0)

/* Ends the iteration as `http_<status>` unless the status is one of these. */
#define ENGINE_EXPECT_STATUS(exchange, ...)                                                          \
    do {                                                                                             \
        if (!engine_status_in((exchange), (const uint16_t[]){__VA_ARGS__, 0})) return engine_failed_by(exchange); \
    } while (0)

/* Ends the iteration as failed with this text unless the condition holds. */
#define ENGINE_ENSURE(condition, text)                  \
    do {                                                \
        if (!(condition)) return engine_failed(text);   \
    } while (0)

/* Parses the answer's body into `exchange->json`; ends the iteration with `unexpected JSON` where it is none. */
#define ENGINE_JSON(exchange)                                                        \
    do {                                                                             \
        if (!engine_parse_body(exchange)) return engine_failed("unexpected JSON");   \
    } while (0)

/* Calls a function that returns a verdict and awaits nothing; ends the iteration unless it is ok. */
#define ENGINE_TRY(call)                                            \
    do {                                                            \
        engine_verdict engine_verdict_ = (call);                    \
        if (engine_verdict_.outcome != ENGINE_OK) return engine_verdict_; \
    } while (0)

/* Calls a function that awaits, with a flow of its own, until it has ended; ends the iteration unless it is ok. */
#define ENGINE_CALL(own, call)                                                   \
    do {                                                                         \
        *(own) = (engine_flow){0};                                               \
        ENGINE_AWAIT(ENGINE_STEP(own, call));                                    \
        if ((own)->verdict.outcome != ENGINE_OK) return (own)->verdict;          \
    } while (0)

/* Whether a function with a flow of its own has ended, after one more step of it: the condition of an await. Several
 * at once: `ENGINE_AWAIT(ENGINE_STEP(&a->flow, one(ctx, a)) & ENGINE_STEP(&b->flow, other(ctx, b)))`, with `&` and not
 * `&&`, so that each gets its step. What came of it is then `flow.verdict`. */
#define ENGINE_STEP(own, call) \
    ((own)->verdict.outcome != ENGINE_PENDING || ((own)->verdict = (call)).outcome != ENGINE_PENDING)

/* Starts a timer; `timer->fired` when it is over. */
void engine_wait(engine_ctx *ctx, engine_timer *timer, uint64_t duration);

/* Takes a timer back. No effect on one that does not run. */
void engine_clear(engine_ctx *ctx, engine_timer *timer);

/* ---- Requests ---------------------------------------------------------------------------------------------------- */

/* A field of a request. A list of them ends with `{0}`. */
typedef struct engine_field {
    const char *name, *value;
} engine_field;

/* A body registered once and sent many times without being copied again; zeros are none. */
typedef struct engine_blob {
    uint32_t number;
} engine_blob;

/* Keeps these bytes. Only in `configure`; at most 64 MiB in all. */
engine_blob engine_register_blob(engine_bytes bytes);

/* How an answer is handed over. */
typedef enum engine_read {
    ENGINE_WHOLE,  /* With its whole body. */
    ENGINE_COUNT,  /* The body counted and not handed over: the cheapest way to see a status. */
    ENGINE_HEAD,   /* Status and fields when they have arrived; the body is counted. */
    ENGINE_EVENTS, /* Server-sent events as they come. */
    ENGINE_LINES,  /* Lines as they come; empty ones are left out. */
    ENGINE_CHUNKS, /* Bytes as they come. */
} engine_read;

/* Of `follow_redirects`: at most so many, 0 to 20. */
#define ENGINE_REDIRECTS(most) ((uint32_t)(most) + 1)

/* No field of the answer is wanted. */
extern const char *const ENGINE_NO_FIELDS[];

/* What a request may say; everything but method and path may be left out. */
typedef struct engine_request {
    const char *method;
    const char *path;                 /* Path and query as sent; begins with `/`. */
    const char *name;                 /* Names the series; method and path without its query where not said. */
    const char *authority;            /* Another host, as `host` or `host:port`, that the scenario allows. */
    const engine_field *fields;       /* Leave as written, in this order; end with {0}. */
    engine_bytes body;                /* These bytes are sent. */
    const char *json;                 /* This JSON text is sent, with its `content-type` unless `fields` has one. */
    engine_blob blob;                 /* A registered body is sent. */
    engine_read read;
    uint32_t max_body;                /* Of a whole answer, in bytes, 1 to 64 MiB; 16 MiB where not said. */
    const char *const *wanted_fields; /* Only these fields of the answer are handed over (lower case; ends with NULL). */
    uint32_t follow_redirects;        /* ENGINE_REDIRECTS(n); the workload's setting where not said. */
    uint64_t timeout;                 /* Nanoseconds for the whole exchange; the workload's limit where not said. */
    const engine_field *extensions;   /* Settings this SDK has no word for; end with {0}. */
} engine_request;

/* One decoded piece of a stream, or a message. */
typedef enum engine_item_kind {
    ENGINE_NO_ITEM, /* The stream or the WebSocket has ended. */
    ENGINE_EVENT,
    ENGINE_LINE,
    ENGINE_CHUNK,
    ENGINE_TEXT_MESSAGE,
    ENGINE_BINARY_MESSAGE,
} engine_item_kind;

typedef struct engine_item {
    engine_item_kind kind;
    engine_bytes data;      /* The line, the bytes, the message, the event's data. */
    engine_bytes event, id; /* Of an event. */
} engine_item;

/* The lists of the interface; private. */
struct engine_owned {
    void *ptr;
    size_t len;
};

/* One exchange: an `engine_reply`, `engine_stream` or `engine_socket`. It must stand in the iteration's state or in
 * memory of `engine_alloc`, and stays where it is. Sent anew, what it held before is dropped. */
struct engine_exchange {
    uint32_t id;     /* Counts from 0 within the iteration. */
    uint16_t status; /* 100 to 999; 0 where not answered, and of a WebSocket. */
    bool answered;   /* The answer, its head, or the opened WebSocket is there. */
    bool ended;      /* Nothing more will come. */
    bool failed;     /* It ended by a failure: */
    bool closed;     /* It ended by the close handshake: */
    uint16_t close_code;
    engine_bytes reason;      /* Of the failure (`timeout_total` …) or of the close. */
    engine_bytes detail;      /* Of the failure, for people. */
    engine_bytes body;        /* After decompression; empty where it was only counted. */
    uint64_t size;            /* Bytes of the body as they came off the wire. */
    engine_bytes subprotocol; /* That the WebSocket's peer chose; empty where none. */
    engine_json json;         /* Of `ENGINE_JSON`. */
    size_t batch;             /* Items of `ENGINE_BATCH`; 0 when the stream has ended. */
    engine_item item;         /* Of `ENGINE_NEXT`. */
    /* From here on the SDK's own. */
    engine_ctx *ctx;
    engine_exchange *next, **at;
    struct engine_owned fields, items, waiting;
    size_t taken;
};

typedef engine_exchange engine_reply;
typedef engine_exchange engine_stream;
typedef engine_exchange engine_socket;

/* Sends a request now. Several may be open at once: send all, then await each. */
void engine_send(engine_ctx *ctx, engine_exchange *exchange, const engine_request *request);

/* `engine_get(ctx, &visit->page, "/page", .name = "page", .timeout = ENGINE_S(5))` */
#define engine_request_(ctx, exchange, verb, ...) \
    engine_send((ctx), (exchange), &(const engine_request){.method = verb, .path = __VA_ARGS__})
#define engine_get(ctx, exchange, ...) engine_request_(ctx, exchange, "GET", __VA_ARGS__)
#define engine_post(ctx, exchange, ...) engine_request_(ctx, exchange, "POST", __VA_ARGS__)
#define engine_put(ctx, exchange, ...) engine_request_(ctx, exchange, "PUT", __VA_ARGS__)
#define engine_patch(ctx, exchange, ...) engine_request_(ctx, exchange, "PATCH", __VA_ARGS__)
#define engine_delete(ctx, exchange, ...) engine_request_(ctx, exchange, "DELETE", __VA_ARGS__)

/* Whether it was answered or has failed. */
static inline bool engine_settled(const engine_exchange *exchange) { return exchange->answered || exchange->ended; }

/* Whether each of these is answered or has failed: the condition of an await for all of an array. */
bool engine_all_settled(const engine_exchange *exchanges, size_t count);

/* The first value of this field of the answer, its name in any capitalisation; null where there is none. */
engine_bytes engine_field_of(const engine_exchange *exchange, const char *name);

/* How many wanted fields the answer has, and the one at this position, its name in lower case. */
size_t engine_field_count(const engine_exchange *exchange);
void engine_field_at(const engine_exchange *exchange, size_t index, engine_bytes *name, engine_bytes *value);

bool engine_status_in(const engine_exchange *exchange, const uint16_t *statuses);
bool engine_parse_body(engine_exchange *exchange);

/* Has no more use for it: what it holds is freed, and one that is open is cancelled, which is no failure. At the
 * iteration's end this is done for all of them. */
void engine_drop(engine_exchange *exchange);

/* ---- Streams ------------------------------------------------------------------------------------------------------ */

/* Waits for all items that are at hand, at least one: those of one read share its time. `exchange->batch` is their
 * number, 0 when the answer is complete; `engine_item_at` gives each. They live until the next ENGINE_BATCH. Ends the
 * iteration by the engine's reason where the exchange failed, after the items that came before. */
#define ENGINE_BATCH(exchange)                                                       \
    do {                                                                             \
        ENGINE_AWAIT(engine_next_batch(exchange));                                   \
        if ((exchange)->batch == 0 && (exchange)->failed) return engine_failed_by(exchange); \
    } while (0)

/* Waits for one item, in `exchange->item`; its kind is ENGINE_NO_ITEM when the answer is complete. It lives until the
 * next one is asked for. Ends the iteration as ENGINE_BATCH does. */
#define ENGINE_NEXT(exchange)                                                        \
    do {                                                                             \
        ENGINE_AWAIT(engine_next_item(exchange));                                    \
        if ((exchange)->item.kind == ENGINE_NO_ITEM && (exchange)->failed) return engine_failed_by(exchange); \
    } while (0)

/* Reads to the end, whatever still comes. */
#define ENGINE_FINISH(exchange)                                                      \
    do {                                                                             \
        ENGINE_AWAIT(engine_next_batch(exchange) && (exchange)->batch == 0);         \
        if ((exchange)->failed) return engine_failed_by(exchange);                   \
    } while (0)

/* The item at this position of the batch, from 0. */
engine_item engine_item_at(const engine_exchange *exchange, size_t index);

bool engine_next_batch(engine_exchange *exchange);
bool engine_next_item(engine_exchange *exchange);

/* ---- Sockets ------------------------------------------------------------------------------------------------------ */

/* What a WebSocket may say; everything but the path may be left out. Words as in `engine_request`. */
typedef struct engine_socket_request {
    const char *path, *name, *authority;
    const engine_field *fields;
    const char *const *subprotocols; /* In order of preference; ends with NULL. */
    uint64_t timeout;                /* The longest it may stay open. */
    const engine_field *extensions;
} engine_socket_request;

/* `engine_open(ctx, &talk->socket, "/ws", .name = "talk")`, then ENGINE_ANSWER and ENGINE_NEXT or ENGINE_BATCH. */
void engine_open_socket(engine_ctx *ctx, engine_socket *socket, const engine_socket_request *request);
#define engine_open(ctx, socket, ...) \
    engine_open_socket((ctx), (socket), &(const engine_socket_request){.path = __VA_ARGS__})

void engine_send_text(engine_socket *socket, const char *text);
void engine_send_binary(engine_socket *socket, engine_bytes bytes);

/* Starts the close handshake; ENGINE_FINISH waits for its end, then `closed` and `close_code` tell. */
void engine_close(engine_socket *socket, uint16_t code, const char *reason);

/* ---- The iteration ------------------------------------------------------------------------------------------------ */

/* One scheduled start. In setup and teardown all numbers are 0, the client is 1, the phase is empty. */
typedef struct engine_arrival {
    uint64_t sequence;  /* Position in the whole run's schedule, from 0. */
    uint64_t index;     /* Position within its own workload: "every fifth" is `index % 5 == 0`. */
    uint64_t seed;      /* Seeds all randomness. */
    uint64_t client;    /* The numbered identity, from 1. */
    uint64_t wall_time; /* Nanoseconds since the Unix epoch, the same again when a run is replayed. */
    engine_bytes phase;
    engine_json row;    /* Its row of the data file, an object; not there where it has none. */
} engine_arrival;

/* An iteration's access to the engine. */
struct engine_ctx {
    const void *plan; /* What `configure` has filled. */
    void *state;      /* The iteration's own, zeros at its start. */
    engine_arrival arrival;
    engine_flow flow;
    /* From here on the SDK's own. */
    engine_verdict (*run)(engine_ctx *ctx);
    size_t size;
    engine_exchange *open, **open_end, *done;
    engine_timer *timers;
    struct engine_block *blocks;
    bool finished;
    engine_bytes row;
};

/* Memory that is freed at the iteration's end, zeros at first. */
void *engine_alloc(engine_ctx *ctx, size_t size);

/* A text that is freed at the iteration's end; conversions as of `engine_buf_format`. */
char *engine_format(engine_ctx *ctx, const char *format, ...) __attribute__((__format__(__printf__, 2, 3)));

typedef enum engine_level { ENGINE_DEBUG, ENGINE_INFO, ENGINE_WARN, ENGINE_ERROR } engine_level;

/* A line for the plugin's author: shown by `engine try`, rate-limited in a run. At most 4 KiB. */
void engine_log(engine_level level, const char *text);

/* In setup only: merges the keys of this JSON object into what every later `configure` is given. Each text in it is
 * masked wherever text leaves the engine. */
void engine_share(const char *json);

/* ---- Metrics ------------------------------------------------------------------------------------------------------ */

typedef enum engine_metric_kind {
    ENGINE_KIND_MARK,
    ENGINE_KIND_COUNTER,
    ENGINE_KIND_OBSERVATION,
    ENGINE_KIND_CHECK,
} engine_metric_kind;

/* A figure of the plugin's own. Its number is its position in `metrics`: name the positions by an enum. */
typedef struct engine_metric {
    const char *name;    /* Lower-case letters, digits and `_`. */
    const char *summary; /* One line for reports. */
    engine_metric_kind kind;
    const char *unit;    /* For people. */
} engine_metric;

/* A time; a sum; a distribution of values; passed and failed. */
#define ENGINE_MARK(name, summary) {(name), (summary), ENGINE_KIND_MARK, NULL}
#define ENGINE_COUNTER(name, unit, summary) {(name), (summary), ENGINE_KIND_COUNTER, (unit)}
#define ENGINE_OBSERVATION(name, unit, summary) {(name), (summary), ENGINE_KIND_OBSERVATION, (unit)}
#define ENGINE_CHECK(name, summary) {(name), (summary), ENGINE_KIND_CHECK, NULL}

/* Records a time: when the bytes of the event being handled were read, measured from due. */
void engine_mark(uint32_t metric);

/* The same, measured from when that exchange was asked for. */
void engine_mark_since(uint32_t metric, const engine_exchange *asked);

/* The time since the mark of the same metric before it, as `weight` samples of an equal part each (tokens that came in
 * one chunk); 0 counts nothing. The first one only sets the start. */
void engine_lap(uint32_t metric, uint32_t weight);

/* Adds to a counter. */
void engine_count(uint32_t metric, uint64_t n);

/* Records a value, 0 to 2^53. */
void engine_observe(uint32_t metric, double value);

/* Counts a check as passed or failed without deciding the iteration. */
void engine_check(uint32_t metric, bool passed);

/* ---- Randomness --------------------------------------------------------------------------------------------------- */

/* SplitMix64, seeded by the arrival: two runs with one seed send the same bytes. The same numbers as the Rust SDK's. */
typedef struct engine_rng {
    uint64_t state;
} engine_rng;

/* Of this iteration: each call starts the same sequence again. Keep it in the state. */
engine_rng engine_rng_of(const engine_ctx *ctx);

uint64_t engine_random(engine_rng *rng);                       /* The next 64 random bits. */
uint64_t engine_random_below(engine_rng *rng, uint64_t bound); /* From 0 to below `bound`; 0 where it is 0. */
double engine_random_unit(engine_rng *rng);                    /* From 0 to below 1. */
bool engine_random_chance(engine_rng *rng, double probability);

/* ---- The declaration ---------------------------------------------------------------------------------------------- */

typedef enum engine_option_kind {
    ENGINE_OPTION_TEXT = 1,
    ENGINE_OPTION_U64,
    ENGINE_OPTION_F64,
    ENGINE_OPTION_BOOL,
    ENGINE_OPTION_JSON,
} engine_option_kind;

/* A key of the configuration, and where in the plan its value goes. */
typedef struct engine_option {
    const char *name;
    engine_option_kind kind;
    size_t offset;
    const char *summary;  /* One line for people. */
    bool required;
    const char *fallback; /* As JSON, taken where the key is absent; zeros, or null, where not said. */
    uint64_t min, max;    /* Of a whole number; no upper bound where `max` is 0. */
    const char *schema;   /* Further entries of its JSON Schema, such as `"type":"array","items":{"type":"string"}`. */
} engine_option;

/* `ENGINE_OPTION(struct plan, item, .summary = "What is ordered.", .required = true)`: the key is the member's name, and
 * the member's type says what it takes: `const char *` a text (null where absent), `uint64_t` a whole number, `double` a
 * number, `bool`, `engine_json` anything. The plan keeps all of them alive. */
#define ENGINE_OPTION(plan_type, member, ...)                   \
    {.name = #member,                                           \
     .kind = _Generic(((plan_type *)0)->member,                 \
                      const char *: ENGINE_OPTION_TEXT,         \
                      uint64_t: ENGINE_OPTION_U64,              \
                      double: ENGINE_OPTION_F64,                \
                      bool: ENGINE_OPTION_BOOL,                 \
                      engine_json: ENGINE_OPTION_JSON),         \
     .offset = offsetof(plan_type, member), __VA_ARGS__}

/* What a plugin is. */
typedef struct engine_plugin {
    const char *name, *version, *summary;
    const engine_metric *metrics; /* Ends with {0}. */
    const engine_option *options; /* Ends with {0}. An unknown key, or one of another type, is refused by its name. */
    size_t plan_size, state_size;
    /* Called once before the load, when the options are in the plan; `shared` is what setup has shared, an object or
     * not there. Null, or the refusal's text: `engine_refuse`. */
    const char *(*configure)(void *plan, engine_json shared);
    /* Frees what `configure` has allocated. */
    void (*release)(void *plan);
    engine_verdict (*iterate)(engine_ctx *ctx);
    /* Run once before and after the load, with a state of the same size. */
    engine_verdict (*setup)(engine_ctx *ctx);
    engine_verdict (*teardown)(engine_ctx *ctx);
} engine_plugin;

/* Makes this the workload of the component. Once, in one file. */
#define ENGINE_PLUGIN(...) const engine_plugin engine_the_plugin = {__VA_ARGS__}

/* A refusal's text, for `return` in `configure`; lives until the next one. Conversions as of `engine_buf_format`. */
const char *engine_refuse(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));

/* ---- Errors of the author's own ----------------------------------------------------------------------------------- */

/* Logs file, line, function and text as an error, then traps: the report shows them as `plugin_trap`. */
#define engine_panic(text) engine_panic_at(__FILE__, __LINE__, __func__, (text))
#define ENGINE_ASSERT(condition, text) ((condition) ? (void)0 : engine_panic(text))

_Noreturn void engine_panic_at(const char *file, int line, const char *function, const char *text);

#endif
