/*
 * The names of interpreted functions, from the spool.
 */
#ifndef PRELOAD_PROCESS_FALLBACK_CODE_H
#define PRELOAD_PROCESS_FALLBACK_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct spool_alloc;
struct text;

/* True if an address in a stack stands for something that an interpreter runs.  Context: any. */
bool fallback_code_is(uint64_t pc);

/* Append the name of such a frame (runtime/spool/format_code.h): of a function with its classes if
 * the spool has them; a name that the spool does not have is `[unknown]`.  Context: thread,
 * sampling stopped. */
void fallback_code_add(struct text *line, const struct spool_alloc *spool, uint64_t pc);

#endif
