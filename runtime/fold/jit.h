/*
 * What a run-time compiler says of its code: /tmp/perf-PID.map, "START SIZE name" lines with
 * hexadecimal numbers; where lines overlap, the last one wins.
 */
#ifndef RUNTIME_FOLD_JIT_H
#define RUNTIME_FOLD_JIT_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct jit;

/* Read the map of a process of user `uid`, if there is one, is theirs, and is a regular file
 * changed since `since_ns` (CLOCK_REALTIME: when that process started).
 * The result knows no name otherwise.  NULL when memory is out. */
struct jit *jit_new(unsigned pid, uid_t uid, uint64_t since_ns);
/* The same from a file in that format, or from none. */
struct jit *jit_read(FILE *file);
void jit_free(struct jit *jit);

/* The name of the code at an address, or NULL; owned by jit. */
const char *jit_find(const struct jit *jit, uint64_t address);

#endif
