/*
 * Access to a mapping past the current end of its file raises SIGBUS with BUS_ADRERR (mmap(2),
 * sigaction(2)).  The handler replaces the page, and the access runs again.
 */
#include "runtime/profile/base/sigbus_guard.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_bytes;
static atomic_bool happened; /* W: the handler, sigbus_happened */

static void replace(int number, siginfo_t *info, void *context)
{
	int saved = errno;
	void *page = (void *)((uintptr_t)info->si_addr & ~(page_bytes - 1));

	(void)context;
	if (info->si_code == BUS_ADRERR &&
	    mmap(page, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		 -1, 0) != MAP_FAILED)
		atomic_store_explicit(&happened, true, memory_order_relaxed);
	else
		signal(number, SIG_DFL); /* the next SIGBUS ends the process */
	errno = saved;
}

void sigbus_guard(void)
{
	struct sigaction action = { .sa_sigaction = replace, .sa_flags = SA_SIGINFO };

	if (page_bytes)
		return;
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	sigaction(SIGBUS, &action, NULL);
}

bool sigbus_happened(void)
{
	return atomic_exchange_explicit(&happened, false, memory_order_relaxed);
}
