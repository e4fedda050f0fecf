/*
 * Files that a user names, often by a pattern such as /dev/shm/x* that matches anything there.
 * They are examined before they are opened, and never read past the size that they have then. Paths
 * that come from debug information or a profile are no safer.
 */
#ifndef RUNTIME_PROFILE_BASE_USER_FILE_H
#define RUNTIME_PROFILE_BASE_USER_FILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

/* Look at a file without opening it.  Accepted are regular files; descriptors of this process
 * (/dev/stdin, /dev/fd/N: process substitution) of any type except directories; /dev/null and
 * /dev/tty; and a FIFO that is `alone` on the command line, in a directory that others may not
 * write to.  Links are followed, except another user's in a directory that all may write to.
 * Returns 0 with *st; or -errno with `line` saying what the file is. */
int user_file_look(const char *path, bool alone, struct stat *st, char *line, size_t bytes);

/* Open the file that user_file_look() has examined.  Waits for nothing except the writer of a FIFO.
 * Returns the descriptor; or -errno with `line` filled (-ESTALE: another file has the name now). */
int user_file_open(const char *path, const struct stat *st, char *line, size_t bytes);

/* Open a regular file for reading.  Anything else is not even opened: that may trigger a device,
 * and the writer of a FIFO would see its reader close.  `flags` is O_NOFOLLOW or 0.  Returns the
 * descriptor; or -errno (-EINVAL: not a regular file; -ELOOP: a link that is not followed). */
int user_file_open_regular(const char *path, int flags);

/* Read the first bytes of a small file, such as those of /proc, as text that ends with a NUL.
 * Returns the length, less than `bytes`; 0 if the file is empty or cannot be read. */
size_t user_file_text(const char *path, char *text, size_t bytes);

/* In the text of /proc/PID/stat, or of a thread's (proc(5)): the state, which is the third field,
 * and what follows it; NULL: it is not there.  The name, which is the second, may hold anything. */
const char *user_file_state(const char *stat);

/* The number of bytes to read from the current offset: up to the current end of the file, or up to
 * a hole before that, which sets *hole.  UINT64_MAX (no bound): fd is no regular file. */
uint64_t user_file_bytes(int fd, bool *hole);

/* Read a whole text file, such as source code, by an absolute path that comes from debug
 * information or a profile: such a path may be anything, so nothing but a regular file of at most
 * `most` bytes is read.  Returns its length, and *text, which the caller frees; or 0 with *text
 * NULL for any other file, for one with a NUL, and when memory is out. */
size_t user_file_read(const char *path, size_t most, char **text);

/* Returns a stream of `bytes` bytes, which owns fd; or NULL, with fd closed, when memory is out. */
FILE *user_file_stream(int fd, uint64_t bytes);

#endif
