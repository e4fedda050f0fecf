/* Identifies a file that is given in place of a spool or a folded file. */
#ifndef RUNTIME_PROFILE_INPUT_FILE_KIND_H
#define RUNTIME_PROFILE_INPUT_FILE_KIND_H

#include <stddef.h>

/* Read the first bytes of a regular file that is open as fd.  Returns 0 if it may be a folded file;
 * or -EINVAL with `line` saying what it is and what to use instead.  Context: any. */
int file_kind_check(const char *path, int fd, char *line, size_t bytes);

#endif
