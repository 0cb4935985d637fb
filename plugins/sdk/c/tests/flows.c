#include "flows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { READ, GAP, BYTES, RESULTS, SORTED };

static const engine_metric METRICS[] = {
    [READ] = ENGINE_MARK("read", "Read."),
    [GAP] = ENGINE_MARK("gap", "From token to token."),
    [BYTES] = ENGINE_COUNTER("bytes", "bytes", "Bytes."),
    [RESULTS] = ENGINE_OBSERVATION("results", "results", "Results."),
    [SORTED] = ENGINE_CHECK("sorted", "Sorted."),
    {0},
};

struct plan {
    const char *flow, *note;
    uint64_t limit;
    double share;
    bool eager;
    engine_json paths;
    engine_blob blob;
    char *shared_token;
};

static const engine_option OPTIONS[] = {
    ENGINE_OPTION(struct plan, flow, .summary = "Which \"flow\".", .required = true),
    ENGINE_OPTION(struct plan, note),
    ENGINE_OPTION(struct plan, limit, .summary = "The most.", .fallback = "20", .min = 1, .max = 1000),
    ENGINE_OPTION(struct plan, share, .fallback = "0.5"),
    ENGINE_OPTION(struct plan, eager, .fallback = "true"),
    ENGINE_OPTION(struct plan, paths, .schema = "\"type\":\"array\""),
    {0},
};

struct pair {
    engine_flow flow;
    engine_reply reply;
    unsigned steps;
};

struct state {
    engine_reply page, agents, runs, pictures[4], late;
    engine_stream stream;
    engine_socket socket;
    engine_timer timer;
    engine_flow child;
    struct pair one, other;
    unsigned i, tokens;
    engine_buf text;
};

#define STATE                                  \
    struct state *s = ctx->state;              \
    const struct plan *plan = ctx->plan;       \
    (void)plan

static engine_verdict everything(engine_ctx *ctx)
{
    STATE;
    static const char *const WANTED[] = {"content-type", NULL};
    ENGINE_BEGIN(&ctx->flow);
    engine_request request = {.method = "PUT",
                              .path = "/page?x=1",
                              .name = "page",
                              .authority = "other:80",
                              .fields = (engine_field[]){{"X-One", "1"}, {"x-one", "2"}, {0}},
                              .body = {"a\0b", 3},
                              .wanted_fields = WANTED,
                              .follow_redirects = ENGINE_REDIRECTS(0),
                              .timeout = ENGINE_S(5)};
    engine_send(ctx, &s->page, &request);
    ENGINE_ANSWER(&s->page);
    ENGINE_EXPECT_STATUS(&s->page, 200, 201);
    engine_mark(READ);
    engine_mark_since(READ, &s->page);
    engine_count(BYTES, s->page.size);
    ENGINE_JSON(&s->page);
    engine_observe(RESULTS, (double)engine_json_count(engine_json_get(s->page.json, "items")));
    engine_check(SORTED, true);
    engine_check(SORTED, false);
    engine_log(ENGINE_INFO, engine_format(ctx, "seed %llu, %s, %.*s", (unsigned long long)ctx->arrival.seed, "text",
                                          (int)ctx->arrival.phase.len, ctx->arrival.phase.ptr));
    ENGINE_ENSURE(engine_is(engine_field_of(&s->page, "Content-Type"), "application/json"), "no JSON");
    engine_post(ctx, &s->page, "/json", .json = "{}");
    ENGINE_ANSWER(&s->page);
    engine_post(ctx, &s->page, "/json", .json = "[]", .fields = (engine_field[]){{"Content-Type", "text/x"}, {0}});
    ENGINE_ANSWER(&s->page);
    engine_post(ctx, &s->page, "/blob", .blob = plan->blob, .wanted_fields = ENGINE_NO_FIELDS);
    ENGINE_ANSWER(&s->page);
    ENGINE_END;
}

static engine_verdict caught(engine_ctx *ctx)
{
    STATE;
    ENGINE_BEGIN(&ctx->flow);
    engine_get(ctx, &s->page, "/page");
    ENGINE_AWAIT(engine_settled(&s->page));
    ENGINE_ENSURE(s->page.failed && engine_is(s->page.reason, "refused"), "no failure");
    return engine_cancelled();
    ENGINE_END;
}

static engine_verdict plain(engine_ctx *ctx)
{
    STATE;
    ENGINE_BEGIN(&ctx->flow);
    engine_get(ctx, &s->page, "/page");
    ENGINE_ANSWER(&s->page);
    ENGINE_EXPECT_STATUS(&s->page, 200);
    ENGINE_JSON(&s->page);
    ENGINE_WAIT(ctx, ENGINE_S(30));
    ENGINE_END;
}

