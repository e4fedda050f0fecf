/*
 * The counters' trees have the same frames, except frames in which one counter counted nothing.
 * They are matched by walking the drawn tree together with each of the others.
 *
 * Steps cover the ratios of nearly all of the drawn area.  Otherwise a few frames with extreme
 * ratios would leave one colour for all the others.  Such frames are in the first or the last step,
 * which are open-ended.
 *
 * A ratio is computed from events.  Its accuracy depends on the number of samples that the
 * divisor's group took there: events between two samples are assigned to the stack of the later
 * one, wherever they happened.
 */
#include "runtime/output/graph/graph_ratio.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/maths.h"
#include "runtime/profile/base/number_text.h"
#include "runtime/profile/base/safe_text.h"
#include "runtime/output/graph/graph_layout.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/tree/frame_tree.h"

#define FEWEST_SAMPLES 10
#define BOUNDS_MAX     (GRAPH_COLOR_RATIOS - 1)
#define TRIMMED	       0.01	  /* share of the drawn area cut at either end */
#define NEAR	       4.0	  /* up to this factor steps are evenly spaced */
#define SAME	       1.1	  /* closer ratios count as equal: they show the same digits */
#define ROUNDED	       (1 + 1e-9) /* tolerance for rounding errors of a product */

enum column { OF, BY, SAMPLES };

struct collector {
	struct graph_ratio_frames *frames;
	enum column column;
	size_t at;
};

/* Every walk visits the same frames; `before` is the value in the tree matched with them. */
static int collect(const struct graph_place *place, void *context)
{
	struct collector *collector = context;
	struct graph_ratio_frames *frames = collector->frames;
	size_t at = collector->at++;

	if (collector->column == OF) {
		if (!grow(&frames->frame, frames->count, sizeof(*frames->frame)))
			return -ENOMEM;
		frames->frame[frames->count++] = (struct graph_ratio_frame){ .of = place->other };
	} else if (collector->column == BY) {
		frames->frame[at].by = place->other;
	} else if (place->other < frames->ratio->fewest) {
		frames->frame[at].step = GRAPH_RATIO_FEW;
	}
	return 0;
}

static int collect_all(struct frame_tree *tree, uint64_t least, struct graph_ratio_frames *frames)
{
	struct frame_tree *const trees[] = { [OF] = frames->ratio->of,
					     [BY] = frames->ratio->by,
					     [SAMPLES] = frames->ratio->samples };
	int err = 0;

	for (enum column i = OF; !err && i <= SAMPLES; i++) {
		struct collector collector = { .frames = frames, .column = i };

		if (trees[i])
			err = graph_layout_walk(tree, trees[i], NULL, least, collect, &collector);
	}
	return err;
}

static double ratio_of(const struct graph_ratio_frames *frames,
		       const struct graph_ratio_frame *frame)
{
	return frames->ratio->scale * (double)frame->of / (double)frame->by;
}

static bool has_ratio(const struct graph_ratio_frame *frame)
{
	return frame->step >= 0;
}

struct weighed {
	double ratio;
	double weight;
};

static int by_ratio(const void *one, const void *other)
{
	double a = ((const struct weighed *)one)->ratio;
	double b = ((const struct weighed *)other)->ratio;

	return (a > b) - (a < b);
}

/* Returns the ratio below which the share `part` of the sorted list lies. */
static double quantile(const struct weighed *list, size_t count, double part)
{
	double whole = 0, sum = 0;

	for (size_t i = 0; i < count; i++)
		whole += list[i].weight;
	for (size_t i = 0; i < count; i++) {
		sum += list[i].weight;
		if (sum >= part * whole)
			return list[i].ratio;
	}
	return count ? list[count - 1].ratio : 0;
}

/* Stores the multiples of `step` between the two bounds.  Returns how many, or one too many. */
static unsigned even_distances(double low, double high, double step, double *bound)
{
	unsigned count = 0;

	for (double k = maths_floor(low / step) + 1; k * step < high; k++) {
		if (k * step <= low * ROUNDED)
			continue;
		if (count == BOUNDS_MAX)
			return BOUNDS_MAX + 1;
		bound[count++] = k * step;
	}
	return count;
}

/* Stores round numbers, one set per `powers` powers of ten, between the two bounds.  Returns how
 * many, or one too many. */
static unsigned even_factors(double low, double high, const double *round, unsigned rounds,
			     double powers, double *bound)
{
	unsigned count = 0;

	for (double e = maths_floor(maths_log10(low) / powers) * powers; maths_pow(10, e) < high;
	     e += powers) {
		for (unsigned i = 0; i < rounds; i++) {
			double number = round[i] * maths_pow(10, e);

			if (number <= low * ROUNDED || number >= high)
				continue;
			if (count == BOUNDS_MAX)
				return BOUNDS_MAX + 1;
			bound[count++] = number;
		}
	}
	return count;
}

