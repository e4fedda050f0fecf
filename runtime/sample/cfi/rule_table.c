/*
 * The shared table of rules.  It never blocks and never shrinks.  To forget is to begin a new
 * generation, which makes every key different.  A sweep would race with the walks.
 */
#include "runtime/sample/cfi/rule_table.h"

#include <sys/mman.h>

#include "runtime/sample/sys/sys.h"

/* The table that is used when no memory can be mapped: slower, but just as correct. */
#define SPARE_SHIFT 63
#define PAGE_BYTES  4096
static struct rule_entry spare[2 * RULE_TABLE_WAYS];

struct rule_table rule_table;

static size_t table_bytes(unsigned shift)
{
	return ((size_t)1 << (64 - shift)) * RULE_TABLE_WAYS * sizeof(struct rule_entry);
}

int rule_table_open(unsigned log_entries)
{
	unsigned shift = 64 - (log_entries - 2);
	void *memory;
	int err;

	err = sys_mmap(&memory, table_bytes(shift), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (err && rule_table.entries)
		return err;
	if (err) {
		memory = spare;
		shift = SPARE_SHIFT;
	}
	if (rule_table.entries && rule_table.entries != spare)
		sys_munmap(rule_table.entries, table_bytes(rule_table.shift));
	rule_table.entries = memory;
	rule_table.shift = shift;
	return 0;
}

void rule_table_populate(void)
{
	size_t entries = table_bytes(rule_table.shift) / sizeof(struct rule_entry);

	for (size_t i = 0; i < entries; i += PAGE_BYTES / sizeof(struct rule_entry))
		atomic_store_explicit(&rule_table.entries[i].check, 0, memory_order_relaxed);
}

/*
 * A key has room for 16 bits of the generation.  When they wrap, entries of 65,536 generations ago
 * would become valid again, so all entries are cleared.  A walk that sees a half-cleared entry
 * misses it.
 */
void rule_table_forget(void)
{
	uint64_t old = atomic_fetch_add_explicit(&rule_table.generation, 1, memory_order_acq_rel);
	size_t entries;

	if (((old + 1) & 0xffff) || !rule_table.entries)
		return;
	entries = table_bytes(rule_table.shift) / sizeof(struct rule_entry);
	for (size_t i = 0; i < entries; i++) {
		atomic_store_explicit(&rule_table.entries[i].check, 0, memory_order_relaxed);
		atomic_store_explicit(&rule_table.entries[i].rule, 0, memory_order_relaxed);
	}
}

/* Returns the way to overwrite: the same key, an empty entry, or one of another generation. */
static unsigned way_for(const struct rule_entry *bucket, uint64_t key)
{
	for (unsigned way = 0; way < RULE_TABLE_WAYS; way++) {
		uint64_t rule = atomic_load_explicit(&bucket[way].rule, memory_order_relaxed);
		uint64_t check = atomic_load_explicit(&bucket[way].check, memory_order_relaxed);
		uint64_t other = check ^ rule_table_mix(rule);

		if (!rule || other == key || other >> 48 != key >> 48)
			return way;
	}
	return rule_table.victim++ % RULE_TABLE_WAYS;
}

void rule_table_put(uint64_t address, uint64_t generation, uint64_t rule)
{
	struct rule_entry *bucket = rule_table_bucket(address);
	uint64_t key = rule_table_key(address, generation);
	unsigned way = way_for(bucket, key);

	atomic_store_explicit(&bucket[way].check, key ^ rule_table_mix(rule), memory_order_relaxed);
	atomic_store_explicit(&bucket[way].rule, rule, memory_order_relaxed);
}
