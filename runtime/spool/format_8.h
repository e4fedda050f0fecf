/*
 * The difference of format version 8, which is that of all before it too: it does not say what CPU
 * time the process had used before the start.
 */
#ifndef RUNTIME_SPOOL_FORMAT_8_H
#define RUNTIME_SPOOL_FORMAT_8_H

#include <stddef.h>

#include "runtime/spool/format.h"

#define SPOOL_8_HEADER_BYTES offsetof(struct spool_header, before_ns)

_Static_assert(SPOOL_8_HEADER_BYTES == 20080, "the header of version 8");

#endif
