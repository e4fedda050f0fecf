/*
 * Rules by address, shared by all threads of the process: a fixed table, four entries to a
 * cache line, read without a lock by every walk.
 *
 * An entry is two words, {check, rule}, with check = key ^ mix(rule) and key = address ^
 * generation << 48.  They are stored one after the other with no order between them: a reader
 * that meets half an old and half a new entry finds that the words do not belong together and
 * takes it for a miss.  So an entry is never wrong, only absent, and nothing has to be undone
 * when a thread dies or a process forks in the middle of a store.
 *
 * Stores come from the holder of unwind_lock (unwind_lock.h) alone.
 */
#ifndef RUNTIME_SAMPLE_CFI_RULE_TABLE_H
#define RUNTIME_SAMPLE_CFI_RULE_TABLE_H

#include <stdatomic.h>
#include <stdint.h>

#define RULE_TABLE_WAYS	       4
#define RULE_TABLE_LOG_ENTRIES 15 /* 512 KB: what a compiler run needs, a few times over */

struct rule_entry {
	_Atomic uint64_t check; /* W: holder of unwind_lock.  R: any walk */
	_Atomic uint64_t rule;	/* the same */
};

struct rule_table {
	struct rule_entry *entries; /* NULL before rule_table_open */
	unsigned shift;		    /* 64 minus log2 of the number of buckets */
	unsigned victim; /* way to give up next in a full bucket.  W, R: holder of unwind_lock */
	_Atomic uint64_t generation; /* counts rule_table_forget.  W: any thread.  R: any walk */
};

extern struct rule_table rule_table;

/* Map an empty table of 2^log_entries entries and use it from now on; log_entries >= 3.  An earlier
 * table is unmapped: no thread may be walking.  Without memory the earlier table stays (-ENOMEM),
 * or a small static table is used (0).  Context: init. */
int rule_table_open(unsigned log_entries);

/* Touch every page of the table, which is empty, so that no page fault comes in a handler.
 * Context: init. */
void rule_table_populate(void);

/* Make all rules unknown.  Lock-free.  Context: thread, any. */
void rule_table_forget(void);

/* Remember the rule of an address, derived while `generation` was current.
 * Context: signal, holding unwind_lock. */
void rule_table_put(uint64_t address, uint64_t generation, uint64_t rule);

static inline uint64_t rule_table_mix(uint64_t rule)
{
	return rule * 0xff51afd7ed558ccdULL;
}

static inline uint64_t rule_table_key(uint64_t address, uint64_t generation)
{
	return address ^ generation << 48;
}

static inline struct rule_entry *rule_table_bucket(uint64_t address)
{
	uint64_t bucket = address * 0x9e3779b97f4a7c15ULL >> rule_table.shift;

	return rule_table.entries + bucket * RULE_TABLE_WAYS;
}

static inline uint64_t rule_table_generation(void)
{
	return atomic_load_explicit(&rule_table.generation, memory_order_relaxed);
}

/* The rule of an address, or RULE_MISSING.  Context: signal. */
static inline uint64_t rule_table_find(uint64_t address, uint64_t generation)
{
	const struct rule_entry *entry = rule_table_bucket(address);
	uint64_t key = rule_table_key(address, generation);

	for (unsigned way = 0; way < RULE_TABLE_WAYS; way++, entry++) {
		uint64_t rule = atomic_load_explicit(&entry->rule, memory_order_relaxed);
		uint64_t check = atomic_load_explicit(&entry->check, memory_order_relaxed);

		if (check == (key ^ rule_table_mix(rule)))
			return rule;
	}
	return 0;
}

/* Rows.  A program's samples always meet new addresses of the same code.  So the answer for one
 * address also serves its neighbours, without libunwind and without reading anything. */

/* A range of addresses in one function that share a rule. */
struct cfi_row {
	uint64_t low;
	uint64_t high; /* one past the last; low == high: only the address that was looked up */
};

#define RULE_ROW_BYTES (128UL << 10) /* memory of all rows */

/* Returns the rule of the row that address lies in, if that row was kept in this generation of
 * rules; else RULE_MISSING.  Context: signal, holding unwind_lock; likewise the next. */
uint64_t rule_row_find(uint64_t address, uint64_t generation);

/* Keep the rule of the row that address lies in. */
void rule_row_put(uint64_t address, uint64_t generation, const struct cfi_row *row, uint64_t rule);

/* Keep no row, and touch the room for rows, so that no page fault comes in a handler.  Context:
 * init. */
void rule_row_start(void);

#endif
