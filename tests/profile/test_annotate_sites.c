/* Weights of a function are at the addresses that samples and calls have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/output/annotate/annotate_names.h"
#include "runtime/output/annotate/annotate_sites.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/merge/profile.h"
#include "tests/support/spool_builder.h"
#include "tests/support/unit.h"

struct fixture {
	struct spool_builder builder;
	struct spool_builder_thread thread;
	char path[64];
	struct profile *profile;
	struct annotate_names names;
	struct annotate_sites sites;
};

int unit_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->builder = spool_builder_new(2, 8 << 20);
	spool_builder_module(&f->builder, 0x100000, 0x200000, 0x100000, "/nonexistent/program");
	f->thread = spool_builder_thread(&f->builder, 7, "worker");
	strcpy(f->path, "/tmp/flametrap-test-XXXXXX");
	close(mkstemp(f->path));
	*state = f;
	return 0;
}

int unit_teardown(void **state)
{
	struct fixture *f = *state;

	annotate_sites_free(&f->sites);
	annotate_names_free(&f->names);
	profile_free(f->profile);
	unlink(f->path);
	spool_builder_free(&f->builder);
	free(f);
	return 0;
}

/* The sites of a name, in the samples of both counters. */
static const struct annotate_copy *find(struct fixture *f, const char *name)
{
	static const struct profile_options options = { .locations = true };
	const struct profile_trees *merge;
	char line[512];

	f->profile = profile_new(&options);
	spool_builder_write(&f->builder, f->path);
	assert_int_equal(profile_read(f->profile, f->path, line, sizeof(line)), 0);
	merge = profile_merge(f->profile);
	assert_int_equal(annotate_names_find(&f->names, merge->locations, name, false), 0);
	f->sites.counter_count = 2;
	f->sites.counters[1] = 1;
	assert_int_equal(annotate_sites_find(&f->sites, merge, &f->names), 0);
	return f->sites.count ? &f->sites.copies[0] : NULL;
}

static void expect(const struct fixture *f, size_t site, uint64_t address, uint64_t self,
		   uint64_t total)
{
	const struct annotate_site *found = &f->sites.copies[0].sites[site];
	struct annotate_weight weight = f->sites.weights[found->weights];

	assert_int_equal(found->address, address);
	assert_int_equal(weight.self, self);
	assert_int_equal(weight.total, total);
}

TEST_OF(struct fixture *f, leaves_and_calls_weigh_at_their_addresses)
{
	uint32_t outer = spool_builder_node(&f->builder, &f->thread, 0x101000, 0);
	uint32_t inner = spool_builder_node(&f->builder, &f->thread, 0x300000, outer);
	uint32_t other = spool_builder_node(&f->builder, &f->thread, 0x100800, 0);
	const struct annotate_copy *copy;

	spool_builder_weigh(&f->builder, outer, 0, 3, 300);
	spool_builder_weigh(&f->builder, inner, 0, 5, 500);
	spool_builder_weigh(&f->builder, other, 0, 2, 200);
	spool_builder_weigh(&f->builder, other, 1, 11, 1);
	copy = find(f, "[program]");
	assert_non_null(copy);
	assert_int_equal(copy->count, 2);
	expect(f, 0, 0x800, 2, 2);
	expect(f, 1, 0x1000, 3, 8);
	assert_int_equal(f->sites.weights[copy->sites[0].weights + 1].self, 11);
	assert_int_equal(copy->sum[0].self, 5);
	assert_int_equal(copy->sum[0].total, 10);
	assert_int_equal(f->sites.whole[0], 10);
}

TEST_OF(struct fixture *f, recursion_counts_once)
{
	uint32_t first = spool_builder_node(&f->builder, &f->thread, 0x101000, 0);
	uint32_t second = spool_builder_node(&f->builder, &f->thread, 0x101000, first);
	uint32_t third = spool_builder_node(&f->builder, &f->thread, 0x102000, second);
	const struct annotate_copy *copy;

	spool_builder_weigh(&f->builder, third, 0, 4, 4);
	copy = find(f, "[program]");
	expect(f, 0, 0x1000, 0, 4);
	expect(f, 1, 0x2000, 4, 4);
	assert_int_equal(copy->sum[0].total, 4);
}

TEST_OF(struct fixture *f, what_a_sample_hit_weighs_at_its_instruction)
{
	uint32_t code = spool_builder_node(&f->builder, &f->thread, 0x101000, 0);
	uint32_t heap = spool_builder_node(&f->builder, &f->thread,
					   SPOOL_PC_REGION + SPOOL_REGION_HEAP, code);
	uint32_t waiting = spool_builder_node(&f->builder, &f->thread, SPOOL_PC_PREEMPTED, code);

	spool_builder_weigh(&f->builder, heap, 0, 6, 6);
	spool_builder_weigh(&f->builder, waiting, 0, 1, 1);
	assert_non_null(find(f, "[program]"));
	expect(f, 0, 0x1000, 7, 7);
}

TEST_OF(struct fixture *f, lines_of_an_interpreted_function_are_its_sites)
{
	const struct annotate_copy *copy;
	uint32_t number, node;

	spool_builder_code(&f->builder, "work", "/x/mod.py", &number);
	node = spool_builder_node(&f->builder, &f->thread, spool_code_pc(number, 12), 0);
	spool_builder_weigh(&f->builder, node, 0, 9, 9);
	copy = find(f, "work");
	assert_non_null(copy);
	assert_int_equal(copy->kind, ANNOTATE_INTERPRETED);
	assert_string_equal(copy->path, "/x/mod.py");
	expect(f, 0, 12, 9, 9);
}

TEST_OF(struct fixture *f, a_function_without_weight_is_left_out)
{
	spool_builder_node(&f->builder, &f->thread, 0x101000, 0);
	assert_null(find(f, "[program]"));
}
