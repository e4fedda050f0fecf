/*
 * The names that a run-time compiler reports for its code: /tmp/perf-PID.map has "START SIZE name"
 * lines with hexadecimal numbers, and jit-PID.dump also has source lines.  Where they
 * overlap, the last entry wins, and the dump wins over the map.
 */
#ifndef RUNTIME_PROFILE_SYMBOLS_JIT_H
#define RUNTIME_PROFILE_SYMBOLS_JIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct jit;
struct spool_read;

/* Read the files that the process of a spool left.  A file is read if it is a regular file, belongs
 * to that process's user or to root, and has changed since the process started.  The map is
 * searched in /tmp, the dump in the directory where the program was started and in /tmp.  The files
 * of a process that still runs are searched where that process sees them.  Without files the result
 * knows no name.  Returns NULL when memory is out. */
struct jit *jit_new(const struct spool_read *spool);
/* Like jit_new(), but reads open files, either of which may be NULL. */
struct jit *jit_read(FILE *map, FILE *dump, unsigned pid);
void jit_free(struct jit *jit);

/* Returns the name of the code at an address, or NULL; owned by jit. */
const char *jit_find(const struct jit *jit, uint64_t address);

/* Like jit_find(), but returns the name of a frame, and its ending in *ending.  HotSpot's map has
 * its interpreter, which runs the methods that are not compiled, as one function. */
const char *jit_frame_find(const struct jit *jit, uint64_t address, const char **ending);

/* Returns the source file and line of the code at an address, if a dump has them.  The name is
 * owned by jit. */
bool jit_line(const struct jit *jit, uint64_t address, const char **file, uint32_t *line);

/*
 * jitdump files (Linux, tools/perf/Documentation/jitdump-specification.txt).  In them a run-time
 * compiler records each piece of code that it made or moved, and its source lines.  The file is
 * hostile input.  Reading stops where the file cannot be read, and the records before that stay.
 */

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
