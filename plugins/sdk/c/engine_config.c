#include "engine_config.h"

#include <stdlib.h>
#include <string.h>

/* What stands in the schema, and in a refusal, for each kind. */
static const struct {
    const char *schema, *expected;
} KINDS[] = {
    [ENGINE_OPTION_TEXT] = {"\"type\":\"string\"", "a text"},
    [ENGINE_OPTION_U64] = {"\"type\":\"integer\"", "a whole number"},
    [ENGINE_OPTION_F64] = {"\"type\":\"number\"", "a number"},
    [ENGINE_OPTION_BOOL] = {"\"type\":\"boolean\"", "true or false"},
    [ENGINE_OPTION_JSON] = {NULL, "a value"},
};

static const engine_option *first(const engine_plugin *plugin)
{
    static const engine_option none = {0};
    return plugin->options == NULL ? &none : plugin->options;
}

const char *engine_refuse(const char *format, ...)
{
    static engine_buf text;
    engine_buf_clear(&text);
    va_list args;
    va_start(args, format);
    engine_buf_vformat(&text, format, args);
    va_end(args);
    return text.ptr;
}

void engine_config_schema(const engine_plugin *plugin, engine_buf *schema)
{
    engine_buf_text(schema, "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"type\":\"object\","
                            "\"additionalProperties\":false,\"properties\":{");
    for (const engine_option *o = first(plugin); o->name != NULL; o++) {
        if (o != plugin->options) engine_buf_text(schema, ",");
        engine_buf_json(schema, o->name);
        engine_buf_text(schema, ":{\"description\":");
        engine_buf_json(schema, o->summary == NULL ? "" : o->summary);
        if (KINDS[o->kind].schema != NULL) engine_buf_format(schema, ",%s", KINDS[o->kind].schema);
        if (o->kind == ENGINE_OPTION_U64) engine_buf_format(schema, ",\"minimum\":%llu", (unsigned long long)o->min);
        if (o->max > 0) engine_buf_format(schema, ",\"maximum\":%llu", (unsigned long long)o->max);
        if (o->fallback != NULL) engine_buf_format(schema, ",\"default\":%s", o->fallback);
        if (o->schema != NULL) engine_buf_format(schema, ",%s", o->schema);
        engine_buf_text(schema, "}");
    }
    engine_buf_text(schema, "},\"required\":[");
    const char *comma = "";
    for (const engine_option *o = first(plugin); o->name != NULL; o++) {
        if (!o->required) continue;
        engine_buf_text(schema, comma);
        engine_buf_json(schema, o->name);
        comma = ",";
    }
    engine_buf_text(schema, "]}");
}

/* Puts a value where its option says; whether it is of the option's kind. */
static bool put(const engine_option *o, engine_json value, void *plan)
{
    char *member = (char *)plan + o->offset;
    switch (o->kind) {
    case ENGINE_OPTION_TEXT: {
        char *text = engine_json_dup(value);
        free(*(char **)member);
        *(char **)member = text;
        return text != NULL;
    }
    case ENGINE_OPTION_U64: {
        uint64_t n;
        if (!engine_json_u64(value, &n) || n < o->min || (o->max > 0 && n > o->max)) return false;
        *(uint64_t *)member = n;
        return true;
    }
    case ENGINE_OPTION_F64: return engine_json_f64(value, (double *)member);
    case ENGINE_OPTION_BOOL: return engine_json_bool(value, (bool *)member);
    case ENGINE_OPTION_JSON: *(engine_json *)member = value; return true;
    }
    return false;
}

static const char *wrong(const engine_option *o)
{
    if (o->max > 0)
        return engine_refuse("config.%s: expected %s, %llu to %llu", o->name, KINDS[o->kind].expected,
                             (unsigned long long)o->min, (unsigned long long)o->max);
    if (o->min > 0)
        return engine_refuse("config.%s: expected %s, at least %llu", o->name, KINDS[o->kind].expected,
                             (unsigned long long)o->min);
    return engine_refuse("config.%s: expected %s", o->name, KINDS[o->kind].expected);
}

/* Names the key that is none, and those there are. */
static const char *unknown(const engine_plugin *plugin, engine_json key)
{
    engine_buf known = {0};
    for (const engine_option *o = first(plugin); o->name != NULL; o++)
        engine_buf_format(&known, "%s`%s`", o == plugin->options ? "" : ", ", o->name);
    char *name = engine_json_dup(key);
    const char *shown = name == NULL ? "?" : name;
    const char *text = known.len == 0
                           ? engine_refuse("config.%s: unknown field, there are no fields", shown)
                           : engine_refuse("config.%s: unknown field, expected one of %s", shown, known.ptr);
    free(name);
    engine_buf_free(&known);
    return text;
}

static const engine_option *named(const engine_plugin *plugin, engine_json key)
{
    for (const engine_option *o = first(plugin); o->name != NULL; o++)
        if (engine_json_is(key, o->name)) return o;
    return NULL;
}

const char *engine_config_read(const engine_plugin *plugin, engine_bytes config, void *plan)
{
    engine_json object;
    if (!engine_json_parse(config.ptr, config.len, &object) || engine_json_type_of(object) != ENGINE_JSON_OBJECT)
        return engine_refuse("config: expected a JSON object");
    engine_json_each each = engine_json_in(object);
    while (engine_json_next(&each))
        if (named(plugin, each.key) == NULL) return unknown(plugin, each.key);
    for (const engine_option *o = first(plugin); o->name != NULL; o++) {
        engine_json value = engine_json_get(object, o->name);
        engine_json_type type = engine_json_type_of(value);
        /* A null says the same as leaving out what may be left out. */
        bool absent = type == ENGINE_JSON_ABSENT || (type == ENGINE_JSON_NULL && !o->required);
        if (absent && o->required) return engine_refuse("config: missing field `%s`", o->name);
        if (absent && o->fallback == NULL) continue;
        if (absent && !engine_json_parse(o->fallback, strlen(o->fallback), &value)) engine_panic("a fallback is no JSON");
        if (!put(o, value, plan)) return wrong(o);
    }
    return NULL;
}

void engine_config_free(const engine_plugin *plugin, void *plan)
{
    for (const engine_option *o = first(plugin); o->name != NULL; o++)
        if (o->kind == ENGINE_OPTION_TEXT) free(*(char **)((char *)plan + o->offset));
}
