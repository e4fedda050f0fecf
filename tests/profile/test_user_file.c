/* A file is read up to its size at the time of opening, even if it changes meanwhile; the lost part
 * of one that is mapped reads as zeros. */
#include "runtime/profile/base/sigbus_guard.h"
#include "runtime/profile/base/user_file.h"
#include "tests/support/unit.h"

#define OLD  "old text\n"
#define MORE "more text\n"

static int made(const char *text, off_t size)
{
	char path[] = "/tmp/test_user_file.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	if (size)
		assert_int_equal(ftruncate(fd, size), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static void reads(int fd, uint64_t bytes, const char *expected)
{
	FILE *file = user_file_stream(fd, bytes);
	char text[64] = "";

	assert_non_null(file);
	assert_int_equal(fread(text, 1, sizeof(text) - 1, file), strlen(expected));
	assert_string_equal(text, expected);
	assert_false(ferror(file));
	fclose(file);
}

TEST(test_a_text_is_cut_to_the_room_and_has_an_end)
{
	char path[] = "/tmp/test_user_file.XXXXXX";
	int fd = mkstemp(path);
	char text[16];

	assert_true(fd >= 0);
	assert_int_equal(user_file_text(path, text, sizeof(text)), 0);
	assert_string_equal(text, "");
	assert_int_equal(write(fd, OLD, strlen(OLD)), strlen(OLD));
	close(fd);
	assert_int_equal(user_file_text(path, text, sizeof(text)), strlen(OLD));
	assert_string_equal(text, OLD);
	assert_int_equal(user_file_text(path, text, 4), 3);
	assert_string_equal(text, "old");
	unlink(path);
	assert_int_equal(user_file_text(path, text, sizeof(text)), 0);
	assert_string_equal(text, "");
}

TEST(test_what_is_added_later_is_not_read)
{
	int fd = made(OLD, 0);
	bool hole = true;
	uint64_t bytes = user_file_bytes(fd, &hole);

	assert_int_equal(bytes, strlen(OLD));
	assert_false(hole);
	assert_int_equal(pwrite(fd, MORE, strlen(MORE), (off_t)strlen(OLD)), strlen(MORE));
	reads(fd, bytes, OLD);
}

TEST(test_a_file_that_is_cut_ends_there)
{
	int fd = made(OLD, 0);
	bool hole;
	uint64_t bytes = user_file_bytes(fd, &hole);

	assert_int_equal(ftruncate(fd, 3), 0);
	reads(fd, bytes, "old");
}

TEST(test_it_is_read_from_where_it_stands)
{
	int fd = made(OLD MORE, 0);
	bool hole;

	assert_int_equal(lseek(fd, strlen(OLD), SEEK_SET), strlen(OLD));
	assert_int_equal(user_file_bytes(fd, &hole), strlen(MORE));
	reads(fd, strlen(MORE), MORE);
}

TEST(test_a_hole_ends_it)
{
	int fd = made(OLD, (off_t)1 << 40);
	bool hole = false;
	uint64_t bytes = user_file_bytes(fd, &hole);

	assert_true(hole);
	assert_true(bytes >= strlen(OLD) && bytes <= 1 << 20); /* the file system's block */
	close(fd);
}

TEST(test_a_pipe_has_no_bound)
{
	int ends[2];
	bool hole = true;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(user_file_bytes(ends[0], &hole), UINT64_MAX);
	assert_false(hole);
	assert_int_equal(write(ends[1], OLD, strlen(OLD)), strlen(OLD));
	close(ends[1]);
	reads(ends[0], UINT64_MAX, OLD);
}

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