unsigned graph_ratio_bounds(double low, double high, double bound[BOUNDS_MAX])
{
	static const double round[][6] = { { 1, 1.5, 2, 3, 5, 7 }, { 1, 2, 5 }, { 1, 3 }, { 1 } };
	static const unsigned rounds[] = { 6, 3, 2, 1 };
	static const double steps[] = { .1, .2, .5, 1 };
	unsigned count = BOUNDS_MAX + 1;

	if (high <= low * SAME)
		return 0;
	if (high <= low * NEAR) {
		double power = maths_pow(10, maths_floor(maths_log10(high - low)));

		for (unsigned i = 0; count > BOUNDS_MAX && i < 4; i++)
			count = even_distances(low, high, steps[i] * power, bound);
		for (double step = 2 * power; count > BOUNDS_MAX; step *= 2)
			count = even_distances(low, high, step, bound);
		return count;
	}
	for (unsigned i = 0; count > BOUNDS_MAX && i < 4; i++)
		count = even_factors(low, high, round[i], rounds[i], 1, bound);
	for (double powers = 2; count > BOUNDS_MAX; powers++)
		count = even_factors(low, high, round[3], 1, powers, bound);
	return count;
}

/* A ratio of 0 is below every bound, so at least one bound is needed. */
static int choose_bounds(struct graph_ratio_frames *frames)
{
	struct weighed *list = calloc(frames->count + 1, sizeof(*list));
	bool zero = false;
	size_t used = 0;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < frames->count; i++) {
		const struct graph_ratio_frame *frame = &frames->frame[i];

		if (has_ratio(frame) && frame->of)
			list[used++] =
				(struct weighed){ ratio_of(frames, frame), (double)frame->by };
		zero |= has_ratio(frame) && !frame->of;
	}
	qsort(list, used, sizeof(*list), by_ratio);
	if (used) {
		frames->only = quantile(list, used, .5);
		frames->bounds =
			graph_ratio_bounds(quantile(list, used, TRIMMED),
					   quantile(list, used, 1 - TRIMMED), frames->bound);
		if (zero && !frames->bounds)
			frames->bound[frames->bounds++] = list[0].ratio;
	}
	free(list);
	return 0;
}

/* Spreads the colours over the existing steps. */
static int color_of(const struct graph_ratio_frames *frames, unsigned bin)
{
	unsigned last = GRAPH_COLOR_RATIOS - 1;

	return (int)(frames->bounds ? (bin * last + frames->bounds / 2) / frames->bounds
				    : last / 2);
}

static int step_of(const struct graph_ratio_frames *frames, const struct graph_ratio_frame *frame)
{
	double ratio = ratio_of(frames, frame);
	unsigned bin = 0;

	while (bin < frames->bounds && ratio >= frames->bound[bin])
		bin++;
	return color_of(frames, bin);
}

int graph_ratio_make(struct frame_tree *tree, uint64_t least, const struct graph_ratio *ratio,
		     struct graph_ratio_frames *frames)
{
	int err;

	*frames = (struct graph_ratio_frames){ .ratio = ratio };
	err = collect_all(tree, least, frames);
	for (size_t i = 0; !err && i < frames->count; i++)
		if (!frames->frame[i].by && has_ratio(&frames->frame[i]))
			frames->frame[i].step = GRAPH_RATIO_NONE;
	if (!err)
		err = choose_bounds(frames);
	if (err) {
		graph_ratio_free(frames);
		return err;
	}
	for (size_t i = 0; i < frames->count; i++)
		if (has_ratio(&frames->frame[i]))
			frames->frame[i].step = step_of(frames, &frames->frame[i]);
	return 0;
}

void graph_ratio_free(struct graph_ratio_frames *frames)
{
	free(frames->frame);
	*frames = (struct graph_ratio_frames){ 0 };
}

void graph_ratio_reason(const struct graph_ratio *ratio, int step, char *text, size_t bytes)
{
	if (step == GRAPH_RATIO_FEW)
		snprintf(text, bytes, "fewer than %u samples", ratio->fewest);
	else
		snprintf(text, bytes, "no %s counted", ratio->by_name);
}

void graph_ratio_tell(const struct graph_ratio_frames *frames,
		      const struct graph_ratio_frame *frame, FILE *file)
{
	char text[NUMBER_TEXT_SHORT_BYTES];
	char reason[GRAPH_LEGEND_TEXT_BYTES];

	if (has_ratio(frame)) {
		number_text_short(text, ratio_of(frames, frame));
		fprintf(file, ", %s ", text);
		safe_text_xml(file, frames->ratio->title, strlen(frames->ratio->title));
		return;
	}
	graph_ratio_reason(frames->ratio, frame->step, reason, sizeof(reason));
	fputs(", no ratio: ", file);
	safe_text_xml(file, reason, strlen(reason));
}

