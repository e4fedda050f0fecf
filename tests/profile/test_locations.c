/* Stacks by address: each node has the node of its caller, and none is without a frame. */
#include "runtime/profile/base/string_table.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/tree/locations.h"
#include "runtime/profile/tree/profile_options.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/symbols/machine.h"
#include "runtime/profile/symbols/namer.h"
#include "tests/support/unit.h"

static const struct profile_options options;
static struct spool_read spool = { .header = { .pid = 7, .counter_count = 1 } };
static struct spool_read_thread thread = { .slot = { .tid = 8 }, .name = "worker" };

struct stand {
	struct string_table strings;
	struct machine *machine;
	struct namer *namer;
	struct locations *locations;
	uint32_t owner;
};

static void set_up(struct stand *stand)
{
	stand->strings = (struct string_table){ 0 };
	stand->machine = machine_new(NULL);
	stand->namer = namer_new(&stand->strings, stand->machine, true, false);
	stand->locations = locations_new(stand->namer, &stand->strings, &options);
	assert_non_null(stand->locations);
	assert_int_equal(namer_begin(stand->namer, &spool), 0);
	assert_int_equal(locations_begin(stand->locations, &spool), 0);
	stand->owner = locations_thread(stand->locations, &thread, NULL);
	assert_int_not_equal(stand->owner, CALL_TREE_NONE);
}

static void tear_down(struct stand *stand)
{
	namer_end(stand->namer);
	locations_free(stand->locations);
	namer_free(stand->namer);
	machine_free(stand->machine);
	string_table_free(&stand->strings);
}

static const char *name_of(const struct stand *stand, uint32_t node)
{
	uint32_t number = call_tree_node(stand->locations->calls, node).name;

	return string_table_text(stand->locations->strings,
				 locations_get(stand->locations, number).name);
}

TEST(nodes_lie_below_their_callers)
{
	static const struct spool_read_node outer = { SPOOL_PC_TRUNCATED, SPOOL_READ_ROOT, 0 };
	static const struct spool_read_node inner = { SPOOL_PC_PREEMPTED, 0, 0 };
	const struct call_tree *calls;
	struct stand stand;
	uint32_t nodes[2];

	set_up(&stand);
	calls = stand.locations->calls;
	nodes[0] = locations_node(stand.locations, &outer, stand.owner, nodes);
	nodes[1] = locations_node(stand.locations, &inner, stand.owner, nodes);
	assert_int_equal(call_tree_node(calls, nodes[0]).parent, stand.owner);
	assert_int_equal(call_tree_node(calls, nodes[1]).parent, nodes[0]);
	assert_string_equal(name_of(&stand, nodes[0]), "[truncated]");
	assert_string_equal(name_of(&stand, nodes[1]), "[preempted]");
	assert_int_equal(locations_node(stand.locations, &inner, stand.owner, nodes), nodes[1]);
	tear_down(&stand);
}

TEST(a_node_whose_caller_is_lost_lies_below_damaged)
{
	static const struct spool_read_node orphan = { SPOOL_PC_PREEMPTED, SPOOL_READ_ORPHAN, 0 };
	const struct call_tree *calls;
	struct stand stand;
	uint32_t node;

	set_up(&stand);
	calls = stand.locations->calls;
	node = locations_node(stand.locations, &orphan, stand.owner, NULL);
	assert_string_equal(name_of(&stand, call_tree_node(calls, node).parent), "[damaged]");
	tear_down(&stand);
}

TEST(weights_of_a_stack_without_frames_get_one)
{
	static const struct spool_read_weight some = { 1, 5 };
	const struct call_tree *calls;
	struct stand stand;
	uint32_t before;

	set_up(&stand);
	calls = stand.locations->calls;
	before = call_tree_count(calls);
	assert_int_equal(locations_weigh(stand.locations, stand.owner, stand.owner, 0, &some), 0);
	assert_int_equal(call_tree_count(calls), before + 1);
	assert_string_equal(name_of(&stand, before), "[flametrap]");
	assert_int_equal(call_tree_weight(calls, before, 0).events, 5);
	assert_int_equal(call_tree_weight(calls, stand.owner, 0).events, 0);
	tear_down(&stand);
}
