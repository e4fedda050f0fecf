/*
 * The machine's clocks.  The kernel stamps its records with them, and the command looks on from
 * outside, so what clock_gettime(2) says in a time namespace is brought back to them.
 */
#ifndef RUNTIME_SAMPLE_SYS_MACHINE_TIME_H
#define RUNTIME_SAMPLE_SYS_MACHINE_TIME_H

#include <stdint.h>
#include <time.h>

/* Find out how far the namespace's clocks are ahead of the machine's.  In the child of a fork
 * again: /proc is read only where the clocks do not tell.  Context: init, fork child. */
void machine_time_learn(void);

/* A clock in ns, and CLOCK_MONOTONIC, as the machine's and not the time namespace's.
 * Context: any. */
uint64_t machine_time_ns(clockid_t clock);
uint64_t machine_time_now_ns(void);

/* The time of this moment that machine_time_ticks takes, in ns.  Context: any. */
uint64_t machine_time_boot_ns(void);

/* When this process was forked, in the ticks of proc(5), field 22 of stat, if that was between
 * these two times of machine_time_boot_ns.  Context: fork child, after machine_time_learn. */
uint64_t machine_time_ticks(uint64_t from_ns, uint64_t to_ns);

#endif
