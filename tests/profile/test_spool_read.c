/* A sound spool is read completely.  A damaged one loses the data after the damage, and the reader
 * reports the place.  A file that is not our spool is refused with its kind, and its owner is
 * checked. */
#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/base/user_file.h"
#include "tests/support/spool_fixture.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

#define FIRST_CHUNK ((uint64_t)SPOOL_CHUNK_BYTES * SPOOL_HEADER_CHUNKS)

/* One module, one thread, main -> middle -> leaf; the leaf has 5 samples of 50 events. */
int unit_setup(void **state)
{
	struct spool_fixture *f = spool_fixture_new(state, 2, 1 << 20);

	spool_builder_module(&f->builder, 0x1000, 0x9000, 0x1000, "/bin/program");
	f->thread = spool_builder_thread(&f->builder, 7, "worker");
	f->node[0] = spool_builder_node(&f->builder, &f->thread, 0x1100, 0);
	f->node[1] = spool_builder_node(&f->builder, &f->thread, 0x1200, f->node[0]);
	f->node[2] = spool_builder_node(&f->builder, &f->thread, 0x1300, f->node[1]);
	spool_builder_weigh(&f->builder, f->node[2], 1, 5, 50);
	return 0;
}

/* The first damage is at this byte. */
static void assert_damage_at(const struct spool_fixture *f, uint64_t at)
{
	char expected[64];

	snprintf(expected, sizeof(expected), "the.spool: byte %llu: ", (unsigned long long)at);
	if (strncmp(f->line, expected, strlen(expected)) != 0)
		fail_msg("\"%s\" does not start with \"%s\"", f->line, expected);
}

static struct spool_chunk *nodes_of(const struct spool_fixture *f)
{
	return (struct spool_chunk *)(f->builder.bytes + f->thread.slot->first_chunk);
}

static uint64_t offset_of(const struct spool_fixture *f, const void *inside)
{
	return (uint64_t)((const unsigned char *)inside - f->builder.bytes);
}

TEST_OF(struct spool_fixture *f, a_sound_spool_is_read_whole)
{
	const struct spool_read_thread *thread;

	assert_int_equal(spool_fixture_read(f), 0);
	assert_int_equal(f->spool.module_count, 1);
	assert_string_equal(f->spool.modules[0].path, "/bin/program");
	assert_int_equal(f->spool.thread_count, 1);
	thread = &f->spool.threads[0];
	assert_string_equal(thread->name, "worker");
	assert_int_equal(thread->slot.tid, 7);
	assert_int_equal(thread->node_count, 3);
	assert_int_equal(thread->nodes[0].parent, SPOOL_READ_ROOT);
	assert_int_equal(thread->nodes[1].parent, 0);
	assert_int_equal(thread->nodes[2].parent, 1);
	assert_int_equal(thread->nodes[2].pc, 0x1300);
	assert_int_equal(thread->weights[2 * 2 + 0].samples, 0);
	assert_int_equal(thread->weights[2 * 2 + 1].samples, 5);
	assert_int_equal(thread->weights[2 * 2 + 1].events, 50);
}

TEST_OF(struct spool_fixture *f, lists_of_many_chunks_are_read_whole)
{
	uint32_t parent = f->node[2];
	const struct spool_read_thread *thread;

	for (unsigned i = 0; i < 1000; i++)
		parent = spool_builder_node(&f->builder, &f->thread, 0x2000 + i, parent);
	for (unsigned i = 0; i < 50; i++)
		spool_builder_module(&f->builder, 0x10000 + i, 0x10001 + i, 0, "/lib");
	for (unsigned i = 0; i < 40; i++)
		spool_builder_thread(&f->builder, 100 + i, "more");
	assert_int_equal(spool_fixture_read(f), 0);
	assert_int_equal(f->spool.module_count, 51);
	assert_int_equal(f->spool.thread_count, 41);
	thread = &f->spool.threads[0];
	assert_int_equal(thread->node_count, 1003);
	for (uint32_t i = 1; i < 1003; i++)
		assert_int_equal(thread->nodes[i].parent, i - 1);
	assert_int_equal(f->spool.threads[40].slot.tid, 139);
}

TEST_OF(struct spool_fixture *f, free_slots_are_passed_over)
{
	spool_builder_thread(&f->builder, 8, "gone").slot->state = SPOOL_THREAD_FREE;
	spool_builder_thread(&f->builder, 0, "sum").slot->state = SPOOL_THREAD_ENDED;
	assert_int_equal(spool_fixture_read(f), 0);
	assert_int_equal(f->spool.thread_count, 2);
	assert_string_equal(f->spool.threads[1].name, "sum");
}

/* Cut everywhere: what was read before the cut is sound, and the cut is said. */
TEST_OF(struct spool_fixture *f, a_file_cut_anywhere_is_read_up_to_there)
{
	uint64_t used = spool_builder_header(&f->builder)->used_bytes;

	for (uint64_t size = FIRST_CHUNK; size < used; size += 512) {
		assert_int_equal(spool_fixture_read_cut(f, size), 1);
		assert_damage_at(f, size);
		assert_true(f->spool.module_count <= 1 && f->spool.thread_count <= 1);
	}
}

