/*
 * Why something was refused, in one line: what, by which setting, what would help.
 */
#ifndef RUNTIME_SAMPLE_PERF_REFUSAL_H
#define RUNTIME_SAMPLE_PERF_REFUSAL_H

#include <stddef.h>

struct plan;

/* No counter opens.  Context: init. */
void refusal_say(void (*say)(const char *line), const struct plan *plan);

/* The spool cannot be made.  Context: init, fork child. */
void refusal_say_spool(void (*say)(const char *line), int err);

/* The main thread's counters cannot be mapped.  Context: init. */
void refusal_say_thread(void (*say)(const char *line), int err);

/* The process is profiled, but not as asked: by timers, or without one of its counters.  Says
 * nothing where nothing is missing.  Context: init. */
void refusal_say_less(void (*say)(const char *line), const struct plan *plan);

/* What is missing though the process is profiled, for the spool's header; empty if nothing. */
void refusal_note(const struct plan *plan, char *note, size_t size);

#endif
