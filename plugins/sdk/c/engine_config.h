/* The configuration as the plugin declares it; the SDK's own. */
#ifndef ENGINE_CONFIG_H
#define ENGINE_CONFIG_H

#include "engine_plugin.h"

/* The JSON Schema (draft 07) of the declared options. */
void engine_config_schema(const engine_plugin *plugin, engine_buf *schema);

/* Fills the plan from a configuration, whose text must outlive it. Null, or the refusal's text. */
const char *engine_config_read(const engine_plugin *plugin, engine_bytes config, void *plan);

/* Frees the texts in a plan. */
void engine_config_free(const engine_plugin *plugin, void *plan);

#endif
