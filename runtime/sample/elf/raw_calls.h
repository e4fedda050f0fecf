/*
 * System calls that the program's own machine code makes, past libc and so past every interposed
 * function.  Two matter: a change of a signal's action takes our handler away, and an exec with a
 * pending overflow of ours kills the new image.  The kernel cannot be asked beforehand, but the
 * code can be read.
 */
#ifndef RUNTIME_SAMPLE_ELF_RAW_CALLS_H
#define RUNTIME_SAMPLE_ELF_RAW_CALLS_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#define RAW_CALLS_SIGNALS 1u /* rt_sigaction(2), or calls whose number is a variable */
#define RAW_CALLS_EXEC	  2u /* execve(2), execveat(2), or the same */

/* Which of these calls the code of the program makes, and that of the small libraries loaded
 * beside it.  Code beyond the first megabyte of the program, and larger libraries, are not read:
 * a Go program is known by its note, others of that size use libc.  Context: init. */
unsigned raw_calls_found(void);

/* True for an object with Go's runtime in it, which asks the kernel for its signal stack, past
 * libc. Context: any. */
bool raw_calls_is_go(const struct link_map *map);

/* True for a program of Go that has no C in it (cgo).  It makes its threads and handles its signals
 * without libc, even if it is linked with it.  Context: init. */
bool raw_calls_is_pure_go(void);

/* By machine.  The calls found in `bytes` bytes of code. */
unsigned raw_calls_in(const uint8_t *code, uint64_t bytes);

/* By machine.  What a call of this number is. */
unsigned raw_calls_kind(uint64_t number);

#endif
