/*
 * The stacks that were given stay as they are, so that more runs can be added and all be settled
 * again: names of a run are matched to those of all others.
 *
 * Order: outer names of all runs, what they are compared as, then the functions.  A function's name
 * may depend on that of its command.  In each of these steps the side after comes first, because
 * its names are the ones to use.
 */
#include "runtime/compare/runs.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/map.h"
#include "runtime/compare/match/match.h"
#include "runtime/profile/tree/frame_tree.h"

struct run {
	struct frame_tree *given;
	struct frame_tree *settled; /* NULL before runs_settle() */
	struct map numbers;	    /* of names, by role and pointer; while settling */
	uint64_t noise;
	double per_sample;
};

struct runs {
	struct runs_options options;
	struct run *run[RUNS_SIDES];
	size_t count[RUNS_SIDES];
	struct match match;
};

struct runs *runs_new(const struct runs_options *options)
{
	struct runs *runs = calloc(1, sizeof(*runs));

	if (runs)
		runs->options = *options;
	return runs;
}

static void forget_numbers(struct runs *runs)
{
	for (int side = 0; side < RUNS_SIDES; side++)
		for (size_t i = 0; i < runs->count[side]; i++)
			map_free(&runs->run[side][i].numbers);
}

/* Frees what the last runs_settle() made. */
static void unsettle(struct runs *runs)
{
	for (int side = 0; side < RUNS_SIDES; side++) {
		for (size_t i = 0; i < runs->count[side]; i++) {
			frame_tree_free(runs->run[side][i].settled);
			runs->run[side][i].settled = NULL;
			runs->run[side][i].noise = 0;
		}
	}
	match_free(&runs->match);
}

void runs_free(struct runs *runs)
{
	if (!runs)
		return;
	unsettle(runs);
	for (int side = 0; side < RUNS_SIDES; side++) {
		for (size_t i = 0; i < runs->count[side]; i++)
			frame_tree_free(runs->run[side][i].given);
		free(runs->run[side]);
	}
	free(runs);
}

int runs_add(struct runs *runs, enum runs_side side, struct frame_tree *tree, double per_sample)
{
	if (!grow(&runs->run[side], runs->count[side], sizeof(*runs->run[side]))) {
		frame_tree_free(tree);
		return -ENOMEM;
	}
	runs->run[side][runs->count[side]++] =
		(struct run){ .given = tree, .per_sample = per_sample };
	return 0;
}

/* A frame of the current stack, and the same one in the new tree. */
struct step {
	const struct frame *frame;
	struct frame *made;
};

/* A walk over the frames of a run, callers before callees. */
struct walk {
	struct match *match;
	struct run *run;
	enum runs_side side;
	size_t number;	   /* of the run, from 1 */
	size_t outer;	   /* frames that are no functions, at least 1 */
	struct step *path; /* from the root */
	size_t depth;	   /* of the current frame, from 1 */
	size_t made_depth; /* how many frames of the path are made */
	size_t script;	   /* depth of the first function of an interpreter; 0: none so far */
};

/* Returns the next frame that is not below this one; NULL after the last. */
static const struct frame *beside(const struct frame *frame)
{
	while (frame && !frame->next_sibling)
		frame = frame->parent;
	return frame ? frame->next_sibling : NULL;
}

static enum match_role role_of(const struct walk *walk)
{
	return walk->depth <= walk->outer ? MATCH_OUTER : MATCH_INNER;
}

/* Put a frame at the end of the path.  Returns its name; NULL when memory is out. */
static struct match_name *enter(struct walk *walk, const struct frame *frame)
{
	enum match_role role;
	uint32_t *number;

	while (walk->path[walk->depth].frame != frame->parent)
		walk->depth--;
	walk->path[++walk->depth].frame = frame;
	if (walk->made_depth >= walk->depth)
		walk->made_depth = walk->depth - 1;
	role = role_of(walk);
	number = map_at(&walk->run->numbers, role, (uintptr_t)frame->name);
	if (number && !*number)
		*number = match_number(walk->match, role, walk->side, frame->name);
	return number && *number ? &walk->match->list[role][*number - 1] : NULL;
}

static void weigh(const struct walk *walk, const struct frame *frame, struct match_name *name)
{
	enum runs_side side = walk->side;

	name->self[side] += (double)frame->self;
	name->total[side] += (double)frame->total;
	if (walk->depth == 1)
		name->command[side] += (double)frame->total;
	if (walk->script == walk->depth)
		name->script[side] += (double)frame->total;
	if (name->last[side] != walk->number) {
		name->last[side] = walk->number;
		name->runs[side]++;
	}
}

/* A visit of one frame, which is not noise.  *below is cleared if those below it are not to be
 * visited.  Returns 0 or -ENOMEM. */
typedef int visit_frame(struct walk *walk, const struct frame *frame, struct match_name *name,
			bool *below);

static int weigh_outer(struct walk *walk, const struct frame *frame, struct match_name *name,
		       bool *below)
{
	weigh(walk, frame, name);
	*below = walk->depth < walk->outer;
	return 0;
}

