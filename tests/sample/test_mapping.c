/* The lines of /proc/PID/maps: one that is too long for the buffer costs itself and no other.  A
 * path has more than PATH_MAX bytes there if its folders were entered one by one. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/sample/sys/proc.h"
#include "tests/support/unit.h"

#define HEAD  "7f0000002000-7f0000003000 r-xp 00001000 08:01 42 "
#define ROOM  (MAPPING_LINE_BYTES - 2) /* of a line, without its newline */
#define LINES 3

static struct {
	uint64_t start[LINES];
	size_t name_bytes[LINES];
	unsigned count;
} met;

static bool meet(const struct mapping *mapping, void *context)
{
	assert_true(met.count < LINES);
	met.start[met.count] = mapping->start;
	met.name_bytes[met.count++] = strlen(mapping->name);
	return context == NULL;
}

/* Reads three lines, the second of which has that many bytes. */
static void read_with(size_t bytes, void *context)
{
	static char text[MAPPING_LINE_BYTES];
	char path[] = "/tmp/test_mapping.XXXXXX";
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w");

	assert_non_null(file);
	fprintf(file, "7f0000000000-7f0000001000 r--p 00000000 08:01 42 /first\n" HEAD);
	for (size_t i = sizeof(HEAD) - 1; i < bytes; i++)
		fputc('x', file);
	fprintf(file, "\n7f0000004000-7f0000005000 rw-p 00000000 00:00 0\n");
	fclose(file);
	met.count = 0;
	mapping_each(path, text, meet, context);
	unlink(path);
}

TEST(a_line_that_fits_is_read_whole)
{
	for (size_t bytes = ROOM - 1; bytes <= ROOM; bytes++) {
		read_with(bytes, NULL);
		assert_int_equal(met.count, LINES);
		assert_int_equal(met.start[1], 0x7f0000002000);
		assert_int_equal(met.name_bytes[1], bytes - (sizeof(HEAD) - 1));
		assert_int_equal(met.start[2], 0x7f0000004000);
	}
}

TEST(a_line_that_does_not_fit_costs_no_other)
{
	for (size_t bytes = ROOM + 1; bytes < 4UL * ROOM; bytes += ROOM / 2) {
		read_with(bytes, NULL);
		assert_int_equal(met.count, LINES - 1);
		assert_int_equal(met.start[0], 0x7f0000000000);
		assert_int_equal(met.start[1], 0x7f0000004000);
		assert_int_equal(met.name_bytes[1], 0);
	}
}

TEST(a_visit_that_wants_no_more_ends_it)
{
	read_with(ROOM + 1, &met);
	assert_int_equal(met.count, 1);
}
