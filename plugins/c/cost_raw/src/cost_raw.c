/* One exchange, written against the generated bindings without the SDK: the least that an iteration of a C plugin costs.
 * `cost_sdk` does the same through the SDK.
 *
 * Each iteration sends a POST of 300 bytes with five fields. The answer is right when it is a 200 whose `content-type`
 * is JSON; then the time since the request was asked for is marked. */
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

/* Bytes of the request's body; the most bytes of an answer; the mark's position in the description. */
enum { BODY = 300, MOST = 16 << 20, ANSWERED = 0 };

/* Lent: a literal as the bindings take it. */
#define TEXT(text) {(uint8_t *)(text), sizeof(text) - 1}

static plugin_tuple2_string_string_t FIELDS[] = {
    {TEXT("accept"), TEXT("application/json")},
    {TEXT("content-type"), TEXT("application/json")},
    {TEXT("authorization"), TEXT("Bearer 0123456789abcdef0123456789abcdef")},
    {TEXT("x-organization"), TEXT("910a2dec-8902-4cc1-bfcd-5625358f25c6")},
    {TEXT("user-agent"), TEXT("cost/0.1")},
};

/* What need not be made for each iteration. */
struct exports_engine_workload_workload_plan_t {
    uint8_t body[BODY];
};

/* The exchange is the engine's to remember: there is one, and everything about it comes by its id. */
struct exports_engine_workload_workload_iteration_t {
    char nothing;
};

static exports_engine_workload_workload_iteration_t ITERATION;

static plugin_string_t copy(const char *text)
{
    plugin_string_t copied;
    plugin_string_dup(&copied, text);
    return copied;
}

void exports_engine_workload_workload_describe(exports_engine_workload_workload_description_t *description)
{
    description->name = copy("cost_raw_c");
    description->version = copy(PLUGIN_VERSION);
    description->summary = copy("Measures what an iteration costs the engine: one exchange, with raw bindings, in C");
    description->metrics.len = 1;
    description->metrics.ptr = malloc(sizeof *description->metrics.ptr);
    description->metrics.ptr[0] = (engine_workload_types_metric_t){
        copy("answered"), ENGINE_WORKLOAD_TYPES_METRIC_KIND_MARK, {NULL, 0}, copy("From asking to the answer.")};
    description->config_schema = copy("{\"type\": \"object\", \"additionalProperties\": false}");
}

bool exports_engine_workload_workload_static_plan_configure(plugin_string_t *config, plugin_string_t *maybe_shared,
                                                            exports_engine_workload_workload_own_plan_t *ret,
                                                            plugin_string_t *err)
{
    bool empty = config->len == 2 && memcmp(config->ptr, "{}", 2) == 0;
    plugin_string_free(config);
    if (maybe_shared != NULL) plugin_string_free(maybe_shared);
    if (!empty) {
        *err = copy("config: this plugin has none");
        return false;
    }
    exports_engine_workload_workload_plan_t *plan = malloc(sizeof *plan);
    memset(plan->body, 'x', BODY);
    *ret = exports_engine_workload_workload_plan_new(plan);
    return true;
}

void exports_engine_workload_workload_plan_destructor(exports_engine_workload_workload_plan_t *plan)
{
    free(plan);
}

bool exports_engine_workload_workload_method_plan_setup(exports_engine_workload_workload_borrow_plan_t plan,
                                                        exports_engine_workload_workload_own_iteration_t *ret)
{
    (void)plan, (void)ret;
    return false;
}

bool exports_engine_workload_workload_method_plan_teardown(exports_engine_workload_workload_borrow_plan_t plan,
                                                           exports_engine_workload_workload_own_iteration_t *ret)
{
    (void)plan, (void)ret;
    return false;
}

exports_engine_workload_workload_own_iteration_t exports_engine_workload_workload_method_plan_start(
    exports_engine_workload_workload_borrow_plan_t plan, exports_engine_workload_workload_arrival_t *arrival)
{
    engine_workload_types_request_t request = {
        .name = {true, TEXT("cost")},
        .method = TEXT("POST"),
        .path_with_query = TEXT("/api/v1/cost?limit=20"),
        .fields = {FIELDS, sizeof FIELDS / sizeof *FIELDS},
        .body = {ENGINE_WORKLOAD_TYPES_BODY_BYTES, {{plan->body, BODY}}},
        .read = {ENGINE_WORKLOAD_TYPES_READ_MODE_WHOLE, {MOST}},
    };
    exports_engine_workload_workload_arrival_free(arrival);
    engine_workload_actions_send(&request);
    return exports_engine_workload_workload_iteration_new(&ITERATION);
}

