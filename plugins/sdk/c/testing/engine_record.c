/* Takes the place of the engine: keeps what the plugin asks for, natively. */
#include "engine_record.h"

#include <stdlib.h>
#include <string.h>

extern const engine_plugin engine_the_plugin;

engine_recording engine_rec;

char *engine_rec_copy(const void *bytes, size_t len)
{
    char *copied = malloc(len + 1);
    if (len > 0) memcpy(copied, bytes, len);
    copied[len] = 0;
    return copied;
}

_Noreturn void engine_rec_error(const char *text, const char *what)
{
    fprintf(stderr, "%s%s\n", text, what);
    exit(2);
}

_Noreturn void engine_test_trap(void);
_Noreturn void engine_test_trap(void)
{
    longjmp(engine_rec.trapped, 1);
}

static char *copy_text(const plugin_string_t *text)
{
    return engine_rec_copy(text->ptr, text->len);
}

static engine_did *did(engine_did_kind kind)
{
    engine_run *run = engine_rec.run;
    if (engine_rec.finished && kind != ENGINE_DID_LOG) engine_rec.misuse = "an action after the end";
    run->did = realloc(run->did, (run->did_count + 1) * sizeof *run->did);
    engine_did *new = &run->did[run->did_count++];
    *new = (engine_did){.kind = kind, .at = engine_rec.now};
    return new;
}

static void known(uint32_t exchange)
{
    if (exchange >= engine_rec.run->request_count) engine_rec.misuse = "an unknown exchange";
}

static engine_did *metered(engine_did_kind kind, uint32_t metric, engine_metric_kind of)
{
    size_t count = 0;
    while (engine_the_plugin.metrics != NULL && engine_the_plugin.metrics[count].name != NULL) count++;
    if (metric >= count || engine_the_plugin.metrics[metric].kind != of) engine_rec.misuse = "an unknown metric";
    engine_did *new = did(kind);
    new->metric = metric;
    return new;
}

/* ---- Actions ---------------------------------------------------------------------------------------------------------- */

uint32_t engine_workload_actions_register_blob(plugin_list_u8_t *bytes)
{
    (void)bytes;
    if (!engine_rec.configuring) engine_rec.misuse = "a blob outside `configure`";
    return engine_rec.blobs++;
}

static engine_sent *sent(const plugin_string_t *path, const char *method, size_t method_len,
                         const plugin_option_string_t *name, const plugin_option_string_t *authority,
                         const engine_workload_types_fields_t *fields)
{
    engine_run *run = engine_rec.run;
    if (engine_rec.finished) engine_rec.misuse = "an action after the end";
    run->requests = realloc(run->requests, (run->request_count + 1) * sizeof *run->requests);
    engine_sent *new = &run->requests[run->request_count++];
    *new = (engine_sent){.follow_redirects = -1, .wanted_fields = -1};
    new->line = malloc(method_len + 1 + path->len + 1);
    memcpy(new->line, method, method_len);
    new->line[method_len] = ' ';
    memcpy(new->line + method_len + 1, path->ptr, path->len);
    new->line[method_len + 1 + path->len] = 0;
    if (name->is_some) new->name = copy_text(&name->val);
    if (authority->is_some) new->authority = copy_text(&authority->val);
    new->field_count = fields->len;
    new->fields = malloc(2 * (fields->len + 1) * sizeof *new->fields);
    for (size_t i = 0; i < fields->len; i++) {
        new->fields[2 * i] = copy_text(&fields->ptr[i].f0);
        new->fields[2 * i + 1] = copy_text(&fields->ptr[i].f1);
    }
    return new;
}

