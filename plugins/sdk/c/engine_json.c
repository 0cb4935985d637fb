/* A checked text is walked again for each look-up: answers are short, and most are asked for one or two keys. */
#include "engine_json.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 128 };

static const engine_json ABSENT = {NULL, 0};

/* ---- The check ------------------------------------------------------------------------------------------------- */

typedef struct reader {
    const unsigned char *at, *end;
} reader;

static void blanks(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) r->at++;
}

static bool take(reader *r, char c)
{
    if (r->at == r->end || *r->at != (unsigned char)c) return false;
    r->at++;
    return true;
}

static bool word(reader *r, const char *text)
{
    while (*text)
        if (!take(r, *text++)) return false;
    return true;
}

static bool digits(reader *r)
{
    const unsigned char *from = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') r->at++;
    return r->at > from;
}

static bool number(reader *r)
{
    take(r, '-');
    if (!take(r, '0') && !digits(r)) return false;
    if (take(r, '.') && !digits(r)) return false;
    if (take(r, 'e') || take(r, 'E')) {
        if (!take(r, '+')) take(r, '-');
        return digits(r);
    }
    return true;
}

static int hex_digit(unsigned char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Four hexadecimal digits; -1 where they are not. */
static int32_t hex4(reader *r)
{
    int32_t n = 0;
    for (int i = 0; i < 4; i++) {
        int digit = r->at < r->end ? hex_digit(*r->at++) : -1;
        if (digit < 0) return -1;
        n = n << 4 | digit;
    }
    return n;
}

/* One character in UTF-8 of more than one byte. */
static bool multibyte(reader *r)
{
    unsigned char first = *r->at++;
    int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first < 0xc2 || first > 0xf4 || r->end - r->at < more) return false;
    unsigned char second = *r->at;
    /* Neither longer than need be, nor a surrogate, nor beyond U+10FFFF. */
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
        (first == 0xf4 && second > 0x8f))
        return false;
    while (more-- > 0)
        if ((*r->at++ & 0xc0) != 0x80) return false;
    return true;
}

static bool escape(reader *r)
{
    if (r->at == r->end) return false;
    unsigned char c = *r->at++;
    if (c != 'u') return strchr("\"\\/bfnrt", c) != NULL && c != 0;
    int32_t n = hex4(r);
    if (n >= 0xd800 && n <= 0xdbff) {
        if (!take(r, '\\') || !take(r, 'u')) return false;
        n = hex4(r);
        return n >= 0xdc00 && n <= 0xdfff;
    }
    return n >= 0 && !(n >= 0xdc00 && n <= 0xdfff);
}

static bool string(reader *r)
{
    if (!take(r, '"')) return false;
    while (r->at < r->end) {
        unsigned char c = *r->at;
        if (c >= 0x80) {
            if (!multibyte(r)) return false;
            continue;
        }
        r->at++;
        if (c == '"') return true;
        if (c < 0x20 || (c == '\\' && !escape(r))) return false;
    }
    return false;
}

static bool any(reader *r, int depth);

static bool container(reader *r, int depth, bool keyed, char close)
{
    r->at++;
    blanks(r);
    if (take(r, close)) return true;
    do {
        blanks(r);
        if (keyed) {
            if (!string(r)) return false;
            blanks(r);
            if (!take(r, ':')) return false;
        }
        if (!any(r, depth + 1)) return false;
    } while (take(r, ','));
    return take(r, close);
}

/* A value and the blanks around it. */
static bool any(reader *r, int depth)
{
    blanks(r);
    if (r->at == r->end || depth > DEPTH) return false;
    bool right;
    switch (*r->at) {
    case '{': right = container(r, depth, true, '}'); break;
    case '[': right = container(r, depth, false, ']'); break;
    case '"': right = string(r); break;
    case 't': right = word(r, "true"); break;
    case 'f': right = word(r, "false"); break;
    case 'n': right = word(r, "null"); break;
    default: right = number(r);
    }
    blanks(r);
    return right;
}

