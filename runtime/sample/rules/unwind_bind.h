/*
 * Binds the functions that libunwind calls while it answers a handler anew after loading.  Then no
 * call does more than a handler needs, and none ends in code of another preloaded library.
 */
#ifndef RUNTIME_SAMPLE_RULES_UNWIND_BIND_H
#define RUNTIME_SAMPLE_RULES_UNWIND_BIND_H

#include <stdbool.h>

struct link_map;

/* Bind the library's references.  References to libc's functions, except the allocating ones, go to
 * libc's own, past any interposed function.  References to functions that change the signal mask go
 * to one that leaves the mask alone if `held` returns true: then the caller is our handler, which
 * has all signals blocked.  Read-only relocations are read-only again afterwards.  References that
 * cannot be changed stay as they are.  Context: init. */
void unwind_bind(const struct link_map *map, bool (*held)(void));

#endif