static void legend_bin(const struct graph_ratio_frames *frames, unsigned bin,
		       struct graph_legend *legend)
{
	char class[GRAPH_COLOR_CLASS_BYTES];
	char low[NUMBER_TEXT_SHORT_BYTES] = "";
	char high[NUMBER_TEXT_SHORT_BYTES] = "";
	char text[GRAPH_LEGEND_TEXT_BYTES];

	if (bin > 0)
		number_text_short(low, frames->bound[bin - 1]);
	if (bin < frames->bounds)
		number_text_short(high, frames->bound[bin]);
	if (!frames->bounds) {
		number_text_short(low, frames->only);
		snprintf(text, sizeof(text), "%s", low);
	} else if (!*low) {
		snprintf(text, sizeof(text), "< %s", high);
	} else if (!*high) {
		snprintf(text, sizeof(text), "\xe2\x89\xa5 %s", low);
	} else {
		snprintf(text, sizeof(text), "%s \xe2\x80\x93 %s", low, high);
	}
	graph_color_ratio_class(color_of(frames, bin), true, class);
	graph_legend_add(legend, class, text);
}

void graph_ratio_legend(const struct graph_ratio_frames *frames, struct graph_legend *legend)
{
	char class[GRAPH_COLOR_CLASS_BYTES];
	bool missing[3] = { false, false, false }; /* indexed by -step */
	bool any = false;
	char text[GRAPH_LEGEND_TEXT_BYTES];

	for (size_t i = 0; i < frames->count; i++) {
		int step = frames->frame[i].step;

		any |= step >= 0;
		if (step < 0)
			missing[-step] = true;
	}
	snprintf(legend->title, sizeof(legend->title), "%s", frames->ratio->title);
	for (unsigned bin = 0; any && bin <= frames->bounds; bin++)
		legend_bin(frames, bin, legend);
	for (int step = GRAPH_RATIO_FEW; step >= GRAPH_RATIO_NONE; step--) {
		if (!missing[-step])
			continue;
		graph_ratio_reason(frames->ratio, step, text, sizeof(text));
		graph_color_ratio_class(step, true, class);
		graph_legend_add(legend, class, text);
	}
}

void graph_ratio_trees_free(struct graph_ratio_trees *trees)
{
	for (unsigned i = 0; i < trees->count; i++)
		frame_tree_free(trees->tree[i]);
	free(trees->tree);
}

int graph_ratio_trees_reverse(struct graph_ratio_trees *trees, size_t kept)
{
	int err = 0;

	for (unsigned i = 0; !err && i < trees->count; i++)
		if (trees->tree[i])
			err = frame_tree_reverse(&trees->tree[i], kept);
	return err;
}

static struct frame_tree *make(struct graph_ratio_trees *trees, unsigned counter, bool samples,
			       int *err)
{
	struct frame_tree **tree = &trees->tree[2 * counter + samples];

	if (!*err && !*tree)
		*err = profile_tree(trees->profile, counter,
				    samples ? SETTINGS_WEIGHT_SAMPLES : SETTINGS_WEIGHT_EVENTS,
				    tree);
	return *tree;
}

int graph_ratio_fill(struct graph_ratio_trees *trees, const struct ratios_pair *pair,
		     struct graph_ratio *ratio)
{
	unsigned count = 2 * profile_counter_count(trees->profile);
	int err = 0;

	if (!trees->tree)
		trees->tree = calloc(count, sizeof(struct frame_tree *));
	if (!trees->tree)
		return -ENOMEM;
	trees->count = count;
	*ratio = (struct graph_ratio){ .title = pair->title,
				       .by_name = pair->by_name,
				       .scale = pair->scale,
				       .fewest = FEWEST_SAMPLES };
	ratio->of = make(trees, pair->of, false, &err);
	ratio->by = make(trees, pair->by, false, &err);
	ratio->samples = make(trees, profile_counter(trees->profile, pair->by)->leader, true, &err);
	return err;
}

unsigned graph_ratio_offer(const struct profile *profile, unsigned counter,
			   struct ratios_pair *pairs, unsigned room)
{
	unsigned count = 0;

	for (unsigned i = 0; i < profile_counter_count(profile) && count < room; i++) {
		struct ratios_pair *pair = &pairs[count];

		if (ratios_choose(profile, i, pair) &&
		    (pair->by == counter || profile_counter(profile, i)->leader == counter))
			count++;
	}
	return count;
}
