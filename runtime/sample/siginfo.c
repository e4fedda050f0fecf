#include "runtime/sample/siginfo.h"

#include <string.h>

#include "runtime/sample/group.h"

#define TRAP_PERF_CODE	  6  /* TRAP_PERF */
#define TRAP_PERF_ASYNC	  1u /* TRAP_PERF_FLAG_ASYNC */
#define PERF_DATA_OFFSET  24 /* _sigfault._perf._data, on 64-bit */
#define PERF_FLAGS_OFFSET 36

bool siginfo_is_ours(const siginfo_t *info)
{
	uint64_t cookie;

	memcpy(&cookie, (const char *)info + PERF_DATA_OFFSET, sizeof(cookie));
	return info->si_code == TRAP_PERF_CODE && cookie == GROUP_COOKIE;
}

bool siginfo_deferred(const siginfo_t *info)
{
	uint32_t flags;

	memcpy(&flags, (const char *)info + PERF_FLAGS_OFFSET, sizeof(flags));
	return flags & TRAP_PERF_ASYNC;
}
