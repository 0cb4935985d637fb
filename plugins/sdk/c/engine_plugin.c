/* From the engine's events to the plugin's functions: the exports of the component. What the plugin asks for is in
 * engine_ask.c. */
#include "engine_plugin.h"

#include <stdlib.h>
#include <string.h>

#include "engine_config.h"
#include "engine_own.h"

extern const engine_plugin engine_the_plugin;

/* ---- What the plugin is ------------------------------------------------------------------------------------------- */

static plugin_string_t copy(const char *text)
{
    plugin_string_t copied;
    plugin_string_dup(&copied, text == NULL ? "" : text);
    return copied;
}

void exports_engine_workload_workload_describe(exports_engine_workload_workload_description_t *description)
{
    const engine_plugin *plugin = &engine_the_plugin;
    description->name = copy(plugin->name);
    description->version = copy(plugin->version);
    description->summary = copy(plugin->summary);
    size_t count = 0;
    while (plugin->metrics != NULL && plugin->metrics[count].name != NULL) count++;
    description->metrics.len = count;
    description->metrics.ptr = engine_own_alloc(count * sizeof *description->metrics.ptr);
    for (size_t i = 0; i < count; i++) {
        const engine_metric *metric = &plugin->metrics[i];
        description->metrics.ptr[i] = (engine_workload_types_metric_t){
            copy(metric->name), (engine_workload_types_metric_kind_t)metric->kind, copy(metric->unit),
            copy(metric->summary)};
    }
    engine_buf schema = {0};
    engine_config_schema(plugin, &schema);
    description->config_schema = (plugin_string_t){(uint8_t *)schema.ptr, schema.len};
}

/* ---- The plan ------------------------------------------------------------------------------------------------------ */

/* The plugin's own follows behind. The texts are kept: values of the configuration point into them. */
struct exports_engine_workload_workload_plan_t {
    plugin_string_t config, shared;
    _Alignas(16) char own[];
};

void exports_engine_workload_workload_plan_destructor(exports_engine_workload_workload_plan_t *plan)
{
    if (engine_the_plugin.release != NULL) engine_the_plugin.release(plan->own);
    engine_config_free(&engine_the_plugin, plan->own);
    plugin_string_free(&plan->config);
    plugin_string_free(&plan->shared);
    free(plan);
}

bool exports_engine_workload_workload_static_plan_configure(plugin_string_t *config, plugin_string_t *maybe_shared,
                                                            exports_engine_workload_workload_own_plan_t *ret,
                                                            plugin_string_t *err)
{
    const engine_plugin *plugin = &engine_the_plugin;
    exports_engine_workload_workload_plan_t *plan = engine_own_alloc(sizeof *plan + plugin->plan_size);
    plan->config = *config;
    if (maybe_shared != NULL) plan->shared = *maybe_shared;
    engine_bytes text = {(const char *)config->ptr, config->len};
    const char *refusal = engine_config_read(plugin, text, plan->own);
    engine_json shared = {NULL, 0};
    if (refusal == NULL && maybe_shared != NULL &&
        (!engine_json_parse(maybe_shared->ptr, maybe_shared->len, &shared) ||
         engine_json_type_of(shared) != ENGINE_JSON_OBJECT))
        refusal = "shared: expected a JSON object";
    if (refusal == NULL && plugin->configure != NULL) refusal = plugin->configure(plan->own, shared);
    if (refusal != NULL) {
        *err = copy(refusal);
        exports_engine_workload_workload_plan_destructor(plan);
        return false;
    }
    *ret = exports_engine_workload_workload_plan_new(plan);
    return true;
}

/* ---- The iteration -------------------------------------------------------------------------------------------------- */

/* The plugin's state follows behind. */
struct exports_engine_workload_workload_iteration_t {
    engine_ctx ctx;
    _Alignas(16) char state[];
};

