/*
 * A node is left out or kept by what it is, by the function of the program that runs it, and by
 * whether it leads to one.  Parents come before their children, so one pass back and one forth over
 * the nodes finds all that.
 *
 * The frames outside a stack's outermost function may have other stacks, in which no function
 * stands.  These frames become two nodes where both kinds of stacks have weights: in stacks without
 * a function none is left out.
 */
#include "runtime/profile/analysis/interp_view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/analysis/interp_roles.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/symbols/code_names.h"
#include "runtime/profile/symbols/frame_kind.h"
#include "runtime/spool/special_pc.h"

#define NONE UINT32_MAX

struct interp_view {
	const struct spool_read *spool;
	enum settings_interp how;
	struct interp_roles *roles;
	uint32_t *nodes; /* see interp_view_nodes() */
};

/* Facts about one node, and the nodes made of it. */
struct facts {
	bool code;	 /* it is a function of the program */
	bool logged;	 /* a sample in the log ends there */
	uint32_t runner; /* the nearest function of the program outside it; NONE */
	bool leads;	 /* a function of the program lies inside it */
	bool bare;	 /* a stack through it without a function inside has a weight */
	uint32_t whole;	 /* its node, or that of its caller if it is left out */
	uint32_t outer;	 /* likewise for stacks with a function inside, if it has no runner */
};

/* A thread in the making. */
struct making {
	struct interp_view *view;
	const struct spool_read_thread *from;
	struct spool_read_thread *to;
	struct facts *facts;
	uint32_t counters;
};

static bool is_code(uint64_t pc)
{
	return spool_code_is(pc) || pc == SPOOL_PC_COLLECTING || pc == SPOOL_PC_NO_CODE;
}

struct interp_view *interp_view_new(struct namer *namer, const struct spool_read *spool,
				    enum settings_interp how)
{
	struct interp_view *view = calloc(1, sizeof(*view));

	if (!view)
		return NULL;
	*view = (struct interp_view){ .spool = spool,
				      .how = how,
				      .roles = interp_roles_new(namer, spool) };
	if (view->roles)
		return view;
	free(view);
	return NULL;
}

void interp_view_free(struct interp_view *view)
{
	if (!view)
		return;
	interp_roles_free(view->roles);
	free(view->nodes);
	free(view);
}

static bool has_weight(const struct making *making, size_t node)
{
	const struct spool_read_weight *weight = making->from->weights + node * making->counters;

	for (uint32_t c = 0; c < making->counters; c++)
		if (weight[c].samples || weight[c].events)
			return true;
	return false;
}

/* Returns whether a node is a function of the program.  What a run-time compiler names is one too,
 * where native frames are left out. */
static bool is_function(const struct making *making, const struct spool_read_node *node)
{
	return is_code(node->pc) || (making->view->how == SETTINGS_INTERP_ONLY &&
				     interp_roles_compiled(making->view->roles, node));
}

static void find_facts(const struct making *making)
{
	const struct spool_read_node *nodes = making->from->nodes;
	struct facts *facts = making->facts;
	size_t count = making->from->node_count;

	for (size_t i = 0; i < making->from->log.sample_count; i++)
		facts[making->from->log.samples[i].node].logged = true;
	for (size_t i = 0; i < count; i++) {
		uint32_t parent = nodes[i].parent;

		facts[i].code = is_function(making, &nodes[i]);
		facts[i].bare = facts[i].logged || has_weight(making, i);
		facts[i].runner = parent >= SPOOL_READ_ORPHAN ? NONE
				  : facts[parent].code	      ? parent
							      : facts[parent].runner;
	}
	for (size_t i = count; i--;) {
		uint32_t parent = nodes[i].parent;

		if (parent >= SPOOL_READ_ORPHAN)
			continue;
		facts[parent].leads |= facts[i].leads || facts[i].code;
		facts[parent].bare |= facts[i].bare && !facts[i].code;
	}
}

static bool imports(const struct interp_view *view, uint64_t pc)
{
	return spool_code_is(pc) && code_names_imports(view->spool, pc);
}

