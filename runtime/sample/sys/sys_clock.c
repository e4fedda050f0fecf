/*
 * Clocks are read in the vDSO, not through libc's clock_gettime, which programs that fake time
 * replace.  The vDSO executes RDTSC (on aarch64: reads CNTVCT_EL0), which faults after
 * prctl(PR_SET_TSC, PR_TSC_SIGSEGV).  From then on clocks are read by system calls.  Threads and
 * children inherit that state, and so does the next image (arch/x86/kernel/process.c, TIF_NOTSC).
 */
#include <stdatomic.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <time.h>

#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/sys_vdso.h"

typedef int reader(clockid_t, struct timespec *);

static _Atomic(reader *) clock_reader; /* NULL: a system call */
static _Atomic bool cycles_fault;

static void learn_cycles(void)
{
	int state = PR_TSC_ENABLE;

	if (!sys_prctl(PR_GET_TSC, (unsigned long)&state) && state == PR_TSC_SIGSEGV)
		sys_avoid_cycles();
}

void sys_start(void)
{
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR); /* NOLINT */
	uint64_t found;

	if (!image)
		return;
	found = sys_vdso_find(image, sys_vdso_bytes(image), "__vdso_clock_gettime");
	if (!found) /* its name on aarch64 */
		found = sys_vdso_find(image, sys_vdso_bytes(image), "__kernel_clock_gettime");
	atomic_store_explicit(&clock_reader, (reader *)found, memory_order_relaxed); /* NOLINT */
	learn_cycles();
}

void sys_avoid_cycles(void)
{
	atomic_store_explicit(&cycles_fault, true, memory_order_relaxed);
	atomic_store_explicit(&clock_reader, NULL, memory_order_relaxed);
}

bool sys_may_read_cycles(void)
{
	return !atomic_load_explicit(&cycles_fault, memory_order_relaxed);
}

uint64_t sys_clock_address(void)
{
	return (uint64_t)(uintptr_t)atomic_load_explicit(&clock_reader, memory_order_relaxed);
}

/* The handler calls this twice per sample. */
int sys_clock(clockid_t clock, struct timespec *time)
{
	reader *read = atomic_load_explicit(&clock_reader, memory_order_relaxed);

	return read ? read(clock, time) : sys_clock_call(clock, time);
}
