/* Stacks by address: each node has the node of its caller, and none is without a frame. */
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/tree/locations.h"
#include "runtime/profile/tree/profile_options.h"
#include "tests/support/namer_fixture.h"
#include "tests/support/unit.h"

static const struct profile_options options;
static struct spool_read spool = { .header = { .pid = 7, .counter_count = 1 } };
static struct spool_read_thread thread = { .slot = { .tid = 8 }, .name = "worker" };

static struct locations *locations;
static const struct call_tree *calls;
static uint32_t owner;

UNIT(setup)
{
	namer_fixture_begin(&spool);
	locations = locations_new(namer_fixture.namer, &namer_fixture.strings, &options);
	assert_non_null(locations);
	assert_int_equal(locations_begin(locations, &spool), 0);
	owner = locations_thread(locations, &thread, NULL);
	assert_int_not_equal(owner, CALL_TREE_NONE);
	calls = locations->calls;
	return 0;
}

UNIT(teardown)
{
	locations_free(locations);
	return namer_fixture_end();
}

static const char *name_of(uint32_t node)
{
	uint32_t number = call_tree_node(locations->calls, node).name;

	return string_table_text(locations->strings, locations_get(locations, number).name);
}

TEST(nodes_lie_below_their_callers)
{
	static const struct spool_read_node outer = { SPOOL_PC_TRUNCATED, SPOOL_READ_ROOT, 0 };
	static const struct spool_read_node inner = { SPOOL_PC_PREEMPTED, 0, 0 };
	uint32_t nodes[2] = { 0 };

	nodes[0] = locations_node(locations, &outer, owner, nodes);
	nodes[1] = locations_node(locations, &inner, owner, nodes);
	assert_int_equal(call_tree_node(calls, nodes[0]).parent, owner);
	assert_int_equal(call_tree_node(calls, nodes[1]).parent, nodes[0]);
	assert_string_equal(name_of(nodes[0]), "[truncated]");
	assert_string_equal(name_of(nodes[1]), "[preempted]");
	assert_int_equal(locations_node(locations, &inner, owner, nodes), nodes[1]);
}

TEST(a_node_whose_caller_is_lost_lies_below_damaged)
{
	static const struct spool_read_node orphan = { SPOOL_PC_PREEMPTED, SPOOL_READ_ORPHAN, 0 };
	uint32_t node;

	node = locations_node(locations, &orphan, owner, NULL);
	assert_string_equal(name_of(call_tree_node(calls, node).parent), "[damaged]");
}

TEST(weights_of_a_stack_without_frames_get_one)
{
	static const struct spool_read_weight some = { 1, 5 };
	uint32_t before;

	before = call_tree_count(calls);
	assert_int_equal(locations_weigh(locations, owner, owner, 0, &some), 0);
	assert_int_equal(call_tree_count(calls), before + 1);
	assert_string_equal(name_of(before), "[flametrap]");
	assert_int_equal(call_tree_weight(calls, before, 0).events, 5);
	assert_int_equal(call_tree_weight(calls, owner, 0).events, 0);
}