/* Returns whether merge leaves out a native frame that has a runner, or leads to a function. */
static bool is_glue(const struct making *making, const struct spool_read_node *node,
		    const struct facts *facts)
{
	enum interp_role role = interp_roles_of(making->view->roles, node);
	uint64_t runner = facts->runner == NONE ? 0 : making->from->nodes[facts->runner].pc;

	if (role <= INTERP_ROLE_OTHER)
		return false;
	if (runner == SPOOL_PC_COLLECTING || role == INTERP_ROLE_ALWAYS)
		return true;
	return facts->leads && (role == INTERP_ROLE_BETWEEN || role == INTERP_ROLE_NAMELESS ||
				imports(making->view, runner));
}

/* Returns whether a native frame is left out of stacks with a function. */
static bool is_hidden(const struct making *making, const struct spool_read_node *node,
		      const struct facts *facts)
{
	if (node->pc < SPOOL_PC_LIMIT || making->view->how == SETTINGS_INTERP_NO)
		return false;
	return making->view->how == SETTINGS_INTERP_ONLY || is_glue(making, node, facts);
}

/* Returns a new node. */
static uint32_t add_node(const struct making *making, uint64_t pc, uint32_t generation,
			 uint32_t parent)
{
	struct spool_read_thread *to = making->to;

	to->nodes[to->node_count] =
		(struct spool_read_node){ .pc = pc, .parent = parent, .generation = generation };
	return (uint32_t)to->node_count++;
}

static uint32_t copy_node(const struct making *making, const struct spool_read_node *node,
			  uint32_t parent)
{
	return add_node(making, node->pc, node->generation, parent);
}

/* A function of the program.  Those of one import are one node. */
static void make_code(const struct making *making, const struct spool_read_node *node,
		      struct facts *facts)
{
	const struct facts *caller =
		node->parent < SPOOL_READ_ORPHAN ? &making->facts[node->parent] : NULL;
	uint32_t parent = !caller				   ? node->parent
			  : facts->runner == NONE && !caller->code ? caller->outer
								   : caller->whole;
	bool hidden = making->view->how == SETTINGS_INTERP_NO;
	bool import = !hidden && imports(making->view, node->pc);

	if (import && parent < SPOOL_READ_ORPHAN)
		hidden = making->to->nodes[parent].pc == SPOOL_PC_IMPORTING;
	if (hidden && parent < SPOOL_READ_ORPHAN)
		facts->whole = parent;
	else
		facts->whole = import ? add_node(making, SPOOL_PC_IMPORTING, 0, parent)
				      : copy_node(making, node, parent);
}

/* A native frame outside all functions: whole for stacks without one, thinned out for others. */
static void make_outer(const struct making *making, const struct spool_read_node *node,
		       struct facts *facts)
{
	const struct facts *caller =
		node->parent < SPOOL_READ_ORPHAN ? &making->facts[node->parent] : NULL;
	uint32_t whole = caller ? caller->whole : node->parent;
	uint32_t outer = caller ? caller->outer : node->parent;
	bool hidden = facts->leads && is_hidden(making, node, facts);

	facts->whole = NONE;
	if (facts->bare)
		facts->whole = copy_node(making, node, whole);
	if (facts->leads)
		facts->outer = hidden			       ? outer
			       : facts->bare && whole == outer ? facts->whole
							       : copy_node(making, node, outer);
}

static void make_inner(const struct making *making, const struct spool_read_node *node,
		       struct facts *facts)
{
	uint32_t parent = making->facts[node->parent].whole;

	facts->whole = is_hidden(making, node, facts) ? parent : copy_node(making, node, parent);
}

static void add_weight(const struct making *making, size_t node)
{
	const struct spool_read_weight *from = making->from->weights + node * making->counters;
	struct spool_read_weight *to;

	if (!has_weight(making, node))
		return;
	to = making->to->weights + (size_t)making->facts[node].whole * making->counters;
	for (uint32_t c = 0; c < making->counters; c++) {
		to[c].samples += from[c].samples;
		to[c].events += from[c].events;
	}
}