TEST_OF(struct spool_fixture *f, a_chunk_that_is_cut_gives_its_whole_entries)
{
	uint64_t nodes = f->thread.slot->first_chunk;

	assert_int_equal(spool_fixture_read_cut(f, nodes + SPOOL_CHUNK_HEAD + 2 * 48 + 47), 1);
	assert_int_equal(f->spool.threads[0].node_count, 2);
}

TEST_OF(struct spool_fixture *f, an_offset_of_no_chunk_ends_the_list)
{
	struct spool_header *header = spool_builder_header(&f->builder);
	uint64_t used = header->used_bytes;
	const uint64_t bad[] = { 1,	     FIRST_CHUNK + 8,	 SPOOL_CHUNK_BYTES,
				 used,	     used + FIRST_CHUNK, UINT64_MAX,
				 1ULL << 63, UINT64_MAX - 8191 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		header->first_module = bad[i];
		assert_int_equal(spool_fixture_read(f), 1);
		assert_damage_at(f, offsetof(struct spool_header, first_module));
		assert_int_equal(f->spool.module_count, 0);
		assert_int_equal(f->spool.threads[0].node_count, 3);
	}
}

TEST_OF(struct spool_fixture *f, a_list_that_returns_to_itself_ends)
{
	struct spool_chunk *chunk = nodes_of(f);

	chunk->next = f->thread.slot->first_chunk;
	assert_int_equal(spool_fixture_read(f), 1);
	assert_damage_at(f, offset_of(f, &chunk->next));
	assert_int_equal(f->spool.threads[0].node_count, 3);
}

TEST_OF(struct spool_fixture *f, two_threads_cannot_share_a_chunk)
{
	struct spool_builder_thread second = spool_builder_thread(&f->builder, 8, "thief");

	second.slot->first_chunk = (uint64_t)f->thread.slot->first_chunk;
	assert_int_equal(spool_fixture_read(f), 1);
	assert_damage_at(f, offset_of(f, &second.slot->first_chunk));
	assert_int_equal(f->spool.threads[0].node_count, 3);
	assert_int_equal(f->spool.threads[1].node_count, 0);
}

TEST_OF(struct spool_fixture *f, a_chunk_of_another_kind_ends_the_list)
{
	struct spool_chunk *chunk = nodes_of(f);

	chunk->kind = SPOOL_CHUNK_MODULES;
	assert_int_equal(spool_fixture_read(f), 1);
	assert_damage_at(f, offset_of(f, chunk));
	assert_int_equal(f->spool.threads[0].node_count, 0);
}

TEST_OF(struct spool_fixture *f, a_count_larger_than_a_chunk_is_cut)
{
	struct spool_chunk *chunk = nodes_of(f);
	size_t room = (SPOOL_CHUNK_BYTES - SPOOL_CHUNK_HEAD) / 48;

	chunk->count = UINT32_MAX;
	assert_int_equal(spool_fixture_read(f), 1);
	assert_damage_at(f, offset_of(f, &chunk->count));
	assert_int_equal(f->spool.threads[0].node_count, room);
}

/* Itself, a later one, one of another thread, between two nodes, the header, past the end. */
TEST_OF(struct spool_fixture *f, a_parent_that_is_no_earlier_node_makes_an_orphan)
{
	struct spool_builder_thread other = spool_builder_thread(&f->builder, 8, "other");
	uint32_t stranger = spool_builder_node(&f->builder, &other, 0x1100, 0);
	const uint32_t bad[] = { f->node[1], f->node[2], stranger,	  f->node[0] + 1,
				 1,	     UINT32_MAX, UINT32_MAX - 511 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct spool_node *node = spool_builder_at(&f->builder, f->node[1]);

		node->parent = bad[i];
		assert_int_equal(spool_fixture_read(f), 1);
		assert_damage_at(f, offset_of(f, &node->parent));
		assert_int_equal(f->spool.threads[0].nodes[1].parent, SPOOL_READ_ORPHAN);
		assert_int_equal(f->spool.threads[0].nodes[2].parent, 1);
	}
}

TEST_OF(struct spool_fixture *f, unsound_modules_are_dropped_or_mended)
{
	struct spool_module *empty = spool_builder_module(&f->builder, 5, 5, 0, "/empty");
	struct spool_module *id = spool_builder_module(&f->builder, 5, 6, 0, "/id");
	struct spool_module *path = spool_builder_module(&f->builder, 6, 7, 0, "/path");

	id->build_id_bytes = UINT32_MAX;
	memset(path->path, 'x', sizeof(path->path));
	assert_int_equal(spool_fixture_read(f), 1);
	assert_damage_at(f, offset_of(f, empty));
	assert_int_equal(f->spool.module_count, 3);
	assert_int_equal(f->spool.modules[1].build_id_bytes, 0);
	assert_int_equal(strlen(f->spool.modules[2].path), SPOOL_PATH_MAX - 1);
}

TEST_OF(struct spool_fixture *f, an_unknown_thread_state_is_damage)
{
	f->thread.slot->state = 99;
	assert_int_equal(spool_fixture_read(f), 1);
	assert_damage_at(f, offset_of(f, f->thread.slot));
	assert_int_equal(f->spool.thread_count, 0);
}

