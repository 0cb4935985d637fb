/* Runs a plugin natively against scripted answers, in virtual time and without a network:
 *
 *     static void a_page_that_is_down(void)
 *     {
 *         engine_run *run = engine_test_run(&(engine_script){
 *             .config = "{}",
 *             .answers = (engine_answer[]){{.on = "GET /page", .status = 503}, {0}},
 *         });
 *         ENGINE_EXPECT_TEXT(run->outcome, "http_503");
 *         engine_run_free(run);
 *     }
 *
 *     int main(void)
 *     {
 *         ENGINE_TEST(a_page_that_is_down);
 *         return engine_test_end();
 *     }
 */
#ifndef ENGINE_TEST_H
#define ENGINE_TEST_H

#include <stdio.h>

#include "../engine_plugin.h"

/* ---- What the target answers -------------------------------------------------------------------------------------- */

/* One item of a stream, or what happens on a WebSocket; the member that is set says what. A list ends with {0}. */
typedef struct engine_piece {
    uint64_t after;               /* Nanoseconds after what came before. */
    const char *event, *data, *id; /* A server-sent event; `message` and no id where only data is set. */
    const char *line, *chunk;     /* In ENGINE_LINES, ENGINE_CHUNKS. */
    const char *text, *binary;    /* A message of a WebSocket. */
    const char *written;          /* A WebSocket goes no further before the plugin has sent this. */
    bool more;                    /* The next item comes in the same read. */
} engine_piece;

/* One answer; a list ends with {0}. They are tried in order: the first whose method and path fit and that is not used up
 * is taken. A request that none fits is an error of the test, which ends. */
typedef struct engine_answer {
    const char *on;            /* Method and path, such as `GET /page`; `WS /chat`. A path without `?` fits any query. */
    unsigned times;            /* For so many requests; for any number where not said. */
    uint64_t after;            /* Nanoseconds after the request; 1 ms where not said. */
    uint16_t status;           /* 200 where not said. */
    const engine_field *fields; /* Their names in lower case; all are handed over. */
    const char *body;
    const engine_piece *pieces; /* Of a stream or a WebSocket. */
    const char *subprotocol;    /* That a WebSocket's peer chooses. */
    const char *fail;           /* The exchange fails by this reason, after the pieces; without any: at once. */
    uint16_t close_code;        /* The WebSocket's peer closes it after the pieces; otherwise it stays open. */
    const char *close_reason;
    bool hang;                  /* A stream does not end after its pieces. */
} engine_answer;

typedef struct engine_script {
    const char *config;            /* `{}` where not said. */
    const char *shared;            /* What setup has shared, as JSON. */
    const engine_answer *answers;
    enum { ENGINE_ITERATE, ENGINE_SETUP, ENGINE_TEARDOWN } flow;
    uint64_t sequence, index, seed, client, wall_time; /* 1, 1 and 1,700,000,000 s where seed, client, time are 0. */
    const char *phase, *row;       /* `test`; none. */
} engine_script;

/* ---- What came of it ------------------------------------------------------------------------------------------------ */

/* A request or a WebSocket as it was asked for; the position in the list is its exchange. */
typedef struct engine_sent {
    char *line; /* Method and path, such as `GET /page`; `WS /chat`. */
    char *name, *authority;
    char **fields; /* Name, value, name, value. */
    size_t field_count;
    char *body; /* With a NUL behind it. */
    size_t body_len;
    bool has_body;
    uint32_t blob;      /* Its number and one; 0 where none. */
    int read;           /* An `engine_read`. */
    uint32_t max_body;
    uint64_t timeout;
    int follow_redirects; /* -1 where not said. */
    int wanted_fields;  /* Their number; -1 for all. */
} engine_sent;

typedef enum engine_did_kind {
    ENGINE_DID_MARK, /* `number` is the exchange, `weight` the weight, `since` d(ue), a(sked) or p(revious). */
    ENGINE_DID_COUNT,
    ENGINE_DID_OBSERVE,
    ENGINE_DID_CHECK,
    ENGINE_DID_LOG,   /* `number` is the level. */
    ENGINE_DID_SHARE,
    ENGINE_DID_WRITE, /* `exchange`; `number` is 1 for binary. */
    ENGINE_DID_CLOSE, /* `exchange`, `number` is the code. */
    ENGINE_DID_CANCEL,
    ENGINE_DID_CLEAR,
} engine_did_kind;

/* One thing that the plugin did. */
typedef struct engine_did {
    engine_did_kind kind;
    uint64_t at; /* Nanoseconds from the start. */
    uint32_t metric, exchange, weight;
    char since;
    uint64_t number;
    double value;
    char *text;
    size_t len;
} engine_did;

typedef struct engine_run {
    char *outcome; /* `ok`, `cancelled`, or the reason: `check: …`, `http_503`, `timeout_total`, `plugin_stalled`,
                    * `plugin_trap`, `plugin_misuse`. */
    uint64_t took; /* Nanoseconds. */
    engine_sent *requests;
    size_t request_count;
    engine_did *did;
    size_t did_count;
} engine_run;

engine_run *engine_test_run(const engine_script *script);
void engine_run_free(engine_run *run);

/* Null where the configuration is taken, otherwise the refusal's text, which lives until the next call. */
const char *engine_test_configure(const char *config, const char *shared);

/* The JSON Schema of the configuration; lives until the next call. */
const char *engine_test_schema(void);

/* The field of a request, its name in any capitalisation; null where there is none. */
const char *engine_sent_field(const engine_sent *sent, const char *name);

/* How often a mark was recorded (one of a lap also the first time). */
size_t engine_run_marks(const engine_run *run, const char *metric);

/* The sum of a counter. */
uint64_t engine_run_counted(const engine_run *run, const char *metric);

/* The value observed at this position; -1 where there is none. */
double engine_run_observed(const engine_run *run, const char *metric, size_t position);

/* How often a check passed, or failed. */
size_t engine_run_checked(const engine_run *run, const char *metric, bool passed);

/* The thing of this kind at this position, from 0; null where there is none. */
const engine_did *engine_run_did(const engine_run *run, engine_did_kind kind, size_t position);

/* ---- Tests ------------------------------------------------------------------------------------------------------------ */

/* Runs a test, a function, and shows its name. */
#define ENGINE_TEST(test) engine_test_one(#test, (test))

/* The condition holds; otherwise file and line are shown and the test has failed. */
#define ENGINE_EXPECT(condition) engine_test_expect((condition), #condition, __FILE__, __LINE__)

/* The texts are the same; otherwise both are shown. */
#define ENGINE_EXPECT_TEXT(got, expected) engine_test_expect_text((got), (expected), __FILE__, __LINE__)

void engine_test_one(const char *name, void (*test)(void));
void engine_test_expect(bool holds, const char *condition, const char *file, int line);
void engine_test_expect_text(const char *got, const char *expected, const char *file, int line);

/* Shows how many passed and failed; what `main` returns. */
int engine_test_end(void);

#endif
