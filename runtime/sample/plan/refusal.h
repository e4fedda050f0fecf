/*
 * Explains a refusal in one line: what was refused, which setting refuses it, and what would help.
 */
#ifndef RUNTIME_SAMPLE_PLAN_REFUSAL_H
#define RUNTIME_SAMPLE_PLAN_REFUSAL_H

#include <stddef.h>

struct plan;

/* Says that no counter opens.  Context: init. */
void refusal_say(void (*say)(const char *line), const struct plan *plan);

/* Says that the spool cannot be made.  Context: init, fork child. */
void refusal_say_spool(void (*say)(const char *line), int err);

/* Says that the main thread's counters cannot be mapped.  Context: init. */
void refusal_say_thread(void (*say)(const char *line), int err);

/* Says that the process is profiled, but not as asked: by timers, or without one of its
 * counters.  Says nothing if nothing is missing.  Context: init. */
void refusal_say_less(void (*say)(const char *line), const struct plan *plan);

/* Writes for the spool's header what is missing although the process is profiled.  The note is
 * empty if nothing is missing. */
void refusal_note(const struct plan *plan, char *note, size_t size);

#endif
