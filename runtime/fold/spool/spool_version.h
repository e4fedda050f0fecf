/*
 * Versions of the format that this reader knows: all since SPOOL_VERSION_OLDEST.  What it reads
 * becomes the structs of the newest.  A version before or after these is refused, in a line that
 * says so.
 */
#ifndef RUNTIME_FOLD_SPOOL_SPOOL_VERSION_H
#define RUNTIME_FOLD_SPOOL_SPOOL_VERSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/spool/format.h"

#define SPOOL_VERSION_OLDEST 4

/* So many bytes at the start of a header mean the same in all these versions. */
#define SPOOL_VERSION_SAME_BYTES offsetof(struct spool_header, takes_ended)

/* True if spools of a version are read; else `line` says why not. */
bool spool_version_is_known(uint32_t version, const char *name, char *line, size_t bytes);

/* The bytes of a header and of a thread in files of a known version. */
uint32_t spool_version_header_bytes(uint32_t version);
uint32_t spool_version_thread_bytes(uint32_t version);

/* Turn a header, as it was read, into one of the newest version; its version and sizes go on to be
 * those of the file. */
void spool_version_header(struct spool_header *header);

/* Fill a thread from its bytes in a file of a known version. */
void spool_version_thread(uint32_t version, const void *bytes, struct spool_thread *thread);

#endif
