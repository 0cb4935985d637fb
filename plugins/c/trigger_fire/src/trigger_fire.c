/* Fires a webhook with a signed body.
 *
 * Each arrival posts JSON to `/api/v1/webhooks/triggers/{source}/{id}` with `X-Signature-256: sha256=<hex>`, the
 * HMAC-SHA256 of the raw body. A platform answers a body it has seen before as a duplicate, so each one differs: it
 * holds the arrival's numbers and its time. The answer is right when it is a 202 whose `status` is `accepted`; a 200
 * with `duplicate` is the failure `check: duplicate`.
 *
 *     [[setup]]
 *     plugin = "login"
 *     [setup.config]
 *     email = "${EMAIL}"
 *     password = "${PASSWORD}"
 *     trigger_source = "github"
 *     trigger_id = "t-1"
 *     webhook_secret = "${WEBHOOK_SECRET}"
 *
 *     [[workload]]
 *     name = "trigger_fire_c"
 *     plugin = "trigger_fire_c.wasm"
 *     share = 1
 */
#include <stdlib.h>
#include <string.h>

#include "engine_plugin.h"
#include "hmac_sha256.h"
#include "texts.h"

/* The names a body has of its own. */
static const char *const OWN[] = {"event", "index", "sequence", "seed", "time_ns", "text"};

/* A webhook, ready to be fired. The first part is what the configuration says. */
struct plan {
    const char *token, *organization, *source, *id, *webhook_secret, *event;
    engine_json payload;
    engine_buf path, authorization, given_organization;
    hmac_sha256 signer;
};

static const engine_option OPTIONS[] = {
    ENGINE_OPTION(struct plan, token, .summary = "The bearer token; that of `login` where absent."),
    ENGINE_OPTION(struct plan, organization, .summary = "The organization's id; that of `login` where absent."),
    ENGINE_OPTION(struct plan, source,
                  .summary = "The trigger's source, the first part of its path; that of `login` where absent."),
    ENGINE_OPTION(struct plan, id, .summary = "The trigger's id; that of `login` where absent."),
    ENGINE_OPTION(struct plan, webhook_secret, .summary = "What signs the bodies; that of `login` where absent."),
    ENGINE_OPTION(struct plan, event, .summary = "The body's `event`.", .fallback = "\"load_test\""),
    ENGINE_OPTION(struct plan, payload, .summary = "Further entries of the body.", .fallback = "{}",
                  .schema = "\"type\":\"object\""),
    {0},
};

/* ---- Configuration ---------------------------------------------------------------------------------------------------- */

/* The configured value, else the shared one, in new memory; null with a refusal where neither is there or it is empty.
 * `name` is the key of `login` that has it share the value; null where it always does. */
static char *given(const char *key, const char *configured, engine_json shared, const char *name, const char **refusal)
{
    char *value = configured != NULL ? strdup(configured) : engine_json_dup(shared);
    if (value != NULL && value[0] != 0) return value;
    if (value != NULL) *refusal = engine_refuse("config.%s: must not be empty", key);
    else if (engine_json_type_of(shared) > ENGINE_JSON_NULL) *refusal = engine_refuse("shared: expected a text for `%s`", key);
    else if (name == NULL)
        *refusal = engine_refuse("config.%s: missing; add [[setup]] plugin = \"login\", or give it here", key);
    else
        *refusal = engine_refuse(
            "config.%s: missing; add [[setup]] plugin = \"login\" with `%s` in its config, or give it here", key, name);
    free(value);
    return NULL;
}

/* Whether a text can stand in a request field as it is. */
static bool graphic(const char *text)
{
    while (*text > 0x20 && *text < 0x7f) text++;
    return *text == 0;
}

/* What stands in the request fields of every request. */
static const char *read_access(struct plan *plan, engine_json shared)
{
    const char *refusal = NULL;
    char *organization = NULL;
    char *token = given("token", plan->token, engine_json_get(shared, "access_token"), NULL, &refusal);
    if (token != NULL)
        organization = given("organization", plan->organization, engine_json_get(shared, "organization"), NULL, &refusal);
    if (organization != NULL) {
        if (!graphic(token)) refusal = "config.token: must be printable ASCII without spaces";
        else if (!graphic(organization)) refusal = "config.organization: must be printable ASCII without spaces";
        engine_buf_format(&plan->authorization, "Bearer %s", token);
        engine_buf_text(&plan->given_organization, organization);
    }
    free(token);
    free(organization);
    return refusal;
}

/* Where to, and what signs. */
static const char *read_trigger(struct plan *plan, engine_json shared)
{
    const char *refusal = NULL;
    engine_json trigger = engine_json_get(shared, "trigger");
    char *id = NULL, *secret = NULL;
    char *source = given("source", plan->source, engine_json_get(trigger, "source"), "trigger_source", &refusal);
    if (source != NULL) id = given("id", plan->id, engine_json_get(trigger, "id"), "trigger_id", &refusal);
    if (id != NULL)
        secret = given("webhook_secret", plan->webhook_secret, engine_json_get(shared, "webhook_secret"),
                       "webhook_secret", &refusal);
    if (secret != NULL) {
        engine_buf_text(&plan->path, "/api/v1/webhooks/triggers/");
        engine_buf_percent(&plan->path, source);
        engine_buf_text(&plan->path, "/");
        engine_buf_percent(&plan->path, id);
        plan->signer = hmac_sha256_key(secret, strlen(secret));
    }
    free(source);
    free(id);
    free(secret);
    return refusal;
}

