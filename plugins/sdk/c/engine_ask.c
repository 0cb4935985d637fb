/* What a plugin asks for: timers, requests, WebSockets; and what it gives up. */
#include <stdlib.h>
#include <string.h>

#include "engine_own.h"

/* The most bytes a whole body may have where nothing else is said. */
enum { DEFAULT_MAX_BODY = 16 << 20 };

/* Room on the stack, so that the usual request allocates nothing for the hand-over. */
enum { FEW = 16 };

/* The longest text of a failed check, in bytes. */
enum { TEXT_LIMIT = 200 };

const char *const ENGINE_NO_FIELDS[] = {NULL};

static plugin_string_t lend(const char *text)
{
    return (plugin_string_t){(uint8_t *)text, text == NULL ? 0 : strlen(text)};
}

static plugin_option_string_t maybe(const char *text)
{
    return (plugin_option_string_t){text != NULL, lend(text)};
}

/* ---- Memory and the end ------------------------------------------------------------------------------------------ */

void *engine_own_alloc(size_t size)
{
    void *memory = calloc(1, size > 0 ? size : 1);
    if (memory == NULL) engine_panic("out of memory");
    return memory;
}

void engine_own_free(engine_bytes *bytes)
{
    if (bytes->len > 0) free((void *)bytes->ptr);
    *bytes = (engine_bytes){NULL, 0};
}

void *engine_alloc(engine_ctx *ctx, size_t size)
{
    struct engine_block *block = engine_own_alloc(sizeof *block + size);
    block->next = ctx->blocks;
    block->size = size;
    ctx->blocks = block;
    return block->bytes;
}

char *engine_format(engine_ctx *ctx, const char *format, ...)
{
    engine_buf buf = {0};
    va_list args;
    va_start(args, format);
    engine_buf_vformat(&buf, format, args);
    va_end(args);
    char *text = engine_alloc(ctx, buf.len + 1);
    memcpy(text, buf.ptr, buf.len);
    engine_buf_free(&buf);
    return text;
}

/* Whether this lies in the iteration's own memory, and so lives as long as it. */
static void must_live(engine_ctx *ctx, const void *place)
{
    if ((uintptr_t)place - (uintptr_t)ctx < ctx->size) return;
    for (const struct engine_block *block = ctx->blocks; block != NULL; block = block->next)
        if ((uintptr_t)place - (uintptr_t)block->bytes < block->size) return;
    engine_panic("an exchange or a timer must stand in the iteration's state");
}

void engine_own_must_be_asked(const engine_exchange *exchange)
{
    if (exchange->ctx == NULL) engine_panic("an exchange that was not asked for");
}

static void finish(engine_verdict verdict)
{
    engine_workload_types_verdict_t end = {.tag = ENGINE_WORKLOAD_TYPES_VERDICT_OK};
    switch (verdict.outcome) {
    case ENGINE_PENDING:
    case ENGINE_OK: break;
    case ENGINE_CANCELLED: end.tag = ENGINE_WORKLOAD_TYPES_VERDICT_CANCELLED; break;
    case ENGINE_FAILED:
        end.tag = ENGINE_WORKLOAD_TYPES_VERDICT_FAILED;
        end.val.failed = lend(verdict.text);
        if (end.val.failed.len > TEXT_LIMIT) {
            /* Between two characters. */
            end.val.failed.len = TEXT_LIMIT;
            while ((verdict.text[end.val.failed.len] & 0xc0) == 0x80) end.val.failed.len--;
        }
        break;
    case ENGINE_FAILED_BY:
        end.tag = ENGINE_WORKLOAD_TYPES_VERDICT_FAILED_BY;
        end.val.failed_by = verdict.exchange;
        break;
    }
    engine_workload_actions_finish(&end);
}

void engine_own_advance(engine_ctx *ctx)
{
    engine_verdict verdict = ctx->run(ctx);
    if (verdict.outcome == ENGINE_PENDING) return;
    ctx->finished = true;
    finish(verdict);
}

engine_verdict engine_failed_by(const engine_exchange *exchange)
{
    engine_own_must_be_asked(exchange);
    return (engine_verdict){ENGINE_FAILED_BY, exchange->id, NULL};
}

/* ---- Timers ---------------------------------------------------------------------------------------------------------- */

void engine_wait(engine_ctx *ctx, engine_timer *timer, uint64_t duration)
{
    must_live(ctx, timer);
    engine_clear(ctx, timer);
    uint32_t id = engine_workload_actions_wait(duration > INT64_MAX ? INT64_MAX : duration);
    *timer = (engine_timer){true, false, id, ctx->timers};
    ctx->timers = timer;
}

static void stop(engine_ctx *ctx, engine_timer *timer)
{
    engine_timer **at = &ctx->timers;
    while (*at != timer) at = &(*at)->next;
    *at = timer->next;
    timer->running = false;
}

