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

#endif
