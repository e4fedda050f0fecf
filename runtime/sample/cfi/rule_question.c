/*
 * Made-up values: the region of a value tells its origin.
 */
#include "runtime/sample/cfi/rule_question.h"

#define REGION_BITS	 40
#define REGION_MIDDLE	 (1ULL << 32) /* room for negative offsets, and a multiple of 4096 */
#define REGISTERS_BASE	 0x8000000000000000ULL
#define WORDS_BASE	 0x9000000000000000ULL
#define REGION_DELTA_MAX (1LL << 31)

static uint64_t made_up(uint64_t base, uint64_t index)
{
	return base + ((index + 1) << REGION_BITS) + REGION_MIDDLE;
}

uint64_t rule_question_register(unsigned number)
{
	return made_up(REGISTERS_BASE, number);
}

struct rule_value rule_question_sort(uint64_t value)
{
	uint64_t base = value & 0xf000000000000000ULL;
	uint64_t index = (value & ~0xf000000000000000ULL) >> REGION_BITS;
	struct rule_value sorted = { .origin = RULE_FROM_ELSEWHERE };
	int64_t delta;

	if ((base != REGISTERS_BASE && base != WORDS_BASE) || index < 1 || index > 64)
		return sorted;
	delta = (int64_t)(value - made_up(base, index - 1));
	if (delta > REGION_DELTA_MAX || delta < -REGION_DELTA_MAX)
		return sorted;
	sorted.origin = base == WORDS_BASE ? RULE_FROM_MEMORY : RULE_FROM_REGISTER;
	sorted.index = (unsigned)index - 1;
	sorted.delta = delta;
	return sorted;
}

/* Expressions are read byte by byte, so the same word is read several times. */
bool rule_question_read(struct rule_question *question, uint64_t address, uint64_t *value)
{
	unsigned i;

	for (i = 0; i < question->words; i++)
		if (question->word[i] == address)
			break;
	if (i == RULE_QUESTION_WORDS)
		return false;
	if (i == question->words)
		question->word[question->words++] = address;
	*value = made_up(WORDS_BASE, i);
	return true;
}

bool rule_question_value(struct rule_question *question, int number, struct rule_value *value)
{
	unw_word_t word;

	if (unwind_library.get_reg(&question->cursor, number, &word) < 0)
		return false;
	*value = rule_question_sort(word);
	return true;
}
