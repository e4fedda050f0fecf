/* A published file is complete or absent, and has the permissions of any new file. */
#include <dirent.h>

#include "runtime/profile/base/atomic_file.h"
#include "tests/support/unit.h"

struct fixture {
	char directory[64];
	char path[96];
	struct atomic_file publish;
};

typedef int open_function(struct atomic_file *publish, const char *path);

static open_function *const openers[] = { atomic_file_open, atomic_file_open_named };

#define OPENERS (sizeof(openers) / sizeof(openers[0]))

int unit_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->directory, "/tmp/flametrap-publish-XXXXXX");
	assert_non_null(mkdtemp(f->directory));
	snprintf(f->path, sizeof(f->path), "%s/out", f->directory);
	*state = f;
	return 0;
}

static unsigned count_files(const struct fixture *f)
{
	DIR *stream = opendir(f->directory);
	unsigned count = 0;
	struct dirent *entry;

	while ((entry = readdir(stream)))
		count += entry->d_name[0] != '.';
	closedir(stream);
	return count;
}

int unit_teardown(void **state)
{
	struct fixture *f = *state;

	unlink(f->path);
	assert_int_equal(rmdir(f->directory), 0);
	free(f);
	return 0;
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void assert_holds(const char *path, const char *text)
{
	char found[64] = "";
	FILE *file = fopen(path, "re");

	assert_non_null(file);
	assert_non_null(fgets(found, sizeof(found), file));
	fclose(file);
	assert_string_equal(found, text);
}

static void write_new(struct fixture *f, open_function *opener)
{
	assert_int_equal(opener(&f->publish, f->path), 0);
	fputs("new", f->publish.file);
	assert_int_equal(atomic_file_flush(&f->publish, 0), 0);
}

TEST_OF(struct fixture *f, the_name_appears_with_the_whole_file)
{
	struct stat st;

	for (size_t i = 0; i < OPENERS; i++) {
		umask(027);
		write_new(f, openers[i]);
		assert_int_equal(access(f->path, F_OK), -1);
		assert_int_equal(atomic_file_name(&f->publish, f->path, false), 0);
		atomic_file_close(&f->publish);
		assert_holds(f->path, "new");
		assert_int_equal(stat(f->path, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0640);
		assert_int_equal(count_files(f), 1);
		unlink(f->path);
	}
}

TEST_OF(struct fixture *f, a_name_that_is_taken_is_left_alone_and_another_may_be_tried)
{
	for (size_t i = 0; i < OPENERS; i++) {
		char other[128];

		snprintf(other, sizeof(other), "%s.2", f->path);
		put(f->path, "old");
		write_new(f, openers[i]);
		assert_int_equal(atomic_file_name(&f->publish, f->path, false), -EEXIST);
		assert_int_equal(atomic_file_name(&f->publish, other, false), 0);
		atomic_file_close(&f->publish);
		assert_holds(f->path, "old");
		assert_holds(other, "new");
		assert_int_equal(count_files(f), 2);
		unlink(other);
	}
}

TEST_OF(struct fixture *f, an_old_file_is_replaced_where_that_is_asked_for)
{
	for (size_t i = 0; i < OPENERS; i++) {
		put(f->path, "old");
		write_new(f, openers[i]);
		assert_int_equal(atomic_file_name(&f->publish, f->path, true), 0);
		atomic_file_close(&f->publish);
		assert_holds(f->path, "new");
		assert_int_equal(count_files(f), 1);
	}
}

TEST_OF(struct fixture *f, what_is_not_named_is_gone)
{
	for (size_t i = 0; i < OPENERS; i++) {
		write_new(f, openers[i]);
		assert_int_equal(count_files(f), i); /* the second has a temporary name */
		atomic_file_close(&f->publish);
		assert_int_equal(count_files(f), 0);
	}
}

TEST_OF(struct fixture *f, a_signal_takes_the_temporary_name_away_and_nothing_else)
{
	write_new(f, atomic_file_open_named);
	assert_int_equal(count_files(f), 1);
	atomic_file_discard();
	assert_int_equal(count_files(f), 0);
	atomic_file_close(&f->publish);

	write_new(f, atomic_file_open_named);
	assert_int_equal(atomic_file_name(&f->publish, f->path, true), 0);
	atomic_file_discard();
	assert_holds(f->path, "new");
	atomic_file_close(&f->publish);
}

TEST_OF(struct fixture *f, errors_are_those_of_the_file_system)
{
	char path[PATH_MAX + 8];

	assert_int_equal(atomic_file_open(&f->publish, "/proc/self/out"), -ENOENT);
	assert_int_equal(atomic_file_open(&f->publish, "/nowhere/at/all"), -ENOENT);
	memset(path, 'a', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(atomic_file_open_named(&f->publish, path), -ENAMETOOLONG);
	write_new(f, atomic_file_open);
	assert_int_equal(mkdir(f->path, 0700), 0);
	assert_int_equal(atomic_file_name(&f->publish, f->path, true), -EISDIR);
	atomic_file_close(&f->publish);
	assert_int_equal(count_files(f), 1);
	rmdir(f->path);
}
