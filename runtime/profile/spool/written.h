/*
 * A spool's record of the files of its profile that were already written: see spool.h.
 */
#ifndef RUNTIME_PROFILE_SPOOL_WRITTEN_H
#define RUNTIME_PROFILE_SPOOL_WRITTEN_H

#include <stdbool.h>

/* Note in the spool at `path` that the complete file `fd` is about to get its name.  If this fails
 * (no space, no permission), the file may be written a second time. */
void written_note(const char *path, int fd);

/* Returns true if the file with this name was noted. */
bool written_knows(int spool_fd, const char *name);

#endif
