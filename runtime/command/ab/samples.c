/* Every counter has as many runs as its variant: what a run lacks is an empty tree. */
#include "runtime/command/ab/ab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/settings/settings.h"
#include "runtime/collect/spools.h"
#include "runtime/command/base/status_line.h"
#include "runtime/output/report/report.h"
#include "runtime/profile/base/grow.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/tree/frame_tree.h"

/* Values are events, or ns where an event is time: only these can be compared between runs that
 * took samples at different intervals. */
static int take_counter(struct run_result_counter *to, struct profile *profile, unsigned counter)
{
	const struct spool_counter *about = profile_counter(profile, counter);
	struct profile_total total = profile_total(profile, counter);

	memcpy(to->name, about->name, sizeof(to->name));
	to->name[sizeof(to->name) - 1] = '\0';
	to->unit = report_unit(about, SETTINGS_WEIGHT_EVENTS);
	to->per_sample = profile_per_sample(profile, counter);
	to->counted = total.counted && total.running_ns >= total.enabled_ns;
	to->total = (double)total.counted;
	return profile_tree(profile, counter, SETTINGS_WEIGHT_EVENTS, &to->tree);
}

static int take_profile(struct run_result *result, struct profile *profile)
{
	const struct profile_summary *summary = profile_summary(profile);
	unsigned count = profile_counter_count(profile);
	int err = 0;

	result->lost = summary->lost;
	result->running = summary->running > 0;
	result->counter = calloc((size_t)count + 1, sizeof(*result->counter));
	if (!result->counter)
		return -ENOMEM;
	for (; !err && result->counter_count < count; result->counter_count++) {
		unsigned counter = (unsigned)result->counter_count;

		result->samples += profile_total(profile, counter).samples;
		err = take_counter(&result->counter[counter], profile, counter);
	}
	return err;
}

static int read_all(struct run_result *result, const struct variant *variant, struct spools *spools,
		    struct machine *machine, const char *save)
{
	const struct settings *settings = &variant->launch.settings;
	const struct collection_options messages = { 0 };
	const struct profile_options options = {
		.threads = settings->threads,
		.inlined = settings->inlined,
		.lines = settings->lines,
		.machine = machine,
	};
	struct profile *profile = profile_new(&options);
	int err = profile ? 0 : -ENOMEM;

	if (!err) {
		spools_read(spools, &messages, settings->memory_bytes, profile);
		err = take_profile(result, profile);
	}
	profile_free(profile);
	if (err)
		return status_line_error("the samples", err);
	return save ? collection_copy(&spools->collection, save) : 0;
}

int run_result_make(struct run_result *result, const struct variant *variant,
		    const struct variant_run *run, struct machine *machine, const char *save)
{
	struct spools spools;
	int err;

	*result =
		(struct run_result){ .hides_memory = run->hides_memory, .profiled = variant->off };
	memcpy(result->value, run->value, sizeof(result->value));
	if (variant->off)
		return 0;
	err = spools_list(&spools, variant->launch.spool, (unsigned)run->child.pid);
	if (err)
		return status_line_error(variant->launch.spool, err);
	result->profiled = spools.main == SPOOLS_MAIN_PROFILED;
	err = read_all(result, variant, &spools, machine, save);
	spools_free(&spools);
	return err;
}

void run_result_free(struct run_result *result)
{
	for (size_t i = 0; i < result->counter_count; i++)
		frame_tree_free(result->counter[i].tree);
	free(result->counter);
	*result = (struct run_result){ 0 };
}

int samples_make(struct samples *samples, size_t room, const struct runs_options *options)
{
	*samples = (struct samples){ .options = options, .room = room };
	for (int which = 0; which < RUNS_SIDES; which++)
		for (int i = 0; i < VARIANT_MEASURES; i++) {
			double *value = calloc(room, sizeof(*value));

			if (!value)
				return -ENOMEM;
			samples->variant[which].value[i] = value;
		}
	return 0;
}

static void free_counter(struct samples_counter *counter)
{
	runs_free(counter->runs);
	for (int which = 0; which < RUNS_SIDES; which++)
		free(counter->total[which]);
}

void samples_free(struct samples *samples)
{
	for (int which = 0; which < RUNS_SIDES; which++)
		for (int i = 0; i < VARIANT_MEASURES; i++)
			free(samples->variant[which].value[i]);
	for (size_t i = 0; i < samples->counter_count; i++)
		free_counter(&samples->counter[i]);
	free(samples->counter);
	*samples = (struct samples){ 0 };
}

static int add_empty(struct runs *runs, enum runs_side which)
{
	struct frame_tree *tree = frame_tree_new();

	return tree ? runs_add(runs, which, tree, 0) : -ENOMEM;
}

static struct samples_counter *find(struct samples *samples, const char *name)
{
	for (size_t i = 0; i < samples->counter_count; i++)
		if (strcmp(samples->counter[i].name, name) == 0)
			return &samples->counter[i];
	return NULL;
}

/* Add a counter, empty in the runs before.  Returns 0 or -ENOMEM. */
static int add_counter(struct samples *samples, const struct run_result_counter *from)
{
	struct samples_counter *counter;

	if (!grow(&samples->counter, samples->counter_count, sizeof(*samples->counter)))
		return -ENOMEM;
	counter = &samples->counter[samples->counter_count++];
	*counter = (struct samples_counter){
		.unit = from->unit,
		.runs = runs_new(samples->options),
		.counted =
			!samples->variant[RUNS_BEFORE].runs && !samples->variant[RUNS_AFTER].runs,
	};
	memcpy(counter->name, from->name, sizeof(counter->name));
	if (!counter->runs)
		return -ENOMEM;
	for (int which = 0; which < RUNS_SIDES; which++) {
		counter->total[which] = calloc(samples->room, sizeof(double));
		if (!counter->total[which])
			return -ENOMEM;
		for (size_t i = 0; i < samples->variant[which].runs; i++)
			if (add_empty(counter->runs, (enum runs_side)which))
				return -ENOMEM;
	}
	return 0;
}

static struct run_result_counter *find_in(const struct run_result *result, const char *name)
{
	for (size_t i = 0; i < result->counter_count; i++)
		if (strcmp(result->counter[i].name, name) == 0)
			return &result->counter[i];
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

int samples_add(struct samples *samples, enum runs_side which, struct run_result *result)
{
	struct samples_variant *variant = &samples->variant[which];
	int err = 0;

	for (size_t i = 0; !err && i < result->counter_count; i++)
		if (!find(samples, result->counter[i].name))
			err = add_counter(samples, &result->counter[i]);
	for (size_t i = 0; !err && i < samples->counter_count; i++)
		err = add_run(&samples->counter[i], which, variant->runs,
			      find_in(result, samples->counter[i].name));
	if (err)
		return err;
	for (int i = 0; i < VARIANT_MEASURES; i++)
		variant->value[i][variant->runs] = result->value[i];
	variant->runs++;
	variant->unprofiled += !result->profiled;
	variant->hiding += result->hides_memory;
	variant->running += result->running;
	variant->samples += result->samples;
	variant->lost += result->lost;
	return 0;
}

bool samples_is_blind(const struct samples_variant *variant)
{
	return variant->unprofiled == variant->runs && !variant->samples;
}
