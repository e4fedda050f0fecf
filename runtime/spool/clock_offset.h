/*
 * Time namespaces (time_namespaces(7)): how far their clocks are from those of the machine, in
 * which the kernel stamps its records.
 */
#ifndef RUNTIME_SPOOL_CLOCK_OFFSET_H
#define RUNTIME_SPOOL_CLOCK_OFFSET_H

#include <stdint.h>

#define CLOCK_OFFSET_FILE "/proc/self/timens_offsets"

/* What the file's text says of "monotonic" or "boottime", in ns; 0 if nothing.  Context: any. */
int64_t clock_offset_ns(const char *text, const char *clock);

#endif