static exports_engine_workload_workload_own_iteration_t begin(const exports_engine_workload_workload_plan_t *plan,
                                                              engine_verdict (*run)(engine_ctx *),
                                                              exports_engine_workload_workload_arrival_t *arrival)
{
    exports_engine_workload_workload_iteration_t *iteration =
        engine_own_alloc(sizeof *iteration + engine_the_plugin.state_size);
    engine_ctx *ctx = &iteration->ctx;
    ctx->plan = plan->own;
    ctx->state = iteration->state;
    ctx->run = run;
    ctx->size = sizeof *iteration + engine_the_plugin.state_size;
    ctx->open_end = &ctx->open;
    ctx->arrival.client = 1;
    if (arrival != NULL) {
        ctx->arrival = (engine_arrival){arrival->sequence, arrival->index, arrival->seed, arrival->client,
                                        arrival->wall_time, {(char *)arrival->phase.ptr, arrival->phase.len}, {NULL, 0}};
        if (arrival->row.is_some) {
            ctx->row = (engine_bytes){(char *)arrival->row.val.ptr, arrival->row.val.len};
            engine_json_parse(ctx->row.ptr, ctx->row.len, &ctx->arrival.row);
        }
    }
    exports_engine_workload_workload_own_iteration_t handle = exports_engine_workload_workload_iteration_new(iteration);
    engine_own_advance(ctx);
    return handle;
}

exports_engine_workload_workload_own_iteration_t exports_engine_workload_workload_method_plan_start(
    exports_engine_workload_workload_borrow_plan_t plan, exports_engine_workload_workload_arrival_t *arrival)
{
    return begin(plan, engine_the_plugin.iterate, arrival);
}

bool exports_engine_workload_workload_method_plan_setup(exports_engine_workload_workload_borrow_plan_t plan,
                                                        exports_engine_workload_workload_own_iteration_t *ret)
{
    if (engine_the_plugin.setup == NULL) return false;
    *ret = begin(plan, engine_the_plugin.setup, NULL);
    return true;
}

bool exports_engine_workload_workload_method_plan_teardown(exports_engine_workload_workload_borrow_plan_t plan,
                                                           exports_engine_workload_workload_own_iteration_t *ret)
{
    if (engine_the_plugin.teardown == NULL) return false;
    *ret = begin(plan, engine_the_plugin.teardown, NULL);
    return true;
}

void exports_engine_workload_workload_iteration_destructor(exports_engine_workload_workload_iteration_t *iteration)
{
    engine_ctx *ctx = &iteration->ctx;
    for (engine_exchange *x = ctx->open; x != NULL; x = x->next) engine_own_release(x);
    for (engine_exchange *x = ctx->done; x != NULL; x = x->next) engine_own_release(x);
    while (ctx->blocks != NULL) {
        struct engine_block *block = ctx->blocks;
        ctx->blocks = block->next;
        free(block);
    }
    engine_own_free(&ctx->arrival.phase);
    engine_own_free(&ctx->row);
    free(iteration);
}

/* ---- Events ---------------------------------------------------------------------------------------------------------- */

/* The exchange of an event; null where the plugin no longer looks at it. The one that was asked for first is the likely
 * one, and it is first in the list. */
static engine_exchange *open_exchange(engine_ctx *ctx, uint32_t id)
{
    if (ctx->finished) return NULL;
    engine_exchange *x = ctx->open;
    while (x != NULL && x->id != id) x = x->next;
    return x;
}

static engine_bytes bytes_of(const plugin_string_t *text)
{
    return (engine_bytes){(const char *)text->ptr, text->len};
}

void exports_engine_workload_workload_method_iteration_on_response(
    exports_engine_workload_workload_borrow_iteration_t iteration, uint32_t id,
    exports_engine_workload_workload_response_t *response)
{
    engine_exchange *x = open_exchange(&iteration->ctx, id);
    if (x == NULL) {
        engine_workload_types_response_free(response);
        return;
    }
    x->status = response->status;
    x->fields = (struct engine_owned){response->fields.ptr, response->fields.len};
    x->body = (engine_bytes){(const char *)response->body.ptr, response->body.len};
    x->size = response->size;
    x->answered = true;
    engine_own_end(x);
    engine_own_advance(&iteration->ctx);
}

