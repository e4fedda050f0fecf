/* What was read before is freed. */
#include "tests/support/spool_fixture.h"

#include "runtime/profile/tree/frame_tree.h"
#include "tests/support/folded_text.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

struct spool_fixture *spool_fixture_new(void **state, uint32_t counters, size_t size_bytes)
{
	struct spool_fixture *f = calloc(1, sizeof(*f));

	f->builder = spool_builder_new(counters, size_bytes);
	*state = f;
	return f;
}

void spool_fixture_again(struct spool_fixture *f, uint32_t counters)
{
	size_t size_bytes = f->builder.size_bytes;

	spool_builder_free(&f->builder);
	f->builder = spool_builder_new(counters, size_bytes);
}

int spool_fixture_free(struct spool_fixture *f)
{
	spool_read_free(&f->spool);
	profile_free(f->profile);
	spool_builder_free(&f->builder);
	free(f);
	return 0;
}

int unit_teardown(void **state)
{
	return spool_fixture_free(*state);
}

int spool_fixture_read_cut(struct spool_fixture *f, uint64_t bytes)
{
	int fd = spool_builder_fd(&f->builder);
	int result;

	assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
	spool_read_free(&f->spool);
	result = (f->timed ? spool_read_timed_fd : spool_read_fd)(fd, "the.spool", &f->spool,
								  f->line, sizeof(f->line));
	close(fd);
	return result;
}

int spool_fixture_read(struct spool_fixture *f)
{
	return spool_fixture_read_cut(f, f->builder.size_bytes);
}

int spool_fixture_add(struct spool_fixture *f, const struct profile_options *options)
{
	int fd = spool_builder_fd(&f->builder);
	int result;

	if (!f->profile)
		f->profile = profile_new(options);
	result = profile_read_fd(f->profile, fd, "the.spool", f->line, sizeof(f->line));
	close(fd);
	return result;
}

void spool_fixture_folds(const struct spool_fixture *f, unsigned counter,
			 enum settings_weight weight, const char *expected)
{
	struct frame_tree *tree;

	assert_int_equal(profile_tree(f->profile, counter, weight, &tree), 0);
	folded_text_write(tree);
	frame_tree_free(tree);
	written_is(expected);
}
