/* The thread starts before the first sample. */
#include "tests/support/log_fixture.h"

void log_fixture_begin(struct spool_fixture *f)
{
	spool_fixture_again(f, 2);
	f->thread = spool_builder_thread(&f->builder, 7, "worker");
	f->thread.slot->start_ns = LOG_FIXTURE_BASE - 9;
	f->node[0] = spool_builder_node(&f->builder, &f->thread, 0x1100, 0);
	f->node[1] = spool_builder_node(&f->builder, &f->thread, 0x1200, f->node[0]);
}

int log_fixture_setup(void **state)
{
	struct spool_fixture *f = spool_fixture_new(state, 2, 1 << 20);

	f->timed = true;
	log_fixture_begin(f);
	return 0;
}

const struct spool_read_log *log_fixture_log(const struct spool_fixture *f)
{
	return &f->spool.threads[0].log;
}

void log_fixture_take(struct spool_fixture *f, uint64_t time_ns, unsigned node, uint64_t samples,
		      uint64_t events)
{
	spool_builder_take(&f->builder, &f->thread,
			   &(struct spool_builder_sample){ .time_ns = time_ns,
							   .node = f->node[node],
							   .samples = samples,
							   .events = events });
}

struct spool_log_entry *log_fixture_entry(struct spool_fixture *f, uint64_t head, uint64_t body)
{
	return spool_builder_entry(&f->builder, &f->thread, head, body, 0);
}
