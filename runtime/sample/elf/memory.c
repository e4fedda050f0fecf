/*
 * The kernel reads the memory for us.  Where it refuses, a page is probed by a system call that
 * copies from it.  The page may still disappear between the probe and the load.
 */
#include "runtime/sample/elf/memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/types.h>

#include "runtime/sample/sys/sys.h"

#define PAGE_BYTES   4096ULL
#define HIGHEST_BIT  63
#define NO_OPERATION (-1)

static _Atomic bool refused; /* the kernel refuses.  W, R: any */
static _Atomic pid_t *own;   /* in a page that a forked child finds empty.  W, R: any */

/* The kernel takes 0 for "no set", and below the lowest address nothing is mapped. */
bool memory_is_readable(uint64_t address)
{
	if (address < MEMORY_LOWEST)
		return false;
	return sys_sigmask(NO_OPERATION, (const uint64_t *)(address & ~(PAGE_BYTES - 1)), NULL) ==
	       -EINVAL;
}

bool memory_is_readable_for(uint64_t address, size_t bytes)
{
	uint64_t last = address + bytes - 1;

	return memory_is_readable(address) &&
	       (address / PAGE_BYTES == last / PAGE_BYTES || memory_is_readable(last));
}

MEMORY_RAW static bool probe_and_copy(void *to, uint64_t address, size_t bytes)
{
	typedef uint64_t __attribute__((aligned(1), may_alias)) word;
	size_t at = 0;

	for (uint64_t page = address & ~(PAGE_BYTES - 1); page <= address + bytes - 1;
	     page += PAGE_BYTES)
		if (!memory_is_readable(page))
			return false;
	for (; at + sizeof(word) <= bytes; at += sizeof(word))
		*(word *)((char *)to + at) = *(const volatile word *)(address + at);
	for (; at < bytes; at++)
		((uint8_t *)to)[at] = *(const volatile uint8_t *)(address + at);
	return true;
}

/* Returns our process id, kept until a fork wipes it.  After that, and on kernels that cannot wipe,
 * the kernel is asked. */
static pid_t own_number(void)
{
	pid_t number = own ? atomic_load_explicit(own, memory_order_relaxed) : 0;

	if (number)
		return number;
	number = sys_getpid();
	if (own)
		atomic_store_explicit(own, number, memory_order_relaxed);
	return number;
}

static void prepare_own(void)
{
	void *page;

	if (own ||
	    sys_mmap(&page, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1))
		return;
	if (sys_madvise(page, PAGE_BYTES, MADV_WIPEONFORK))
		sys_munmap(page, PAGE_BYTES);
	else
		own = page;
}

void memory_start(void)
{
	prepare_own();
	own_number();
}

/* The id of the first thread is invalid once that thread has ended before the others. */
static long copy(const struct iovec *to, unsigned to_count, const struct iovec *from,
		 unsigned from_count)
{
	long copied = sys_copy_memory(own_number(), to, to_count, from, from_count);

	return copied == -ESRCH ? sys_copy_memory(sys_gettid(), to, to_count, from, from_count)
				: copied;
}

bool memory_copy(void *to, uint64_t address, size_t bytes)
{
	struct iovec local = { to, bytes };
	struct iovec remote = { (void *)address, bytes }; /* NOLINT(performance-no-int-to-ptr) */
	long copied;

	if (!bytes || address >> HIGHEST_BIT || bytes > PAGE_BYTES)
		return false;
	if (atomic_load_explicit(&refused, memory_order_relaxed))
		return probe_and_copy(to, address, bytes);
	copied = copy(&local, 1, &remote, 1);
	if (copied >= 0 || copied == -EFAULT)
		return copied == (long)bytes;
	if (sys_is_quiet())
		return false; /* it is this thread that calls nothing now, not the kernel */
	atomic_store_explicit(&refused, true, memory_order_relaxed);
	return probe_and_copy(to, address, bytes);
}

/* One call each, where the kernel refuses. */
static bool copy_singly(void *to, const uint64_t *address, unsigned count, size_t bytes)
{
	for (unsigned i = 0; i < count; i++)
		if (!memory_copy((char *)to + i * bytes, address[i], bytes))
			return false;
	return true;
}

bool memory_copy_pieces(void *to, const uint64_t *address, unsigned count, size_t bytes)
{
	struct iovec local = { to, count * bytes }, from[MEMORY_PIECES];
	long copied;

	if (!count || count > MEMORY_PIECES || !bytes || bytes > PAGE_BYTES)
		return false;
	for (unsigned i = 0; i < count; i++) {
		if (address[i] >> HIGHEST_BIT)
			return false;
		/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
		from[i] = (struct iovec){ (void *)address[i], bytes };
	}
	if (atomic_load_explicit(&refused, memory_order_relaxed))
		return copy_singly(to, address, count, bytes);
	copied = copy(&local, 1, from, count);
	if (copied >= 0 || copied == -EFAULT)
		return copied == (long)(count * bytes);
	return copy_singly(to, address, count, bytes);
}

size_t memory_copy_vector(const struct iovec *to, const struct iovec *from, unsigned count)
{
	long copied;

	if (atomic_load_explicit(&refused, memory_order_relaxed))
		return 0;
	copied = copy(to, count, from, count);
	return copied > 0 ? (size_t)copied : 0;
}