void engine_clear(engine_ctx *ctx, engine_timer *timer)
{
    if (!timer->running) return;
    engine_workload_actions_clear(timer->id);
    stop(ctx, timer);
}

bool engine_own_fire(engine_ctx *ctx, uint32_t id)
{
    engine_timer *timer = ctx->timers;
    while (timer != NULL && timer->id != id) timer = timer->next;
    if (timer == NULL) return false;
    stop(ctx, timer);
    timer->fired = true;
    return true;
}

/* ---- Exchanges: asking ----------------------------------------------------------------------------------------------- */

static void unlink_exchange(engine_exchange *x)
{
    *x->at = x->next;
    if (x->next != NULL) x->next->at = x->at;
    else if (!x->ended) x->ctx->open_end = x->at;
}

static void begin(engine_ctx *ctx, engine_exchange *x, uint32_t id)
{
    x->id = id;
    x->ctx = ctx;
    x->at = ctx->open_end;
    *x->at = x;
    ctx->open_end = &x->next;
}

void engine_own_end(engine_exchange *x)
{
    engine_ctx *ctx = x->ctx;
    unlink_exchange(x);
    x->ended = true;
    x->at = &ctx->done;
    x->next = ctx->done;
    if (x->next != NULL) x->next->at = &x->next;
    ctx->done = x;
}

void engine_own_free_items(struct engine_owned *items)
{
    exports_engine_workload_workload_list_item_free(
        &(exports_engine_workload_workload_list_item_t){items->ptr, items->len});
    *items = (struct engine_owned){NULL, 0};
}

void engine_own_release(engine_exchange *x)
{
    engine_workload_types_fields_free(&(engine_workload_types_fields_t){x->fields.ptr, x->fields.len});
    engine_own_free(&x->body);
    engine_own_free(&x->reason);
    engine_own_free(&x->detail);
    engine_own_free(&x->subprotocol);
    if (x->items.len > 0) engine_own_free_items(&x->items);
    if (x->waiting.len > 0) engine_own_free_items(&x->waiting);
}

void engine_drop(engine_exchange *x)
{
    if (x->ctx == NULL) return;
    if (!x->ended) engine_workload_actions_cancel(x->id);
    unlink_exchange(x);
    engine_own_release(x);
    *x = (engine_exchange){0};
}

static size_t count_fields(const engine_field *fields)
{
    size_t count = 0;
    while (fields != NULL && fields[count].name != NULL) count++;
    return count;
}

static size_t count_texts(const char *const *texts)
{
    size_t count = 0;
    while (texts != NULL && texts[count] != NULL) count++;
    return count;
}

/* As the interface takes them, in `few` where they fit; otherwise in memory of the iteration. */
static engine_workload_types_fields_t lend_fields(engine_ctx *ctx, const engine_field *fields, const char *type,
                                                  plugin_tuple2_string_string_t *few)
{
    size_t count = count_fields(fields);
    plugin_tuple2_string_string_t *pairs = count < FEW ? few : engine_alloc(ctx, (count + 1) * sizeof *pairs);
    for (size_t i = 0; i < count; i++)
        pairs[i] = (plugin_tuple2_string_string_t){lend(fields[i].name), lend(fields[i].value)};
    if (type != NULL) pairs[count++] = (plugin_tuple2_string_string_t){lend("content-type"), lend(type)};
    return (engine_workload_types_fields_t){pairs, count};
}

static plugin_list_string_t lend_texts(engine_ctx *ctx, const char *const *texts, plugin_string_t *few)
{
    size_t count = count_texts(texts);
    plugin_string_t *list = count <= FEW ? few : engine_alloc(ctx, count * sizeof *list);
    for (size_t i = 0; i < count; i++) list[i] = lend(texts[i]);
    return (plugin_list_string_t){list, count};
}

/* The content type that goes with a JSON body, unless the fields have one. */
static const char *json_type(const engine_request *request)
{
    if (request->json == NULL) return NULL;
    for (const engine_field *field = request->fields; field != NULL && field->name != NULL; field++)
        if (engine_own_same_name(field->name, strlen(field->name), "content-type")) return NULL;
    return "application/json";
}