static engine_verdict together(engine_ctx *ctx)
{
    STATE;
    ENGINE_BEGIN(&ctx->flow);
    for (s->i = 0; s->i < 4; s->i++)
        engine_get(ctx, &s->pictures[s->i], engine_format(ctx, "/picture/%u", s->i), .name = "picture", .read = ENGINE_COUNT);
    ENGINE_AWAIT(engine_all_settled(s->pictures, 4));
    for (s->i = 0; s->i < 4; s->i++) {
        ENGINE_ANSWER(&s->pictures[s->i]);
        ENGINE_EXPECT_STATUS(&s->pictures[s->i], 200, 304);
    }
    ENGINE_END;
}

static engine_verdict race(engine_ctx *ctx)
{
    STATE;
    ENGINE_BEGIN(&ctx->flow);
    engine_get(ctx, &s->late, "/late");
    engine_wait(ctx, &s->timer, ENGINE_S(2));
    ENGINE_AWAIT(engine_settled(&s->late) || s->timer.fired);
    if (s->late.answered) {
        engine_clear(ctx, &s->timer);
        ENGINE_WAIT(ctx, ENGINE_S(5));
        return engine_ok();
    }
    engine_drop(&s->late);
    ENGINE_WAIT(ctx, ENGINE_S(60));
    return engine_failed("no answer after two seconds");
    ENGINE_END;
}

static engine_verdict stream(engine_ctx *ctx)
{
    STATE;
    ENGINE_BEGIN(&ctx->flow);
    engine_post(ctx, &s->stream, "/chat", .read = ENGINE_EVENTS);
    ENGINE_ANSWER(&s->stream);
    ENGINE_EXPECT_STATUS(&s->stream, 200);
    for (;;) {
        ENGINE_BATCH(&s->stream);
        if (s->stream.batch == 0) break;
        unsigned new = 0;
        for (size_t i = 0; i < s->stream.batch; i++) {
            engine_item item = engine_item_at(&s->stream, i);
            new += item.kind == ENGINE_EVENT && engine_is(item.event, "token");
        }
        engine_lap(GAP, new);
        s->tokens += new;
    }
    ENGINE_ENSURE(s->tokens == 3, "not three tokens");
    ENGINE_END;
}

/* Takes one item by itself, then the rest at once, then leaves the stream. */
static engine_verdict lines(engine_ctx *ctx)
{
    STATE;
    ENGINE_BEGIN(&ctx->flow);
    engine_get(ctx, &s->stream, "/lines", .read = ENGINE_LINES);
    ENGINE_ANSWER(&s->stream);
    ENGINE_WAIT(ctx, ENGINE_S(1)); /* Lines of several reads pile up. */
    ENGINE_NEXT(&s->stream);
    ENGINE_ENSURE(engine_is(s->stream.item.data, "one"), "not one");
    ENGINE_NEXT(&s->stream);
    ENGINE_ENSURE(engine_is(s->stream.item.data, "two"), "not two");
    ENGINE_BATCH(&s->stream);
    ENGINE_ENSURE(s->stream.batch == 2 && engine_is(engine_item_at(&s->stream, 1).data, "four"), "not the rest");
    engine_drop(&s->stream);
    ENGINE_WAIT(ctx, ENGINE_S(10));
    ENGINE_END;
}

static engine_verdict talk(engine_ctx *ctx)
{
    STATE;
    static const char *const SUBPROTOCOLS[] = {"chat", NULL};
    ENGINE_BEGIN(&ctx->flow);
    engine_open(ctx, &s->socket, "/ws", .name = "talk", .subprotocols = SUBPROTOCOLS);
    ENGINE_ANSWER(&s->socket);
    ENGINE_ENSURE(engine_is(s->socket.subprotocol, "chat"), "no chat");
    engine_send_text(&s->socket, "hello");
    for (;;) {
        ENGINE_NEXT(&s->socket);
        if (s->socket.item.kind == ENGINE_NO_ITEM) return engine_failed("closed early");
        ENGINE_ENSURE(s->socket.item.kind == ENGINE_TEXT_MESSAGE, "a binary message");
        if (engine_is(s->socket.item.data, "bye")) break;
    }
    engine_send_binary(&s->socket, engine_text("\x01"));
    engine_close(&s->socket, 1000, "done");
    ENGINE_FINISH(&s->socket);
    ENGINE_ENSURE(s->socket.closed && s->socket.close_code == 1000, "closed otherwise");
    ENGINE_END;
}

static engine_verdict two_requests(engine_ctx *ctx, struct pair *pair, const char *path)
{
    ENGINE_BEGIN(&pair->flow);
    for (pair->steps = 0; pair->steps < 2; pair->steps++) {
        engine_get(ctx, &pair->reply, path);
        ENGINE_ANSWER(&pair->reply);
        ENGINE_EXPECT_STATUS(&pair->reply, 200);
        ENGINE_WAIT(ctx, ENGINE_MS(10));
    }
    ENGINE_END;
}

