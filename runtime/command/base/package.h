/*
 * Finds the distribution's package of a file, and the package or server with its symbols.
 */
#ifndef RUNTIME_COMMAND_BASE_PACKAGE_H
#define RUNTIME_COMMAND_BASE_PACKAGE_H

#define PACKAGE_NAME_MAX 128

/* Find the Debian package that contains the file of an absolute path.  Reads dpkg's lists, all of
 * them in the worst case: about ten milliseconds.  Returns 0; -ENOENT if no package contains it, or
 * there is no dpkg. */
int package_find(const char *path, char name[PACKAGE_NAME_MAX]);

/* Returns the value of DEBUGINFOD_URLS for this distribution, by os-release(5); static. */
const char *package_server(void);

#endif
