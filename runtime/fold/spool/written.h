/*
 * What a spool says of the files of its profile that were written already: see spool.h.
 */
#ifndef RUNTIME_FOLD_SPOOL_WRITTEN_H
#define RUNTIME_FOLD_SPOOL_WRITTEN_H

#include <stdbool.h>

/* Note in the spool at `path` that the complete file `fd` is about to get its name.  Where that
 * fails (no room, no right) the file may be written once more. */
void written_note(const char *path, int fd);

/* True if the file that has this name is one that was noted. */
bool written_knows(int spool_fd, const char *name);

#endif
