/*
 * The counters of one leader, opened anew with another period while the thread runs: longer where
 * samples leave it no time, that of a heartbeat while sampling is paused, and as before when it
 * goes on.  A perf event's own period cannot be changed by then, since its descriptor is closed.
 */
#ifndef RUNTIME_SAMPLE_REOPEN_H
#define RUNTIME_SAMPLE_REOPEN_H

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* The calling thread makes no progress: double the period of what overflows too often.  `since_ns`
 * is its CPU time since the last record, which the next one of a clock carries along; what the
 * others counted since is lost.  Context: signal, what waits in its rings was taken. */
void reopen_slower(struct thread *thread, uint64_t since_ns);

/* Do the thread's clocks rest and should not, or the other way?  Context: signal. */
bool reopen_is_due(const struct thread *thread);

/* Bring the thread's clocks in line with the window: they rest while sampling is paused.
 * `since_ns` and context: as above. */
void reopen_in_window(struct thread *thread, uint64_t since_ns);

/* The period at which clocks are to rest now; 0: they are not.  Context: any. */
uint64_t reopen_beat_ns(void);

#endif
