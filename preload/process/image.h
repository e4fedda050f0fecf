/*
 * Programs in which this library would do harm, recognised before exec.  A loader of another kind,
 * for 32-bit programs or of another libc, complains about LD_PRELOAD or even gives up.
 */
#ifndef PRELOAD_PROCESS_IMAGE_H
#define PRELOAD_PROCESS_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

/* A longer environment, or LD_PRELOAD with its name, is left as it is. */
#define IMAGE_ENTRIES_MAX 4096
#define IMAGE_PRELOAD_MAX 4096 /* bytes */

/* True if the loader of a program, or of the interpreter that a script names, refuses this library;
 * false also if that cannot be determined.  Makes two system calls for each file, neither of which
 * waits.  Context: any, a vfork child included. */
bool image_is_foreign(const char *path);

/* Like image_is_foreign(), for a file given to execveat(2), and for one that execvp(3) searches
 * for in PATH. */
bool image_at_is_foreign(int directory, const char *path);
bool image_command_is_foreign(const char *file);

/* What an environment without this library needs. */
struct image_room {
	size_t entries; /* with the NULL */
	size_t text;	/* bytes of LD_PRELOAD */
};

/* Returns the room for envp, within the bounds above.  Context: any, a vfork child included. */
struct image_room image_room(char *const envp[]);

/* Returns its size in bytes. */
static inline size_t image_room_bytes(struct image_room room)
{
	return room.entries * sizeof(char *) + room.text;
}

/* Returns `envp` without the entries in LD_PRELOAD that are this library: with `any` all of them,
 * else those that cannot be opened; `envp` itself if it has none, or needs more room.  `memory` has
 * the room's bytes, aligned for pointers.  The result is valid as long as both are.  Context: any,
 * a vfork child included. */
char *const *image_environment(void *memory, struct image_room room, char *const envp[], bool any);

/* Take them out of the environment of this process.  Context: init, thread. */
void image_clean_environ(bool any);

#endif
