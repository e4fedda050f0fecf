/*
 * The machine's time, which the headers of spools and the kernel's records use, in whatever time
 * namespace the command runs.
 */
#ifndef RUNTIME_PROFILE_BASE_NOW_H
#define RUNTIME_PROFILE_BASE_NOW_H

#include <stdint.h>

/* CLOCK_MONOTONIC, CLOCK_BOOTTIME and CLOCK_REALTIME (without namespaces) in ns; 0: unreadable. */
uint64_t now_monotonic_ns(void);
uint64_t now_boottime_ns(void);
uint64_t now_realtime_ns(void);

#endif
