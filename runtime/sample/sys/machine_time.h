/*
 * The machine's clocks.  The kernel stamps its records with them, and the command reads them from
 * outside.  So the values of clock_gettime(2) in a time namespace are converted to them.
 */
#ifndef RUNTIME_SAMPLE_SYS_MACHINE_TIME_H
#define RUNTIME_SAMPLE_SYS_MACHINE_TIME_H

#include <stdint.h>
#include <time.h>

/* Learn how far the namespace's clocks are ahead of the machine's.  The child of a fork calls it
 * again; there /proc is read only if the clocks do not tell.  Context: init, fork child. */
void machine_time_learn(void);

/* Read a clock, or CLOCK_MONOTONIC, in ns, in the machine's time and not the time namespace's.
 * Context: any. */
uint64_t machine_time_ns(clockid_t clock);
uint64_t machine_time_now_ns(void);

/* Returns the present time in the form that machine_time_ticks takes, in ns.  Context: any. */
uint64_t machine_time_boot_ns(void);

/* Returns the time of this process's fork in ticks of proc(5), field 22 of stat, if the fork
 * happened between these two times of machine_time_boot_ns.  Context: fork child, after
 * machine_time_learn. */
uint64_t machine_time_ticks(uint64_t from_ns, uint64_t to_ns);

#endif
