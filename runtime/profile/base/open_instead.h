/*
 * What a library finds that opens a file by its name: runtime/command/base/open_guard.c asks here.
 * The rest of a unit of DWARF is searched for by libdw alone, by the name of a file.
 */
#ifndef RUNTIME_PROFILE_BASE_OPEN_INSTEAD_H
#define RUNTIME_PROFILE_BASE_OPEN_INSTEAD_H

#include <stdbool.h>

/* Until open_instead_end(), a library that opens a file to read finds no package of split DWARF
 * (*.dwp), and in place of any other file it gets a duplicate of `fd`, which stays the caller's;
 * -1: the file that it names.  Not to be nested; the command has one thread. */
void open_instead_begin(int fd);
void open_instead_end(void);

/* Returns true if something else is found at that path: *fd is a new descriptor, or -1 with errno
 * set. */
bool open_instead_find(const char *path, int *fd);

#endif
