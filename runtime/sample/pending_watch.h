/*
 * Watched symbols of libraries that are loaded later.
 *
 * While there are such symbols, each sampled thread has a breakpoint on the function that the
 * loader calls when its list of objects has changed (link.h, r_debug.r_brk): after a library is
 * mapped, before its constructors run.  The thread that loads reads the new objects' symbols
 * there, and opens what it finds in all threads.  When the object is unloaded the watchpoints are
 * closed, and an access to what lies there then is not taken for one to the symbol.
 */
#ifndef RUNTIME_SAMPLE_PENDING_WATCH_H
#define RUNTIME_SAMPLE_PENDING_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct text;
struct thread;

/* Note the objects that are already loaded, in which session.plan was searched.  Context: init. */
void pending_watch_start(void);

/* Is this counter of session.plan one whose symbol was never found?  Context: any. */
bool pending_watch_is_missing(unsigned counter);

/* Add "nothing that NAME loaded has the symbol of mem:a, mem:b" if any was not; false if all
 * were.  Context: any. */
bool pending_watch_explain(struct text *text);

/* Open what the calling thread has to have, from now on also from other threads; and no more of
 * that.  All signals are blocked.  Context: thread. */
void pending_watch_join(struct thread *thread);
void pending_watch_leave(struct thread *thread);

/* Close all of it while the thread is paused, and open it again.  Its events may belong to the
 * thread that opened them, which PR_TASK_PERF_EVENTS_DISABLE of this one does not reach. Context:
 * thread, signal. */
void pending_watch_pause(struct thread *thread);
void pending_watch_resume(struct thread *thread);

/* The loader's breakpoint was met by the calling thread.  Context: signal. */
void pending_watch_notice(struct thread *thread);

/* The calling thread was in its handler when another wanted to close one of its rings.
 * Context: signal, end of the handler. */
void pending_watch_catch_up(struct thread *thread);

/* Objects may have been unloaded.  Context: thread, outside of the loader. */
void pending_watch_sweep(void);

/* Does a counter's address (of a pending watch) lie in the object that its symbol was found in?
 * Context: any. */
bool pending_watch_is_there(unsigned counter, uint64_t address);

#endif
