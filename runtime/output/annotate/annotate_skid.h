/*
 * How exact the addresses of a counter's samples are.
 */
#ifndef RUNTIME_OUTPUT_ANNOTATE_ANNOTATE_SKID_H
#define RUNTIME_OUTPUT_ANNOTATE_ANNOTATE_SKID_H

#include <stdint.h>

struct spool_counter;

/* Returns what the address of a sample means, without the counter's name: "the instruction that
 * caused it".  `engine` is the spool's enum spool_engine.  The text is static. */
const char *annotate_skid_text(const struct spool_counter *counter, uint32_t engine);

#endif
