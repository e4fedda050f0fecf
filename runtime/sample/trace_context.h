/*
 * The trace and the span that a thread works for, as an OpenTelemetry SDK publishes them for
 * profilers (OTEP 4947, thread context): a thread-local variable `otel_thread_ctx_v1` that some
 * object of the program exports.  It points to a record that begins with both.
 */
#ifndef RUNTIME_SAMPLE_TRACE_CONTEXT_H
#define RUNTIME_SAMPLE_TRACE_CONTEXT_H

#include <stdint.h>

struct labels_trace;

/* Begin to look for the variable.  Context: init. */
void trace_context_start(void);

/* In the child of a fork.  Context: fork child. */
void trace_context_restart(void);

/* Get the calling thread's trace and span, zero if it has none.  `samples` is the number of samples
 * that the thread took: with some of them, a few more objects are searched for the variable.
 * Context: signal. */
void trace_context_take(uint64_t samples, struct labels_trace *trace);

/* Before and after objects may be unloaded.  Context: thread. */
void trace_context_forget(void);

#endif
