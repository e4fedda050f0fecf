/*
 * Every row that is returned together with a rule has one rule.  libunwind is asked for the row's
 * first address, its last and one between; it gives the same rule as for the address that was
 * looked up, and each of them gets the same row, or none.
 *   run_rows [EACH]: only every EACH-th function of all loaded objects
 */
#include "runtime/sample/cfi/rule.h"
#include "runtime/sample/cfi/rule_ask.h"
#include "runtime/sample/cfi/unwind_lock.h"
#include "runtime/sample/unwind/unwind.h"
#include "tests/unwind/eh_table.h"

static struct {
	unsigned long functions;
	unsigned long rows;
	unsigned long addresses; /* that rows answer for */
	unsigned long alone;	 /* that none does */
	unsigned long differ;
} count;

static unsigned each = 1;

static uint64_t rule_of(uint64_t address, struct cfi_row *row)
{
	bool passing;

	return rule_ask(address, row, &passing);
}

static void compare(uint64_t address, uint64_t rule, const struct cfi_row *row)
{
	struct cfi_row own_row;
	uint64_t own = rule_of(address, &own_row);

	if (own == rule &&
	    (own_row.low == own_row.high || (own_row.low == row->low && own_row.high == row->high)))
		return;
	if (count.differ++ < 20)
		printf("0x%lx: its row, 0x%lx to 0x%lx, says %016lx, libunwind %016lx, 0x%lx to "
		       "0x%lx\n",
		       address, row->low, row->high, rule, own, own_row.low, own_row.high);
}

static void compare_function(uint64_t start, uint64_t end)
{
	struct cfi_row row;
	uint64_t at = start;

	count.functions++;
	while (at < end) {
		uint64_t rule = rule_of(at, &row);

		if (row.low == row.high) {
			count.alone++;
			at++;
			continue;
		}
		if (at < row.low || at >= row.high) {
			printf("0x%lx is not in its row, 0x%lx to 0x%lx\n", at, row.low, row.high);
			exit(1);
		}
		count.rows++;
		count.addresses += row.high - row.low;
		compare(row.low, rule, &row);
		compare(row.low + (row.high - row.low) / 2, rule, &row);
		compare(row.high - 1, rule, &row);
		at = row.high;
	}
}

static int one_module(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct eh_table table = eh_table_of(info);

	(void)size, (void)argument;
	for (uint32_t i = 0; i + 1 < table.count; i += each) {
		uint64_t start = eh_table_start(&table, i);
		uint64_t bytes = eh_table_start(&table, i + 1) - start;

		compare_function(start, start + (bytes < 4096 ? bytes : 4096));
	}
	return 0;
}

int main(int arguments_count, char **arguments)
{
	if (arguments_count > 1)
		each = (unsigned)strtoul(arguments[1], NULL, 0);
	if (!each || unwind_start() || !unwind_lock_try())
		return 99;
	dl_iterate_phdr(one_module, NULL);
	printf("functions %lu rows %lu addresses %lu alone %lu differ %lu\n", count.functions,
	       count.rows, count.addresses, count.alone, count.differ);
	if (count.differ || count.rows < 2 * count.functions || count.addresses < count.alone)
		return 1;
	puts("run_rows: end");
	return 0;
}
