/* Looks at what came of a run, and counts tests. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine_record.h"

extern const engine_plugin engine_the_plugin;

void engine_run_free(engine_run *run)
{
    for (size_t i = 0; i < run->request_count; i++) {
        engine_sent *sent = &run->requests[i];
        for (size_t f = 0; f < 2 * sent->field_count; f++) free(sent->fields[f]);
        free(sent->fields);
        free(sent->line);
        free(sent->name);
        free(sent->authority);
        free(sent->body);
    }
    for (size_t i = 0; i < run->did_count; i++) free(run->did[i].text);
    free(run->requests);
    free(run->did);
    free(run->outcome);
    free(run);
}

const char *engine_test_schema(void)
{
    static char *schema;
    exports_engine_workload_workload_description_t description;
    exports_engine_workload_workload_describe(&description);
    free(schema);
    schema = engine_rec_copy(description.config_schema.ptr, description.config_schema.len);
    plugin_string_free(&description.name);
    plugin_string_free(&description.version);
    plugin_string_free(&description.summary);
    plugin_string_free(&description.config_schema);
    for (size_t i = 0; i < description.metrics.len; i++) {
        plugin_string_free(&description.metrics.ptr[i].name);
        plugin_string_free(&description.metrics.ptr[i].unit);
        plugin_string_free(&description.metrics.ptr[i].summary);
    }
    free(description.metrics.ptr);
    return schema;
}

const char *engine_sent_field(const engine_sent *sent, const char *name)
{
    for (size_t i = 0; i < sent->field_count; i++)
        if (strcasecmp(sent->fields[2 * i], name) == 0) return sent->fields[2 * i + 1];
    return NULL;
}

const engine_did *engine_run_did(const engine_run *run, engine_did_kind kind, size_t position)
{
    for (size_t i = 0; i < run->did_count; i++)
        if (run->did[i].kind == kind && position-- == 0) return &run->did[i];
    return NULL;
}

/* The next thing of this kind about this metric, from a position on that is moved behind it. */
static const engine_did *next_of(const engine_run *run, size_t *at, engine_did_kind kind, const char *metric)
{
    while (*at < run->did_count) {
        const engine_did *did = &run->did[(*at)++];
        if (did->kind == kind && strcmp(engine_the_plugin.metrics[did->metric].name, metric) == 0) return did;
    }
    return NULL;
}

size_t engine_run_marks(const engine_run *run, const char *metric)
{
    size_t at = 0, count = 0;
    while (next_of(run, &at, ENGINE_DID_MARK, metric) != NULL) count++;
    return count;
}

uint64_t engine_run_counted(const engine_run *run, const char *metric)
{
    size_t at = 0;
    uint64_t sum = 0;
    const engine_did *did;
    while ((did = next_of(run, &at, ENGINE_DID_COUNT, metric)) != NULL) sum += did->number;
    return sum;
}

double engine_run_observed(const engine_run *run, const char *metric, size_t position)
{
    size_t at = 0;
    const engine_did *did;
    while ((did = next_of(run, &at, ENGINE_DID_OBSERVE, metric)) != NULL)
        if (position-- == 0) return did->value;
    return -1;
}

size_t engine_run_checked(const engine_run *run, const char *metric, bool passed)
{
    size_t at = 0, count = 0;
    const engine_did *did;
    while ((did = next_of(run, &at, ENGINE_DID_CHECK, metric)) != NULL) count += did->number == (uint64_t)passed;
    return count;
}

/* ---- Tests -------------------------------------------------------------------------------------------------------------- */

static unsigned passed, failed;
static bool holds_so_far;

void engine_test_one(const char *name, void (*test)(void))
{
    holds_so_far = true;
    test();
    printf("%-8s %s\n", holds_so_far ? "ok" : "FAILED", name);
    if (holds_so_far) passed++;
    else failed++;
}

void engine_test_expect(bool holds, const char *condition, const char *file, int line)
{
    if (holds) return;
    holds_so_far = false;
    printf("%s:%d: not so: %s\n", file, line, condition);
    /* A test that goes on may end by a signal, which would take what is not printed yet. */
    fflush(stdout);
}

void engine_test_expect_text(const char *got, const char *expected, const char *file, int line)
{
    if (got == expected || (got != NULL && expected != NULL && strcmp(got, expected) == 0)) return;
    holds_so_far = false;
    printf("%s:%d: got      %s\n%*s expected %s\n", file, line, got == NULL ? "(null)" : got,
           (int)strlen(file) + 3, "", expected == NULL ? "(null)" : expected);
}

int engine_test_end(void)
{
    printf("\n%u passed, %u failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
