#ifndef TEXTS_H
#define TEXTS_H

#include "engine_plugin.h"

/* Adds a question, one of 4096, of plain ASCII without quotes. */
void add_question(engine_buf *buf, engine_rng *rng);

#endif
