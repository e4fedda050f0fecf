/*
 * Opens the counters of one leader again with another period while the thread runs.  The period is
 * longer if samples leave the thread no time, that of a heartbeat while sampling is paused, and the
 * old one when sampling continues.  The period of an open perf event cannot be changed, because its
 * descriptor is already closed.
 */
#ifndef RUNTIME_SAMPLE_REOPEN_H
#define RUNTIME_SAMPLE_REOPEN_H

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* Double the period of the event that overflows too often, because the calling thread makes no
 * progress.  `since_ns` is the thread's CPU time since the last record; the next record of a clock
 * includes it.  Counts of other events since then are lost.  Context: signal, after all records in
 * its rings were read. */
void reopen_slower(struct thread *thread, uint64_t since_ns);

/* Returns true if the thread's clocks rest and should run, or run and should rest.  Context:
 * signal. */
bool reopen_is_due(const struct thread *thread);

/* Let the thread's clocks rest while sampling is paused, and run while it is not.  `since_ns` and
 * context: as above. */
void reopen_in_window(struct thread *thread, uint64_t since_ns);

/* Returns the period of resting clocks in ns, or 0 if clocks do not rest now.  Context: any. */
uint64_t reopen_beat_ns(void);

#endif
