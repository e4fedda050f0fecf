/* x86-64: a data breakpoint is a trap, which comes after the access. */
#include "runtime/sample/perf/siginfo.h"

uint64_t siginfo_pc(const ucontext_t *context)
{
	return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
}

bool siginfo_is_after_access(void)
{
	return true;
}

uint64_t siginfo_sp(const ucontext_t *context)
{
	return (uint64_t)context->uc_mcontext.gregs[REG_RSP];
}

/* Always since Linux 5.9 (arch/x86/Kconfig): before SIGTRAP. */
bool siginfo_timer_is_gentle(void)
{
	return true;
}
