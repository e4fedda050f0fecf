/*
 * Values are events, or ns where an event is time: only these can be compared between runs that
 * took samples at different intervals.
 */
#include "runtime/command/ab/run_result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/settings/settings.h"
#include "runtime/command/base/status_line.h"
#include "runtime/collect/spools.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/output/report/report.h"

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

static int take_profile(struct run_result *harvest, struct profile *profile)
{
	const struct profile_summary *summary = profile_summary(profile);
	unsigned count = profile_counter_count(profile);
	int err = 0;

	harvest->lost = summary->lost;
	harvest->running = summary->running > 0;
	harvest->counter = calloc((size_t)count + 1, sizeof(*harvest->counter));
	if (!harvest->counter)
		return -ENOMEM;
	for (; !err && harvest->counter_count < count; harvest->counter_count++) {
		unsigned counter = (unsigned)harvest->counter_count;

		harvest->samples += profile_total(profile, counter).samples;
		err = take_counter(&harvest->counter[counter], profile, counter);
	}
	return err;
}

static int read_all(struct run_result *harvest, const struct variant *side, struct spools *spools,
		    struct machine *machine, const char *save)
{
	const struct settings *settings = &side->launch.settings;
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
		err = take_profile(harvest, profile);
	}
	profile_free(profile);
	if (err)
		return status_line_error("the samples", err);
	return save ? collection_copy(&spools->collection, save) : 0;
}

int run_result_make(struct run_result *harvest, const struct variant *side,
		    const struct variant_run *run, struct machine *machine, const char *save)
{
	struct spools spools;
	int err;

	*harvest = (struct run_result){ .hides_memory = run->hides_memory, .profiled = side->off };
	memcpy(harvest->value, run->value, sizeof(harvest->value));
	if (side->off)
		return 0;
	err = spools_list(&spools, side->launch.spool, (unsigned)run->child.pid);
	if (err)
		return status_line_error(side->launch.spool, err);
	harvest->profiled = spools.main == SPOOLS_MAIN_PROFILED;
	err = read_all(harvest, side, &spools, machine, save);
	spools_free(&spools);
	return err;
}

void run_result_free(struct run_result *harvest)
{
	for (size_t i = 0; i < harvest->counter_count; i++)
		frame_tree_free(harvest->counter[i].tree);
	free(harvest->counter);
	*harvest = (struct run_result){ 0 };
}
