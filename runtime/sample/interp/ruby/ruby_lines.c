/*
 * Ruby keeps one entry for each run of instructions of a line (iseq.h), and where the runs begin in
 * a set of bits: for the first instructions the number of runs up to each of them, 9 in a word, and
 * for the others blocks of 512 bits.
 *
 * In Ruby's own order, the result has pairs of bytes: the distance to the next instruction, and the
 * distance to its line.
 */
#include "runtime/sample/interp/ruby/ruby.h"
#include "runtime/sample/sys/poison.h"

#define ENTRY_BYTES	 12 /* struct iseq_insn_info_entry: the line comes first */
#define ENTRIES_READ	 32
#define RANKED		 54 /* instructions whose number of runs is kept as such */
#define RANKS_IN_WORD	 9
#define RANK_BITS	 7
#define BLOCK_BITS	 512
#define BLOCK_BYTES	 80
#define BLOCK_BITS_AT	 16
#define INSTRUCTIONS_MAX (1u << 20)

struct lines {
	uint64_t entries, set;
	uint32_t count, next; /* of entries */
	uint32_t place;	      /* the last pair's */
	int64_t line;
	unsigned char *into;
	size_t used, max;
	unsigned char read[ENTRIES_READ * ENTRY_BYTES];
};

static bool put(struct lines *lines, uint32_t places, int64_t distance)
{
	if (lines->max - lines->used < 2)
		return false;
	lines->into[lines->used++] = (unsigned char)places;
	lines->into[lines->used++] = (unsigned char)(int8_t)distance;
	return true;
}

/* Appends a run of instructions that begins at `place`. */
static bool add(struct lines *lines, uint32_t place, int64_t line)
{
	uint32_t places = place - lines->place;
	int64_t distance = line - lines->line;

	if (!distance)
		return true;
	for (; places > UINT8_MAX; places -= UINT8_MAX)
		if (!put(lines, UINT8_MAX, 0))
			return false;
	while (distance) {
		int64_t part = distance > INT8_MAX ? INT8_MAX : distance;

		if (part < INT8_MIN)
			part = INT8_MIN;
		if (!put(lines, places, part))
			return false;
		distance -= part;
		places = 0;
	}
	lines->place = place;
	lines->line = line;
	return true;
}

/* Appends the run of the next entry, which begins at `place`. */
static bool add_next(struct lines *lines, uint32_t place)
{
	uint32_t at = lines->next % ENTRIES_READ, left = lines->count - lines->next;

	if (!left)
		return false;
	if (!at && !memory_copy(lines->read, lines->entries + (uint64_t)lines->next * ENTRY_BYTES,
				(left < ENTRIES_READ ? left : ENTRIES_READ) * (size_t)ENTRY_BYTES))
		return false;
	lines->next++;
	return add(lines, place, (int32_t)ruby_half(lines->read, (size_t)at * ENTRY_BYTES));
}

static bool add_ranked(struct lines *lines, uint32_t count)
{
	uint64_t words[RANKED / RANKS_IN_WORD];
	uint32_t last = 0, end = count < RANKED ? count : RANKED;
	uint32_t used = (end + RANKS_IN_WORD - 1) / RANKS_IN_WORD;

	if (!memory_copy(words, lines->set, used * sizeof(words[0])))
		return false;
	for (uint32_t i = 0; i < end; i++) {
		uint32_t rank = words[i / RANKS_IN_WORD] >> i % RANKS_IN_WORD * RANK_BITS & 0x7f;

		if (rank != last && !add_next(lines, i))
			return false;
		last = rank;
	}
	return true;
}

static bool add_block(struct lines *lines, uint32_t block)
{
	uint64_t words[BLOCK_BITS / 64];
	uint64_t at = lines->set + RANKED / RANKS_IN_WORD * sizeof(uint64_t) +
		      (uint64_t)block * BLOCK_BYTES + BLOCK_BITS_AT;

	if (!memory_copy(words, at, sizeof(words)))
		return false;
	for (uint32_t i = 0; i < BLOCK_BITS / 64; i++)
		for (uint64_t bits = words[i]; bits; bits &= bits - 1)
			if (!add_next(lines, RANKED + block * BLOCK_BITS + i * 64 +
						     (uint32_t)__builtin_ctzll(bits)))
				return false;
	return true;
}

size_t ruby_lines_make(const unsigned char *table, uint32_t count, uint32_t first_line,
		       unsigned char *into, size_t max)
{
	struct lines lines = { .entries = ruby_word(table, 0),
			       .set = ruby_word(table, 24),
			       .count = ruby_half(table, 16),
			       .line = first_line,
			       .into = into,
			       .max = max };
	uint32_t blocks = count > RANKED ? (count - RANKED + BLOCK_BITS - 1) / BLOCK_BITS : 0;

	if (count > INSTRUCTIONS_MAX)
		return 0;
	if (lines.count == 1)
		return add_next(&lines, 0) ? lines.used : 0;
	if (!lines.count || !lines.set || !add_ranked(&lines, count))
		return 0;
	for (uint32_t i = 0; i < blocks; i++)
		if (!add_block(&lines, i))
			return 0;
	return lines.used;
}
