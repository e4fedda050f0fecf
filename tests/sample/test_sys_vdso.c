/* The vDSO: its functions are found, and no damage to it leads outside of it. */

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "runtime/sample/sys/sys.h"
#include "tests/support/system.h"
#include "tests/support/unit.h"

#if defined(__x86_64__)
#define CLOCK_NAME "__vdso_clock_gettime"
#else
#define CLOCK_NAME "__kernel_clock_gettime"
#endif
#define PAGE_BYTES 4096UL

static const void *image(void)
{
	const void *start = (const void *)getauxval(AT_SYSINFO_EHDR); /* NOLINT */

	if (!start)
		skip();
	return start;
}

TEST(its_clock_is_the_clock)
{
	uint64_t address = sys_vdso_find(image(), sys_vdso_bytes(image()), CLOCK_NAME);
	int (*reader)(clockid_t, struct timespec *) =
		(int (*)(clockid_t, struct timespec *))address;
	struct timespec before, now, after;

	assert_int_not_equal(address, 0);
	assert_true(address - (uint64_t)image() < sys_vdso_bytes(image()));
	clock_gettime(CLOCK_MONOTONIC, &before);
	assert_int_equal(reader(CLOCK_MONOTONIC, &now), 0);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_true(now.tv_sec >= before.tv_sec && now.tv_sec <= after.tv_sec);
}

TEST(what_it_has_not_is_not_found)
{
	assert_int_equal(sys_vdso_find(image(), sys_vdso_bytes(image()), CLOCK_NAME "s"), 0);
	assert_int_equal(sys_vdso_find(image(), sys_vdso_bytes(image()), "__vdso_clock_gettim"), 0);
	assert_int_equal(sys_vdso_find(image(), sys_vdso_bytes(image()), ""), 0);
	assert_int_equal(sys_vdso_find("no image", 9, CLOCK_NAME), 0);
}

/* Both ways to read a clock, by the kernel's library and by a system call, read the same. */
TEST(a_clock_is_read_with_and_without_it)
{
	struct timespec called, read;

	assert_int_equal(sys_clock(CLOCK_MONOTONIC, &called), 0);
	sys_start();
	assert_int_equal(sys_clock(CLOCK_MONOTONIC, &read), 0);
	assert_true(read.tv_sec > called.tv_sec ||
		    (read.tv_sec == called.tv_sec && read.tv_nsec >= called.tv_nsec));
	assert_true(sys_clock(-1, &read) < 0);
}

/* A copy that ends where the next page cannot be read, cut short and with bytes changed. */
TEST(a_damaged_image_is_not_left)
{
	size_t bytes = sys_vdso_bytes(image());
	size_t pages = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	char *memory = pages_new(pages + PAGE_BYTES);
	unsigned found = 0, seed = 1;

	assert_int_equal(mprotect(memory + pages, PAGE_BYTES, PROT_NONE), 0);
	for (size_t round = 0; round < 40000; round++) {
		size_t kept = round < bytes ? round : bytes;
		char *copy = memory + (pages - kept) / 8 * 8;

		memcpy(copy, image(), kept);
		for (unsigned i = 0; round >= bytes && i < round % 8; i++)
			copy[(unsigned)rand_r(&seed) % (i & 1 ? bytes : 1024)] =
				(char)rand_r(&seed);
		found += sys_vdso_find(copy, kept, CLOCK_NAME) != 0;
	}
	assert_true(found > 0);
}
