/*
 * The timeline: a log of samples for each thread, and what a program says of them.
 *
 * An entry has 16 bytes in two words.  Its kind is in the lowest four bits of `head`:
 *
 *   SAMPLE, MEMBER   head  kind:4 counter:4 samples:8 time:48     body  node:32 events:32
 *   MORE             head  kind:4 samples:60                      body  events:64
 *   THREAD           head  kind:4 zero:28 tid:32                  body  start_ns:64
 *   END              head  kind:4 zero:12 time:48                 body  0
 *   LABELS           head  kind:4 zero:60                         body  number of a label set:64
 *   TRACE            head  kind:4 zero:28 span id, bytes 0-3:32   body  trace id, bytes 0-7
 *   TRACE_REST       head  kind:4 zero:28 span id, bytes 4-7:32   body  trace id, bytes 8-15
 *   MARK             head  kind:4 mark:4 zero:8 time:48           body  its value:64
 *
 * The lowest field comes first.  `time` is a signed number of ns after the chunk's base_ns.  A
 * SAMPLE is one overflow; MEMBERs behind it have what the other counters of its group counted since
 * the last one, at the same node and time.  `events` is in the counter's unit, scaled.  Where
 * `samples` or `events` do not fit, a MORE before the entry has both, and the entry has zeros.  Of
 * a counter of time off the processor, an entry is a span: it ends at its time, and `events` is its
 * length.  There `samples` is 0: the switch that began the wait is an entry of its own.  Thinning
 * joins these two, too: what has `events` is a span, and `samples` of an entry say nothing more.
 *
 * THREAD, LABELS and TRACE hold for the entries behind them up to the next one of their kind, in
 * the same chunk only.  Each chunk begins with a THREAD, and with LABELS and TRACE unless there are
 * none (number 0; all bytes zero).  END is the last entry of a thread that ended.  The log of a sum
 * of ended threads has those of the threads, one after another.  In the list of marks of the
 * process, THREAD says who made the marks behind it; its start_ns is 0.
 *
 * When the timeline is full, two adjacent chunks of a log are replaced by one that holds half of
 * their samples, or less.  A log with only one chunk has that replaced by one that has more room.
 * Of each two samples of the same leader one remains, with the samples and the events of both and
 * of their members; the chance to remain is proportional to the events.  So the sums of a counter
 * stay exact.  The new chunk takes the place of both by one word.  An END may be left out if
 * nothing remains of its thread there, and so may marks.  A chunk reaches 39 hours to either side
 * of its base_ns: where chunks with times further apart are joined, the times that are out of range
 * become the nearest one.
 */
#ifndef RUNTIME_SPOOL_FORMAT_LOG_H
#define RUNTIME_SPOOL_FORMAT_LOG_H

#include <stdatomic.h>
#include <stdint.h>

#include "runtime/spool/format.h"
#include "runtime/spool/format_code.h"

enum spool_log_kind {
	SPOOL_LOG_SAMPLE = 1,
	SPOOL_LOG_MEMBER = 2,
	SPOOL_LOG_MORE = 3,
	SPOOL_LOG_THREAD = 4,
	SPOOL_LOG_END = 5,
	SPOOL_LOG_LABELS = 6,
	SPOOL_LOG_TRACE = 7,
	SPOOL_LOG_TRACE_REST = 8,
	SPOOL_LOG_MARK = 9,
};

enum spool_mark {
	SPOOL_MARK_FORK = 1,	    /* value: the child's pid; 0: not known */
	SPOOL_MARK_EXEC = 2,	    /* value: 0 */
	SPOOL_MARK_EXEC_FAILED = 3, /* value: errno */
	SPOOL_MARK_LOAD = 4,	    /* value: `start` of the module */
	SPOOL_MARK_UNLOAD = 5,	    /* value: `start` of the module */
	SPOOL_MARK_START = 6,	    /* sampling began; value: 0 */
	SPOOL_MARK_STOP = 7,	    /* sampling paused; value: 0 */
	SPOOL_MARK_THROTTLED = 8,   /* value: index of the counter */
	SPOOL_MARK_SLOWER = 9,	    /* a counter was opened with a longer period; value: index of
				       the counter | the period << 4 */
};

struct spool_log_entry {
	_Atomic uint64_t head;
	_Atomic uint64_t body;
};

#define SPOOL_LOG_ENTRIES     ((SPOOL_CHUNK_BYTES - SPOOL_CHUNK_HEAD) / 16)
#define SPOOL_LOG_SAMPLES_MAX 0xffu
#define SPOOL_LOG_EVENTS_MAX  UINT32_MAX
#define SPOOL_LOG_TIME_MAX    (((int64_t)1 << 47) - 1) /* 39 hours; the least is -this - 1 */

/* A label of a set, and the set of all labels set before it.  The first entry of the list is number
 * 1, and `below` is the number of an earlier one, or 0.  Of two labels with the same key in a set,
 * the later one holds; one with an empty value removes the key. */
struct spool_label {
	uint32_t below;
	uint32_t reserved;
	struct spool_text key;
	struct spool_text value;
};

#define SPOOL_LABEL_KEY_MAX   128u /* bytes; the writer cuts longer ones */
#define SPOOL_LABEL_VALUE_MAX 256u /* bytes; the same */
#define SPOOL_LABEL_SET_MAX   32u  /* labels of one set; further ones are left out */

static inline enum spool_log_kind spool_log_kind(uint64_t head)
{
	return (enum spool_log_kind)(head & 0xf);
}

/* Returns the counter of a SAMPLE or MEMBER, or the enum spool_mark of a MARK. */
static inline unsigned spool_log_counter(uint64_t head)
{
	return head >> 4 & 0xf;
}

static inline unsigned spool_log_samples(uint64_t head)
{
	return head >> 8 & 0xff;
}

/* Returns the time relative to the chunk's base_ns. */
static inline int64_t spool_log_time(uint64_t head)
{
	return (int64_t)head >> 16;
}

/* Makes the head of a SAMPLE, MEMBER, MARK (`counter` is its enum spool_mark) or END.  `time_ns` is
 * between -SPOOL_LOG_TIME_MAX - 1 and SPOOL_LOG_TIME_MAX. */
static inline uint64_t spool_log_head(enum spool_log_kind kind, unsigned counter, unsigned samples,
				      int64_t time_ns)
{
	return (uint64_t)time_ns << 16 | (uint64_t)samples << 8 | counter << 4 | kind;
}

#endif
