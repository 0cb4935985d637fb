/* Between the recorder and the player of the testing kit. */
#ifndef ENGINE_RECORD_H
#define ENGINE_RECORD_H

#include <setjmp.h>

#include "../plugin.h"
#include "engine_test.h"

/* What one run has recorded so far. One at a time. */
typedef struct engine_recording {
    engine_run *run;
    uint64_t now;
    const char *misuse; /* What was called where it is not allowed. */
    bool configuring, setting_up;
    bool finished;
    engine_workload_types_verdict_t verdict;
    char *verdict_text;
    struct { bool running; uint64_t due; } *timers;
    size_t timer_count;
    uint32_t blobs;
    exports_engine_workload_workload_plan_t *plan;
    exports_engine_workload_workload_iteration_t *iteration;
    jmp_buf trapped;
} engine_recording;

extern engine_recording engine_rec;

/* A copy that `free` frees, with a NUL behind it. */
char *engine_rec_copy(const void *bytes, size_t len);

/* An error of the test itself: shows it and ends the program. */
_Noreturn void engine_rec_error(const char *text, const char *what);

#endif
