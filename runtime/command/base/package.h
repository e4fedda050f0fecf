/*
 * Which package of the distribution a file came in, and where its symbols are to be had.
 */
#ifndef RUNTIME_COMMAND_BASE_PACKAGE_H
#define RUNTIME_COMMAND_BASE_PACKAGE_H

#include <stddef.h>

#define PACKAGE_NAME_MAX 128

/* The Debian package that has the file of an absolute path.  Reads dpkg's lists, all of them in
 * the worst case: some ten milliseconds.  Returns 0; -ENOENT if none has it, or there is no dpkg.
 */
int package_find(const char *path, char name[PACKAGE_NAME_MAX]);

/* The package with the symbols of a Debian package: "libssl3-dbgsym". */
void package_symbols(const char *name, char symbols[PACKAGE_NAME_MAX]);

/* The value of DEBUGINFOD_URLS for this distribution, by os-release(5); static. */
const char *package_server(void);

#endif
