/* Output files are complete or absent, have the promised names, and leave other files alone. */
#include <ftw.h>

#include "runtime/output/output.h"
#include "runtime/profile/merge/profile.h"
#include "tests/support/spool_builder.h"
#include "tests/support/unit.h"

struct fixture {
	char directory[64];
	char stem[256];
	struct profile *profile;
	char line[8192];
	char written[4][512];
	unsigned written_count;
};

static void remember(const char *path, void *context)
{
	struct fixture *f = context;

	snprintf(f->written[f->written_count++ % 4], 512, "%s", path);
}

static void make_profile(struct fixture *f, uint32_t counters)
{
	struct spool_builder builder = spool_builder_new(counters, 1 << 20);
	struct spool_builder_thread thread = spool_builder_thread(&builder, 1, "t");
	struct profile_options options = { .threads = SETTINGS_THREADS_MERGE, .locations = true };
	uint32_t node = spool_builder_node(&builder, &thread, SPOOL_PC_OVERFLOW, 0);

	if (counters == 3)
		spool_builder_header(&builder)->counter[2].flags |= SPOOL_COUNTER_UNAVAILABLE;
	for (uint32_t i = 0; i < counters; i++)
		spool_builder_weigh(&builder, node, i, i + 1, 1000);
	strcpy(spool_builder_header(&builder)->counter[0].name, "cpu/cycles/:u");
	profile_free(f->profile);
	f->profile = profile_new(&options);
	spool_builder_read(&builder, f->profile);
}

int unit_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->directory, "/tmp/flametrap-test-XXXXXX");
	if (!mkdtemp(f->directory))
		return -1;
	snprintf(f->stem, sizeof(f->stem), "%s/deep/er/out", f->directory);
	make_profile(f, 1);
	*state = f;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int unit_teardown(void **state)
{
	struct fixture *f = *state;

	profile_free(f->profile);
	nftw(f->directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(f);
	return 0;
}

static int write_before(struct fixture *f, unsigned formats, unsigned pid, uint64_t before_ns,
			bool *moved)
{
	struct output_request request = {
		.stem = f->stem,
		.formats = formats,
		.replaced_before_ns = before_ns,
		.pid = pid,
		.moved = moved,
		.written = remember,
		.context = f,
	};

	f->written_count = 0;
	return output_write(f->profile, &request, f->line, sizeof(f->line));
}

/* Without a pid, any file is replaced. */
static int write_files(struct fixture *f, unsigned formats, unsigned pid)
{
	return write_before(f, formats, pid, pid ? 0 : UINT64_MAX, NULL);
}

/* The path of an output. */
static const char *path_of(const struct fixture *f, const char *ending)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s%s", f->stem, ending);
	return path;
}

static void assert_content(const struct fixture *f, const char *ending, const char *expected)
{
	char text[64] = "";
	FILE *file = fopen(path_of(f, ending), "re");

	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(text, expected);
}

static void assert_files(const struct fixture *f, int expected)
{
	char command[512];

	snprintf(command, sizeof(command), "exit $(find %s -type f | wc -l)", f->directory);
	assert_int_equal(WEXITSTATUS(system(command)), expected);
}

static void write_folded(struct fixture *f, unsigned pid)
{
	assert_int_equal(write_files(f, SETTINGS_FORMAT_FOLDED, pid), 0);
}

TEST_OF(struct fixture *f, one_counter_gives_the_stem_and_the_format)
{
	assert_int_equal(write_files(f, SETTINGS_FORMAT_FOLDED | SETTINGS_FORMAT_SVG, 0), 0);
	assert_content(f, ".folded", "target;[overflow] 1\n");
	assert_int_equal(f->written_count, 2);
	assert_non_null(strstr(f->written[0], "/deep/er/out.folded"));
	assert_non_null(strstr(f->written[1], "/deep/er/out.svg"));
	assert_files(f, 2);
}

TEST_OF(struct fixture *f, several_counters_give_a_file_each)
{
	make_profile(f, 2);
	write_folded(f, 0);
	assert_content(f, ".cpu-cycles--u.folded", "target;[overflow] 1\n");
	assert_content(f, ".counter1.folded", "target;[overflow] 2\n");
	assert_files(f, 2);
}

TEST_OF(struct fixture *f, a_counter_that_could_not_be_opened_gives_no_file)
{
	make_profile(f, 3);
	write_folded(f, 0);
	assert_non_null(strstr(f->written[1], "out.counter1.folded"));
	assert_files(f, 2);
}

