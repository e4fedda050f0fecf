/*
 * Programs about to be executed in which this library would do harm: a loader of another kind
 * (of 32-bit programs, of another libc) complains about LD_PRELOAD, or even gives up.
 */
#ifndef PRELOAD_PROCESS_IMAGE_H
#define PRELOAD_PROCESS_IMAGE_H

#include <stdbool.h>

#define IMAGE_ENTRIES_MAX 512
#define IMAGE_PRELOAD_MAX 1024

/* Does the loader of a program, or of the interpreter that a script names, refuse this library?
 * False where that cannot be told.  Two system calls for each file looked at, none that waits.
 * Context: any, a vfork child included. */
bool image_is_foreign(const char *path);

/* The same of a file that execveat(2) is given, and of one that execvp(3) looks for. */
bool image_at_is_foreign(int directory, const char *path);
bool image_command_is_foreign(const char *file);

/* Room for an environment without this library. */
struct image_environment {
	char *entry[IMAGE_ENTRIES_MAX + 1];
	char preload[IMAGE_PRELOAD_MAX];
};

/* `envp` with this library taken out of LD_PRELOAD; it holds as long as `room` and `envp` do.
 * `envp` itself if it has no such entry, or more than there is room for.  Context: as above. */
char *const *image_environment(struct image_environment *room, char *const envp[]);

#endif