bool engine_json_parse(const void *text, size_t len, engine_json *value)
{
    reader r = {text, (const unsigned char *)text + len};
    *value = ABSENT;
    if (len == 0) return false;
    blanks(&r);
    const char *from = (const char *)r.at;
    if (!any(&r, 0) || r.at != r.end) return false;
    const char *to = (const char *)r.end;
    while (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '\n' || to[-1] == '\r') to--;
    *value = (engine_json){from, (size_t)(to - from)};
    return true;
}

/* ---- Looking up, in text that is known to be right ------------------------------------------------------------- */

engine_json_type engine_json_type_of(engine_json value)
{
    if (value.ptr == NULL) return ENGINE_JSON_ABSENT;
    switch (*value.ptr) {
    case '{': return ENGINE_JSON_OBJECT;
    case '[': return ENGINE_JSON_ARRAY;
    case '"': return ENGINE_JSON_STRING;
    case 't':
    case 'f': return ENGINE_JSON_BOOL;
    case 'n': return ENGINE_JSON_NULL;
    default: return ENGINE_JSON_NUMBER;
    }
}

static const char *past_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') at++;
    return at;
}

static const char *past_string(const char *at)
{
    for (at++; *at != '"'; at++)
        if (*at == '\\') at++;
    return at + 1;
}

/* The end of the value that begins here, which is followed by more of its container. */
static const char *past_value(const char *at)
{
    int depth = 0;
    do {
        switch (*at) {
        case '"': at = past_string(at); continue;
        case '{':
        case '[': depth++; break;
        case '}':
        case ']': depth--; break;
        default:
            if (depth > 0) break;
            while (*at != ',' && *at != '}' && *at != ']' && *at != ' ' && *at != '\t' && *at != '\n' && *at != '\r') at++;
            return at;
        }
        at++;
    } while (depth > 0);
    return at;
}

engine_json_each engine_json_in(engine_json value)
{
    engine_json_type type = engine_json_type_of(value);
    bool holds = type == ENGINE_JSON_OBJECT || type == ENGINE_JSON_ARRAY;
    return (engine_json_each){ABSENT, ABSENT, holds ? value.ptr : NULL};
}

bool engine_json_next(engine_json_each *each)
{
    if (each->at == NULL) return false;
    /* At the opening bracket, or behind a value. */
    const char *at = past_blanks(each->value.ptr == NULL ? each->at + 1 : each->at);
    if (*at == '}' || *at == ']') {
        each->at = NULL;
        return false;
    }
    if (*at == ',') at = past_blanks(at + 1);
    bool keyed = each->key.ptr != NULL || (each->value.ptr == NULL && *each->at == '{');
    if (keyed) {
        const char *end = past_string(at);
        each->key = (engine_json){at, (size_t)(end - at)};
        at = past_blanks(past_blanks(end) + 1);
    }
    each->at = past_value(at);
    each->value = (engine_json){at, (size_t)(each->at - at)};
    return true;
}

engine_json engine_json_get(engine_json object, const char *key)
{
    if (engine_json_type_of(object) != ENGINE_JSON_OBJECT) return ABSENT;
    engine_json_each each = engine_json_in(object);
    while (engine_json_next(&each))
        if (engine_json_is(each.key, key)) return each.value;
    return ABSENT;
}

engine_json engine_json_at(engine_json array, size_t index)
{
    if (engine_json_type_of(array) != ENGINE_JSON_ARRAY) return ABSENT;
    engine_json_each each = engine_json_in(array);
    while (engine_json_next(&each))
        if (index-- == 0) return each.value;
    return ABSENT;
}

size_t engine_json_count(engine_json container)
{
    size_t count = 0;
    engine_json_each each = engine_json_in(container);
    while (engine_json_next(&each)) count++;
    return count;
}

/* ---- What values say ------------------------------------------------------------------------------------------- */

