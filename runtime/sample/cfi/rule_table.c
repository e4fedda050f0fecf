/*
 * The shared table of rules.  It never blocks and never shrinks.  To forget is to begin a new
 * generation, which makes every key different.  A sweep would race with the walks.
 *
 * Rows: a cache line for each piece of code holds the rows that were used there last.  Distant
 * pieces share a line.  A long row is kept in each piece that it touches, up to a limit.
 */
#include "runtime/sample/cfi/rule_table.h"

#include <string.h>
#include <sys/mman.h>

#include "runtime/sample/cfi/rule.h"
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

/* A key has room for 16 bits of the generation.  When they wrap, entries of 65,536 generations ago
 * would become valid again, so all entries are cleared.  A walk that sees a half-cleared entry
 * misses it. */
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

#define SETS_LOG    11
#define WAYS	    3
#define PIECE_BYTES 512ULL
#define PIECES_MAX  32
#define BYTES_MIN   8 /* shorter rows are one instruction, which its own address finds */
#define BYTES_SHIFT 48
#define BYTES_MAX   0xffffULL

struct kept_row {
	uint64_t place; /* first address, and from BYTES_SHIFT on its bytes; 0: empty */
	uint64_t rule;
};

struct row_set {
	uint64_t generation; /* of all of them */
	unsigned victim;
	struct kept_row row[WAYS];
};

/* W, R: the holder of unwind_lock. */
static _Alignas(64) struct row_set sets[1 << SETS_LOG];

_Static_assert(sizeof(sets) == RULE_ROW_BYTES, "a cache line each");

static struct row_set *set_of(uint64_t piece)
{
	return &sets[piece * 0x9e3779b97f4a7c15ULL >> (64 - SETS_LOG)];
}

void rule_row_start(void)
{
	memset(sets, 0xff, sizeof(sets)); /* not 0: the compiler could leave the pages alone */
	memset(sets, 0, sizeof(sets));
}

static bool covers(const struct kept_row *row, uint64_t address)
{
	uint64_t low = row->place & ((1ULL << BYTES_SHIFT) - 1);

	return address - low < row->place >> BYTES_SHIFT;
}

uint64_t rule_row_find(uint64_t address, uint64_t generation)
{
	const struct row_set *set = set_of(address / PIECE_BYTES);

	for (unsigned way = 0; way < WAYS && set->generation == generation; way++)
		if (covers(&set->row[way], address))
			return set->row[way].rule;
	return RULE_MISSING;
}

/* Rows of one generation do not overlap: the same row again takes its own place. */
static void put_piece(uint64_t piece, uint64_t generation, const struct kept_row *row)
{
	struct row_set *set = set_of(piece);
	unsigned way = 0;

	if (set->generation != generation)
		*set = (struct row_set){ .generation = generation };
	while (way < WAYS && set->row[way].place && set->row[way].place != row->place)
		way++;
	set->row[way < WAYS ? way : set->victim++ % WAYS] = *row;
}

void rule_row_put(uint64_t address, uint64_t generation, const struct cfi_row *row, uint64_t rule)
{
	uint64_t low = row->low, bytes = row->high - row->low;
	uint64_t here = address / PIECE_BYTES;
	uint64_t first, last;

	if (address - low >= bytes || bytes < BYTES_MIN || row->high >> BYTES_SHIFT)
		return;
	/* of a longer one, only the part around the address is kept */
	if (address - low > BYTES_MAX / 2) {
		bytes -= address - low - BYTES_MAX / 2;
		low = address - BYTES_MAX / 2;
	}
	if (bytes > BYTES_MAX)
		bytes = BYTES_MAX;
	first = low / PIECE_BYTES;
	last = (low + bytes - 1) / PIECE_BYTES;
	if (here - first > PIECES_MAX / 2)
		first = here - PIECES_MAX / 2;
	if (last - first >= PIECES_MAX)
		last = first + PIECES_MAX - 1;
	for (uint64_t piece = first; piece <= last; piece++)
		put_piece(piece, generation,
			  &(struct kept_row){ low | bytes << BYTES_SHIFT, rule });
}
