/* Plays a script to the plugin: virtual time, one event after the other. */
#include <stdlib.h>
#include <string.h>

#include "engine_record.h"

extern const engine_plugin engine_the_plugin;

/* How long an answer takes where nothing else is said. */
#define LATENCY ENGINE_MS(1)

/* An exchange as it goes on. */
typedef struct playing {
    const engine_answer *answer;
    const engine_piece *next; /* The next piece; null before the head. */
    uint64_t due;             /* When the next thing happens; UINT64_MAX where nothing will. */
    size_t heard;             /* How many written messages the script has taken. */
    uint16_t status;
    bool ended, head_done, cancelled;
    const char *reason;
    uint16_t closing; /* The code of the plugin's close. */
    const char *closing_text;
} playing;

typedef struct player {
    const engine_script *script;
    unsigned *used;
    playing *exchanges;
    size_t count, seen; /* Exchanges; recorded things that were looked at. */
} player;

static plugin_string_t own(const char *text)
{
    plugin_string_t copied;
    plugin_string_dup(&copied, text == NULL ? "" : text);
    return copied;
}

/* ---- Which answer ------------------------------------------------------------------------------------------------------- */

static bool fits(const engine_answer *answer, const char *line)
{
    size_t len = strchr(answer->on, '?') == NULL ? strcspn(line, "?") : strlen(line);
    return strlen(answer->on) == len && memcmp(answer->on, line, len) == 0;
}

static const engine_answer *answer_to(player *p, const char *line)
{
    for (size_t i = 0; p->script->answers != NULL && p->script->answers[i].on != NULL; i++) {
        const engine_answer *answer = &p->script->answers[i];
        if (!fits(answer, line) || (answer->times > 0 && p->used[i] == answer->times)) continue;
        p->used[i]++;
        return answer;
    }
    for (size_t i = 0; p->script->answers != NULL && p->script->answers[i].on != NULL; i++)
        fprintf(stderr, "scripted: %s%s\n", p->script->answers[i].on,
                p->script->answers[i].times > 0 && p->used[i] == p->script->answers[i].times ? " (used up)" : "");
    engine_rec_error("unexpected request: ", line);
}

/* Books what the last call asked for. */
static void book(player *p)
{
    engine_run *run = engine_rec.run;
    if (p->count < run->request_count) p->exchanges = realloc(p->exchanges, run->request_count * sizeof *p->exchanges);
    for (; p->count < run->request_count; p->count++) {
        const engine_answer *answer = answer_to(p, run->requests[p->count].line);
        p->exchanges[p->count] = (playing){.answer = answer,
                                           .due = engine_rec.now + (answer->after > 0 ? answer->after : LATENCY)};
    }
    for (; p->seen < run->did_count; p->seen++) {
        const engine_did *did = &run->did[p->seen];
        if (did->exchange >= p->count) continue;
        playing *x = &p->exchanges[did->exchange];
        if (did->kind == ENGINE_DID_CANCEL && !x->ended) x->cancelled = true, x->due = engine_rec.now;
        if (did->kind == ENGINE_DID_CLOSE && !x->ended) {
            x->closing = (uint16_t)did->number;
            x->closing_text = did->text;
            x->due = engine_rec.now;
        }
        /* A socket that waits for a message goes on. */
        if (did->kind == ENGINE_DID_WRITE && x->due == UINT64_MAX) x->due = engine_rec.now;
    }
}

/* ---- Events ------------------------------------------------------------------------------------------------------------- */

static engine_workload_types_fields_t own_fields(const engine_field *fields)
{
    size_t count = 0;
    while (fields != NULL && fields[count].name != NULL) count++;
    engine_workload_types_fields_t list = {count > 0 ? malloc(count * sizeof *list.ptr) : NULL, count};
    for (size_t i = 0; i < count; i++)
        list.ptr[i] = (plugin_tuple2_string_string_t){own(fields[i].name), own(fields[i].value)};
    return list;
}

static void end(uint32_t id, playing *x, uint8_t tag, uint16_t code, const char *reason)
{
    engine_workload_types_end_t how = {.tag = tag};
    if (tag == ENGINE_WORKLOAD_TYPES_END_CLOSED)
        how.val.closed = (engine_workload_types_close_info_t){code, own(reason)};
    x->ended = true;
    exports_engine_workload_workload_method_iteration_on_end(engine_rec.iteration, id, &how);
}

