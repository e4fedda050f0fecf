/*
 * Offsets of a time namespace (time_namespaces(7)): the differences between its clocks and the
 * clocks of the machine.  The kernel stamps its records with the clocks of the machine.
 */
#ifndef RUNTIME_SPOOL_CLOCK_OFFSET_H
#define RUNTIME_SPOOL_CLOCK_OFFSET_H

#include <stdint.h>

#define CLOCK_OFFSET_FILE "/proc/self/timens_offsets"

/* Returns the offset in ns of `clock` ("monotonic" or "boottime") in `text`, the content of a
 * timens_offsets file, or 0 if `text` has no line for it.  Context: any. */
int64_t clock_offset_ns(const char *text, const char *clock);

#endif
