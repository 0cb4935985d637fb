/* The flows under test: one plugin, whose configuration says which. */
#ifndef FLOWS_H
#define FLOWS_H

#include "../testing/engine_test.h"

/* Runs a flow against these answers. */
engine_run *play(const char *flow, const engine_answer *answers);

#endif