static void fail(uint32_t id, playing *x)
{
    engine_workload_types_failure_t failure = {own(x->answer->fail), own("scripted")};
    x->ended = true;
    x->reason = x->answer->fail;
    exports_engine_workload_workload_method_iteration_on_failure(engine_rec.iteration, id, &failure);
}

static engine_workload_types_item_t item_of(const engine_piece *piece)
{
    engine_workload_types_item_t item = {0};
    if (piece->line != NULL) {
        item.tag = ENGINE_WORKLOAD_TYPES_ITEM_LINE;
        item.val.line = own(piece->line);
    } else if (piece->chunk != NULL) {
        item.tag = ENGINE_WORKLOAD_TYPES_ITEM_CHUNK;
        item.val.line = own(piece->chunk);
    } else if (piece->text != NULL || piece->binary != NULL) {
        item.tag = ENGINE_WORKLOAD_TYPES_ITEM_MESSAGE;
        item.val.message.tag = piece->text != NULL ? ENGINE_WORKLOAD_TYPES_MESSAGE_TEXT : ENGINE_WORKLOAD_TYPES_MESSAGE_BINARY;
        item.val.message.val.text = own(piece->text != NULL ? piece->text : piece->binary);
    } else {
        item.tag = ENGINE_WORKLOAD_TYPES_ITEM_EVENT;
        item.val.event.event = own(piece->event != NULL ? piece->event : "message");
        item.val.event.data = own(piece->data);
        item.val.event.id = own(piece->id);
    }
    return item;
}

static bool is_end(const engine_piece *piece)
{
    return piece->event == NULL && piece->data == NULL && piece->line == NULL && piece->chunk == NULL &&
           piece->text == NULL && piece->binary == NULL && piece->written == NULL;
}

/* Whether the items of a piece come in this way of reading; `read` is below 0 for a WebSocket. */
static bool comes(const engine_piece *piece, int read)
{
    if (piece->text != NULL || piece->binary != NULL) return read < 0;
    if (piece->line != NULL) return read == ENGINE_LINES || read == ENGINE_HEAD;
    if (piece->chunk != NULL) return read == ENGINE_CHUNKS || read == ENGINE_EVENTS || read == ENGINE_HEAD;
    return read == ENGINE_EVENTS || read == ENGINE_HEAD;
}

/* The messages the plugin has sent on this WebSocket, the one after those the script has taken. */
static const char *next_written(uint32_t id, size_t position)
{
    for (size_t i = 0; i < engine_rec.run->did_count; i++) {
        const engine_did *did = &engine_rec.run->did[i];
        if (did->kind == ENGINE_DID_WRITE && did->exchange == id && position-- == 0) return did->text;
    }
    return NULL;
}

/* The head of an answer, or all of it. */
static void head(uint32_t id, playing *x, int read)
{
    const engine_answer *answer = x->answer;
    engine_workload_types_fields_t fields = own_fields(answer->fields);
    x->head_done = true;
    x->status = answer->status > 0 ? answer->status : 200;
    if (read < 0) {
        plugin_string_t subprotocol = own(answer->subprotocol);
        exports_engine_workload_workload_method_iteration_on_open(engine_rec.iteration, id, &subprotocol, &fields);
    } else if (read == ENGINE_WHOLE || read == ENGINE_COUNT) {
        if (answer->pieces != NULL) engine_rec_error("the plugin wants this answer whole, not in pieces: ", answer->on);
        plugin_string_t body = own(read == ENGINE_COUNT ? "" : answer->body);
        engine_workload_types_response_t response = {
            x->status, fields, {body.ptr, body.len}, answer->body == NULL ? 0 : strlen(answer->body)};
        x->ended = true;
        exports_engine_workload_workload_method_iteration_on_response(engine_rec.iteration, id, &response);
    } else {
        exports_engine_workload_workload_method_iteration_on_head(engine_rec.iteration, id, x->status, &fields);
    }
}

