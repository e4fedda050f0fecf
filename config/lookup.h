/*
 * What an event string may have to look up on this machine: PMUs and tracepoints, in sysfs and
 * tracefs.  config/ itself makes no system call: whoever parses lends it two functions.
 */
#ifndef CONFIG_LOOKUP_H
#define CONFIG_LOOKUP_H

#include <stddef.h>

struct lookup {
	/* First line of a small file into text, NUL-terminated; its length, or -errno. */
	long (*read)(const char *path, char *text, size_t bytes);
	/* Call each(name, context) for the entries of a directory until it returns non-zero.
	 * Returns 0 or -errno.  NULL: names cannot be suggested. */
	int (*list)(const char *directory, int (*each)(const char *name, void *context),
		    void *context);
};

/* Lend; NULL takes it back (nothing can be looked up then).  Context: init. */
void lookup_use(const struct lookup *lookup);

/* What was lent, or -ENOSYS.  Context: as lookup_use. */
long lookup_read(const char *path, char *text, size_t bytes);
int lookup_list(const char *directory, int (*each)(const char *name, void *context), void *context);

#endif
