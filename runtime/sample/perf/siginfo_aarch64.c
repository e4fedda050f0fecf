/* aarch64: a watchpoint stops the thread before the access. */
#include "runtime/sample/perf/siginfo.h"

uint64_t siginfo_pc(const ucontext_t *context)
{
	return context->uc_mcontext.pc;
}

bool siginfo_is_after_access(void)
{
	return false;
}

uint64_t siginfo_sp(const ucontext_t *context)
{
	return context->uc_mcontext.sp;
}

/* For many versions, kernels with KVM did not, and none report it. */
bool siginfo_timer_is_gentle(void)
{
	return false;
}
