/*
 * The trace and the span that a thread works for, as an OpenTelemetry SDK publishes them for
 * profilers (OTEP 4947, thread context): a thread-local variable `otel_thread_ctx_v1` that some
 * object of the program exports.  It points to a record that begins with both.
 */
#ifndef RUNTIME_SAMPLE_LABELS_TRACE_CONTEXT_H
#define RUNTIME_SAMPLE_LABELS_TRACE_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/labels/labels.h"

#define TRACE_CONTEXT_TURN 128 /* samples between two looks for new objects; a power of two */

/* For trace_context_is_due() only: 1 while no object has the variable, as far as is known. */
extern _Atomic uint32_t trace_context_rests;

/* Begin to look for the variable.  Context: init. */
void trace_context_start(void);

/* In the child of a fork.  Context: fork child. */
void trace_context_restart(void);

/* Get the calling thread's trace and span, zero if it has none.  `samples` is the number of samples
 * that the thread took: with some of them, a few more objects are searched for the variable.
 * Context: signal. */
void trace_context_take(uint64_t samples, struct labels_trace *trace);

/* True with samples that look for new objects.  Context: any. */
static inline bool trace_context_is_turn(uint64_t samples)
{
	return !(samples & (samples - 1)) || !(samples & (TRACE_CONTEXT_TURN - 1));
}

/* True if trace_context_take() is to be called with a sample.  Context: signal. */
static inline bool trace_context_is_due(uint64_t samples, const struct labels_trace *trace)
{
	return !atomic_load_explicit(&trace_context_rests, memory_order_relaxed) || trace->span ||
	       trace_context_is_turn(samples);
}

/* Before and after objects may be unloaded.  Context: thread. */
void trace_context_forget(void);

#endif
