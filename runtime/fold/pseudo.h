/*
 * Names of frames that are no address (enum spool_pc).
 */
#ifndef RUNTIME_FOLD_PSEUDO_H
#define RUNTIME_FOLD_PSEUDO_H

#include <stdbool.h>
#include <stdint.h>

/* "[truncated]"; "[unknown]" for what this version does not know.  `pc` < SPOOL_PC_LIMIT. */
const char *pseudo_text(uint64_t pc);

/* True if a frame of this name is no address. */
bool pseudo_is(const char *name);

#endif
