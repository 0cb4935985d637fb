/* One exchange through the SDK, the same as that of `cost_raw`: how much the SDK adds to what an iteration costs. */
#include <string.h>

#include "engine_plugin.h"

/* Bytes of the request's body. */
enum { BODY = 300 };

enum { ANSWERED };

static const engine_metric METRICS[] = {
    [ANSWERED] = ENGINE_MARK("answered", "From asking to the answer."),
    {0},
};

/* As in `cost_raw`. */
static const engine_field FIELDS[] = {
    {"accept", "application/json"},
    {"content-type", "application/json"},
    {"authorization", "Bearer 0123456789abcdef0123456789abcdef"},
    {"x-organization", "910a2dec-8902-4cc1-bfcd-5625358f25c6"},
    {"user-agent", "cost/0.1"},
    {0},
};

struct plan {
    char body[BODY];
};

static const char *configure(void *filled, engine_json shared)
{
    (void)shared;
    struct plan *plan = filled;
    memset(plan->body, 'x', BODY);
    return NULL;
}

struct cost {
    engine_reply reply;
};

static engine_verdict iterate(engine_ctx *ctx)
{
    const struct plan *plan = ctx->plan;
    engine_reply *reply = &((struct cost *)ctx->state)->reply;

    ENGINE_BEGIN(&ctx->flow);
    engine_post(ctx, reply, "/api/v1/cost?limit=20", .name = "cost", .fields = FIELDS, .body = {plan->body, BODY});
    ENGINE_ANSWER(reply);
    ENGINE_EXPECT_STATUS(reply, 200);
    ENGINE_ENSURE(engine_is(engine_field_of(reply, "content-type"), "application/json"), "unexpected content type");
    engine_mark_since(ANSWERED, reply);
    ENGINE_END;
}

ENGINE_PLUGIN(.name = "cost_sdk_c", .version = PLUGIN_VERSION,
              .summary = "Measures what an iteration costs the engine: one exchange, through the SDK, in C",
              .metrics = METRICS, .plan_size = sizeof(struct plan), .state_size = sizeof(struct cost),
              .configure = configure, .iterate = iterate);
