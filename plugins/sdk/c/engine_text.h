/* Texts without stdio: `snprintf` of some C libraries asks for files, which a plugin does not have. */
#ifndef ENGINE_TEXT_H
#define ENGINE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine_json.h"

/* Text or bytes that lie somewhere else, without a NUL behind them; `ptr` is null where there are none. */
typedef struct engine_bytes {
    const char *ptr;
    size_t len;
} engine_bytes;

/* Whether these bytes are exactly this text. */
bool engine_is(engine_bytes bytes, const char *text);

/* Whether these bytes are exactly those. */
bool engine_same(engine_bytes bytes, engine_bytes others);

/* A text as bytes; of a null text none. */
engine_bytes engine_text(const char *text);

/* A text that grows. Begin with `engine_buf buf = {0}`, end with `engine_buf_free`. There is always a NUL behind it. */
typedef struct engine_buf {
    char *ptr;
    size_t len, room;
} engine_buf;

void engine_buf_bytes(engine_buf *buf, const void *bytes, size_t len);
void engine_buf_text(engine_buf *buf, const char *text);

/* As `printf` writes it. Known are %s %.*s %c %d %i %u %x %X %zu %%, with `l`, `ll` and `z`, and a width with or
 * without leading zeros; `engine_panic` for anything else. */
void engine_buf_format(engine_buf *buf, const char *format, ...) __attribute__((__format__(__printf__, 2, 3)));
void engine_buf_vformat(engine_buf *buf, const char *format, va_list args)
    __attribute__((__format__(__printf__, 2, 0)));

/* This text as a JSON string with its quotes. */
void engine_buf_json(engine_buf *buf, const char *text);

/* A value as it stands in its text; `null` where it is not there. */
void engine_buf_value(engine_buf *buf, engine_json value);

/* A text as one segment of a path, a value of a query or of a form: every byte encoded but letters, digits and `-._~`. */
void engine_buf_percent(engine_buf *buf, const char *text);

/* Bytes in lower-case hexadecimal. */
void engine_buf_hex(engine_buf *buf, const void *bytes, size_t len);

/* What is in it; lives until the next change. */
engine_bytes engine_buf_get(const engine_buf *buf);

/* Makes it empty and keeps the room. */
void engine_buf_clear(engine_buf *buf);
void engine_buf_free(engine_buf *buf);

#endif
