/*
 * What a program says of its threads' work: the set of labels that a thread has now, and the trace
 * that an OpenTelemetry SDK published for it.  Each sampled thread has one struct labels, which its
 * samples carry: entries LABELS, TRACE and TRACE_REST of its log (runtime/spool/format_log.h).
 */
#ifndef RUNTIME_SAMPLE_LABELS_LABELS_H
#define RUNTIME_SAMPLE_LABELS_LABELS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A label of the thread found no room: its samples are counted as SPOOL_COUNT_LABELS_FULL. */
#define LABELS_LACKING 0x80000000U

/* Bytes as in the entries of the log: those with the lower address in the lower bits. */
struct labels_trace {
	uint64_t trace[2];
	uint64_t span; /* all zero: none */
};

/* The labels that the thread of a fork's child kept are not in its spool yet.  Most children end or
 * exec before their first sample. */
#define LABELS_PENDING 0x40000000U
#define LABELS_FLAGS   (LABELS_LACKING | LABELS_PENDING)

struct labels {
	_Atomic uint32_t set; /* number in the spool, 0: none; | LABELS_FLAGS.  W: the thread.  R:
				 its handler, and exit while the thread is held */
	struct labels_trace trace; /* as of the last turn of the handler.  W, R: the handler, and as
				      above */
};

/* Returns the number of the thread's set of labels; 0: none.  Context: signal, exit. */
static inline uint32_t labels_now(const struct labels *labels)
{
	return atomic_load_explicit(&labels->set, memory_order_relaxed) & ~LABELS_FLAGS;
}

/* True if a sample of the thread lacks a label.  Context: signal, exit. */
static inline bool labels_are_lacking(const struct labels *labels)
{
	return atomic_load_explicit(&labels->set, memory_order_relaxed) & LABELS_FLAGS;
}

/* The calling thread's set in the label table; a fork's child keeps it.  W, R: the thread. */
extern __thread uint32_t labels_own;

/* Begin with the labels of the calling thread, and without a trace.  All signals are blocked.
 * Context: thread, fork child. */
void labels_begin(struct labels *labels);

/* Write the labels that a fork's child kept to its spool, if that is due.  Context: signal. */
void labels_catch_up(struct labels *labels);

struct label_text;

/* Give the calling thread a label; an empty value removes it.  `labels` are the thread's, NULL if
 * it is not sampled.  False: the label needs to be made, which needs system calls.  Context:
 * any. */
bool labels_change(struct labels *labels, const struct label_text *key,
		   const struct label_text *value);

/* Likewise, and make it.  Context: thread. */
void labels_make(struct labels *labels, const struct label_text *key,
		 const struct label_text *value);

/* Give the calling thread a set that it had, or that another one has; 0: none.  False: it is not in
 * the spool, as in a fork's child.  Context: any. */
bool labels_restore(struct labels *labels, uint32_t set);

/* Likewise, and write it to the spool.  Context: thread. */
void labels_store(struct labels *labels, uint32_t set);

#define TRACE_CONTEXT_TURN 128 /* samples between two looks for new objects; a power of two */

/* For trace_context_is_due() only: 1 while no object has the variable, as far as is known. */
extern _Atomic uint32_t trace_context_rests;

/* trace_context.c gets the trace and the span that a thread works for, as an OpenTelemetry SDK
 * publishes them for profilers (OTEP 4947, thread context): a thread-local variable
 * `otel_thread_ctx_v1` that some object of the program exports points to a record that begins with
 * both. Begin to look for the variable.  Context: init. */
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