uint32_t engine_workload_actions_send(engine_workload_types_request_t *request)
{
    static const int READS[] = {ENGINE_HEAD, ENGINE_WHOLE, ENGINE_EVENTS, ENGINE_LINES, ENGINE_CHUNKS, ENGINE_COUNT};
    engine_sent *new = sent(&request->path_with_query, (const char *)request->method.ptr, request->method.len,
                            &request->name, &request->authority, &request->fields);
    if (request->body.tag == ENGINE_WORKLOAD_TYPES_BODY_BYTES) {
        new->has_body = true;
        new->body_len = request->body.val.bytes.len;
        new->body = engine_rec_copy(request->body.val.bytes.ptr, new->body_len);
    } else if (request->body.tag == ENGINE_WORKLOAD_TYPES_BODY_BLOB) {
        new->blob = request->body.val.blob + 1;
        if (request->body.val.blob >= engine_rec.blobs) engine_rec.misuse = "an unknown blob";
    }
    new->read = READS[request->read.tag];
    if (new->read == ENGINE_WHOLE) new->max_body = request->read.val.whole;
    if (request->wanted_fields.is_some) new->wanted_fields = (int)request->wanted_fields.val.len;
    if (request->follow_redirects.is_some) new->follow_redirects = (int)request->follow_redirects.val;
    if (request->timeout.is_some) new->timeout = request->timeout.val;
    return (uint32_t)engine_rec.run->request_count - 1;
}

uint32_t engine_workload_actions_open(engine_workload_types_socket_request_t *request)
{
    engine_sent *new = sent(&request->path_with_query, "WS", 2, &request->name, &request->authority, &request->fields);
    new->read = -1;
    if (request->timeout.is_some) new->timeout = request->timeout.val;
    return (uint32_t)engine_rec.run->request_count - 1;
}

void engine_workload_actions_write(uint32_t exchange, engine_workload_types_message_t *message)
{
    known(exchange);
    engine_did *new = did(ENGINE_DID_WRITE);
    new->exchange = exchange;
    new->number = message->tag == ENGINE_WORKLOAD_TYPES_MESSAGE_BINARY;
    new->len = message->val.text.len; /* Both cases lie alike. */
    new->text = copy_text(&message->val.text);
}

void engine_workload_actions_close(uint32_t exchange, engine_workload_types_close_info_t *info)
{
    known(exchange);
    engine_did *new = did(ENGINE_DID_CLOSE);
    new->exchange = exchange;
    new->number = info->code;
    new->text = copy_text(&info->reason);
}

void engine_workload_actions_cancel(uint32_t exchange)
{
    known(exchange);
    did(ENGINE_DID_CANCEL)->exchange = exchange;
}

uint32_t engine_workload_actions_wait(uint64_t duration)
{
    if (engine_rec.finished) engine_rec.misuse = "an action after the end";
    engine_rec.timers = realloc(engine_rec.timers, (engine_rec.timer_count + 1) * sizeof *engine_rec.timers);
    engine_rec.timers[engine_rec.timer_count].running = true;
    engine_rec.timers[engine_rec.timer_count].due = engine_rec.now + duration;
    return (uint32_t)engine_rec.timer_count++;
}

void engine_workload_actions_clear(uint32_t timer)
{
    did(ENGINE_DID_CLEAR)->number = timer;
    if (timer >= engine_rec.timer_count) engine_rec.misuse = "an unknown timer";
    else engine_rec.timers[timer].running = false;
}

void engine_workload_actions_mark(uint32_t metric, engine_workload_types_since_t *since, uint32_t weight)
{
    engine_did *new = metered(ENGINE_DID_MARK, metric, ENGINE_KIND_MARK);
    new->since = "dap"[since->tag];
    new->weight = weight;
    if (since->tag == ENGINE_WORKLOAD_TYPES_SINCE_ASKED) known(since->val.asked), new->exchange = since->val.asked;
}

void engine_workload_actions_count(uint32_t metric, uint64_t n)
{
    metered(ENGINE_DID_COUNT, metric, ENGINE_KIND_COUNTER)->number = n;
}

void engine_workload_actions_observe(uint32_t metric, double value)
{
    metered(ENGINE_DID_OBSERVE, metric, ENGINE_KIND_OBSERVATION)->value = value;
}

