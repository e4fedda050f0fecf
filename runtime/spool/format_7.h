/*
 * The differences of format version 7, which are those of all before it too: of a module's file it
 * has no more than device and inode, which no writer ever filled, and it does not say which
 * counters could not be opened.
 */
#ifndef RUNTIME_SPOOL_FORMAT_7_H
#define RUNTIME_SPOOL_FORMAT_7_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/spool/format.h"

#define SPOOL_7_HEADER_BYTES offsetof(struct spool_header, lack)
#define SPOOL_7_THREAD_BYTES offsetof(struct spool_thread, lacks)

struct spool_7_module {
	unsigned char same[offsetof(struct spool_module, file)];
	uint64_t none[2];
	char path[SPOOL_PATH_MAX];
};

_Static_assert(SPOOL_7_HEADER_BYTES == 19808, "the header of version 7");
_Static_assert(SPOOL_7_THREAD_BYTES == 1144, "a thread of version 7");
_Static_assert(sizeof(struct spool_7_module) == 976, "a module of version 7");

#endif
