/*
 * Where run-time compilers leave what they say of their code.
 */
#ifndef RUNTIME_FOLD_SYMBOLS_JIT_FILES_H
#define RUNTIME_FOLD_SYMBOLS_JIT_FILES_H

#include <stdio.h>

struct spool_read;

/* The process's /tmp/perf-PID.map and jit-PID.dump; NULL if there is none to be believed. */
FILE *jit_files_map(const struct spool_read *spool);
FILE *jit_files_dump(const struct spool_read *spool);

#endif
