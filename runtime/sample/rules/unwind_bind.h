/*
 * What libunwind calls while it answers a handler: bound anew after it was loaded, so that no
 * call costs what a handler need not pay, and none ends in code of another preloaded library.
 */
#ifndef RUNTIME_SAMPLE_RULES_UNWIND_BIND_H
#define RUNTIME_SAMPLE_RULES_UNWIND_BIND_H

#include <stdbool.h>

struct link_map;

/* Bind the library's references: those to libc's functions, but for the allocating ones, to
 * libc's own, past whatever takes their place for the program; those that change the signal mask
 * to one that leaves it where `held` says that the caller is our handler, which has all signals
 * blocked.  Relocations that were made read-only are so again afterwards.
 * Returns 0, or -errno if none could be changed.  Context: init. */
int unwind_bind(const struct link_map *map, bool (*held)(void));

#endif