void engine_workload_actions_check(uint32_t metric, bool passed)
{
    metered(ENGINE_DID_CHECK, metric, ENGINE_KIND_CHECK)->number = passed;
}

void engine_workload_actions_share(plugin_string_t *json)
{
    if (!engine_rec.setting_up) engine_rec.misuse = "sharing outside setup";
    engine_did *new = did(ENGINE_DID_SHARE);
    new->text = copy_text(json);
    new->len = json->len;
}

void engine_workload_actions_log(uint8_t level, plugin_string_t *text)
{
    if (engine_rec.run == NULL) return;
    engine_did *new = did(ENGINE_DID_LOG);
    new->number = level;
    new->text = copy_text(text);
    new->len = text->len;
}

void engine_workload_actions_finish(engine_workload_types_verdict_t *verdict)
{
    if (engine_rec.finished) engine_rec.misuse = "a second end";
    engine_rec.finished = true;
    engine_rec.verdict = *verdict;
    if (verdict->tag == ENGINE_WORKLOAD_TYPES_VERDICT_FAILED) engine_rec.verdict_text = copy_text(&verdict->val.failed);
    if (verdict->tag == ENGINE_WORKLOAD_TYPES_VERDICT_FAILED_BY) known(verdict->val.failed_by);
}

/* ---- What the generated code does in a component ----------------------------------------------------------------------- */

exports_engine_workload_workload_own_plan_t exports_engine_workload_workload_plan_new(
    exports_engine_workload_workload_plan_t *plan)
{
    engine_rec.plan = plan;
    return (exports_engine_workload_workload_own_plan_t){1};
}

exports_engine_workload_workload_own_iteration_t exports_engine_workload_workload_iteration_new(
    exports_engine_workload_workload_iteration_t *iteration)
{
    engine_rec.iteration = iteration;
    return (exports_engine_workload_workload_own_iteration_t){1};
}

void plugin_string_dup(plugin_string_t *ret, const char *text)
{
    ret->len = strlen(text);
    ret->ptr = ret->len > 0 ? (uint8_t *)engine_rec_copy(text, ret->len) : NULL;
}

void plugin_string_free(plugin_string_t *text)
{
    if (text->len > 0) free(text->ptr);
    *text = (plugin_string_t){NULL, 0};
}

void engine_workload_types_fields_free(engine_workload_types_fields_t *fields)
{
    for (size_t i = 0; i < fields->len; i++) {
        plugin_string_free(&fields->ptr[i].f0);
        plugin_string_free(&fields->ptr[i].f1);
    }
    if (fields->len > 0) free(fields->ptr);
}

void engine_workload_types_response_free(engine_workload_types_response_t *response)
{
    engine_workload_types_fields_free(&response->fields);
    if (response->body.len > 0) free(response->body.ptr);
}

void engine_workload_types_end_free(engine_workload_types_end_t *end)
{
    if (end->tag == ENGINE_WORKLOAD_TYPES_END_CLOSED) plugin_string_free(&end->val.closed.reason);
}

void engine_workload_types_failure_free(engine_workload_types_failure_t *failure)
{
    plugin_string_free(&failure->reason);
    plugin_string_free(&failure->detail);
}

void exports_engine_workload_workload_list_item_free(exports_engine_workload_workload_list_item_t *items)
{
    for (size_t i = 0; i < items->len; i++) {
        engine_workload_types_item_t *item = &items->ptr[i];
        if (item->tag == ENGINE_WORKLOAD_TYPES_ITEM_EVENT) {
            plugin_string_free(&item->val.event.event);
            plugin_string_free(&item->val.event.data);
            plugin_string_free(&item->val.event.id);
        } else if (item->tag == ENGINE_WORKLOAD_TYPES_ITEM_MESSAGE) {
            plugin_string_free(&item->val.message.val.text);
        } else {
            plugin_string_free(&item->val.line);
        }
    }
    if (items->len > 0) free(items->ptr);
}
