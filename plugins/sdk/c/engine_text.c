#include "engine_text.h"

#include <stdlib.h>
#include <string.h>

#include "engine_plugin.h"

bool engine_same(engine_bytes bytes, engine_bytes others)
{
    return bytes.len == others.len && (bytes.len == 0 || memcmp(bytes.ptr, others.ptr, bytes.len) == 0);
}

bool engine_is(engine_bytes bytes, const char *text)
{
    return bytes.ptr != NULL && engine_same(bytes, engine_text(text));
}

engine_bytes engine_text(const char *text)
{
    return (engine_bytes){text, text == NULL ? 0 : strlen(text)};
}

/* Room for so many more bytes and a NUL. */
static char *room(engine_buf *buf, size_t more)
{
    if (buf->room - buf->len <= more || buf->ptr == NULL) {
        size_t needed = buf->len + more + 1;
        buf->room = needed > 2 * buf->room ? needed : 2 * buf->room;
        if (buf->room < 64) buf->room = 64;
        buf->ptr = realloc(buf->ptr, buf->room);
        if (buf->ptr == NULL) engine_panic("out of memory");
    }
    return buf->ptr + buf->len;
}

void engine_buf_bytes(engine_buf *buf, const void *bytes, size_t len)
{
    char *to = room(buf, len);
    if (len > 0) memcpy(to, bytes, len);
    to[len] = 0;
    buf->len += len;
}

void engine_buf_text(engine_buf *buf, const char *text)
{
    engine_buf_bytes(buf, text, strlen(text));
}

/* How long a text is, looking no further than so many bytes. */
static size_t text_len(const char *text, size_t most)
{
    const char *end = memchr(text, 0, most);
    return end == NULL ? most : (size_t)(end - text);
}

/* A number in digits of this base, at least so many characters wide. */
static void put_number(engine_buf *buf, uint64_t n, bool negative, unsigned base, bool upper, int width, char pad)
{
    char digits[20];
    int count = 0;
    const char *names = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    do digits[count++] = names[n % base];
    while ((n /= base) > 0);
    int fill = width - count - negative;
    if (negative && pad == '0') engine_buf_bytes(buf, "-", 1);
    for (; fill > 0; fill--) engine_buf_bytes(buf, &pad, 1);
    if (negative && pad != '0') engine_buf_bytes(buf, "-", 1);
    while (count > 0) engine_buf_bytes(buf, &digits[--count], 1);
}

void engine_buf_vformat(engine_buf *buf, const char *format, va_list args)
{
    for (;;) {
        const char *percent = strchr(format, '%');
        if (percent == NULL) break;
        engine_buf_bytes(buf, format, (size_t)(percent - format));
        format = percent + 1;
        char pad = *format == '0' ? '0' : ' ';
        int width = 0, precision = -1, longs = 0;
        bool size = false;
        while (*format >= '0' && *format <= '9') width = width * 10 + (*format++ - '0');
        if (format[0] == '.' && format[1] == '*') precision = va_arg(args, int), format += 2;
        for (; *format == 'l'; format++) longs++;
        if (*format == 'z') size = true, format++;
        uint64_t n;
        int64_t i;
        switch (*format++) {
        case '%': engine_buf_bytes(buf, "%", 1); break;
        case 'c': engine_buf_bytes(buf, &(char){(char)va_arg(args, int)}, 1); break;
        case 's': {
            const char *text = va_arg(args, const char *);
            size_t len = precision < 0 ? strlen(text) : text_len(text, (size_t)precision);
            for (size_t fill = len; fill < (size_t)width; fill++) engine_buf_bytes(buf, " ", 1);
            engine_buf_bytes(buf, text, len);
            break;
        }
        case 'd':
        case 'i':
            i = longs > 1 ? va_arg(args, long long) : longs == 1 ? va_arg(args, long) : va_arg(args, int);
            put_number(buf, i < 0 ? -(uint64_t)i : (uint64_t)i, i < 0, 10, false, width, pad);
            break;
        case 'u':
        case 'x':
        case 'X':
            n = size        ? va_arg(args, size_t)
                : longs > 1 ? va_arg(args, unsigned long long)
                : longs == 1 ? va_arg(args, unsigned long)
                             : va_arg(args, unsigned);
            put_number(buf, n, false, format[-1] == 'u' ? 10 : 16, format[-1] == 'X', width, pad);
            break;
        default: engine_panic("a conversion that engine_buf_format does not know");
        }
    }
    engine_buf_text(buf, format);
}

void engine_buf_format(engine_buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    engine_buf_vformat(buf, format, args);
    va_end(args);
}

void engine_buf_json(engine_buf *buf, const char *text)
{
    engine_buf_bytes(buf, "\"", 1);
    for (; *text != 0; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') engine_buf_bytes(buf, (char[]){'\\', (char)c}, 2);
        else if (c == '\n') engine_buf_bytes(buf, "\\n", 2);
        else if (c == '\r') engine_buf_bytes(buf, "\\r", 2);
        else if (c == '\t') engine_buf_bytes(buf, "\\t", 2);
        else if (c < 0x20) engine_buf_format(buf, "\\u%04x", c);
        else engine_buf_bytes(buf, text, 1);
    }
    engine_buf_bytes(buf, "\"", 1);
}

void engine_buf_value(engine_buf *buf, engine_json value)
{
    if (value.ptr == NULL) engine_buf_text(buf, "null");
    else engine_buf_bytes(buf, value.ptr, value.len);
}

void engine_buf_percent(engine_buf *buf, const char *text)
{
    for (; *text != 0; text++) {
        unsigned char c = (unsigned char)*text;
        bool alone = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '.' ||
                     c == '_' || c == '~';
        if (alone) engine_buf_bytes(buf, text, 1);
        else engine_buf_format(buf, "%%%02X", c);
    }
}

void engine_buf_hex(engine_buf *buf, const void *bytes, size_t len)
{
    static const char DIGITS[] = "0123456789abcdef";
    char *to = room(buf, 2 * len);
    for (size_t i = 0; i < len; i++) {
        unsigned char byte = ((const unsigned char *)bytes)[i];
        *to++ = DIGITS[byte >> 4];
        *to++ = DIGITS[byte & 15];
    }
    *to = 0;
    buf->len += 2 * len;
}

engine_bytes engine_buf_get(const engine_buf *buf)
{
    return (engine_bytes){buf->ptr, buf->len};
}

void engine_buf_clear(engine_buf *buf)
{
    buf->len = 0;
    if (buf->ptr != NULL) buf->ptr[0] = 0;
}

void engine_buf_free(engine_buf *buf)
{
    free(buf->ptr);
    *buf = (engine_buf){0};
}
