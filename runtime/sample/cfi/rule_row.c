/*
 * A cache line for each piece of code holds the rows that were used there last.  Distant pieces
 * share a line.  A long row is kept in each piece that it touches, up to a limit.
 */
#include "runtime/sample/cfi/rule_row.h"

#include <string.h>

#include "runtime/sample/cfi/rule.h"

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