TEST_OF(struct spool_fixture *f, an_unknown_state_of_the_process_is_damage)
{
	static const uint32_t states[] = { 0, SPOOL_EXECED + 1, UINT32_MAX };
	struct spool_header *header = spool_builder_header(&f->builder);

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		header->state = states[i];
		assert_int_equal(spool_fixture_read(f), 1);
		assert_damage_at(f, offset_of(f, &header->state));
		assert_int_equal(f->spool.thread_count, 1);
	}
}

/* A live writer may have taken chunks since it wrote used_bytes last. */
TEST_OF(struct spool_fixture *f, a_live_spool_is_not_bound_by_used_bytes)
{
	int fd = spool_builder_fd(&f->builder);
	struct spool_header *header = spool_builder_header(&f->builder);
	uint64_t small = FIRST_CHUNK;
	uint32_t running = SPOOL_RUNNING;

	assert_int_equal(pwrite(fd, &small, 8, offsetof(struct spool_header, used_bytes)), 8);
	assert_int_equal(spool_read_fd(fd, "dead", &f->spool, f->line, sizeof(f->line)), 1);
	spool_read_free(&f->spool);
	assert_int_equal(pwrite(fd, &running, 4, offsetof(struct spool_header, state)), 4);
	assert_int_equal(spool_read_fd(fd, "live", &f->spool, f->line, sizeof(f->line)), 0);
	assert_int_equal(f->spool.threads[0].node_count, 3);
	assert_true(header->used_bytes > small);
	close(fd);
}

static void is_refused(struct spool_fixture *f, const char *reason)
{
	assert_int_equal(spool_fixture_read(f), -EBADMSG);
	holds(f->line, reason);
}

TEST_OF(struct spool_fixture *f, what_is_no_spool_is_refused_with_its_kind)
{
	struct spool_header *header = spool_builder_header(&f->builder);

	header->magic ^= 1;
	is_refused(f, "the.spool: byte 0: not a spool of flametrap");
	header->magic = __builtin_bswap64(SPOOL_MAGIC);
	is_refused(f, "byte order");
	header->magic = SPOOL_MAGIC;
	header->version = 77;
	is_refused(f, "version 77");
	header->version = SPOOL_VERSION;
	assert_int_equal(spool_fixture_read(f), 0);
	assert_int_equal(spool_fixture_read_cut(f, 100), -EBADMSG); /* inside the header */
}

TEST_OF(struct spool_fixture *f, each_size_in_the_header_must_be_ours)
{
	struct spool_header *header = spool_builder_header(&f->builder);
	uint32_t *const sizes[] = { &header->header_bytes, &header->thread_bytes,
				    &header->module_bytes, &header->node_bytes,
				    &header->counter_count };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint32_t good = *sizes[i];
		uint32_t bad[] = { 0, good - 1, good + 16, UINT32_MAX };

		for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
			*sizes[i] = bad[j];
			assert_int_equal(spool_fixture_read(f), -EBADMSG);
		}
		*sizes[i] = good;
	}
	assert_int_equal(spool_fixture_read(f), 0);
}

TEST_OF(struct spool_fixture *f, texts_without_an_end_get_one)
{
	struct spool_header *header = spool_builder_header(&f->builder);

	memset(header->command, 'c', sizeof(header->command));
	memset(header->output, 'o', sizeof(header->output));
	memset(header->counter[1].name, 'n', sizeof(header->counter[1].name));
	assert_int_equal(spool_fixture_read(f), 0);
	assert_int_equal(strlen(f->spool.header.command), sizeof(header->command) - 1);
	assert_int_equal(strlen(f->spool.header.output), sizeof(header->output) - 1);
	assert_int_equal(strlen(f->spool.header.counter[1].name), SPOOL_NAME_MAX - 1);
}

TEST_OF(struct spool_fixture *f, only_regular_files_of_ours_are_opened)
{
	char directory[] = "/tmp/flametrap-test-XXXXXX";
	char path[64];
	int fd;

	assert_non_null(mkdtemp(directory));
	assert_int_equal(spool_read_open(directory, &fd, f->line, sizeof(f->line)), -EINVAL);
	snprintf(path, sizeof(path), "%s/link", directory);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_int_equal(spool_read_open(path, &fd, f->line, sizeof(f->line)), -ELOOP);
	fd = user_file_open_regular(path, 0); /* other files may be links */
	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(spool_read_open(path, &fd, f->line, sizeof(f->line)), -EINVAL);
	unlink(path);
	assert_int_equal(spool_read_open(path, &fd, f->line, sizeof(f->line)), -ENOENT);
	spool_builder_write(&f->builder, path);
	assert_int_equal(spool_read_slots(path, &f->spool, f->line, sizeof(f->line)), 0);
	if (geteuid() == 0) {
		assert_int_equal(chown(path, 12345, 12345), 0);
		assert_int_equal(spool_read_open(path, &fd, f->line, sizeof(f->line)), -EPERM);
	}
	unlink(path);
	rmdir(directory);
}
