/*
 * What a run-time compiler says of its code: /tmp/perf-PID.map, "START SIZE name" lines with
 * hexadecimal numbers, and jit-PID.dump (jitdump.h), which knows lines too.  Where they overlap
 * the last one wins, and the dump over the map.
 */
#ifndef RUNTIME_FOLD_SYMBOLS_JIT_H
#define RUNTIME_FOLD_SYMBOLS_JIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct jit;
struct spool_read;

/* Read what the process of a spool left, each file if it is a regular one, of that process's user
 * or root, and changed since the process started.  The map is looked for in /tmp, the dump in the
 * directory the program was started in and in /tmp; those of a process that still runs where it
 * sees them.  The result knows no name otherwise.  NULL when memory is out. */
struct jit *jit_new(const struct spool_read *spool);
/* The same from open files, either of which may be NULL. */
struct jit *jit_read(FILE *map, FILE *dump, unsigned pid);
void jit_free(struct jit *jit);

/* The name of the code at an address, or NULL; owned by jit. */
const char *jit_find(const struct jit *jit, uint64_t address);

/* The file and line that the code at an address was made of, if a dump tells; owned by jit. */
bool jit_line(const struct jit *jit, uint64_t address, const char **file, uint32_t *line);

#endif
