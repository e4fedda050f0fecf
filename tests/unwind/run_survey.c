/*
 * Every row of the unwind information of whole libraries, as libunwind's rule and as elfutils
 * reads it.  The two readers share no code.  They must agree on the CFA, and on the places where
 * the return address, the frame pointer and rbx are saved.  They must also agree on the end of a
 * row, asked upwards and downwards, because a rule that was found is used for its whole row.
 *   run_survey [LIBRARY…]
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>

#include "runtime/sample/cfi/rule.h"
#include "runtime/sample/cfi/rule_ask.h"
#include "runtime/sample/cfi/rule_table.h"
#include "runtime/sample/cfi/rule_question.h"
#include "runtime/sample/unwind/unwind.h"
#include "runtime/sample/cfi/unwind_lock.h"
#include "tests/unwind/eh_table.h"

#define ROWS_MAX 65536

/* The registers that x86-64's rules follow, by DWARF number. */
enum { RETURN, FRAME, OTHER };
static const int registers[] = { 16, 6, 3 };

static struct {
	unsigned long rows;
	unsigned long addresses;
	unsigned long simple; /* rows that a rule says */
	unsigned long special;
	unsigned long slow;
	unsigned long by_row; /* that were not asked for */
	unsigned long differ;
} count;

static const char *module; /* that is being compared */

/* A saved register as a slot; false: neither untouched nor at an offset from the CFA. */
static bool slot_of(Dwarf_Frame *frame, int number, int64_t *slot, bool *undefined)
{
	Dwarf_Op memory[3];
	Dwarf_Op *ops = NULL;
	size_t length = 0;

	*undefined = false;
	if (dwarf_frame_register(frame, number, memory, &ops, &length))
		return false;
	if (!length) {
		*undefined = ops != NULL; /* libdw.h: NULL says the same value */
		*slot = RULE_SLOT_SAME;
		return true;
	}
	if (ops[0].atom != DW_OP_call_frame_cfa || length > 2 ||
	    (length == 2 && ops[1].atom != DW_OP_plus_uconst))
		return false;
	*slot = length == 2 ? (int64_t)ops[1].number / 8 : 0;
	return true;
}

static bool base_of(Dwarf_Frame *frame, unsigned *number, int64_t *offset)
{
	Dwarf_Op *ops = NULL;
	size_t length = 0;

	if (dwarf_frame_cfa(frame, &ops, &length) || length != 1)
		return false;
	if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31) {
		*number = ops[0].atom - DW_OP_breg0;
		*offset = (int64_t)ops[0].number;
		return true;
	}
	if (ops[0].atom != DW_OP_bregx)
		return false;
	*number = (unsigned)ops[0].number;
	*offset = (int64_t)ops[0].number2;
	return true;
}

/* What the rule must be, or RULE_MISSING where a rule of one word cannot say it. */
static uint64_t expected(Dwarf_Frame *frame)
{
	int64_t slots[3];
	bool undefined[3];
	unsigned number;
	int64_t offset;

	for (unsigned i = 0; i < 3; i++)
		if (!slot_of(frame, registers[i], &slots[i], &undefined[i]))
			return RULE_MISSING;
	if (undefined[RETURN])
		return rule_make(RULE_LAST, 0, 0, 0);
	if (!base_of(frame, &number, &offset) || slots[RETURN] != -1 /* right below the CFA */)
		return RULE_MISSING;
	return rule_make(RULE_BASE + number, offset, slots[FRAME], slots[OTHER]);
}

/* As a walk finds it. */
static uint64_t rule_of(uint64_t address)
{
	uint64_t generation = rule_table_generation();
	uint64_t rule = rule_row_find(address, generation);
	struct cfi_row row;
	bool passing;

	count.by_row += rule != RULE_MISSING;
	if (rule)
		return rule;
	rule = rule_ask(address, &row, &passing);
	if (rule && !passing)
		rule_row_put(address, generation, &row, rule);
	return rule;
}