void exports_engine_workload_workload_method_iteration_on_head(
    exports_engine_workload_workload_borrow_iteration_t iteration, uint32_t id, uint16_t status,
    exports_engine_workload_workload_fields_t *fields)
{
    engine_exchange *x = open_exchange(&iteration->ctx, id);
    if (x == NULL) {
        engine_workload_types_fields_free(fields);
        return;
    }
    x->status = status;
    x->fields = (struct engine_owned){fields->ptr, fields->len};
    x->answered = true;
    engine_own_advance(&iteration->ctx);
}

void exports_engine_workload_workload_method_iteration_on_open(
    exports_engine_workload_workload_borrow_iteration_t iteration, uint32_t id, plugin_string_t *subprotocol,
    exports_engine_workload_workload_fields_t *fields)
{
    engine_exchange *x = open_exchange(&iteration->ctx, id);
    if (x == NULL) {
        plugin_string_free(subprotocol);
        engine_workload_types_fields_free(fields);
        return;
    }
    x->subprotocol = bytes_of(subprotocol);
    x->fields = (struct engine_owned){fields->ptr, fields->len};
    x->answered = true;
    engine_own_advance(&iteration->ctx);
}

void exports_engine_workload_workload_method_iteration_on_items(
    exports_engine_workload_workload_borrow_iteration_t iteration, uint32_t id,
    exports_engine_workload_workload_list_item_t *items)
{
    engine_exchange *x = open_exchange(&iteration->ctx, id);
    if (x == NULL || items->len == 0) {
        exports_engine_workload_workload_list_item_free(items);
        return;
    }
    if (x->waiting.len == 0) {
        x->waiting = (struct engine_owned){items->ptr, items->len}; /* The usual case: nothing is copied. */
    } else {
        size_t len = x->waiting.len + items->len;
        engine_workload_types_item_t *all = realloc(x->waiting.ptr, len * sizeof *all);
        if (all == NULL) engine_panic("out of memory");
        memcpy(all + x->waiting.len, items->ptr, items->len * sizeof *all);
        free(items->ptr);
        x->waiting = (struct engine_owned){all, len};
    }
    engine_own_advance(&iteration->ctx);
}

void exports_engine_workload_workload_method_iteration_on_end(
    exports_engine_workload_workload_borrow_iteration_t iteration, uint32_t id,
    exports_engine_workload_workload_end_t *end)
{
    engine_exchange *x = open_exchange(&iteration->ctx, id);
    if (x == NULL) {
        engine_workload_types_end_free(end);
        return;
    }
    if (end->tag == ENGINE_WORKLOAD_TYPES_END_CLOSED) {
        x->closed = true;
        x->close_code = end->val.closed.code;
        x->reason = bytes_of(&end->val.closed.reason);
    }
    engine_own_end(x);
    engine_own_advance(&iteration->ctx);
}

void exports_engine_workload_workload_method_iteration_on_failure(
    exports_engine_workload_workload_borrow_iteration_t iteration, uint32_t id,
    exports_engine_workload_workload_failure_t *failure)
{
    engine_exchange *x = open_exchange(&iteration->ctx, id);
    if (x == NULL) {
        engine_workload_types_failure_free(failure);
        return;
    }
    x->failed = true;
    x->reason = bytes_of(&failure->reason);
    x->detail = bytes_of(&failure->detail);
    engine_own_end(x);
    engine_own_advance(&iteration->ctx);
}

void exports_engine_workload_workload_method_iteration_on_timer(
    exports_engine_workload_workload_borrow_iteration_t iteration, uint32_t id)
{
    engine_ctx *ctx = &iteration->ctx;
    if (!ctx->finished && engine_own_fire(ctx, id)) engine_own_advance(ctx);
}