static int weigh_inner(struct walk *walk, const struct frame *frame, struct match_name *name,
		       bool *below)
{
	*below = true;
	if (role_of(walk) != MATCH_INNER)
		return 0;
	if (walk->script >= walk->depth)
		walk->script = 0;
	if (!walk->script && name->interp)
		walk->script = walk->depth;
	weigh(walk, frame, name);
	return 0;
}

/* Frames come with the first value in or below them: none is left whose callees were all noise. */
static int rebuild(struct walk *walk, const struct frame *frame, struct match_name *name,
		   bool *below)
{
	(void)name;
	*below = true;
	if (!frame->self)
		return 0;
	for (; walk->made_depth < walk->depth; walk->made_depth++) {
		struct step *caller = &walk->path[walk->made_depth], *step = caller + 1;
		size_t role = walk->made_depth < walk->outer ? MATCH_OUTER : MATCH_INNER;
		uint32_t number =
			map_value(&walk->run->numbers, role, (uintptr_t)step->frame->name);

		step->made = frame_tree_child(walk->run->settled, caller->made,
					      walk->match->list[role][number - 1].as);
		if (!step->made)
			return -ENOMEM;
	}
	return frame_tree_give(walk->run->settled, walk->path[walk->depth].made, frame->self);
}

/* Visit the frames of a run, but for noise; *noise is its sum. */
static int visit_all(struct walk *walk, visit_frame *visit, uint64_t *noise)
{
	const struct frame *frame = frame_tree_root(walk->run->given)->first_child;
	int err = 0;

	*noise = 0;
	while (frame && !err) {
		struct match_name *name = enter(walk, frame);
		bool below = false;

		if (!name)
			return -ENOMEM;
		if (name->noise)
			*noise += frame->total;
		else
			err = visit(walk, frame, name, &below);
		frame = below ? frame_tree_next(frame) : beside(frame);
	}
	return err;
}

static int walk_run(struct runs *runs, enum runs_side side, size_t number, visit_frame *visit)
{
	struct run *run = &runs->run[side][number];
	struct walk walk = {
		.match = &runs->match,
		.run = run,
		.side = side,
		.number = number + 1,
		.outer = runs->options.outer ? runs->options.outer : 1,
		.path = calloc(frame_tree_depth(run->given) + 1, sizeof(*walk.path)),
	};
	int err = -ENOMEM;

	if (walk.path) {
		walk.path[0].frame = frame_tree_root(run->given);
		if (run->settled)
			walk.path[0].made = frame_tree_root(run->settled);
		err = visit_all(&walk, visit, &run->noise);
	}
	free(walk.path);
	return err;
}

static int walk_all(struct runs *runs, visit_frame *visit)
{
	static const enum runs_side sides[] = { RUNS_AFTER, RUNS_BEFORE };
	int err = 0;

	for (int i = 0; i < RUNS_SIDES && !err; i++)
		for (size_t k = 0; k < runs->count[sides[i]] && !err; k++)
			err = walk_run(runs, sides[i], k, visit);
	return err;
}

static int rebuild_all(struct runs *runs)
{
	int err = 0;

	for (int side = 0; side < RUNS_SIDES && !err; side++) {
		for (size_t i = 0; i < runs->count[side] && !err; i++) {
			struct run *run = &runs->run[side][i];

			run->settled = frame_tree_new();
			err = run->settled ? walk_run(runs, (enum runs_side)side, i, rebuild)
					   : -ENOMEM;
			if (!err)
				frame_tree_sort(run->settled);
		}
	}
	return err;
}

int runs_settle(struct runs *runs)
{
	int err;

	unsettle(runs);
	runs->match.options = runs->options;
	err = walk_all(runs, weigh_outer);
	if (!err)
		err = match_decide(&runs->match, MATCH_OUTER, runs->count);
	if (!err)
		err = walk_all(runs, weigh_inner);
	if (!err)
		err = match_decide(&runs->match, MATCH_INNER, runs->count);
	if (!err)
		err = rebuild_all(runs);
	if (!err)
		match_order(&runs->match);
	forget_numbers(runs);
	return err;
}

size_t runs_count(const struct runs *runs, enum runs_side side)
{
	return runs->count[side];
}

static const struct run *run_at(const struct runs *runs, size_t run)
{
	size_t before = runs->count[RUNS_BEFORE];

	return run < before ? &runs->run[RUNS_BEFORE][run] : &runs->run[RUNS_AFTER][run - before];
}

struct frame_tree *runs_tree(const struct runs *runs, size_t run)
{
	return run_at(runs, run)->settled;
}

size_t runs_outer(const struct runs *runs)
{
	return runs->options.outer && !runs->options.origins ? runs->options.outer : 1;
}

double runs_noise(const struct runs *runs, size_t run)
{
	return (double)run_at(runs, run)->noise;
}

double runs_per_sample(const struct runs *runs, enum runs_side side)
{
	double sum = 0;

	for (size_t i = 0; i < runs->count[side]; i++)
		sum += runs->run[side][i].per_sample;
	return runs->count[side] ? sum / (double)runs->count[side] : 0;
}

bool runs_matched(const struct runs *runs, size_t index, const char **old, const char **new_name)
{
	const struct match *match = &runs->match;

	if (index >= match->pair_count)
		return false;
	*old = match->pairs[index].old;
	*new_name = match->pairs[index].new_name;
	return true;
}
