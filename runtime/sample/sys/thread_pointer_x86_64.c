/*
 * arch_prctl(2): rdfsbase is allowed where AT_HWCAP2 has bit 1 (Linux 5.9, processors since 2012).
 * Elsewhere the kernel is asked, or the record's first word, which glibc has point to the record,
 * as in sysdeps/x86_64/nptl/tls.h (tcbhead_t): tcb, dtv, self.
 */
#include "runtime/sample/sys/thread_pointer.h"

#include <stdatomic.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#include "runtime/sample/sys/sys_make.h"

#define FSGSBASE       2
#define ARCH_GET_FS    0x1003 /* asm/prctl.h */
#define NOT_YET	       0
#define BY_CALL	       1
#define BY_INSTRUCTION 2

static _Atomic uint8_t way;

static uint8_t find_way(void)
{
	uint8_t found = getauxval(AT_HWCAP2) & FSGSBASE ? BY_INSTRUCTION : BY_CALL;

	atomic_store_explicit(&way, found, memory_order_relaxed);
	return found;
}

static uint8_t way_now(void)
{
	uint8_t now = atomic_load_explicit(&way, memory_order_relaxed);

	return now == NOT_YET ? find_way() : now;
}

bool thread_pointer_needs_call(void)
{
	return way_now() == BY_CALL;
}

uint64_t thread_pointer_read(bool by_call)
{
	uint64_t pointer = 0;

	if (way_now() == BY_INSTRUCTION)
		__asm__ volatile("rdfsbase %0" : "=r"(pointer));
	else if (by_call)
		sys_call(SYS_arch_prctl, ARCH_GET_FS, (long)&pointer, 0, 0, 0, 0);
	else
		__asm__ volatile("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
}

bool thread_pointer_looks(uint64_t pointer, const uint64_t words[3])
{
	return words[0] == pointer && words[1] && words[2] == pointer;
}
