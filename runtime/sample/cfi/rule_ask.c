/*
 * Made-up values, and the address space that libunwind sees.  While a rule is asked for, it never
 * reaches the real stack or memory outside the module that owns the code.  It never uses
 * libunwind's own search for unwind information, which takes the loader's lock.  The caller holds
 * unwind_lock.
 */
#include "runtime/sample/cfi/rule_ask.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "runtime/sample/cfi/rule.h"
#include "runtime/sample/cfi/rule_question.h"
#include "runtime/sample/cfi/unwind_range.h"

#define READS_MAX      (8 * CFI_VERIFY_MAX) /* a bound, so that every question ends */
#define PADDING_MAX    64		    /* the largest alignment of functions */
#define RECOGNISED_MAX 32		    /* bytes, with what is around them */
#define LARGE_BYTES    4096		    /* compiled code of this size has several rows */

/* The region of a made-up value tells its origin. */
#define REGION_BITS	 40
#define REGION_MIDDLE	 (1ULL << 32) /* room for negative offsets, and a multiple of 4096 */
#define REGISTERS_BASE	 0x8000000000000000ULL
#define WORDS_BASE	 0x9000000000000000ULL
#define REGION_DELTA_MAX (1LL << 31)

static unw_addr_space_t space;
static struct unwind_module nowhere; /* a module of which nothing can be read */

