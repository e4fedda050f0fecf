/*
 * What takes the samples of one thread: its counters, or a timer where they are refused, or where
 * the thread switches so often that its clock is too dear (switches.h).
 */
#ifndef RUNTIME_SAMPLE_COUNTERS_H
#define RUNTIME_SAMPLE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

struct stack_taken;
struct thread;

/* Open and enable what samples the calling thread; all signals are blocked.  Returns 0, or -errno
 * with nothing left open.  Context: thread. */
int counters_open(struct thread *thread);
void counters_close(struct thread *thread);

/* Around exec: no timer's signal is queued after the pause.  Context: thread. */
void counters_pause_timer(struct thread *thread);
void counters_resume_timer(struct thread *thread);

/* Give the clock of the calling thread up for a timer where it is switched too often, and take it
 * back where that is over.  What was counted goes on; `taken` is the stack of its last sample.
 * Context: signal, end of the handler. */
void counters_adapt(struct thread *thread, const struct stack_taken *taken);

/* A timer's signal, which has no record: it stands for so many periods.  Context: signal. */
void counters_periods(struct thread *thread, uint64_t periods, const struct stack_taken *taken);

/* The timer of a thread comes no more: what it did after its last sample is the same stack's.
 * Context: thread, its end; exit, while its handler is kept away (thread_hold). */
void counters_settle(struct thread *thread);

#endif
