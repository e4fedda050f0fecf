/* The lost part of a mapped file reads as zeros. */
#include "runtime/profile/base/sigbus_guard.h"
#include "tests/support/unit.h"

TEST(test_a_mapped_file_is_cut)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char path[] = "/tmp/test_sigbus_guard.XXXXXX";
	int fd = mkstemp(path);
	volatile char *map;

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(ftruncate(fd, (off_t)(4 * page)), 0);
	assert_int_equal(pwrite(fd, "here", 4, 0), 4);
	assert_int_equal(pwrite(fd, "gone", 4, (off_t)(2 * page)), 4);
	map = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal((const char *)map, MAP_FAILED);
	sigbus_guard();
	sigbus_guard();
	assert_int_equal(map[2 * page], 'g');
	assert_false(sigbus_happened());
	assert_int_equal(ftruncate(fd, (off_t)page), 0);
	assert_int_equal(map[0], 'h');
	assert_false(sigbus_happened());
	assert_int_equal(map[2 * page], 0);
	assert_true(sigbus_happened());
	assert_false(sigbus_happened());
	map[3 * page] = 'w'; /* a private change */
	assert_int_equal(map[3 * page], 'w');
	assert_true(sigbus_happened());
	munmap((void *)(uintptr_t)map, 4 * page);
	close(fd);
}
