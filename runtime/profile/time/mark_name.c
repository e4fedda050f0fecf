/*
 * One table, by the kind.
 */
#include "runtime/profile/time/mark_name.h"

#include <stddef.h>

const char *mark_name(enum spool_mark kind)
{
	static const char *const names[] = {
		[SPOOL_MARK_FORK] = "fork",
		[SPOOL_MARK_EXEC] = "exec",
		[SPOOL_MARK_EXEC_FAILED] = "exec failed",
		[SPOOL_MARK_LOAD] = "load",
		[SPOOL_MARK_UNLOAD] = "unload",
		[SPOOL_MARK_START] = "start",
		[SPOOL_MARK_STOP] = "stop",
		[SPOOL_MARK_THROTTLED] = "throttled",
		[SPOOL_MARK_SLOWER] = "slower",
	};

	return (size_t)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : NULL;
}