static engine_verdict children(engine_ctx *ctx)
{
    STATE;
    ENGINE_BEGIN(&ctx->flow);
    for (s->i = 0; s->i < 2; s->i++)
        ENGINE_CALL(&s->one.flow, two_requests(ctx, &s->one, "/one"));
    s->one.flow = (engine_flow){0};
    ENGINE_AWAIT(ENGINE_STEP(&s->one.flow, two_requests(ctx, &s->one, "/one")) &
                 ENGINE_STEP(&s->other.flow, two_requests(ctx, &s->other, "/other")));
    ENGINE_TRY(s->one.flow.verdict);
    ENGINE_TRY(s->other.flow.verdict);
    ENGINE_END;
}

static engine_verdict on_the_stack(engine_ctx *ctx)
{
    ENGINE_BEGIN(&ctx->flow);
    engine_reply local = {0};
    engine_get(ctx, &local, "/page");
    ENGINE_END;
}

static engine_verdict asserts(engine_ctx *ctx)
{
    STATE;
    ENGINE_BEGIN(&ctx->flow);
    engine_get(ctx, &s->page, "/page");
    ENGINE_ANSWER(&s->page);
    ENGINE_ASSERT(s->page.status == 201, "not created");
    ENGINE_END;
}

static engine_verdict never_asked(engine_ctx *ctx)
{
    STATE;
    engine_send_text(&s->socket, "hello");
    return engine_ok();
}

/* As a compiler does that is told to make things fast. */
#define NDEBUG
#include <assert.h>
static engine_verdict asserts_plainly(engine_ctx *ctx)
{
    assert(ctx->arrival.seed == 17);
    return engine_ok();
}

static engine_verdict stalls(engine_ctx *ctx)
{
    ENGINE_BEGIN(&ctx->flow);
    ENGINE_AWAIT(false);
    ENGINE_END;
}

static engine_verdict long_text(engine_ctx *ctx)
{
    STATE;
    for (int i = 0; i < 150; i++) engine_buf_text(&s->text, i == 0 ? "x" : "ü");
    engine_verdict verdict = engine_failed(engine_format(ctx, "%s", s->text.ptr));
    engine_buf_free(&s->text);
    return verdict;
}

static engine_verdict quotes(engine_ctx *ctx)
{
    const struct plan *plan = ctx->plan;
    return engine_failed_quoting(ctx, "error", engine_text(plan->note));
}

static engine_verdict misuses(engine_ctx *ctx)
{
    (void)ctx;
    engine_mark(BYTES);
    return engine_ok();
}

static const struct {
    const char *name;
    engine_verdict (*run)(engine_ctx *ctx);
} FLOWS[] = {{"everything", everything}, {"caught", caught}, {"plain", plain}, {"together", together}, {"race", race},
             {"stream", stream}, {"lines", lines}, {"talk", talk}, {"children", children},
             {"on_the_stack", on_the_stack}, {"asserts", asserts}, {"never_asked", never_asked}, {"asserts_plainly", asserts_plainly}, {"stalls", stalls}, {"long_text", long_text},
             {"quotes", quotes}, {"misuses", misuses}};

static engine_verdict iterate(engine_ctx *ctx)
{
    const struct plan *plan = ctx->plan;
    for (size_t i = 0; i < sizeof FLOWS / sizeof *FLOWS; i++)
        if (strcmp(plan->flow, FLOWS[i].name) == 0) return FLOWS[i].run(ctx);
    return engine_failed("no such flow");
}

static engine_verdict setup(engine_ctx *ctx)
{
    STATE;
    ENGINE_BEGIN(&ctx->flow);
    ENGINE_ENSURE(ctx->arrival.client == 1 && ctx->arrival.phase.len == 0, "not as in setup");
    engine_post(ctx, &s->page, "/login", .body = engine_text("user=ann"));
    ENGINE_ANSWER(&s->page);
    engine_buf_format(&s->text, "{\"token\":\"%.*s\"}", (int)s->page.body.len, s->page.body.ptr);
    engine_share(s->text.ptr);
    engine_buf_free(&s->text);
    ENGINE_END;
}

static const char *configure(void *filled, engine_json shared)
{
    struct plan *plan = filled;
    plan->blob = engine_register_blob(engine_text("a large body"));
    plan->shared_token = engine_json_dup(engine_json_get(shared, "token"));
    if (plan->shared_token != NULL && strcmp(plan->shared_token, "wrong") == 0)
        return engine_refuse("shared.%s: %s", "token", plan->shared_token);
    return NULL;
}

static void release(void *filled)
{
    struct plan *plan = filled;
    free(plan->shared_token);
}

ENGINE_PLUGIN(.name = "flows", .version = "1.2.3", .summary = "Flows under test", .metrics = METRICS,
              .options = OPTIONS, .plan_size = sizeof(struct plan), .state_size = sizeof(struct state),
              .configure = configure, .release = release, .iterate = iterate, .setup = setup);

engine_run *play(const char *flow, const engine_answer *answers)
{
    char config[64];
    snprintf(config, sizeof config, "{\"flow\":\"%s\"}", flow);
    return engine_test_run(&(engine_script){.config = config, .answers = answers});
}
