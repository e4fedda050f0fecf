/* Stacks by address: each node has its caller's, and none is without a frame. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/fold/base/string_table.h"
#include "runtime/fold/profile/contexts.h"
#include "runtime/fold/profile/profile_options.h"
#include "runtime/fold/profile/traces.h"
#include "runtime/fold/spool/spool_read.h"
#include "runtime/fold/symbols/machine.h"
#include "runtime/fold/symbols/namer.h"

static const struct profile_options options;
static const uint32_t counter[] = { 0 };
static struct spool_read spool = { .header = { .pid = 7, .counter_count = 1 } };
static struct spool_read_thread thread = { .slot = { .tid = 8 }, .name = "worker" };

struct stand {
	struct string_table *strings;
	struct machine *machine;
	struct namer *namer;
	struct traces *traces;
	uint32_t owner;
};

static void set_up(struct stand *stand)
{
	stand->strings = string_table_new();
	stand->machine = machine_new(NULL);
	stand->namer = namer_new(stand->strings, stand->machine, true, false);
	stand->traces = traces_new(stand->namer, stand->strings, &options);
	assert_non_null(stand->traces);
	assert_int_equal(namer_begin(stand->namer, &spool), 0);
	assert_int_equal(traces_begin(stand->traces, &spool), 0);
	stand->owner = traces_thread(stand->traces, &thread);
	assert_int_not_equal(stand->owner, CONTEXTS_NONE);
}

static void tear_down(struct stand *stand)
{
	namer_end(stand->namer);
	traces_free(stand->traces);
	namer_free(stand->namer);
	machine_free(stand->machine);
	string_table_free(stand->strings);
}

static const char *name_of(const struct stand *stand, uint32_t node)
{
	uint32_t place = contexts_name(traces_contexts(stand->traces), node);

	return traces_text(stand->traces, traces_place(stand->traces, place).name);
}

static void nodes_lie_below_their_callers(void **state)
{
	static const struct spool_read_node outer = { SPOOL_PC_TRUNCATED, SPOOL_READ_ROOT, 0 };
	static const struct spool_read_node inner = { SPOOL_PC_PREEMPTED, 0, 0 };
	const struct contexts *contexts;
	struct stand stand;
	uint32_t nodes[2];

	(void)state;
	set_up(&stand);
	contexts = traces_contexts(stand.traces);
	nodes[0] = traces_node(stand.traces, &outer, stand.owner, nodes);
	nodes[1] = traces_node(stand.traces, &inner, stand.owner, nodes);
	assert_int_equal(contexts_parent(contexts, nodes[0]), stand.owner);
	assert_int_equal(contexts_parent(contexts, nodes[1]), nodes[0]);
	assert_string_equal(name_of(&stand, nodes[0]), "[truncated]");
	assert_string_equal(name_of(&stand, nodes[1]), "[preempted]");
	assert_int_equal(traces_node(stand.traces, &inner, stand.owner, nodes), nodes[1]);
	tear_down(&stand);
}

static void a_node_whose_caller_is_lost_lies_below_damaged(void **state)
{
	static const struct spool_read_node orphan = { SPOOL_PC_PREEMPTED, SPOOL_READ_ORPHAN, 0 };
	const struct contexts *contexts;
	struct stand stand;
	uint32_t node;

	(void)state;
	set_up(&stand);
	contexts = traces_contexts(stand.traces);
	node = traces_node(stand.traces, &orphan, stand.owner, NULL);
	assert_string_equal(name_of(&stand, contexts_parent(contexts, node)), "[damaged]");
	tear_down(&stand);
}

static void weights_of_a_stack_without_frames_get_one(void **state)
{
	static const struct spool_read_weight none, some = { 1, 5 };
	const struct contexts *contexts;
	struct stand stand;
	uint32_t before;

	(void)state;
	set_up(&stand);
	contexts = traces_contexts(stand.traces);
	before = contexts_count(contexts);
	assert_int_equal(traces_weigh(stand.traces, stand.owner, stand.owner, counter, &none), 0);
	assert_int_equal(contexts_count(contexts), before);
	assert_int_equal(traces_weigh(stand.traces, stand.owner, stand.owner, counter, &some), 0);
	assert_int_equal(contexts_count(contexts), before + 1);
	assert_string_equal(name_of(&stand, before), "[flametrap]");
	assert_int_equal(contexts_weight(contexts, before, 0).events, 5);
	assert_int_equal(contexts_weight(contexts, stand.owner, 0).events, 0);
	tear_down(&stand);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_lie_below_their_callers),
		cmocka_unit_test(a_node_whose_caller_is_lost_lies_below_damaged),
		cmocka_unit_test(weights_of_a_stack_without_frames_get_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
