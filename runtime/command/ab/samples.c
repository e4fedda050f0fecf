/*
 * Every counter has as many runs as its side: what a run lacks is an empty tree.
 */
#include "runtime/command/ab/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/tree/frame_tree.h"

int samples_make(struct samples *tally, size_t room, const struct runs_options *options)
{
	*tally = (struct samples){ .options = options, .room = room };
	for (int which = 0; which < RUNS_SIDES; which++)
		for (int i = 0; i < VARIANT_MEASURES; i++) {
			double *value = calloc(room, sizeof(*value));

			if (!value)
				return -ENOMEM;
			tally->side[which].value[i] = value;
		}
	return 0;
}

static void free_counter(struct samples_counter *counter)
{
	runs_free(counter->runs);
	for (int which = 0; which < RUNS_SIDES; which++)
		free(counter->total[which]);
}

void samples_free(struct samples *tally)
{
	for (int which = 0; which < RUNS_SIDES; which++)
		for (int i = 0; i < VARIANT_MEASURES; i++)
			free(tally->side[which].value[i]);
	for (size_t i = 0; i < tally->counter_count; i++)
		free_counter(&tally->counter[i]);
	free(tally->counter);
	*tally = (struct samples){ 0 };
}

static int add_empty(struct runs *runs, enum runs_side which)
{
	struct frame_tree *tree = frame_tree_new();

	return tree ? runs_add(runs, which, tree, 0) : -ENOMEM;
}

static struct samples_counter *find(struct samples *tally, const char *name)
{
	for (size_t i = 0; i < tally->counter_count; i++)
		if (strcmp(tally->counter[i].name, name) == 0)
			return &tally->counter[i];
	return NULL;
}

/* Add a counter, empty in the runs before.  Returns 0 or -ENOMEM. */
static int add_counter(struct samples *tally, const struct run_result_counter *from)
{
	struct samples_counter *counter;

	if (!grow(&tally->counter, tally->counter_count, sizeof(*tally->counter)))
		return -ENOMEM;
	counter = &tally->counter[tally->counter_count++];
	*counter = (struct samples_counter){
		.unit = from->unit,
		.runs = runs_new(tally->options),
		.counted = !tally->side[RUNS_BEFORE].runs && !tally->side[RUNS_AFTER].runs,
	};
	memcpy(counter->name, from->name, sizeof(counter->name));
	if (!counter->runs)
		return -ENOMEM;
	for (int which = 0; which < RUNS_SIDES; which++) {
		counter->total[which] = calloc(tally->room, sizeof(double));
		if (!counter->total[which])
			return -ENOMEM;
		for (size_t i = 0; i < tally->side[which].runs; i++)
			if (add_empty(counter->runs, (enum runs_side)which))
				return -ENOMEM;
	}
	return 0;
}

static struct run_result_counter *find_in(const struct run_result *harvest, const char *name)
{
	for (size_t i = 0; i < harvest->counter_count; i++)
		if (strcmp(harvest->counter[i].name, name) == 0)
			return &harvest->counter[i];
	return NULL;
}

static int add_run(struct samples_counter *to, enum runs_side which, size_t run,
		   struct run_result_counter *from)
{
	struct frame_tree *tree;

	to->counted &= from && from->counted;
	if (!from)
		return add_empty(to->runs, which);
	to->total[which][run] = from->total;
	tree = from->tree;
	from->tree = NULL;
	return runs_add(to->runs, which, tree, from->per_sample);
}

int samples_add(struct samples *tally, enum runs_side which, struct run_result *harvest)
{
	struct samples_variant *side = &tally->side[which];
	int err = 0;

	for (size_t i = 0; !err && i < harvest->counter_count; i++)
		if (!find(tally, harvest->counter[i].name))
			err = add_counter(tally, &harvest->counter[i]);
	for (size_t i = 0; !err && i < tally->counter_count; i++)
		err = add_run(&tally->counter[i], which, side->runs,
			      find_in(harvest, tally->counter[i].name));
	if (err)
		return err;
	for (int i = 0; i < VARIANT_MEASURES; i++)
		side->value[i][side->runs] = harvest->value[i];
	side->runs++;
	side->unprofiled += !harvest->profiled;
	side->hiding += harvest->hides_memory;
	side->running += harvest->running;
	side->samples += harvest->samples;
	side->lost += harvest->lost;
	return 0;
}

bool samples_is_blind(const struct samples_variant *side)
{
	return side->unprofiled == side->runs && !side->samples;
}
