/*
 * What a file is that is given in the place of a spool or a folded file.
 */
#ifndef RUNTIME_FOLD_FILE_KIND_H
#define RUNTIME_FOLD_FILE_KIND_H

#include <stddef.h>

/* Look at the first bytes of a file.  Returns 0 if it may be a folded file, or cannot be looked at
 * (a pipe, one that is not there); or -EINVAL with `line` telling what it is and what to use
 * instead.  Context: any. */
int file_kind_check(const char *path, char *line, size_t bytes);

#endif
