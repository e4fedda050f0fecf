/*
 * Programs in which this library would do harm, recognised before exec.  A loader of another kind,
 * for 32-bit programs or of another libc, complains about LD_PRELOAD or even gives up.
 */
#ifndef PRELOAD_PROCESS_IMAGE_H
#define PRELOAD_PROCESS_IMAGE_H

#include <stdbool.h>

#define IMAGE_ENTRIES_MAX 512
#define IMAGE_PRELOAD_MAX 1024

/* True if the loader of a program, or of the interpreter that a script names, refuses this
 * library.  False if that cannot be determined.  Makes two system calls for each file, neither
 * of which waits.  Context: any, a vfork child included. */
bool image_is_foreign(const char *path);

/* Like image_is_foreign(), for a file given to execveat(2), and for one that execvp(3) searches
 * for in PATH. */
bool image_at_is_foreign(int directory, const char *path);
bool image_command_is_foreign(const char *file);

/* Storage for an environment without this library. */
struct image_environment {
	char *entry[IMAGE_ENTRIES_MAX + 1];
	char preload[IMAGE_PRELOAD_MAX];
};

/* Returns `envp` without the entries in LD_PRELOAD that are this library: with `any` all of them,
 * else those that cannot be opened.  The result is valid as long as `room` and `envp` are.  Returns
 * `envp` itself if it has no such entry, or has more entries than `room` can hold.  Context: any, a
 * vfork child included. */
char *const *image_environment(struct image_environment *room, char *const envp[], bool any);

/* Take them out of the environment of this process.  Context: init, thread. */
void image_clean_environ(bool any);

#endif
