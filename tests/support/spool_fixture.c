/*
 * What was read before is freed.
 */
#include "tests/support/spool_fixture.h"

#include <stdlib.h>
#include <unistd.h>

#include "tests/support/unit.h"

struct spool_fixture *spool_fixture_new(void **state, uint32_t counters, size_t size_bytes)
{
	struct spool_fixture *f = calloc(1, sizeof(*f));

	f->builder = spool_builder_new(counters, size_bytes);
	*state = f;
	return f;
}

int unit_teardown(void **state)
{
	struct spool_fixture *f = *state;

	spool_read_free(&f->spool);
	spool_builder_free(&f->builder);
	free(f);
	return 0;
}

static int read_by(struct spool_fixture *f,
		   int (*reader)(int, const char *, struct spool_read *, char *, size_t))
{
	int fd = spool_builder_fd(&f->builder);
	int result;

	spool_read_free(&f->spool);
	result = reader(fd, "the.spool", &f->spool, f->line, sizeof(f->line));
	close(fd);
	return result;
}

int spool_fixture_read(struct spool_fixture *f)
{
	return read_by(f, spool_read_fd);
}

int spool_fixture_read_timed(struct spool_fixture *f)
{
	return read_by(f, spool_read_timed_fd);
}
