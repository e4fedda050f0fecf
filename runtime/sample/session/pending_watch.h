/*
 * Watched symbols of libraries that are loaded later.
 *
 * While such symbols exist, each sampled thread has a breakpoint on the function that the loader
 * calls when its list of objects has changed (link.h, r_debug.r_brk): after a library is mapped,
 * before its constructors run.  There, the loading thread reads the symbols of the new objects and
 * opens a watchpoint for each match in all threads.  When the object is unloaded the watchpoints
 * are closed.  An access to other memory that is later mapped at the same address is not counted
 * for the symbol.
 */
#ifndef RUNTIME_SAMPLE_SESSION_PENDING_WATCH_H
#define RUNTIME_SAMPLE_SESSION_PENDING_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct plan;
struct text;
struct thread;

/* Note the objects that are already loaded, which the plan was searched in.  Context: init. */
void pending_watch_start(void);

/* Returns true if a counter of the plan has a symbol that was never found.  Context: any. */
bool pending_watch_is_missing(const struct plan *plan, unsigned counter);

/* Add "nothing that this program loaded has the symbol of mem:a, mem:b" to the text if a symbol was
 * never found.  Returns false if all were found.  Context: any. */
bool pending_watch_explain(struct text *text);

/* Join: open the watchpoints of the calling thread, and let other threads open and close them from
 * now on.  Leave: no other thread opens or closes them any more.  All signals are blocked.
 * Context: thread. */
void pending_watch_join(struct thread *thread);
void pending_watch_leave(struct thread *thread);

/* Close all watchpoints while the thread is paused, and open them again.  An event may belong to
 * the thread that opened it.  PR_TASK_PERF_EVENTS_DISABLE in this thread does not reach such an
 * event.  Context: thread, signal. */
void pending_watch_pause(struct thread *thread);
void pending_watch_resume(struct thread *thread);

/* Handle the loader's breakpoint, which the calling thread has hit.  Context: signal. */
void pending_watch_notice(struct thread *thread);

/* Update the rings of the calling thread.  Another thread wanted to close one of them while this
 * one was in its handler.  Context: signal, end of the handler. */
void pending_watch_catch_up(struct thread *thread);

/* Close the watchpoints of objects that have been unloaded.  Context: thread, outside of the
 * loader. */
void pending_watch_sweep(void);

/* Returns true if an address of a counter (of a pending watch) lies in the object in which its
 * symbol was found.  Context: any. */
bool pending_watch_is_there(unsigned counter, uint64_t address);

#endif
