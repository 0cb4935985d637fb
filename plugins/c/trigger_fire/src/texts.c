/* Questions of one small world: the words, and their choice by the seed, are those of the other plugins. */
#include "texts.h"

static const char *const SUBJECTS[16] = {
    "the invoice", "a refund", "the delivery note", "a travel expense", "the rental contract", "a warranty claim",
    "the annual budget", "a new supplier", "the support ticket", "a security incident", "the payroll run",
    "a change request", "the insurance policy", "a customer complaint", "the audit report", "a purchase order",
};

static const char *const EVENTS[16] = {
    "is approved", "is sent back", "needs a second signature", "is paid twice", "arrives without a number",
    "is cancelled", "is moved to another department", "exceeds its limit", "is archived", "lacks an attachment",
    "is corrected by hand", "waits for a decision", "is translated", "is escalated", "is opened again",
    "reaches the wrong person",
};

static const char *const OCCASIONS[16] = {
    "before the end of the month", "after the deadline", "during the summer holidays",
    "while the auditors are in the house", "without the knowledge of the owner", "on the first working day",
    "in a branch office abroad", "under the new guidelines", "because of a typing error",
    "on behalf of the management", "in the course of a merger", "at the request of the customer",
    "with a partial delivery", "through the old system", "in a foreign currency", "for the second time this year",
};

void add_question(engine_buf *buf, engine_rng *rng)
{
    /* One of each, by the upper four bits of the first three bytes of a draw. */
    uint64_t draw = engine_random(rng);
    engine_buf_format(buf, "What has to be done when %s %s %s?", SUBJECTS[draw >> 60], EVENTS[draw >> 52 & 15],
                      OCCASIONS[draw >> 44 & 15]);
}