static void items(uint32_t id, playing *x, int read)
{
    size_t count = 1;
    while (x->next[count - 1].more) count++;
    exports_engine_workload_workload_list_item_t list = {malloc(count * sizeof *list.ptr), count};
    for (size_t i = 0; i < count; i++) {
        if (!comes(&x->next[i], read)) engine_rec_error("an item that does not come in this way of reading: ", x->answer->on);
        list.ptr[i] = item_of(&x->next[i]);
    }
    x->next += count;
    if (read == ENGINE_HEAD) exports_engine_workload_workload_list_item_free(&list);
    else exports_engine_workload_workload_method_iteration_on_items(engine_rec.iteration, id, &list);
}

/* The next thing that happens to an exchange. */
static void step(player *p, uint32_t id)
{
    static const engine_piece none = {0};
    playing *x = &p->exchanges[id];
    const engine_answer *answer = x->answer;
    int read = engine_rec.run->requests[id].read;
    if (x->cancelled) {
        end(id, x, ENGINE_WORKLOAD_TYPES_END_CANCELLED, 0, NULL);
        return;
    }
    if (x->closing > 0) {
        end(id, x, ENGINE_WORKLOAD_TYPES_END_CLOSED, x->closing, x->closing_text);
        return;
    }
    if (!x->head_done) {
        if (answer->fail != NULL && answer->pieces == NULL) {
            fail(id, x);
            return;
        }
        x->next = answer->pieces != NULL ? answer->pieces : &none;
        x->due = engine_rec.now + x->next->after;
        head(id, x, read);
        return;
    }
    if (x->next->written != NULL) {
        const char *written = next_written(id, x->heard);
        if (written == NULL) {
            x->due = UINT64_MAX;
            return;
        }
        x->heard++;
        if (strcmp(written, x->next->written) != 0) engine_rec_error("another message than the scripted one: ", written);
        x->next++;
        x->due = engine_rec.now + x->next->after;
    } else if (!is_end(x->next)) {
        items(id, x, read);
        if (!x->ended) x->due = engine_rec.now + x->next->after;
    } else if (answer->fail != NULL) {
        fail(id, x);
    } else if (answer->close_code > 0) {
        end(id, x, ENGINE_WORKLOAD_TYPES_END_CLOSED, answer->close_code, answer->close_reason);
    } else if (read < 0 || answer->hang) {
        x->due = UINT64_MAX;
    } else if (answer->body != NULL && read == ENGINE_CHUNKS && x->heard++ == 0) {
        x->next = (engine_piece[]){{.chunk = answer->body}, {0}};
        items(id, x, read);
        x->next = &none;
    } else {
        end(id, x, ENGINE_WORKLOAD_TYPES_END_COMPLETE, 0, NULL);
    }
}

/* The event that is next, in virtual time; false where nothing can come any more. */
static bool next(player *p)
{
    uint64_t due = UINT64_MAX;
    size_t which = 0;
    bool timer = false;
    for (size_t i = 0; i < p->count; i++)
        if (!p->exchanges[i].ended && p->exchanges[i].due < due) due = p->exchanges[which = i].due;
    for (size_t i = 0; i < engine_rec.timer_count; i++)
        if (engine_rec.timers[i].running && engine_rec.timers[i].due < due)
            due = engine_rec.timers[which = i].due, timer = true;
    if (due == UINT64_MAX) return false;
    engine_rec.now = due;
    if (timer) {
        engine_rec.timers[which].running = false;
        exports_engine_workload_workload_method_iteration_on_timer(engine_rec.iteration, (uint32_t)which);
    } else {
        step(p, (uint32_t)which);
    }
    return true;
}

/* ---- A run --------------------------------------------------------------------------------------------------------------- */

static bool configure(const char *config, const char *shared, plugin_string_t *refusal)
{
    plugin_string_t text = own(config == NULL ? "{}" : config), given = own(shared);
    exports_engine_workload_workload_own_plan_t plan;
    engine_rec.configuring = true;
    bool taken = exports_engine_workload_workload_static_plan_configure(&text, shared == NULL ? NULL : &given, &plan,
                                                                        refusal);
    engine_rec.configuring = false;
    return taken;
}

