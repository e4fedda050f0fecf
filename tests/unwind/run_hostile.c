/*
 * Unwind information that would make libunwind run without end, divide by zero, or follow wild
 * indices.  The answer to each question is that there is none; the information that compilers
 * write is still read.  Then that of a library is damaged at random where libunwind reads it: each
 * walk ends.
 *   run_hostile [DAMAGES]
 */
#include "runtime/sample/cfi/rule.h"
#include "runtime/sample/cfi/rule_ask.h"
#include "runtime/sample/cfi/unwind_lock.h"
#include "runtime/sample/cfi/unwind_range.h"
#include "tests/unwind/eh_table.h"

static const char *const hostile[] = {
	"skip",
	"skip_forward",
	"bra",
	"skip_for_a_register",
	"div",
	"unknown_operation",
	"operand_past_the_end",

	"endless_number",
	"long_expression",
	"far_register",
	"cfa_from_far",
	"far_offset",
	"nested",

	"misread_instruction",
	"huge",
};

static struct unwind_stack stack;

/* The rule after the first instruction, which lies behind all that is said of the first. */
static uint64_t rule_of(void *library, const char *name)
{
	char symbol[64];
	struct cfi_row row;
	bool passing;

	snprintf(symbol, sizeof(symbol), "hostile_%s", name);
	return rule_ask((uint64_t)function_of(library, symbol), &row, &passing);
}

static unsigned ask_hostile(const char *program)
{
	void *library = load_beside(program, "hostile.so");
	uint64_t rule = rule_of(library, "good");
	unsigned wrong = 0;

	if (rule_type(rule) == RULE_ABSENT || rule_type(rule) == RULE_MISSING) {
		printf("good: 0x%016lx\n", rule);
		wrong++;
	}
	for (unsigned i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		rule = rule_of(library, hostile[i]);
		if (rule_type(rule) == RULE_ABSENT)
			continue;
		printf("%s: 0x%016lx\n", hostile[i], rule);
		wrong++;
	}
	return wrong;
}

static struct eh_table victim;

/* Values that matter to a reader of unwind information, more often than not. */
static uint8_t damage(void)
{
	static const uint8_t bytes[] = { 0x00, 0x09, 0x0a, 0x0b, 0x0c, 0x0f, 0x10, 0x16,
					 0x1b, 0x1d, 0x28, 0x2f, 0x7f, 0x80, 0xfd, 0xff };

	return random_below(4) ? bytes[random_below(sizeof(bytes))] : (uint8_t)random_below(256);
}

/* One function's description, or what it has in common with others, damaged in a few places. */
static bool one_damage(void)
{
	const int32_t *row = victim.row + 2 * random_below(victim.count);
	uint8_t *start = (uint8_t *)(uintptr_t)victim.header + row[1];
	uint32_t length = *(const uint32_t *)start, shared_bytes;
	uint8_t *shared = start + 4 - *(const uint32_t *)(start + 4);
	uint8_t *from = random_below(3) ? start : shared;
	uint8_t before[256];
	bool done;

	memcpy(&shared_bytes, shared, sizeof(shared_bytes));
	length = (from == shared ? shared_bytes : length) + 4;
	if (length > sizeof(before))
		length = sizeof(before);
	memcpy(before, from, length);
	for (unsigned i = 0; i <= random_below(3); i++)
		from[random_below(length)] = damage();
	unwind_forget();
	done = leaf_walks(&stack, (uint64_t)(victim.header + row[0]) + random_below(64));
	memcpy(from, before, length);
	return done;
}

int main(int count, char **arguments)
{
	unsigned long damages = count > 1 ? strtoul(arguments[1], NULL, 0) : 50000;

	if (unwind_start() || unwind_stack_of_thread(&stack) || !unwind_lock_try())
		return 99;
	if (ask_hostile(arguments[0]))
		return 1;
	unwind_lock_release();
	if (!eh_table_load("libcrypto.so.3", &victim)) {
		puts("skip: libcrypto.so.3 is not installed, or has no table");
		return 77;
	}
	if (mprotect((void *)victim.low, victim.bytes, PROT_READ | PROT_WRITE))
		return 99;
	for (unsigned long i = 0; i < damages; i++)
		if (!one_damage())
			return 1;
	puts("run_hostile: end");
	return 0;
}
