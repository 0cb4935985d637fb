/* Reads JSON where it lies: a value is a slice of the text it stands in, nothing is allocated, nothing is copied.
 *
 * `engine_json_parse` checks a whole text once. All values taken from it afterwards are right JSON, and live as long as
 * the text does. A value that is not there has a null `ptr`; every function takes one and answers accordingly, so that a
 * path needs no check between its steps:
 *
 *     engine_json total = engine_json_get(engine_json_get(answer, "page"), "total");
 *     uint64_t n;
 *     if (!engine_json_u64(total, &n)) return engine_failed("no total");
 */
#ifndef ENGINE_JSON_H
#define ENGINE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A JSON value as it stands in its text; `ptr` is null where there is none. */
typedef struct engine_json {
    const char *ptr;
    size_t len;
} engine_json;

typedef enum engine_json_type {
    ENGINE_JSON_ABSENT,
    ENGINE_JSON_NULL,
    ENGINE_JSON_BOOL,
    ENGINE_JSON_NUMBER,
    ENGINE_JSON_STRING,
    ENGINE_JSON_ARRAY,
    ENGINE_JSON_OBJECT,
} engine_json_type;

/* Whether these bytes are one JSON value and nothing else (RFC 8259; texts in UTF-8, at most 128 levels deep).
 * `value` is set to it, or to a value that is not there. */
bool engine_json_parse(const void *text, size_t len, engine_json *value);

engine_json_type engine_json_type_of(engine_json value);

/* The value of this key of an object; the first one where the key is there twice. */
engine_json engine_json_get(engine_json object, const char *key);

/* The item at this position of an array, from 0. */
engine_json engine_json_at(engine_json array, size_t index);

/* How many items an array, or entries an object, has; 0 of anything else. */
size_t engine_json_count(engine_json container);

/* Goes through an array or an object:
 *
 *     engine_json_each each = engine_json_in(list);
 *     while (engine_json_next(&each)) use(each.key, each.value);
 *
 * `key` is the key's JSON string in an object, not there in an array. */
typedef struct engine_json_each {
    engine_json key, value;
    const char *at;
} engine_json_each;

engine_json_each engine_json_in(engine_json container);
bool engine_json_next(engine_json_each *each);

/* A whole number from 0 to 2^64 - 1, written without fraction and exponent. */
bool engine_json_u64(engine_json value, uint64_t *n);

/* Any number that is written in fewer than 128 characters. */
bool engine_json_f64(engine_json value, double *n);

bool engine_json_bool(engine_json value, bool *b);

/* Whether the value is a string of exactly this text. */
bool engine_json_is(engine_json value, const char *text);

/* The text of a string, without its quotes and escapes: at most `value.len` bytes are written to `out`, no NUL behind
 * them. The number of bytes; 0 where the value is no string. */
size_t engine_json_unescape(engine_json value, char *out);

/* The text of a string in new memory (`free` it), with a NUL behind it; null where the value is no string or holds
 * U+0000, which such a text cannot. */
char *engine_json_dup(engine_json value);

#endif
