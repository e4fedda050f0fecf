/* Paths of objects in the spool: whole, or marked as not. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/sample/objects/module_table.h"
#include "tests/support/unit.h"

#define NAME   "x.so"
#define PIECE  200
#define AROUND 12

static const struct module_list list = { .executable = "/bin/program" };

/* Goes into a new folder whose path has that many bytes. */
static void enter(char top[], size_t bytes)
{
	char piece[PIECE + 2], here[2 * SPOOL_PATH_MAX];

	assert_non_null(mkdtemp(top));
	assert_int_equal(chdir(top), 0);
	while (getcwd(here, sizeof(here)) && strlen(here) < bytes) {
		size_t left = bytes - strlen(here) - 1;

		left = left > PIECE + 1 ? PIECE
					: left; /* one byte at least for the next, with its slash */
		memset(piece, 'd', left);
		piece[left] = '\0';
		assert_int_equal(mkdir(piece, 0700), 0);
		assert_int_equal(chdir(piece), 0);
	}
	assert_int_equal(strlen(here), bytes);
}

static void leave(const char *top)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", top);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(system(command), 0);
}

static void check(const char *name, const char *whole)
{
	static struct spool_module entry;
	bool fits = strlen(whole) < sizeof(entry.path);

	memset(&entry, 0, sizeof(entry));
	entry.start = 4096;
	module_list_name(&list, &entry, name);
	if (entry.flags & SPOOL_MODULE_PATH_CUT)
		assert_string_not_equal(entry.path, whole);
	else
		assert_string_equal(entry.path, whole);
	assert_int_equal(!(entry.flags & SPOOL_MODULE_PATH_CUT), fits);
}

TEST(an_absolute_path_is_whole_or_marked)
{
	char path[SPOOL_PATH_MAX + AROUND + 1];

	for (size_t bytes = SPOOL_PATH_MAX - AROUND; bytes <= SPOOL_PATH_MAX + AROUND; bytes++) {
		memset(path, 'p', bytes);
		path[0] = '/';
		path[bytes] = '\0';
		check(path, path);
	}
}

/* As of a plugin loaded from the present directory. */
TEST(a_relative_path_is_whole_or_marked)
{
	for (size_t bytes = SPOOL_PATH_MAX - AROUND; bytes <= SPOOL_PATH_MAX + AROUND; bytes++) {
		char top[] = "/tmp/test_module_list.XXXXXX", whole[2 * SPOOL_PATH_MAX + 16];

		enter(top, bytes);
		assert_non_null(getcwd(whole, sizeof(whole)));
		strcat(whole, "/" NAME);
		check(NAME, whole);
		leave(top);
	}
}
