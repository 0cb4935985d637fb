/* What a plugin tells the engine: figures, log lines, what setup shares, errors of its own. */
#include <string.h>

#include "engine_own.h"

static plugin_string_t lend(const char *text)
{
    return (plugin_string_t){(uint8_t *)text, strlen(text)};
}

static void mark(uint32_t metric, uint8_t since, uint32_t exchange, uint32_t weight)
{
    engine_workload_types_since_t from = {.tag = since};
    from.val.asked = exchange;
    engine_workload_actions_mark(metric, &from, weight);
}

void engine_mark(uint32_t metric)
{
    mark(metric, ENGINE_WORKLOAD_TYPES_SINCE_DUE, 0, 1);
}

void engine_mark_since(uint32_t metric, const engine_exchange *asked)
{
    engine_own_must_be_asked(asked);
    mark(metric, ENGINE_WORKLOAD_TYPES_SINCE_ASKED, asked->id, 1);
}

void engine_lap(uint32_t metric, uint32_t weight)
{
    mark(metric, ENGINE_WORKLOAD_TYPES_SINCE_PREVIOUS, 0, weight);
}

void engine_count(uint32_t metric, uint64_t n)
{
    engine_workload_actions_count(metric, n);
}

void engine_observe(uint32_t metric, double value)
{
    engine_workload_actions_observe(metric, value);
}

void engine_check(uint32_t metric, bool passed)
{
    engine_workload_actions_check(metric, passed);
}

void engine_log(engine_level level, const char *text)
{
    plugin_string_t line = lend(text);
    engine_workload_actions_log((engine_workload_types_level_t)level, &line);
}

void engine_share(const char *json)
{
    plugin_string_t object = lend(json);
    engine_workload_actions_share(&object);
}

/* ---- A failure in the peer's words ----------------------------------------------------------------------------------- */

/* The longest quoted text and the longest word in it, in bytes. */
enum { QUOTE_LIMIT = 100, WORD_LIMIT = 24 };

static bool blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool varies(const char *word, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((word[i] >= '0' && word[i] <= '9') || word[i] == '@') return true;
    return len > WORD_LIMIT;
}

engine_verdict engine_failed_quoting(engine_ctx *ctx, const char *what, engine_bytes text)
{
    char quote[QUOTE_LIMIT + 1];
    size_t len = 0;
    bool only_hash = true, after_hash = false;
    const char *at = text.ptr, *end = text.ptr + text.len;
    for (;;) {
        while (at < end && blank(*at)) at++;
        const char *word = at;
        while (at < end && !blank(*at)) at++;
        size_t word_len = (size_t)(at - word);
        if (word_len == 0) break;
        bool hash = varies(word, word_len);
        if (hash && after_hash) continue;
        if (hash) word = "#", word_len = 1;
        if (len + word_len >= QUOTE_LIMIT) break;
        if (len > 0) quote[len++] = ' ';
        memcpy(quote + len, word, word_len);
        len += word_len;
        only_hash = only_hash && hash;
        after_hash = hash;
    }
    if (only_hash) return engine_failed(what);
    return engine_failed(engine_format(ctx, "%s: %.*s", what, (int)len, quote));
}

/* ---- Errors of the author's own -------------------------------------------------------------------------------------- */

#ifndef __wasm__
/* Natively, the test's recorder ends the call as the engine does. */
_Noreturn void engine_test_trap(void);
#endif

/* Appends as far as there is room, without allocating: memory may be what is lacking. */
static void append(char *line, size_t room, const char *text)
{
    size_t len = strlen(line);
    while (*text != 0 && len + 1 < room) line[len++] = *text++;
    line[len] = 0;
}

_Noreturn void engine_panic_at(const char *file, int line, const char *function, const char *text)
{
    char message[1024] = "", digits[12], *digit = digits + sizeof digits - 1;
    const char *slash = strrchr(file, '/');
    *digit = 0;
    for (unsigned n = (unsigned)line; digit == digits + sizeof digits - 1 || n > 0; n /= 10)
        *--digit = (char)('0' + n % 10);
    const char *parts[] = {slash == NULL ? file : slash + 1, ":", digit, ": ", function, ": ", text};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) append(message, sizeof message, parts[i]);
    engine_log(ENGINE_ERROR, message);
#ifdef __wasm__
    __builtin_trap();
#else
    engine_test_trap();
#endif
}
