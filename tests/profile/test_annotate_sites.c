/* Weights of a function are at the addresses that samples and calls have. */
#include "runtime/output/annotate/annotate_sites.h"
#include "runtime/profile/merge/profile_trees.h"
#include "tests/support/spool_fixture.h"
#include "tests/support/unit.h"

static struct annotate_names names;
static struct annotate_sites sites;

int unit_setup(void **state)
{
	struct spool_fixture *f = spool_fixture_new(state, 2, 8 << 20);

	names = (struct annotate_names){ 0 };
	sites = (struct annotate_sites){ .counter_count = 2, .counters[1] = 1 };
	spool_builder_module(&f->builder, 0x100000, 0x200000, 0x100000, "/nonexistent/program");
	f->thread = spool_builder_thread(&f->builder, 7, "worker");
	return 0;
}

int unit_teardown(void **state)
{
	annotate_sites_free(&sites);
	annotate_names_free(&names);
	return spool_fixture_free(*state);
}

/* The sites of a name, in the samples of both counters. */
static const struct annotate_copy *find(struct spool_fixture *f, const char *name)
{
	static const struct profile_options options = { .locations = true };
	const struct profile_trees *merge;

	assert_int_equal(spool_fixture_add(f, &options), 0);
	merge = profile_merge(f->profile);
	assert_int_equal(annotate_names_find(&names, merge->locations, name, false), 0);
	assert_int_equal(annotate_sites_find(&sites, merge, &names), 0);
	return sites.count ? &sites.copies[0] : NULL;
}

static void expect(size_t site, uint64_t address, uint64_t self, uint64_t total)
{
	const struct annotate_site *found = &sites.copies[0].sites[site];
	struct annotate_weight weight = sites.weights[found->weights];

	assert_int_equal(found->address, address);
	assert_int_equal(weight.self, self);
	assert_int_equal(weight.total, total);
}

TEST_OF(struct spool_fixture *f, leaves_and_calls_weigh_at_their_addresses)
{
	uint32_t outer = spool_builder_leaf(&f->builder, &f->thread, 0x101000, 0, 3, 300);
	uint32_t other = spool_builder_leaf(&f->builder, &f->thread, 0x100800, 0, 2, 200);
	const struct annotate_copy *copy;

	spool_builder_leaf(&f->builder, &f->thread, 0x300000, outer, 5, 500);
	spool_builder_weigh(&f->builder, other, 1, 11, 1);
	copy = find(f, "[program]");
	assert_non_null(copy);
	assert_int_equal(copy->count, 2);
	expect(0, 0x800, 2, 2);
	expect(1, 0x1000, 3, 8);
	assert_int_equal(sites.weights[copy->sites[0].weights + 1].self, 11);
	assert_int_equal(copy->sum[0].self, 5);
	assert_int_equal(copy->sum[0].total, 10);
	assert_int_equal(sites.whole[0], 10);
}

TEST_OF(struct spool_fixture *f, recursion_counts_once)
{
	uint32_t first = spool_builder_node(&f->builder, &f->thread, 0x101000, 0);
	uint32_t second = spool_builder_node(&f->builder, &f->thread, 0x101000, first);
	const struct annotate_copy *copy;

	spool_builder_leaf(&f->builder, &f->thread, 0x102000, second, 4, 4);
	copy = find(f, "[program]");
	expect(0, 0x1000, 0, 4);
	expect(1, 0x2000, 4, 4);
	assert_int_equal(copy->sum[0].total, 4);
}

TEST_OF(struct spool_fixture *f, what_a_sample_hit_weighs_at_its_instruction)
{
	uint32_t code = spool_builder_node(&f->builder, &f->thread, 0x101000, 0);

	spool_builder_leaf(&f->builder, &f->thread, SPOOL_PC_REGION + SPOOL_REGION_HEAP, code, 6,
			   6);
	spool_builder_leaf(&f->builder, &f->thread, SPOOL_PC_PREEMPTED, code, 1, 1);
	assert_non_null(find(f, "[program]"));
	expect(0, 0x1000, 7, 7);
}

TEST_OF(struct spool_fixture *f, lines_of_an_interpreted_function_are_its_sites)
{
	const struct annotate_copy *copy;
	uint32_t number;

	spool_builder_code(&f->builder, "work", "/x/mod.py", &number);
	spool_builder_leaf(&f->builder, &f->thread, spool_code_pc(number, 12), 0, 9, 9);
	copy = find(f, "work");
	assert_non_null(copy);
	assert_int_equal(copy->kind, ANNOTATE_INTERPRETED);
	assert_string_equal(copy->path, "/x/mod.py");
	expect(0, 12, 9, 9);
}

TEST_OF(struct spool_fixture *f, a_function_without_weight_is_left_out)
{
	spool_builder_node(&f->builder, &f->thread, 0x101000, 0);
	assert_null(find(f, "[program]"));
}