TEST_OF(struct fixture *f, files_have_the_rights_of_any_new_file)
{
	mode_t mask = umask(027);
	struct stat st;

	write_folded(f, 0);
	umask(mask);
	assert_int_equal(stat(path_of(f, ".folded"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
}

TEST_OF(struct fixture *f, without_a_pid_an_older_file_is_replaced)
{
	write_folded(f, 0);
	write_folded(f, 0);
	assert_files(f, 1);
}

TEST_OF(struct fixture *f, a_file_is_replaced_if_it_is_older)
{
	struct timespec times[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000, .tv_nsec = 5 } };
	const uint64_t written_ns = 1000000000005ULL;
	bool moved = false;

	assert_int_equal(write_before(f, SETTINGS_FORMAT_FOLDED, 77, 1, &moved), 0);
	assert_int_equal(utimensat(AT_FDCWD, path_of(f, ".folded"), times, 0), 0);
	assert_int_equal(write_before(f, SETTINGS_FORMAT_FOLDED, 77, written_ns, &moved), 0);
	assert_true(moved);
	assert_files(f, 2);
	moved = false;
	assert_int_equal(write_before(f, SETTINGS_FORMAT_FOLDED, 77, written_ns + 1, &moved), 0);
	assert_false(moved);
	assert_files(f, 2);
}

TEST_OF(struct fixture *f, with_a_pid_nothing_is_replaced)
{
	for (unsigned i = 0; i < 4; i++)
		write_folded(f, 77);
	assert_content(f, ".folded", "target;[overflow] 1\n");
	assert_content(f, ".77.folded", "target;[overflow] 1\n");
	assert_content(f, ".77.2.folded", "target;[overflow] 1\n");
	assert_non_null(strstr(f->written[0], "out.77.3.folded"));
	assert_files(f, 4);
}

TEST_OF(struct fixture *f, a_directory_in_the_way_is_named)
{
	snprintf(f->stem, sizeof(f->stem), "%s/out", f->directory);
	assert_int_equal(mkdir(path_of(f, ".folded"), 0700), 0);
	assert_int_equal(write_files(f, SETTINGS_FORMAT_FOLDED, 0), -EISDIR);
	assert_non_null(strstr(f->line, "/out.folded: Is a directory"));
	assert_files(f, 0);
}

TEST_OF(struct fixture *f, a_file_where_a_directory_should_be_is_an_error)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/deep", f->directory);
	file = fopen(path, "we");
	assert_non_null(file);
	fclose(file);
	assert_true(write_files(f, SETTINGS_FORMAT_FOLDED, 0) < 0);
	assert_non_null(strstr(f->line, "/deep/er/out"));
	assert_files(f, 1);
}

TEST_OF(struct fixture *f, a_directory_that_takes_no_files_is_an_error)
{
	struct output_request request = { .stem = "/proc/self/out",
					  .formats = 1,
					  .replaced_before_ns = UINT64_MAX };

	assert_true(output_write(f->profile, &request, f->line, sizeof(f->line)) < 0);
	assert_non_null(strstr(f->line, "/proc/self/out.folded: "));
}

TEST_OF(struct fixture *f, a_file_that_cannot_be_written_whole_leaves_nothing)
{
	struct rlimit limit, tiny;
	int err;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	tiny = limit;
	tiny.rlim_cur = 1;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &tiny), 0);
	err = write_files(f, SETTINGS_FORMAT_FOLDED | SETTINGS_FORMAT_SVG, 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(err, -EFBIG);
	assert_non_null(strstr(f->line, "/out.folded: File too large"));
	assert_files(f, 0);
}

TEST_OF(struct fixture *f, formats_with_room_for_all_counters_give_one_file)
{
	make_profile(f, 2);
	assert_int_equal(write_files(f, SETTINGS_FORMAT_PPROF | SETTINGS_FORMAT_SPEEDSCOPE, 0), 0);
	assert_int_equal(f->written_count, 2);
	assert_string_equal(strrchr(f->written[0], '/'), "/out.pb.gz");
	assert_string_equal(strrchr(f->written[1], '/'), "/out.speedscope.json");
	assert_files(f, 2);
}

TEST_OF(struct fixture *f, a_format_of_one_counter_gives_a_file_each)
{
	make_profile(f, 2);
	assert_int_equal(write_files(f, SETTINGS_FORMAT_GPERFTOOLS, 0), 0);
	assert_int_equal(f->written_count, 2);
	assert_non_null(strstr(f->written[0], ".prof"));
	assert_string_not_equal(f->written[0], f->written[1]);
	assert_files(f, 2);
}

TEST_OF(struct fixture *f, a_format_that_fails_does_not_keep_others_from_being_written)
{
	struct profile_options options = { .threads = SETTINGS_THREADS_MERGE };

	profile_free(f->profile);
	f->profile = profile_new(&options); /* without what pprof needs */
	assert_int_equal(write_files(f, SETTINGS_FORMAT_PPROF | SETTINGS_FORMAT_SPEEDSCOPE, 0),
			 -EINVAL);
	assert_non_null(strstr(f->line, "/out.pb.gz: Invalid argument"));
	assert_files(f, 1);
}
