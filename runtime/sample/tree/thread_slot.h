/*
 * Threads' places in the spool, and the sums of those that ended.
 * All under the session's lock.
 */
#ifndef RUNTIME_SAMPLE_TREE_THREAD_SLOT_H
#define RUNTIME_SAMPLE_TREE_THREAD_SLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/store/spool_alloc.h"
#include "runtime/spool/format.h"

struct log;
struct tree;

/* Take slots from `spool` from now on, which outlives them.  Ended threads of one name share a
 * slot, unless all are kept apart.  Context: init. */
void thread_slot_start(struct spool_alloc *spool, bool apart);

/* Take a slot for a living thread; NULL when the spool is full. */
struct spool_thread *thread_slot_take(uint32_t tid, const char *name, uint64_t now_ns);

/* End the thread of this slot.  Its counts, its tree and its log are added to those of earlier
 * threads of the same name, and the slot becomes free.  If all threads are kept apart, the slot
 * stays as it is, and its log gets an END.  A long log takes some time: give_way() may release the
 * session's lock meanwhile; NULL: it is kept. */
void thread_slot_end(struct spool_thread *slot, struct tree *tree, struct log *log, uint64_t now_ns,
		     void (*give_way)(void));

/* Returns the slots of the chunk at *offset, `count` of them, and moves on to the next chunk; NULL
 * at the end.  The first is at first_thread of the header.  Without the lock, the list may grow
 * meanwhile.  Context: any. */
struct spool_thread *thread_slot_next(uint64_t *offset, uint32_t *count);

/* Returns what all threads, living and ended, have counted of a counter.  A thread that ends at the
 * moment may count twice.  Context: exit. */
uint64_t thread_slot_counted(unsigned counter);

/* Look up the present names of all living threads in /proc.  Context: exit. */
void thread_slot_refresh_names(void);

/* Note that a thread does without these counters (bit n: counter n) from now on.  `why`: see
 * spool_lack.  Context: thread, signal; without the lock. */
void thread_slot_lacks(struct spool_thread *slot, uint32_t counters, uint32_t why, uint64_t now_ns);

/* Forget all slots: a new file begins, in the same struct.  Context: fork child. */
void thread_slot_reset(void);

/* Name in a slot, as comm: at most 15 bytes and NULs.  Context: any. */
void thread_slot_set_name(struct spool_thread *slot, const char *name);

#endif
