/*
 * Threads that are switched so often that starting and stopping their clock costs more than what
 * they do.  Each thread's handler compares its switches with its CPU time, and exchanges the clock
 * for a timer, or the timer for the clock.
 */
#ifndef RUNTIME_SAMPLE_SWITCHES_H
#define RUNTIME_SAMPLE_SWITCHES_H

#include <stdbool.h>
#include <stdint.h>

struct stack_taken;
struct thread;

/* The watch over one thread.  W, R: the thread, its handler. */
struct switches {
	uint64_t switched; /* at the window's start */
	uint64_t cpu_ns;   /* the same */
	uint64_t patience_ns;
	unsigned turns;
	bool held;    /* between thread_pause and thread_resume: nothing may be opened */
	bool refused; /* there was no timer to be had */
	bool counted; /* as one that was exchanged */
};

/* The clock of session.plan that may be exchanged: GROUP_NONE if there is none.  Context: any. */
unsigned switches_clock(void);

/* Choose that clock, when the plan is made.  Context: init. */
void switches_plan(void);

/* Begin to watch the calling thread.  Context: thread. */
void switches_start(struct thread *thread);

/* It now has a timer.  Context: signal, thread. */
void switches_note_coarse(struct thread *thread);

/* Look at its switches once in a while; `taken` is the stack of the sample.  Context: signal, end
 * of the handler. */
void switches_look(struct thread *thread, const struct stack_taken *taken);

/* The thread ends: what it ended with tells what the next begins with.  Context: thread. */
void switches_end(struct thread *thread);

/* Did most of the last threads end with a timer?  Context: any. */
bool switches_are_usual(void);

#endif
