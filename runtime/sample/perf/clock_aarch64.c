/* For many versions, kernels with KVM had no POSIX_CPU_TIMERS_TASK_WORK, and none report it. */
#include "runtime/sample/perf/clock.h"

bool clock_is_gentle(void)
{
	return false;
}
