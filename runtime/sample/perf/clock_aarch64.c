/* Kernels with KVM did without for many versions, and do not say so. */
#include "runtime/sample/perf/clock.h"

bool clock_is_gentle(void)
{
	return false;
}
