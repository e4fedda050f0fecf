/* The names appear in every format, and readers match them. */
#include "runtime/fold/pseudo.h"

#include <string.h>

#include "runtime/spool.h"

static const char *const names[] = {
	[SPOOL_PC_TRUNCATED] = "[truncated]",
	[SPOOL_PC_OVERFLOW] = "[overflow]",
	[SPOOL_PC_NO_RULE] = "[no unwind information]",
	[SPOOL_PC_BOUNDS] = "[stack bounds]",
	[SPOOL_PC_BUSY] = "[unwinder busy]",
	[SPOOL_PC_FAILED] = "[bad unwind rule]",
	[SPOOL_PC_NO_USER] = "[no user stack]",
	[SPOOL_PC_LEAF_ONLY] = "[leaf only]",
	[SPOOL_PC_PREEMPTED] = "[preempted]",
	[SPOOL_PC_BLOCKED] = "[still blocked]",
	[SPOOL_PC_PROBED] = "[return address held by a uretprobe]",
};

const char *pseudo_text(uint64_t pc)
{
	bool known = pc < sizeof(names) / sizeof(names[0]) && names[pc];

	return known ? names[pc] : "[unknown]";
}

bool pseudo_is(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i] && !strcmp(names[i], name))
			return true;
	return false;
}
