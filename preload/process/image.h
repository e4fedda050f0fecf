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

/* own_file.c knows the file of this library, as the loader of a program that is executed finds it.
 * In another root, mount namespace or with other rights it may be missing, and under a small limit
 * on memory it cannot be mapped.  Remember the file that was loaded: a system call that the loader
 * makes too.  Context: init. */
void own_file_note(void);

/* True if the same file is still found by the path from which it was loaded, and may be read and
 * mapped; also if that cannot be told.  Two system calls, with a limit on memory four.  Context:
 * any, a vfork child included. */
bool own_file_is_there(void);

/* Files may be closed to the program from now on, which only opening them shows (landlock(7)).
 * Context: any. */
void own_file_may_be_closed(void);

/* The program set a limit on its address space or its data (setrlimit(2)), which the images that it
 * executes inherit.  Context: any. */
void own_file_may_not_fit(void);

/* True if a loader can open an entry of LD_PRELOAD and finds a file of this build there.  An entry
 * that the loader searches for or completes is taken for the path from which we were loaded.
 * Context: any, a vfork child included. */
bool own_file_is_at(const char *entry, size_t length);

#define FIRST_BYTES 2048 /* program headers and the loader's name are at the front */

struct first_bytes {
	char byte[FIRST_BYTES + 1]; /* with a NUL behind them */
	size_t bytes;
};

/* Read the first bytes of a file that may be anything.  Only regular files are opened, so this
 * never waits.  False if there are none. Context: any, a vfork child included. */
bool first_bytes_read(const char *file, struct first_bytes *head);

#endif