bool engine_json_u64(engine_json value, uint64_t *n)
{
    if (engine_json_type_of(value) != ENGINE_JSON_NUMBER) return false;
    uint64_t sum = 0;
    for (size_t i = 0; i < value.len; i++) {
        if (value.ptr[i] < '0' || value.ptr[i] > '9') return false;
        unsigned digit = (unsigned)(value.ptr[i] - '0');
        if (sum > (UINT64_MAX - digit) / 10) return false;
        sum = sum * 10 + digit;
    }
    *n = sum;
    return true;
}

bool engine_json_f64(engine_json value, double *n)
{
    if (engine_json_type_of(value) != ENGINE_JSON_NUMBER) return false;
    /* The end of the slice is no end for strtod. */
    char text[128];
    if (value.len >= sizeof text) return false;
    memcpy(text, value.ptr, value.len);
    text[value.len] = 0;
    *n = strtod(text, NULL);
    return true;
}

bool engine_json_bool(engine_json value, bool *b)
{
    if (engine_json_type_of(value) != ENGINE_JSON_BOOL) return false;
    *b = *value.ptr == 't';
    return true;
}

/* One character as UTF-8. */
static size_t encode(uint32_t c, char *out)
{
    if (c < 0x80) return out[0] = (char)c, 1;
    if (c < 0x800) return out[0] = (char)(0xc0 | c >> 6), out[1] = (char)(0x80 | (c & 0x3f)), 2;
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12), out[1] = (char)(0x80 | (c >> 6 & 0x3f)), out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18), out[1] = (char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (char)(0x80 | (c >> 6 & 0x3f)), out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

/* The character behind the backslash at `at`; how many bytes of the text it took. */
static size_t unescape_one(const char *at, uint32_t *c)
{
    static const char FROM[] = "bfnrt", TO[] = "\b\f\n\r\t";
    if (at[1] != 'u') {
        const char *found = strchr(FROM, at[1]);
        *c = (unsigned char)(found ? TO[found - FROM] : at[1]);
        return 2;
    }
    reader r = {(const unsigned char *)at + 2, (const unsigned char *)at + 6};
    *c = (uint32_t)hex4(&r);
    if (*c < 0xd800 || *c > 0xdbff) return 6;
    r = (reader){(const unsigned char *)at + 8, (const unsigned char *)at + 12};
    *c = 0x10000 + ((*c - 0xd800) << 10) + ((uint32_t)hex4(&r) - 0xdc00);
    return 12;
}

size_t engine_json_unescape(engine_json value, char *out)
{
    if (engine_json_type_of(value) != ENGINE_JSON_STRING) return 0;
    const char *at = value.ptr + 1, *end = value.ptr + value.len - 1;
    char *to = out;
    while (at < end) {
        if (*at != '\\') {
            *to++ = *at++;
            continue;
        }
        uint32_t c;
        at += unescape_one(at, &c);
        to += encode(c, to);
    }
    return (size_t)(to - out);
}

bool engine_json_is(engine_json value, const char *text)
{
    if (engine_json_type_of(value) != ENGINE_JSON_STRING) return false;
    const char *at = value.ptr + 1, *end = value.ptr + value.len - 1;
    while (at < end) {
        char one[4];
        size_t len = 1;
        if (*at == '\\') {
            uint32_t c;
            at += unescape_one(at, &c);
            len = encode(c, one);
        } else {
            one[0] = *at++;
        }
        for (size_t i = 0; i < len; i++)
            if (*text == 0 || *text++ != one[i]) return false;
    }
    return *text == 0;
}

char *engine_json_dup(engine_json value)
{
    if (engine_json_type_of(value) != ENGINE_JSON_STRING) return NULL;
    char *text = malloc(value.len);
    if (text == NULL) return NULL;
    size_t len = engine_json_unescape(value, text);
    if (memchr(text, 0, len) != NULL) {
        free(text);
        return NULL;
    }
    text[len] = 0;
    return text;
}
