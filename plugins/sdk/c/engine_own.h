/* What the SDK's files need of one another. */
#ifndef ENGINE_OWN_H
#define ENGINE_OWN_H

#include "engine_plugin.h"
#include "plugin.h"

/* Memory of `engine_alloc`. */
struct engine_block {
    struct engine_block *next;
    size_t size;
    _Alignas(16) char bytes[];
};

/* Zeros, or a panic. */
void *engine_own_alloc(size_t size);

/* Frees bytes that came from the engine. */
void engine_own_free(engine_bytes *bytes);

/* Runs the plugin's function until it awaits again, or has ended. */
void engine_own_advance(engine_ctx *ctx);

/* A panic where this was never sent or opened, or was dropped since. */
void engine_own_must_be_asked(const engine_exchange *exchange);

/* Nothing more comes for this exchange. */
void engine_own_end(engine_exchange *exchange);

/* Frees what an exchange holds. */
void engine_own_release(engine_exchange *exchange);

/* Frees items and what they hold. */
void engine_own_free_items(struct engine_owned *items);

/* Whether these are the same name of a field, in any capitalisation. */
bool engine_own_same_name(const char *a, size_t len, const char *b);

/* A timer has fired; whether it is one that runs. */
bool engine_own_fire(engine_ctx *ctx, uint32_t id);

#endif
