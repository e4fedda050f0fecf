/*
 * Reads jitdump files (Linux, tools/perf/Documentation/jitdump-specification.txt).  In them a
 * run-time compiler records each piece of code that it made or moved, and its source lines.  The
 * file is hostile input.  Reading stops where the file cannot be read, and the records before that
 * stay.
 */
#ifndef RUNTIME_PROFILE_SYMBOLS_JITDUMP_H
#define RUNTIME_PROFILE_SYMBOLS_JITDUMP_H

#include <stdint.h>
#include <stdio.h>

/* The functions that receive the records, in the order of the file.  Each returns 0, or -errno to
 * stop the reading. */
struct jitdump_sink {
	/* At `address` code for a source line starts, in the next code record; `file` is
	 * NUL-terminated. */
	int (*line)(void *context, uint64_t address, const char *file, uint32_t line);
	/* A piece of code with its name.  The lines reported since the previous code belong to
	 * it. */
	int (*code)(void *context, uint64_t address, uint64_t bytes, const char *name);
	/* The code at an address has moved. */
	int (*move)(void *context, uint64_t from, uint64_t to, uint64_t bytes);
	void *context;
};

/* Read the file of process `pid`.  Returns 0; -EBADMSG if the file is not of that process; or the
 * result of a sink function. */
int jitdump_read(FILE *file, unsigned pid, const struct jitdump_sink *sink);

#endif