static engine_workload_types_read_mode_t read_mode(const engine_request *request)
{
    engine_workload_types_read_mode_t mode = {.tag = ENGINE_WORKLOAD_TYPES_READ_MODE_WHOLE};
    mode.val.whole = request->max_body > 0 ? request->max_body : DEFAULT_MAX_BODY;
    switch (request->read) {
    case ENGINE_WHOLE: break;
    case ENGINE_COUNT: mode.tag = ENGINE_WORKLOAD_TYPES_READ_MODE_COUNT; break;
    case ENGINE_HEAD: mode.tag = ENGINE_WORKLOAD_TYPES_READ_MODE_HEAD; break;
    case ENGINE_EVENTS: mode.tag = ENGINE_WORKLOAD_TYPES_READ_MODE_EVENTS; break;
    case ENGINE_LINES: mode.tag = ENGINE_WORKLOAD_TYPES_READ_MODE_LINES; break;
    case ENGINE_CHUNKS: mode.tag = ENGINE_WORKLOAD_TYPES_READ_MODE_CHUNKS; break;
    }
    return mode;
}

static engine_workload_types_body_t lend_body(const engine_request *request)
{
    engine_workload_types_body_t body = {.tag = ENGINE_WORKLOAD_TYPES_BODY_EMPTY};
    if (request->blob.number > 0) {
        body.tag = ENGINE_WORKLOAD_TYPES_BODY_BLOB;
        body.val.blob = request->blob.number - 1;
    } else if (request->json != NULL) {
        body.tag = ENGINE_WORKLOAD_TYPES_BODY_BYTES;
        body.val.bytes = (plugin_list_u8_t){(uint8_t *)request->json, strlen(request->json)};
    } else if (request->body.ptr != NULL) {
        body.tag = ENGINE_WORKLOAD_TYPES_BODY_BYTES;
        body.val.bytes = (plugin_list_u8_t){(uint8_t *)request->body.ptr, request->body.len};
    }
    return body;
}

static engine_workload_types_option_duration_t maybe_duration(uint64_t duration)
{
    return (engine_workload_types_option_duration_t){duration > 0, duration > INT64_MAX ? INT64_MAX : duration};
}

void engine_send(engine_ctx *ctx, engine_exchange *x, const engine_request *request)
{
    must_live(ctx, x);
    plugin_tuple2_string_string_t fields[FEW], extensions[FEW];
    plugin_string_t wanted[FEW];
    engine_workload_types_request_t lent = {
        .name = maybe(request->name),
        .method = lend(request->method),
        .authority = maybe(request->authority),
        .path_with_query = lend(request->path),
        .fields = lend_fields(ctx, request->fields, json_type(request), fields),
        .body = lend_body(request),
        .read = read_mode(request),
        .wanted_fields = {request->wanted_fields != NULL, lend_texts(ctx, request->wanted_fields, wanted)},
        .follow_redirects = {request->follow_redirects > 0, request->follow_redirects - 1},
        .extensions = lend_fields(ctx, request->extensions, NULL, extensions),
        .timeout = maybe_duration(request->timeout),
    };
    uint32_t id = engine_workload_actions_send(&lent);
    engine_drop(x); /* Only now: the request may lie in what it held. */
    begin(ctx, x, id);
}

void engine_open_socket(engine_ctx *ctx, engine_socket *x, const engine_socket_request *request)
{
    must_live(ctx, x);
    plugin_tuple2_string_string_t fields[FEW], extensions[FEW];
    plugin_string_t subprotocols[FEW];
    engine_workload_types_socket_request_t lent = {
        .name = maybe(request->name),
        .authority = maybe(request->authority),
        .path_with_query = lend(request->path),
        .fields = lend_fields(ctx, request->fields, NULL, fields),
        .subprotocols = lend_texts(ctx, request->subprotocols, subprotocols),
        .extensions = lend_fields(ctx, request->extensions, NULL, extensions),
        .timeout = maybe_duration(request->timeout),
    };
    uint32_t id = engine_workload_actions_open(&lent);
    engine_drop(x);
    begin(ctx, x, id);
}

void engine_send_text(engine_socket *socket, const char *text)
{
    engine_own_must_be_asked(socket);
    engine_workload_types_message_t message = {.tag = ENGINE_WORKLOAD_TYPES_MESSAGE_TEXT};
    message.val.text = lend(text);
    engine_workload_actions_write(socket->id, &message);
}

void engine_send_binary(engine_socket *socket, engine_bytes bytes)
{
    engine_own_must_be_asked(socket);
    engine_workload_types_message_t message = {.tag = ENGINE_WORKLOAD_TYPES_MESSAGE_BINARY};
    message.val.binary = (plugin_list_u8_t){(uint8_t *)bytes.ptr, bytes.len};
    engine_workload_actions_write(socket->id, &message);
}

void engine_close(engine_socket *socket, uint16_t code, const char *reason)
{
    engine_own_must_be_asked(socket);
    engine_workload_actions_close(socket->id, &(engine_workload_types_close_info_t){code, lend(reason)});
}

engine_blob engine_register_blob(engine_bytes bytes)
{
    plugin_list_u8_t lent = {(uint8_t *)bytes.ptr, bytes.len};
    return (engine_blob){engine_workload_actions_register_blob(&lent) + 1};
}