static void compare(uint64_t wanted, uint64_t address, uint64_t in_file)
{
	uint64_t rule = rule_of(address);

	if (!wanted) {
		count.special++;
		count.slow += rule_type(rule) == RULE_SLOW;
		if (rule_type(rule) != RULE_ABSENT && rule_type(rule) != RULE_LAST &&
		    rule_type(rule) != RULE_MISSING)
			return;
	} else {
		count.simple++;
		if (rule == wanted || rule == rule_shape_doubt(wanted))
			return;
	}
	if (count.differ++ < 20)
		printf("%s 0x%lx: rule %016lx, expected %016lx\n", module, in_file, rule, wanted);
}

/* Rows of one function, as elfutils reads them, up to where the next function begins. */
static struct survey_row {
	uint64_t start;
	uint64_t end;
	uint64_t wanted;
	bool is_signal;
} rows[ROWS_MAX];

static unsigned read_rows(Dwarf_CFI *cfi, uint64_t start, uint64_t end)
{
	Dwarf_Frame *frame;
	unsigned found = 0;

	for (uint64_t at = start; at < end && found < ROWS_MAX; found++) {
		struct survey_row *row = &rows[found];
		Dwarf_Addr row_start;
		Dwarf_Addr row_end;

		if (dwarf_cfi_addrframe(cfi, at, &frame))
			break;
		if (dwarf_frame_info(frame, &row_start, &row_end, &row->is_signal) < 0 ||
		    row_end <= at) {
			free(frame);
			break;
		}
		row->start = at;
		row->end = row_end;
		row->wanted = expected(frame);
		count.addresses += row_end - at;
		free(frame);
		at = row_end;
	}
	return found;
}

/* The first address of a row is asked for before or after the last one: of a row that another has
 * been believed to reach into, one is wrong. */
static void compare_row(const struct survey_row *row, uint64_t bias, bool upwards)
{
	uint64_t first = upwards ? row->start : row->end - 1;
	uint64_t second = upwards ? row->end - 1 : row->start;

	if (row->is_signal)
		return;
	compare(row->wanted, first + bias, first);
	compare(row->wanted, second + bias, second);
}

static void compare_function(Dwarf_CFI *cfi, uint64_t start, uint64_t end, uint64_t bias)
{
	unsigned found = read_rows(cfi, start, end);

	count.rows += found;
	for (unsigned i = 0; i < found; i++)
		compare_row(&rows[i], bias, true);
	rule_row_start(); /* empty: what was asked upwards does not answer downwards */
	for (unsigned i = found; i-- > 0;)
		compare_row(&rows[i], bias, false);
}

static int one_module(struct dl_phdr_info *info, size_t size, void *argument)
{
	const char *path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	Dwarf_CFI *cfi = elf ? dwarf_getcfi_elf(elf) : NULL;
	struct eh_table table = eh_table_of(info);

	module = path;
	(void)size, (void)argument;
	for (uint32_t i = 0; cfi && i + 1 < table.count; i++)
		compare_function(cfi, eh_table_start(&table, i) - info->dlpi_addr,
				 eh_table_start(&table, i + 1) - info->dlpi_addr, info->dlpi_addr);
	if (cfi)
		dwarf_cfi_end(cfi);
	if (elf)
		elf_end(elf);
	if (fd >= 0)
		close(fd);
	return 0;
}

int main(int arguments_count, char **arguments)
{
	static const char *const usual[] = { "libcrypto.so.3", "libstdc++.so.6", "libm.so.6",
					     "libpython3.11.so.1.0", "libsqlite3.so.0" };

	for (unsigned i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		dlopen(usual[i], RTLD_LAZY);
	for (int i = 1; i < arguments_count; i++)
		if (!dlopen(arguments[i], RTLD_LAZY))
			printf("%s\n", dlerror());
	elf_version(EV_CURRENT);
	if (unwind_start() || !unwind_lock_try())
		return 99;
	dl_iterate_phdr(one_module, NULL);
	printf("rows %lu addresses %lu simple %lu special %lu slow %lu by row %lu differ %lu\n",
	       count.rows, count.addresses, count.simple, count.special, count.slow, count.by_row,
	       count.differ);
	/* the second of two questions about a row of eight bytes needs no asking */
	if (count.rows < 20000 || count.by_row < count.rows / 4 || count.differ)
		return 1;
	puts("run_survey: end");
	return 0;
}
