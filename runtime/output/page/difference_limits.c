/* A caller is at least as large as what it calls, so the frames that are kept are a tree. */
#include "runtime/output/page/difference_draw.h"

#include <stdio.h>

#include "runtime/profile/base/number_text.h"
#include "runtime/compare/changes.h"
#include "runtime/compare/runs.h"
#include "runtime/compare/tree_changes.h"
#include "runtime/profile/tree/frame_tree.h"

#define FUNCTION_FIRST 1e-6 /* the first share to try if there are too many functions */
#define LOST_LEAST     0.01 /* frames of less than this, together, are left out without a word */

/* A side may have nothing at all. */
static bool is_large(const double mean[2], const double whole[2], double share)
{
	for (int side = 0; side < RUNS_SIDES; side++)
		if (mean[side] > 0 && mean[side] >= share * whole[side])
			return true;
	return share <= 0;
}

bool difference_limits_function(const struct difference_limits *limits,
				const struct changes *changes,
				const struct changes_function *function)
{
	return is_large(function->total.change.mean, changes->whole.change.mean, limits->function);
}

/* Returns the frame after this one and its callees; NULL after the last. */
static const struct frame *frame_after(const struct frame *frame)
{
	while (frame && !frame->next_sibling)
		frame = frame->parent;
	return frame ? frame->next_sibling : NULL;
}

const struct frame *difference_limits_next(const struct difference_limits *limits,
					   const struct tree_changes *tree,
					   const struct frame *frame)
{
	const struct frame *root = frame_tree_root(tree_changes_tree(tree));
	const double *whole = tree_changes_of(tree, root)->mean;
	const struct frame *at = frame_tree_next(frame);

	while (at && !is_large(tree_changes_of(tree, at)->mean, whole, limits->frame))
		at = frame_after(at);
	return at;
}

static size_t count_functions(const struct difference_limits *limits, const struct changes *changes)
{
	size_t count = 0;

	for (size_t i = 0; i < changes->count; i++)
		count += difference_limits_function(limits, changes, &changes->functions[i]);
	return count;
}

/* Returns how many frames are kept, or more than `most`. */
static size_t count_frames(const struct difference_limits *limits, const struct tree_changes *tree,
			   size_t most)
{
	const struct frame *at = frame_tree_root(tree_changes_tree(tree));
	size_t count = 0;

	for (; at && count <= most; at = difference_limits_next(limits, tree, at))
		count++;
	return count;
}

/* Returns the share of the frames that are left out, on the side that has more of them. */
static double share_lost(const struct difference_limits *limits, const struct tree_changes *tree)
{
	const struct frame *root = frame_tree_root(tree_changes_tree(tree));
	const double *whole = tree_changes_of(tree, root)->mean;
	double lost[RUNS_SIDES] = { 0 }, most = 0;

	for (const struct frame *at = frame_tree_next(root); at;) {
		const double *mean = tree_changes_of(tree, at)->mean;
		bool kept = is_large(mean, whole, limits->frame);

		for (int side = 0; side < RUNS_SIDES && !kept; side++)
			lost[side] += mean[side];
		at = kept ? frame_tree_next(at) : frame_after(at);
	}
	for (int side = 0; side < RUNS_SIDES; side++)
		if (lost[side] > most * whole[side])
			most = lost[side] / whole[side];
	return most;
}

struct difference_limits difference_limits_find(const struct changes *changes,
						const struct tree_changes *tree, size_t counters)
{
	struct difference_limits limits = { .frame = DIFFERENCE_LIMITS_FRAME };
	size_t functions = DIFFERENCE_LIMITS_FUNCTIONS / counters;
	size_t frames = DIFFERENCE_LIMITS_FRAMES / counters;

	while (limits.function < 1 && count_functions(&limits, changes) > functions)
		limits.function = limits.function > 0 ? 2 * limits.function : FUNCTION_FIRST;
	while (tree && limits.frame < 1 && count_frames(&limits, tree, frames) > frames)
		limits.frame *= 2;
	limits.lost = tree ? share_lost(&limits, tree) : 0;
	return limits;
}

void difference_limits_tell(const struct difference_limits *limits, const char *name, char *text,
			    size_t bytes)
{
	char number[NUMBER_TEXT_SHORT_BYTES];
	bool functions = limits->function > 0;
	bool frames = limits->lost >= LOST_LEAST;
	FILE *file = functions || frames ? fmemopen(text, bytes, "w") : NULL;

	text[0] = '\0';
	if (!file)
		return;
	fprintf(file,
		*name ? "%.200s has too many stacks for a page: " : "Too many stacks for a page: ",
		name);
	number_text_short(number, 100 * limits->function);
	if (functions)
		fprintf(file, "functions below %s %% of the whole on both sides are left out",
			number);
	fputs(functions && frames ? ", and " : "", file);
	number_text_short(number, 100 * limits->frame);
	if (frames)
		fprintf(file, "frames below %s %%, which are %.0f %% together", number,
			100 * limits->lost);
	fputs(frames && !functions ? ", are left out." : ".", file);
	fclose(file);
}
