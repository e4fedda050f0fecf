/*
 * Reader of jitdump files (Linux, tools/perf/Documentation/jitdump-specification.txt): what a
 * run-time compiler wrote of each piece of code it made, moved and compiled from which lines.
 * The file is hostile input; what cannot be read ends the reading, what was read before stays.
 */
#ifndef RUNTIME_FOLD_SYMBOLS_JITDUMP_H
#define RUNTIME_FOLD_SYMBOLS_JITDUMP_H

#include <stdint.h>
#include <stdio.h>

/* Told what the file says, in its order.  Each returns 0, or -errno to end the reading. */
struct jitdump_sink {
	/* The next code starts a line's code at `address`; `file` is NUL-terminated. */
	int (*line)(void *context, uint64_t address, const char *file, uint32_t line);
	/* Code of that name; the lines told since the last code are its. */
	int (*code)(void *context, uint64_t address, uint64_t bytes, const char *name);
	/* The code at an address has moved. */
	int (*move)(void *context, uint64_t from, uint64_t to, uint64_t bytes);
	void *context;
};

/* Read a file of process `pid`.  Returns 0; -EBADMSG if it is none of that process's; or what a
 * sink returned. */
int jitdump_read(FILE *file, unsigned pid, const struct jitdump_sink *sink);

#endif