void exports_engine_workload_workload_iteration_destructor(exports_engine_workload_workload_iteration_t *iteration)
{
    (void)iteration;
}

static void finish(uint8_t tag, uint32_t exchange)
{
    engine_workload_types_verdict_t verdict = {.tag = tag, .val = {.failed_by = exchange}};
    engine_workload_actions_finish(&verdict);
}

static bool is(const plugin_string_t *text, const char *wanted, size_t len)
{
    return text->len == len && memcmp(text->ptr, wanted, len) == 0;
}

void exports_engine_workload_workload_method_iteration_on_response(
    exports_engine_workload_workload_borrow_iteration_t iteration, uint32_t exchange,
    exports_engine_workload_workload_response_t *response)
{
    (void)iteration;
    bool json = false;
    for (size_t i = 0; i < response->fields.len && !json; i++)
        json = is(&response->fields.ptr[i].f0, "content-type", 12) &&
               is(&response->fields.ptr[i].f1, "application/json", 16);
    if (response->status != 200) {
        finish(ENGINE_WORKLOAD_TYPES_VERDICT_FAILED_BY, exchange);
    } else if (!json) {
        engine_workload_types_verdict_t verdict = {ENGINE_WORKLOAD_TYPES_VERDICT_FAILED,
                                                   {TEXT("unexpected content type")}};
        engine_workload_actions_finish(&verdict);
    } else {
        engine_workload_types_since_t asked = {ENGINE_WORKLOAD_TYPES_SINCE_ASKED, {exchange}};
        engine_workload_actions_mark(ANSWERED, &asked, 1);
        finish(ENGINE_WORKLOAD_TYPES_VERDICT_OK, 0);
    }
    exports_engine_workload_workload_response_free(response);
}

void exports_engine_workload_workload_method_iteration_on_failure(
    exports_engine_workload_workload_borrow_iteration_t iteration, uint32_t exchange,
    exports_engine_workload_workload_failure_t *failure)
{
    (void)iteration;
    exports_engine_workload_workload_failure_free(failure);
    finish(ENGINE_WORKLOAD_TYPES_VERDICT_FAILED_BY, exchange);
}

/* Nothing that this plugin asks for ends in one of these. What is handed over is freed all the same. */
void exports_engine_workload_workload_method_iteration_on_head(
    exports_engine_workload_workload_borrow_iteration_t iteration, uint32_t exchange, uint16_t status,
    exports_engine_workload_workload_fields_t *fields)
{
    (void)iteration, (void)exchange, (void)status;
    exports_engine_workload_workload_fields_free(fields);
}

void exports_engine_workload_workload_method_iteration_on_open(
    exports_engine_workload_workload_borrow_iteration_t iteration, uint32_t exchange, plugin_string_t *subprotocol,
    exports_engine_workload_workload_fields_t *fields)
{
    (void)iteration, (void)exchange;
    plugin_string_free(subprotocol);
    exports_engine_workload_workload_fields_free(fields);
}

void exports_engine_workload_workload_method_iteration_on_items(
    exports_engine_workload_workload_borrow_iteration_t iteration, uint32_t exchange,
    exports_engine_workload_workload_list_item_t *items)
{
    (void)iteration, (void)exchange;
    exports_engine_workload_workload_list_item_free(items);
}

void exports_engine_workload_workload_method_iteration_on_end(
    exports_engine_workload_workload_borrow_iteration_t iteration, uint32_t exchange,
    exports_engine_workload_workload_end_t *end)
{
    (void)iteration, (void)exchange;
    exports_engine_workload_workload_end_free(end);
}

void exports_engine_workload_workload_method_iteration_on_timer(
    exports_engine_workload_workload_borrow_iteration_t iteration, uint32_t timer)
{
    (void)iteration, (void)timer;
}
