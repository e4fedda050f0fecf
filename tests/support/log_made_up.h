/* Logs in a small spool of their own, for unit tests: unit_setup() makes them. */
#ifndef TESTS_SUPPORT_LOG_MADE_UP_H
#define TESTS_SUPPORT_LOG_MADE_UP_H

#include <stdint.h>

#include "runtime/sample/log/log.h"
#include "tests/support/log_walk.h"
#include "tests/support/spool_own.h"

#define LOG_MADE_UP_THREADS  256
#define LOG_MADE_UP_COUNTERS 4 /* 0 leads 0 and 1; 2 leads 2 and 3 */

extern struct spool_thread log_slots[LOG_MADE_UP_THREADS];
extern struct log log_of[LOG_MADE_UP_THREADS];
extern struct labels log_labels[LOG_MADE_UP_THREADS];
extern struct log_walk log_walked; /* the log that was read last */

/* Make a spool of so many chunks, and so many for all logs.  Returns 0, or not. */
int log_made_up(unsigned chunks, unsigned timeline);

/* Begin with other sizes. */
void log_made_up_again(unsigned chunks, unsigned timeline);

/* Start the log of thread `which`, whose tid is which + 1. */
struct log *log_made_up_thread(unsigned which);

/* Add a sample of a counter. */
void log_made_up_add(struct log *log, uint64_t time_ns, uint32_t node, unsigned counter,
		     uint64_t samples, uint64_t events);

/* Add a sample of counter 0 and a member of counter 1. */
void log_made_up_group(struct log *log, uint64_t time_ns, uint32_t node, uint64_t events,
		       uint64_t member);

/* Read the log of a slot, which must be sound, into log_walked. */
void log_made_up_walk(const struct spool_thread *slot);

#endif
