/*
 * Finds the files that run-time compilers leave about their code.
 */
#ifndef RUNTIME_FOLD_SYMBOLS_JIT_FILES_H
#define RUNTIME_FOLD_SYMBOLS_JIT_FILES_H

#include <stdio.h>

struct spool_read;

/* Open the process's /tmp/perf-PID.map and jit-PID.dump.  Return NULL if there is no file that can
 * be trusted. */
FILE *jit_files_map(const struct spool_read *spool);
FILE *jit_files_dump(const struct spool_read *spool);

#endif