static uint64_t made_up(uint64_t base, uint64_t index)
{
	return base + ((index + 1) << REGION_BITS) + REGION_MIDDLE;
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

/* The made-up word at a made-up address: the same address gives the same word however often it is
 * read, and expressions are read byte by byte.  False: no room for one more. */
static bool read_word(struct rule_question *question, uint64_t address, uint64_t *value)
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

static int access_mem(unw_addr_space_t as, unw_word_t address, unw_word_t *value, int write,
		      void *argument)
{
	struct rule_question *question = argument;

	(void)as;
	if (write || question->reads++ == READS_MAX)
		return -UNW_EINVAL;
	if (!question->registers && address == question->address) {
		*value = 0; /* trampolines were recognised before (rule_shape_recognise): not one */
		return 0;
	}
	if (unwind_module_read(question->module, address, value))
		return 0;
	if (question->registers) {
		if (!unwind_range_admits(question->range, address))
			return -UNW_EINVAL;
		*value = unwind_range_load(address);
		return 0;
	}
	if (rule_question_sort(address).origin == RULE_FROM_ELSEWHERE ||
	    !read_word(question, address, value)) {
		question->strange = true;
		return -UNW_EINVAL;
	}
	return 0;
}

static int access_reg(unw_addr_space_t as, unw_regnum_t number, unw_word_t *value, int write,
		      void *argument)
{
	struct rule_question *question = argument;

	(void)as;
	if (write || number < 0 || number > UNW_REG_LAST)
		return -UNW_EBADREG;
	if (question->registers)
		*value = question->registers[number];
	else if (number == rule_shape_pc)
		*value = question->address;
	else
		*value = made_up(REGISTERS_BASE, (unsigned)number);
	return 0;
}

static int access_fpreg(unw_addr_space_t as, unw_regnum_t number, unw_fpreg_t *value, int write,
			void *argument)
{
	(void)as;
	(void)number;
	(void)value;
	(void)write;
	(void)argument;
	return -UNW_EBADREG;
}

/* Finds the entry for a frame of the real stack whose rule was not asked for before. */
static bool find_entry(struct rule_question *question, uint64_t address)
{
	struct unwind_module *module = unwind_module_find(address);

	question->module = module ? module : &nowhere;
	return module && unwind_module_entry(module, address, &question->entry) &&
	       cfi_verify_entry(module, &question->entry, address, rule_shape_registers,
				&question->row);
}

/* The row of the function is already known: libunwind gets a table of that one row. */
static int find_proc_info(unw_addr_space_t as, unw_word_t address, unw_proc_info_t *info, int need,
			  void *argument)
{
	struct rule_question *question = argument;
	unw_dyn_info_t table;
	int err;

	if (question->registers && !find_entry(question, address))
		return -UNW_EINVAL;
	memset(&table, 0, sizeof(table));
	table.start_ip = question->module->start;
	table.end_ip = question->module->end;
	table.format = UNW_INFO_FORMAT_REMOTE_TABLE;
	table.u.rti.segbase = question->module->header;
	table.u.rti.table_data = question->entry.at;
	table.u.rti.table_len = 1;
	err = unwind_library.search_table(as, address, &table, info, need, argument);
	if (err < 0)
		question->unknown = true;
	return err;
}

/* Begins a question, field by field: the cursor is large and needs no initial value. */
static void begin(struct rule_question *question, uint64_t *registers, struct unwind_module *module)
{
	question->module = module;
	question->row.low = question->row.high = 0;
	question->unknown = question->strange = false;
	question->registers = registers;
	question->reads = question->words = 0;
}

static void put_unwind_info(unw_addr_space_t as, unw_proc_info_t *info, void *argument)
{
	(void)as;
	(void)info;
	(void)argument;
}

static int get_dyn_info_list(unw_addr_space_t as, unw_word_t *address, void *argument)
{
	(void)as;
	(void)address;
	(void)argument;
	return -UNW_ENOINFO;
}

/* libunwind initialises itself at its first address space or cursor, and opens a pipe. */
static void first_use(void)
{
	/* resume and get_proc_name are for functions of libunwind that nobody calls */
	static unw_accessors_t accessors = {
		.find_proc_info = find_proc_info,
		.put_unwind_info = put_unwind_info,
		.get_dyn_info_list_addr = get_dyn_info_list,
		.access_mem = access_mem,
		.access_reg = access_reg,
		.access_fpreg = access_fpreg,
	};
	struct rule_question question;

	question.address = 0;
	begin(&question, NULL, &nowhere);
	space = unwind_library.create_addr_space(&accessors, 0);
	if (space)
		unwind_library.init_remote(&question.cursor, space, &question);
}

int rule_ask_start(void)
{
	unwind_library_use(first_use);
	if (!space)
		return -ENOMEM;
	unwind_library.set_caching_policy(space, UNW_CACHE_NONE);
	return 0;
}

/* Returns the rule of code that no entry describes, even if its module has a table. */
static uint64_t undescribed(struct rule_question *question)
{
	uint64_t next = question->entry.next;

	question->row.high = question->row.low;
	if (next == question->address + 1)
		return rule_make(RULE_FABRICATED, 0, 0, 0);
	if (next > question->address && next - question->address <= PADDING_MAX &&
	    rule_shape_is_padding(question, next))
		return rule_make(RULE_ENTRY, 0, 0, 0);
	return rule_make(RULE_ABSENT, 0, 0, 0);
}

static uint64_t ask_library(struct rule_question *question)
{
	int err = unwind_library.init_remote(&question->cursor, space, question);

	if (err < 0)
		return RULE_MISSING;
	err = unwind_library.step(&question->cursor);
	if (err == -UNW_ENOMEM)
		return RULE_MISSING;
	if (question->unknown)
		return undescribed(question);
	if (err < 0)
		return rule_make(question->strange ? RULE_SLOW : RULE_ABSENT, 0, 0, 0);
	if (err == 0)
		return rule_make(RULE_LAST, 0, 0, 0);
	return rule_shape_decode(question);
}

/* True for code in a described function of more than RECOGNISED_MAX bytes, except its last byte: a
 * trampoline that follows the function is looked up one byte before its start.  Recognised code is
 * shorter, so the instructions are not read: a copy of them would serve nothing else. */
static bool is_function(const struct rule_question *question)
{
	const struct unwind_entry *entry = &question->entry;

	return entry->end && entry->end - entry->start > RECOGNISED_MAX &&
	       question->address < entry->end - 1;
}

/* True if all of a large piece of code has the same rule. */
static bool is_one_row(const struct rule_question *question)
{
	const struct unwind_entry *entry = &question->entry;

	return entry->end && entry->end - entry->start > LARGE_BYTES &&
	       question->row.low == entry->start && question->row.high == entry->end;
}

static uint64_t find_rule(struct rule_question *question)
{
	struct unwind_module *module = question->module;
	bool listed = unwind_module_entry(module, question->address, &question->entry);
	bool sound = listed && cfi_verify_entry(module, &question->entry, question->address,
						rule_shape_registers, &question->row);
	bool one_row = sound && is_one_row(question);
	uint64_t rule = RULE_MISSING;

	if (!sound || !is_function(question)) {
		rule = rule_shape_recognise(question);
		question->row.high = question->row.low; /* it belongs to the code, not to the row */
	}
	if (rule)
		return rule;
	if (!listed || !space)
		return undescribed(question);
	if (!sound)
		return rule_make(RULE_ABSENT, 0, 0, 0);
	if (question->entry.end && question->address >= question->entry.end)
		return undescribed(question); /* libunwind would say so as well */
	rule = ask_library(question);
	return one_row ? rule_shape_doubt(rule) : rule;
}

uint64_t rule_ask(uint64_t address, struct cfi_row *row, bool *passing)
{
	struct rule_question question;
	uint64_t rule;

	question.address = address;
	begin(&question, NULL, unwind_module_find(address));
	*row = question.row;
	*passing = false;
	if (!question.module)
		return RULE_MISSING;
	rule = find_rule(&question);
	*passing = question.module->faulted;
	*row = question.row;
	return rule;
}

bool rule_ask_real(uint64_t *registers, unsigned steps, struct unwind_range *range)
{
	uint64_t result[UNW_REG_LAST + 1];
	struct rule_question question;

	begin(&question, registers, &nowhere);
	question.range = range;
	if (unwind_library.init_remote(&question.cursor, space, &question) < 0)
		return false;
	for (unsigned i = 0; i < steps; i++)
		if (unwind_library.step(&question.cursor) <= 0 || question.unknown)
			return false;
	memcpy(result, registers, sizeof(result));
	for (int number = 0; number <= UNW_REG_LAST; number++) {
		unw_word_t word;

		if (!unwind_library.get_reg(&question.cursor, number, &word))
			result[number] = word;
	}
	memcpy(registers, result, sizeof(result));
	return true;
}
