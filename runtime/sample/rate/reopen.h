/*
 * Opens the counters of one leader again with another period while the thread runs: the planned one
 * after a random first period (first_period.h), a longer one if samples leave the thread no time,
 * that of a heartbeat while sampling is paused or the thread is traced, and the old one when
 * sampling continues.  The period of an open perf event cannot be changed, because its descriptor
 * is already closed.
 */
#ifndef RUNTIME_SAMPLE_RATE_REOPEN_H
#define RUNTIME_SAMPLE_RATE_REOPEN_H

#include <stdbool.h>
#include <stdint.h>

struct group_anew;
struct group_leader;
struct thread;

/* Replace a counter whose first period is over: _begin runs its successor, so that the next period
 * begins with the overflow and not with the end of the turn, and _end puts it in place, once all
 * records were read.  If it cannot be opened, the old counter goes on, and the next overflow tries
 * again; but not one that overflows far too often.  Where the rights for it are gone, the old
 * counter goes on for good, or a timer takes the place of a clock that would cost more.  Context:
 * signal, begin and end of a turn. */
void reopen_first_begin(struct thread *thread);
void reopen_first_end(struct thread *thread);

/* The program may be about to give up rights: open a successor now that runs when the calling
 * thread's first period is over.  Of several counters one gets it, a clock if there is one.  Other
 * threads get none, also where the call is for all: an event is enabled by the thread that opened
 * it (successor.c).  Context: any. */
void reopen_first_prepare(void);

/* Close that successor: the program is about to enable all counters of the calling thread.
 * Context: any. */
void reopen_first_forget(void);

/* Double the period of the event that overflows too often, because the calling thread makes no
 * progress.  `since_ns` is the thread's CPU time since the last record; the next record of a clock
 * includes it.  Counts of other events since then are lost.  Context: signal, after all records in
 * its rings were read. */
void reopen_slower(struct thread *thread, uint64_t since_ns);

/* Returns true if the thread's clocks rest and should run, or run and should rest, at now_ns
 * (CLOCK_MONOTONIC).  Context: signal. */
bool reopen_is_due(const struct thread *thread, uint64_t now_ns);

/* Let the thread's clocks rest while sampling is paused or a tracer is attached, and run while
 * neither is so.  `since_ns` and context: as above. */
void reopen_in_window(struct thread *thread, uint64_t since_ns);

/* Returns the period of the thread's resting clocks in ns, or 0 if they do not rest now.  Context:
 * thread, signal. */
uint64_t reopen_beat_ns(const struct thread *thread);

/* successor.c opens the events that take the place of a leader and its members, while the old ones
 * still run.  Open them, disabled, with the planned period or at least `period`; map them; do both.
 * They return 0, or -errno with nothing left open.  Context: thread, signal. */
int successor_open(struct group_anew *anew, const struct group_leader *leader, uint64_t period);
int successor_map(struct group_anew *anew);
int successor_open_mapped(struct group_anew *anew, const struct group_leader *leader,
			  uint64_t period);

/* Close the descriptors, which the mappings outlive.  Context: thread, signal. */
void successor_close_descriptors(struct group_anew *anew);

/* Open and map the successor of a leader now, which runs later: the rights to open it are about to
 * go.  If it cannot be opened, or one is prepared already, nothing happens.  Context: thread, all
 * signals blocked. */
void successor_prepare(struct thread *thread, struct group_leader *leader, uint64_t period);

/* Run the leader's prepared successor, in thread->anew.  Returns false if there is none.  Context:
 * signal. */
bool successor_run_prepared(struct thread *thread, const struct group_leader *leader);

/* Close the prepared successor, if there is one: the thread's events are about to be enabled or
 * closed.  Context: thread, signal. */
void successor_drop(struct thread *thread);

#endif
