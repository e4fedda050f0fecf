/*
 * Notices a tracer that attached to a running thread (strace -p, a crash handler).  The thread
 * stops for its tracer at each signal, and SIGTRAP is what tracers use themselves.  So its clocks
 * rest, with a heartbeat of a second of CPU time, until the tracer has left.
 *
 * Only a sample that the tracer passes on can notice it: see docs/limits.md for the others.
 */
#ifndef RUNTIME_SAMPLE_SESSION_TRACER_H
#define RUNTIME_SAMPLE_SESSION_TRACER_H

#define TRACER_BEAT_NS 1000000000 /* CPU time between two samples of a thread that is traced */

struct thread;

/* The thread is about to open its counters: looks for a tracer if another thread of the process had
 * one.  Context: thread. */
void tracer_start(struct thread *thread);

/* A thread that switches often may be stopped by a tracer at each of its calls: look at the next
 * sample.  Context: thread, signal. */
void tracer_suspect(struct thread *thread);

/* Look for a tracer if so many signals came late that the thread may have one.  Afterwards the
 * clocks that have to rest, or to run again, are due (reopen.h).  Context: signal, after all
 * records in the thread's rings were read. */
void tracer_notice(struct thread *thread);

#endif
