/*
 * Files that are seen complete or not at all.  Where the file system can, the file has no name
 * while it is written, so that nothing is left of it whatever ends the writer; elsewhere it has
 * a temporary one, which publish_discard takes away when a signal ends the writer.
 */
#ifndef RUNTIME_FOLD_BASE_PUBLISH_H
#define RUNTIME_FOLD_BASE_PUBLISH_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

struct publish {
	FILE *file;
	char temporary[PATH_MAX]; /* empty: the file has no name yet */
};

/* Open a new file in the directory of `path`, whose name a temporary one starts with.  Its mode
 * is what the umask leaves of 0666.  Only one can be open at a time.  Returns 0 or -errno. */
int publish_open(struct publish *publish, const char *path);

/* The same with a temporary name in any case: what publish_open does where it has to. */
int publish_open_named(struct publish *publish, const char *path);

/* Write out what is buffered.  `err` is what writing returned so far.  Returns the first error,
 * with errno's instead of -EIO where it says more. */
int publish_flush(struct publish *publish, int err);

/* Give the file its name.  With `replace` what has that name goes.  Returns 0; -EEXIST when the
 * name is taken and may be tried again with another; or -errno.  publish_close is still to be
 * called. */
int publish_name(struct publish *publish, const char *path, bool replace);

/* Close the file; one without a name is gone. */
void publish_close(struct publish *publish);

/* Remove the temporary name of the file that is open.  Context: signal. */
void publish_discard(void);

#endif
