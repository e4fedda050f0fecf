/*
 * The file of this library, as the loader of a program that is executed finds it.  In another root,
 * mount namespace or with other rights it may be missing, and under a small limit on memory it
 * cannot be mapped.
 */
#ifndef PRELOAD_PROCESS_OWN_FILE_H
#define PRELOAD_PROCESS_OWN_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Remember the file that was loaded: a system call that the loader makes too.  Context: init. */
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
