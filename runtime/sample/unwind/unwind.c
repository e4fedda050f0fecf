/*
 * Start of the unwinder.
 *
 * Order: the lookup of loaded objects, the table, libunwind.  Without libunwind every walk uses
 * frame pointers alone, and its result says so.
 */
#include "runtime/sample/unwind/unwind.h"

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/cfi/rule_ask.h"
#include "runtime/sample/cfi/rule_row.h"
#include "runtime/sample/cfi/rule_table.h"
#include "runtime/sample/cfi/unwind_library.h"
#include "runtime/sample/cfi/unwind_lock.h"
#include "runtime/sample/cfi/unwind_memory.h"
#include "runtime/sample/cfi/unwind_module.h"
#include "runtime/sample/cfi/unwind_range.h"

void unwind_forget(void)
{
	unwind_module_refresh();
	rule_table_forget();
}

int unwind_start(void)
{
	int err;

	unwind_range_start();
	err = rule_table_open(RULE_TABLE_LOG_ENTRIES);
	if (err)
		return err;
	memory_start();
	unwind_module_start();
	err = unwind_library_open(unwind_lock_is_mine);
	return err ? err : rule_ask_start();
}

void unwind_populate(void)
{
	rule_table_populate();
	rule_row_start();
	unwind_memory_populate();
}
