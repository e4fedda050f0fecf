/*
 * A thread has a set in the table, and its record has that set's number in the spool.  The handler
 * reads only the record.
 */
#include "runtime/sample/labels/labels.h"

#include "runtime/sample/labels/label_table.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/poison.h"

__thread uint32_t labels_own;

static void carry(struct labels *labels, uint32_t number)
{
	if (labels)
		atomic_store_explicit(&labels->set, number, memory_order_relaxed);
}

void labels_begin(struct labels *labels)
{
	labels->trace = (struct labels_trace){ 0 };
	carry(labels, labels_own && label_table_is_used() ? LABELS_PENDING : 0);
}

void labels_catch_up(struct labels *labels)
{
	uint32_t number;

	if (!(atomic_load_explicit(&labels->set, memory_order_relaxed) & LABELS_PENDING))
		return;
	number = label_table_store(labels_own, false);
	if (number)
		carry(labels, number);
}

bool labels_change(struct labels *labels, const struct label_text *key,
		   const struct label_text *value)
{
	uint32_t set;

	return label_table_find(labels_own, key, value, &set) && labels_restore(labels, set);
}

void labels_make(struct labels *labels, const struct label_text *key,
		 const struct label_text *value)
{
	uint64_t mask = sys_signals_block();
	bool lacking;

	labels_own = label_table_make(labels_own, key, value, &lacking);
	carry(labels, label_table_number(labels_own) | (lacking ? LABELS_LACKING : 0));
	sys_signals_restore(mask);
}

bool labels_restore(struct labels *labels, uint32_t set)
{
	uint32_t number = label_table_has(set) ? label_table_number(set) : 0;

	if (set && !number)
		return false;
	labels_own = set;
	carry(labels, number);
	return true;
}

void labels_store(struct labels *labels, uint32_t set)
{
	uint64_t mask = sys_signals_block();
	uint32_t number = label_table_store(set, true);

	labels_own = set;
	carry(labels, number ? number : LABELS_LACKING);
	sys_signals_restore(mask);
}
