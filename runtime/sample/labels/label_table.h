/*
 * The sets of labels that threads of this process have had, each once (struct spool_label).  They
 * are kept in memory of our own and in the spool: a fork's child keeps the first, and writes to its
 * own spool what it still uses.  A set has one number in the table, and one in each spool.
 *
 * What a thread asks for again is found without a lock.
 */
#ifndef RUNTIME_SAMPLE_LABELS_LABEL_TABLE_H
#define RUNTIME_SAMPLE_LABELS_LABEL_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct spool_alloc;

/* A key or a value; not longer than SPOOL_LABEL_KEY_MAX or SPOOL_LABEL_VALUE_MAX. */
struct label_text {
	const char *bytes;
	uint32_t count;
	uint64_t hash; /* script_table_hash() of the bytes */
};

/* Begin to write to a spool; NULL: there is no timeline, and labels are not kept.  Context: init,
 * fork child; after script_table_start(). */
void label_table_start(struct spool_alloc *spool);

/* True if labels are kept.  Context: any. */
bool label_table_is_used(void);

/* Find the set that has one more label than `set`, or another value for the key; an empty value
 * removes the key.  False: it must be made.  No lock, no system call.  Context: any. */
bool label_table_find(uint32_t set, const struct label_text *key, const struct label_text *value,
		      uint32_t *found);

/* Find or make that set and write it to the spool.  *lacking: there was no room for all of it; then
 * the result has the labels for which there was.  May wait for other threads that add labels, or
 * functions of interpreters.  All signals are blocked.  Context: thread. */
uint32_t label_table_make(uint32_t set, const struct label_text *key,
			  const struct label_text *value, bool *lacking);

/* True if a set has this number, which is not 0.  Context: any. */
bool label_table_has(uint32_t set);

/* Returns the set's number in the present spool; 0: it is not there.  Context: any. */
uint32_t label_table_number(uint32_t set);

/* Write the set to the present spool.  Returns its number there; 0: no room.  May wait as
 * label_table_make() does, with all signals blocked; if not `patiently`, 0 if another thread is
 * adding something.  Context: thread, fork child; signal, not patiently. */
uint32_t label_table_store(uint32_t set, bool patiently);

#endif
