/*
 * Files that appear complete or not at all.  Where the file system allows it, the file has no name
 * while it is written, so nothing is left behind however the writer ends.  Elsewhere it has a
 * temporary name, which atomic_file_discard() removes when a signal ends the writer.
 */
#ifndef RUNTIME_PROFILE_BASE_ATOMIC_FILE_H
#define RUNTIME_PROFILE_BASE_ATOMIC_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

struct atomic_file {
	FILE *file;
	char temporary[PATH_MAX]; /* empty: the file has no name yet */
};

/* Open a new file in the directory of `path`, with which a temporary name starts, of mode 0666
 * without the umask's bits.  Only one such file can be open at a time.  Returns 0 or -errno. */
int atomic_file_open(struct atomic_file *atomic, const char *path);

/* Like atomic_file_open(), but always with a temporary name, which that uses where it must. */
int atomic_file_open_named(struct atomic_file *atomic, const char *path);

/* Write out the buffered data.  `err` is what the writing functions returned so far.  Returns the
 * first error; errno's value replaces -EIO where it says more. */
int atomic_file_flush(struct atomic_file *atomic, int err);

/* Give the file its name, with `replace` in place of an existing file.  Returns 0; -EEXIST if the
 * name is taken, and the caller may try another; or -errno.  Still call atomic_file_close(). */
int atomic_file_name(struct atomic_file *atomic, const char *path, bool replace);

/* Close the file.  A file without a name is then gone. */
void atomic_file_close(struct atomic_file *atomic);

/* Remove the temporary name of the open file.  Context: signal. */
void atomic_file_discard(void);

#endif