static void start(const engine_script *script)
{
    exports_engine_workload_workload_own_iteration_t handle;
    bool there = true;
    if (script->flow == ENGINE_SETUP) {
        engine_rec.setting_up = true;
        there = exports_engine_workload_workload_method_plan_setup(engine_rec.plan, &handle);
    } else if (script->flow == ENGINE_TEARDOWN) {
        there = exports_engine_workload_workload_method_plan_teardown(engine_rec.plan, &handle);
    } else {
        engine_workload_types_arrival_t arrival = {
            .sequence = script->sequence,
            .index = script->index,
            .seed = script->seed > 0 ? script->seed : 1,
            .client = script->client > 0 ? script->client : 1,
            .wall_time = script->wall_time > 0 ? script->wall_time : ENGINE_S(1700000000),
            .phase = own(script->phase == NULL ? "test" : script->phase),
            .row = {script->row != NULL, own(script->row)},
        };
        exports_engine_workload_workload_method_plan_start(engine_rec.plan, &arrival);
    }
    if (!there) engine_rec_error("the plugin has no such flow", "");
}

static char *outcome(const player *p, bool trapped)
{
    engine_buf text = {0};
    const engine_workload_types_verdict_t *verdict = &engine_rec.verdict;
    const playing *x = NULL;
    if (verdict->tag == ENGINE_WORKLOAD_TYPES_VERDICT_FAILED_BY && verdict->val.failed_by < p->count)
        x = &p->exchanges[verdict->val.failed_by];
    if (trapped) engine_buf_text(&text, "plugin_trap");
    else if (engine_rec.misuse != NULL) engine_buf_text(&text, "plugin_misuse");
    else if (!engine_rec.finished) engine_buf_text(&text, "plugin_stalled");
    else if (verdict->tag == ENGINE_WORKLOAD_TYPES_VERDICT_OK) engine_buf_text(&text, "ok");
    else if (verdict->tag == ENGINE_WORKLOAD_TYPES_VERDICT_CANCELLED) engine_buf_text(&text, "cancelled");
    else if (verdict->tag == ENGINE_WORKLOAD_TYPES_VERDICT_FAILED)
        engine_buf_format(&text, "check: %s", engine_rec.verdict_text);
    else if (x != NULL && x->reason != NULL) engine_buf_text(&text, x->reason);
    else if (x != NULL && x->head_done) engine_buf_format(&text, "http_%d", x->status);
    else engine_buf_text(&text, "plugin_misuse");
    return text.ptr;
}

engine_run *engine_test_run(const engine_script *script)
{
    size_t answers = 0;
    while (script->answers != NULL && script->answers[answers].on != NULL) answers++;
    static player p; /* Kept over a trap's long jump. */
    static bool trapped;
    p = (player){.script = script, .used = calloc(answers + 1, sizeof *p.used)};
    engine_rec = (engine_recording){.run = calloc(1, sizeof *engine_rec.run)};
    trapped = setjmp(engine_rec.trapped) != 0;
    if (!trapped) {
        plugin_string_t refusal;
        if (!configure(script->config, script->shared, &refusal))
            engine_rec_error("the configuration is refused: ", engine_rec_copy(refusal.ptr, refusal.len));
        start(script);
        book(&p);
        while (!engine_rec.finished && engine_rec.misuse == NULL && next(&p)) book(&p);
    }
    engine_run *run = engine_rec.run;
    run->outcome = outcome(&p, trapped);
    run->took = engine_rec.now;
    if (engine_rec.iteration != NULL) exports_engine_workload_workload_iteration_destructor(engine_rec.iteration);
    if (engine_rec.plan != NULL) exports_engine_workload_workload_plan_destructor(engine_rec.plan);
    free(engine_rec.timers);
    free(engine_rec.verdict_text);
    free(p.used);
    free(p.exchanges);
    engine_rec = (engine_recording){0};
    return run;
}

const char *engine_test_configure(const char *config, const char *shared)
{
    static char text[1024];
    plugin_string_t refusal;
    engine_rec = (engine_recording){.run = NULL};
    if (setjmp(engine_rec.trapped) != 0) return "plugin_trap";
    if (configure(config, shared, &refusal)) {
        exports_engine_workload_workload_plan_destructor(engine_rec.plan);
        return NULL;
    }
    snprintf(text, sizeof text, "%.*s", (int)refusal.len, (const char *)refusal.ptr);
    plugin_string_free(&refusal);
    return text;
}
