/*
 * Whole text files, such as source code, by paths that come from debug information or a profile.
 */
#ifndef RUNTIME_PROFILE_BASE_TEXT_FILE_H
#define RUNTIME_PROFILE_BASE_TEXT_FILE_H

#include <stddef.h>

/* Read a regular file with an absolute path and at most `most` bytes, if it is text.  Returns its
 * length, and *text, which the caller frees; or 0 with *text NULL for any other file, and when
 * memory is out. */
size_t text_file_read(const char *path, size_t most, char **text);

#endif
