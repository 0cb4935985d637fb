/* What a plugin looks at in the answers to what it asked for. */
#include "engine_own.h"

bool engine_own_same_name(const char *a, size_t len, const char *b)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char x = (unsigned char)a[i], y = (unsigned char)b[i];
        if (x >= 'A' && x <= 'Z') x |= 0x20;
        if (y >= 'A' && y <= 'Z') y |= 0x20;
        if (x != y) return false; /* Also where `b` ends. */
    }
    return b[len] == 0;
}

bool engine_all_settled(const engine_exchange *exchanges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!engine_settled(&exchanges[i])) return false;
    return true;
}

size_t engine_field_count(const engine_exchange *exchange)
{
    return exchange->fields.len;
}

void engine_field_at(const engine_exchange *exchange, size_t index, engine_bytes *name, engine_bytes *value)
{
    if (index >= exchange->fields.len) engine_panic("a field beyond the last");
    const plugin_tuple2_string_string_t *field = (plugin_tuple2_string_string_t *)exchange->fields.ptr + index;
    *name = (engine_bytes){(const char *)field->f0.ptr, field->f0.len};
    *value = (engine_bytes){(const char *)field->f1.ptr, field->f1.len};
}

engine_bytes engine_field_of(const engine_exchange *exchange, const char *name)
{
    const plugin_tuple2_string_string_t *fields = exchange->fields.ptr;
    for (size_t i = 0; i < exchange->fields.len; i++)
        if (engine_own_same_name((const char *)fields[i].f0.ptr, fields[i].f0.len, name))
            return (engine_bytes){(const char *)fields[i].f1.ptr, fields[i].f1.len};
    return (engine_bytes){NULL, 0};
}

bool engine_status_in(const engine_exchange *exchange, const uint16_t *statuses)
{
    for (; *statuses != 0; statuses++)
        if (*statuses == exchange->status) return true;
    return false;
}

bool engine_parse_body(engine_exchange *exchange)
{
    if (engine_json_parse(exchange->body.ptr, exchange->body.len, &exchange->json)) return true;
    engine_log(ENGINE_DEBUG, "unexpected JSON");
    return false;
}

/* All that is at hand becomes the items handed over; whether there is any. */
static bool refill(engine_exchange *x)
{
    if (x->items.len > 0) engine_own_free_items(&x->items);
    x->items = x->waiting;
    x->waiting = (struct engine_owned){NULL, 0};
    x->taken = 0;
    return x->items.len > 0;
}

bool engine_next_batch(engine_exchange *x)
{
    bool there = x->taken < x->items.len || refill(x);
    x->batch = there ? x->items.len - x->taken : 0;
    x->taken = x->items.len;
    return there || x->ended;
}

bool engine_next_item(engine_exchange *x)
{
    x->item = (engine_item){0};
    if (x->taken == x->items.len && !refill(x)) return x->ended;
    x->batch = x->items.len - x->taken;
    x->item = engine_item_at(x, 0);
    x->taken++;
    return true;
}

engine_item engine_item_at(const engine_exchange *exchange, size_t index)
{
    if (index >= exchange->batch) engine_panic("an item beyond the batch");
    const engine_workload_types_item_t *item =
        (engine_workload_types_item_t *)exchange->items.ptr + (exchange->items.len - exchange->batch) + index;
    engine_item handed = {ENGINE_NO_ITEM, {NULL, 0}, {NULL, 0}, {NULL, 0}};
#define BYTES(text) (engine_bytes){(const char *)(text).ptr, (text).len}
    switch (item->tag) {
    case ENGINE_WORKLOAD_TYPES_ITEM_EVENT:
        handed.kind = ENGINE_EVENT;
        handed.data = BYTES(item->val.event.data);
        handed.event = BYTES(item->val.event.event);
        handed.id = BYTES(item->val.event.id);
        break;
    case ENGINE_WORKLOAD_TYPES_ITEM_LINE:
        handed.kind = ENGINE_LINE;
        handed.data = BYTES(item->val.line);
        break;
    case ENGINE_WORKLOAD_TYPES_ITEM_CHUNK:
        handed.kind = ENGINE_CHUNK;
        handed.data = BYTES(item->val.chunk);
        break;
    case ENGINE_WORKLOAD_TYPES_ITEM_MESSAGE:
        if (item->val.message.tag == ENGINE_WORKLOAD_TYPES_MESSAGE_TEXT) {
            handed.kind = ENGINE_TEXT_MESSAGE;
            handed.data = BYTES(item->val.message.val.text);
        } else {
            handed.kind = ENGINE_BINARY_MESSAGE;
            handed.data = BYTES(item->val.message.val.binary);
        }
        break;
    }
#undef BYTES
    return handed;
}