static void make(const struct making *making)
{
	const struct spool_read_thread *from = making->from;

	for (size_t i = 0; i < from->node_count; i++) {
		const struct spool_read_node *node = &from->nodes[i];
		struct facts *facts = &making->facts[i];

		if (facts->code)
			make_code(making, node, facts);
		else if (facts->runner == NONE)
			make_outer(making, node, facts);
		else
			make_inner(making, node, facts);
		add_weight(making, i);
	}
}

/* Keep the nodes of samples, if there are any.  Returns 0 or -ENOMEM. */
static int keep_nodes(const struct making *making)
{
	uint32_t *nodes;

	if (!making->from->log.sample_count)
		return 0;
	nodes = calloc(making->from->node_count, sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	for (size_t i = 0; i < making->from->node_count; i++)
		nodes[i] = making->facts[i].whole;
	making->view->nodes = nodes;
	return 0;
}

const uint32_t *interp_view_nodes(const struct interp_view *view)
{
	return view->nodes;
}

int interp_view_thread(struct interp_view *view, const struct spool_read_thread *thread,
		       struct spool_read_thread *shown)
{
	uint32_t counters = view->spool->header.counter_count;
	size_t most = 2 * thread->node_count + 1;
	struct making making = { view, thread, shown, NULL, counters };
	int err = -ENOMEM;

	free(view->nodes);
	view->nodes = NULL;
	*shown = *thread;
	if (!view->spool->code_count && view->how == SETTINGS_INTERP_MERGE)
		return 0;
	making.facts = calloc(thread->node_count + 1, sizeof(*making.facts));
	shown->nodes = calloc(most, sizeof(*shown->nodes));
	shown->weights = calloc(most * (counters + 1), sizeof(*shown->weights));
	shown->node_count = 0;
	if (making.facts && shown->nodes && shown->weights) {
		find_facts(&making);
		make(&making);
		err = keep_nodes(&making);
	}
	free(making.facts);
	if (!err)
		return 0;
	interp_view_release(thread, shown);
	return -ENOMEM;
}

/* Returns whether a name is that of a function of the program. */
static bool names_code(unsigned interp, const char *name)
{
	size_t bytes;
	enum frame_kind kind = frame_kind_of(name, &bytes);

	return kind == FRAME_KIND_INTERP ||
	       (kind == FRAME_KIND_JIT && interp == 1 + SETTINGS_INTERP_ONLY);
}

static bool names_no_frame(const char *name)
{
	return frame_kind_is_special(name) || !strcmp(name, FRAME_KIND_ON_CPU) ||
	       !strcmp(name, FRAME_KIND_OFF_CPU);
}

/* Two imports with only native frames between them are one. */
static bool repeats_import(const char *last, const char *name)
{
	return !strcmp(last, name) && !strcmp(name, special_pc_name(SPOOL_PC_IMPORTING));
}

size_t interp_view_names(unsigned interp, const char **names, size_t depth)
{
	bool any = false;
	size_t kept = 1;

	for (size_t i = 1; i < depth; i++)
		any |= names_code(interp, names[i]);
	if (!any || interp <= 1 + SETTINGS_INTERP_MERGE)
		return depth;
	for (size_t i = 1; i < depth; i++)
		if (interp == 1 + SETTINGS_INTERP_NO
			    ? !names_code(interp, names[i])
			    : (names_code(interp, names[i]) || names_no_frame(names[i])) &&
				      !repeats_import(names[kept - 1], names[i]))
			names[kept++] = names[i];
	return kept;
}

bool interp_view_interprets(const struct interp_view *view, const struct spool_read_node *node)
{
	return interp_roles_interprets(view->roles, node);
}

void interp_view_release(const struct spool_read_thread *thread, struct spool_read_thread *shown)
{
	if (shown->nodes != thread->nodes) {
		free(shown->nodes);
		free(shown->weights);
	}
	shown->nodes = NULL;
	shown->weights = NULL;
	shown->node_count = 0;
}
