/*
 * The first bytes of a file that may be anything.
 */
#ifndef PRELOAD_PROCESS_FIRST_BYTES_H
#define PRELOAD_PROCESS_FIRST_BYTES_H

#include <stdbool.h>
#include <stddef.h>

#define FIRST_BYTES 2048 /* program headers and the loader's name are at the front */

struct first_bytes {
	char byte[FIRST_BYTES + 1]; /* with a NUL behind them */
	size_t bytes;
};

/* Read them.  Only regular files are opened, so this never waits.  False if there are none.
 * Context: any, a vfork child included. */
bool first_bytes_read(const char *path, struct first_bytes *head);

#endif