static const char *configure(void *filled, engine_json shared)
{
    struct plan *plan = filled;
    const char *refusal = read_access(plan, shared);
    if (refusal == NULL) refusal = read_trigger(plan, shared);
    if (refusal != NULL) return refusal;
    if (engine_json_type_of(plan->payload) != ENGINE_JSON_OBJECT) return "config.payload: expected an object";
    for (size_t i = 0; i < sizeof OWN / sizeof *OWN; i++)
        if (engine_json_get(plan->payload, OWN[i]).ptr != NULL)
            return engine_refuse("config.payload.%s: the plugin sets this itself", OWN[i]);
    return NULL;
}

static void release(void *filled)
{
    struct plan *plan = filled;
    engine_buf_free(&plan->path);
    engine_buf_free(&plan->authorization);
    engine_buf_free(&plan->given_organization);
}

/* ---- The iteration ---------------------------------------------------------------------------------------------------- */

static void add_body(engine_buf *body, const engine_ctx *ctx, const struct plan *plan)
{
    const engine_arrival *arrival = &ctx->arrival;
    engine_rng rng = engine_rng_of(ctx);
    engine_buf_text(body, "{\"event\":");
    engine_buf_json(body, plan->event);
    engine_buf_format(body, ",\"index\":%llu,\"sequence\":%llu,\"seed\":%llu,\"time_ns\":%llu,\"text\":\"",
                      (unsigned long long)arrival->index, (unsigned long long)arrival->sequence,
                      (unsigned long long)arrival->seed, (unsigned long long)arrival->wall_time);
    add_question(body, &rng);
    engine_buf_text(body, "\"");
    engine_json_each each = engine_json_in(plan->payload);
    while (engine_json_next(&each)) {
        engine_buf_text(body, ",");
        engine_buf_value(body, each.key);
        engine_buf_text(body, ":");
        engine_buf_value(body, each.value);
    }
    engine_buf_text(body, "}");
}

/* `sha256=` and the code in lower-case hexadecimal. */
static void add_signature(engine_buf *signature, const hmac_sha256 *signer, engine_bytes body)
{
    uint8_t code[HMAC_SHA256_BYTES];
    hmac_sha256_of(signer, body.ptr, body.len, code);
    engine_buf_text(signature, "sha256=");
    engine_buf_hex(signature, code, sizeof code);
}

static void fire(engine_ctx *ctx, const struct plan *plan, engine_reply *reply)
{
    engine_buf body = {0}, signature = {0};
    add_body(&body, ctx, plan);
    add_signature(&signature, &plan->signer, engine_buf_get(&body));
    const engine_field fields[] = {{"Accept", "application/json"},
                                   {"Authorization", plan->authorization.ptr},
                                   {"X-Organization-Id", plan->given_organization.ptr},
                                   {"Content-Type", "application/json"},
                                   {"X-Signature-256", signature.ptr},
                                   {0}};
    engine_post(ctx, reply, plan->path.ptr, .name = "trigger", .fields = fields, .body = engine_buf_get(&body),
                .wanted_fields = ENGINE_NO_FIELDS);
    engine_buf_free(&body);
    engine_buf_free(&signature);
}

static engine_verdict judge(engine_reply *reply)
{
    ENGINE_EXPECT_STATUS(reply, 200, 202);
    ENGINE_JSON(reply);
    engine_json status = engine_json_get(reply->json, "status");
    ENGINE_ENSURE(engine_json_type_of(reply->json) == ENGINE_JSON_OBJECT, "unexpected JSON");
    ENGINE_ENSURE(status.ptr == NULL || engine_json_type_of(status) == ENGINE_JSON_STRING, "unexpected JSON");
    if (reply->status == 202 && engine_json_is(status, "accepted")) return engine_ok();
    ENGINE_ENSURE(!engine_json_is(status, "duplicate"), "duplicate");
    ENGINE_ENSURE(reply->status != 202, "not accepted");
    return engine_failed_by(reply);
}

struct firing {
    engine_reply reply;
};

static engine_verdict iterate(engine_ctx *ctx)
{
    engine_reply *reply = &((struct firing *)ctx->state)->reply;
    ENGINE_BEGIN(&ctx->flow);
    fire(ctx, ctx->plan, reply);
    ENGINE_ANSWER(reply);
    return judge(reply);
    ENGINE_END;
}

ENGINE_PLUGIN(.name = "trigger_fire_c", .version = PLUGIN_VERSION, .summary = "Fires a webhook with a signed body",
              .options = OPTIONS, .plan_size = sizeof(struct plan), .state_size = sizeof(struct firing),
              .configure = configure, .release = release, .iterate = iterate);
