/*
 * The names of interpreted functions, from our own spool.
 */
#ifndef PRELOAD_PROCESS_FALLBACK_CODE_H
#define PRELOAD_PROCESS_FALLBACK_CODE_H

#include <stdint.h>

struct text;

/* Append the name of the function of a frame (runtime/spool/format_code.h), with its classes if the
 * spool has them; a name that the spool does not have is `[unknown]`.  Context: thread, sampling
 * stopped. */
void fallback_code_add(struct text *line, uint64_t pc);

#endif
