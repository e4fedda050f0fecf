/*
 * The versions of the format that this reader knows: 4, which the first release wrote, and the
 * newest.  It converts what it reads to the structs of the newest version.  No flametrap was
 * released that wrote the versions in between.
 */
#ifndef RUNTIME_PROFILE_SPOOL_SPOOL_VERSION_H
#define RUNTIME_PROFILE_SPOOL_SPOOL_VERSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/spool/format.h"

/* This number of bytes at the start of a header has the same meaning in both. */
#define SPOOL_VERSION_SAME_BYTES offsetof(struct spool_header, takes_ended)

/* Returns true if spools of a version can be read; otherwise `line` says why not. */
bool spool_version_is_known(uint32_t version, const char *name, char *line, size_t bytes);

/* Return the sizes of a header, a thread and a module in files of a known version.  No thread is
 * larger than SPOOL_VERSION_THREAD_MAX. */
#define SPOOL_VERSION_THREAD_MAX 1256
uint32_t spool_version_header_bytes(uint32_t version);
uint32_t spool_version_thread_bytes(uint32_t version);
uint32_t spool_version_module_bytes(uint32_t version);

/* Convert a header, as it was read, to the newest version.  Its version and sizes remain those of
 * the file. */
void spool_version_header(struct spool_header *header);

/* Fill a thread from its bytes in a file of a known version. */
void spool_version_thread(uint32_t version, const void *bytes, struct spool_thread *thread);

/* Likewise, a module; `bytes` is aligned like one. */
void spool_version_module(uint32_t version, const void *bytes, struct spool_module *module);

#endif
