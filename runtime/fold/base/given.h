/*
 * Files that a user names, often by a pattern such as /dev/shm/x*, which finds whatever lies there:
 * they are looked at before they are opened, and never read for longer than what was there.
 */
#ifndef RUNTIME_FOLD_BASE_GIVEN_H
#define RUNTIME_FOLD_BASE_GIVEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

/* Look at a file without opening it.  Taken are regular files; descriptors of this process
 * (/dev/stdin, /dev/fd/N: process substitution) whatever they are, but for directories; /dev/null
 * and /dev/tty; and a FIFO that is `alone` on the command line, in a directory that others may not
 * write to.  Links are followed, but not another user's in a directory that all may write to.
 * Returns 0 with *st; or -errno with `line` telling what it is. */
int given_look(const char *path, bool alone, struct stat *st, char *line, size_t bytes);

/* Open what given_look has looked at.  It does not wait, except for the writer of a FIFO.
 * Returns the descriptor; or -errno with `line` filled (-ESTALE: another file has its name now). */
int given_open(const char *path, const struct stat *st, char *line, size_t bytes);

/* How far a file is read from where it stands: to the end that it has now, or to a hole before it,
 * which *hole says.  No bound (UINT64_MAX) for what is no regular file. */
uint64_t given_bytes(int fd, bool *hole);

/* A stream of that many bytes, which owns fd.  NULL, with fd closed, when memory is out. */
FILE *given_stream(int fd, uint64_t bytes);

#endif
