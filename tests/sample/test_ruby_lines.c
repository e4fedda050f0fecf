/* Lines of Ruby's instructions are those that Ruby's own tables give, at every instruction. */

#include <stdlib.h>
#include <string.h>

#include "runtime/profile/symbols/code_names.h"
#include "runtime/sample/elf/memory.h"
#include "runtime/sample/interp/ruby/ruby.h"
#include "tests/support/unit.h"

#define RANKED	   54
#define BLOCK_BITS 512
#define MOST	   4000 /* instructions */
#define ROOM	   16384

struct entry {
	int32_t line, node;
	uint32_t events;
};

struct block {
	uint64_t ranks[2];
	uint64_t bits[BLOCK_BITS / 64];
};

static struct entry entries[MOST];
static struct {
	uint64_t ranks[RANKED / 9];
	struct block blocks[MOST / BLOCK_BITS + 1];
} set;
static int32_t lines[MOST]; /* of each instruction */
static unsigned char table[ROOM];

static struct {
	uint64_t entries, positions;
	uint32_t count, unused;
	uint64_t set;
} info;

UNIT(begin)
{
	memory_start();
	return 0;
}

static uint64_t at(const void *address)
{
	return (uint64_t)(uintptr_t)address;
}

/* Notes that an entry begins at an instruction. */
static void mark(uint32_t place)
{
	if (place < RANKED)
		for (uint32_t i = place; i < RANKED; i++)
			set.ranks[i / 9] += 1ULL << i % 9 * 7;
	else
		set.blocks[(place - RANKED) / BLOCK_BITS]
			.bits[(place - RANKED) % BLOCK_BITS / 64] |= 1ULL << (place - RANKED) % 64;
}

/* Makes a table of so many instructions; a line's run has up to `run` of them, and the next line
 * is up to `jump` away. */
static void make(uint32_t count, uint32_t run, int32_t jump)
{
	uint32_t left = 0;
	int32_t line = 5000;

	memset(&set, 0, sizeof(set));
	info.count = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (!left) {
			line += rand() % (2 * jump + 1) - jump;
			if (line < 1)
				line = 1;
			entries[info.count++].line = line;
			mark(i);
			left = 1 + (uint32_t)rand() % run;
		}
		lines[i] = line;
		left--;
	}
	info.entries = at(entries);
	info.set = at(&set);
}

static void check(uint32_t count, uint32_t first_line)
{
	struct spool_code code = { .language = SPOOL_LANGUAGE_RUBY,
				   .lines = SPOOL_LINES_LNOTAB,
				   .first_line = first_line };
	size_t bytes = ruby_lines_make((const void *)&info, count, first_line, table, ROOM);

	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(code_names_line(&code, (const void *)table, bytes, i), lines[i]);
}

TEST(every_instruction_has_its_line)
{
	static const uint32_t counts[] = {
		1, 2, 8, 9, 53, 54, 55, 56, 117, 118, 565, 566, 567, 3000
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		for (unsigned round = 0; round < 20; round++) {
			make(counts[i], 1 + round * 40, 1 + (int32_t)round * 30);
			check(counts[i], 4990);
		}
}

TEST(a_table_without_room_gives_no_lines)
{
	make(MOST, 1, 1000);
	assert_int_equal(ruby_lines_make((const void *)&info, MOST, 1, table, 100), 0);
}

TEST(a_table_that_cannot_be_read_gives_no_lines)
{
	make(600, 3, 3);
	info.set = 4096;
	assert_int_equal(ruby_lines_make((const void *)&info, 600, 1, table, ROOM), 0);
	make(600, 3, 3);
	info.entries = 4096;
	assert_int_equal(ruby_lines_make((const void *)&info, 600, 1, table, ROOM), 0);
	make(600, 3, 3);
	info.count = 5; /* fewer than the set has */
	assert_int_equal(ruby_lines_make((const void *)&info, 600, 1, table, ROOM), 0);
	make(600, 3, 3);
	assert_int_equal(ruby_lines_make((const void *)&info, UINT32_MAX, 1, table, ROOM), 0);
}
