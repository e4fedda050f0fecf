/* flametrap annotate FUNCTION FILE…: source lines and instructions with their weights. */
#include <errno.h>
#include <stdio.h>

#include "runtime/command/base/status_line.h"
#include "runtime/command/options/arguments.h"
#include "runtime/command/options/input_options.h"
#include "runtime/collect/sources.h"
#include "runtime/output/annotate/annotate_sites.h"
#include "runtime/output/annotate/annotate_listing.h"
#include "runtime/profile/base/json.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/symbols/frame_kind.h"
#include "runtime/profile/symbols/machine.h"
#include "runtime/spool/spool_settings.h"

#define ROWS_DEFAULT 20

/* The data that the stages share. */
struct job {
	struct input_options reading;
	struct annotate_shown shown;
	bool intel;
	bool json;
	const char *function;
	struct machine *machine;
	struct sources sources;
	struct annotate_names names;
	struct annotate_sites sites;
	struct json out; /* standard output */
};

/* Folded files have names only. */
static int check_input(const struct job *job)
{
	const struct input *input = &job->sources.input;

	if (!input->folded_count)
		return 0;
	return fail(-EINVAL,
		    "annotate needs a spool, and %s is a folded file, which holds no addresses: "
		    "flametrap --format folded,spool COMMAND keeps the spools of a run",
		    input->folded[0]);
}

/* Take all counters that have a weight, or the one that was named. */
static int choose_counters(struct job *job)
{
	struct profile *profile = job->sources.input.profile;
	int only = input_options_counter(&job->reading, &job->sources.input);
	struct annotate_sites *sites = &job->sites;

	if (only < 0)
		return only;
	for (unsigned c = 0; c < profile_counter_count(profile); c++) {
		struct profile_total total = profile_total(profile, c);

		if (job->reading.counter ? c != (unsigned)only : !total.samples && !total.events)
			continue;
		if (sites->counter_count == SPOOL_COUNTERS_MAX)
			break;
		sites->events[sites->counter_count] =
			spool_settings_weigh_events(profile_counter(profile, c),
						    job->reading.weight);
		sites->counters[sites->counter_count++] = c;
	}
	sites->ended_ns = annotate_place_ended(profile);
	if (sites->counter_count)
		return 0;
	return fail(-ENOENT, "the profile has no samples");
}

static int say_missing(const struct job *job, const struct locations *locations)
{
	char near[512];

	annotate_names_near(&job->names, locations, job->function, near, sizeof(near));
	return fail(-ENOENT, "no function %.200s in this profile%s%s%s", job->function,
		    near[0] ? "; nearest: " : "", near,
		    job->reading.inlined
			    ? ""
			    : "; with --inline, functions that were inlined are found too");
}

static int find(struct job *job)
{
	const struct profile_trees *merge = profile_merge(job->sources.input.profile);
	int err = annotate_names_find(&job->names, merge->locations, job->function,
				      job->reading.inlined);

	if (err)
		return status_line_error(NULL, err);
	if (job->names.best == NAME_FIT_NONE)
		return say_missing(job, merge->locations);
	job->shown.source.closed = profile_summary(job->sources.input.profile)->foreign;
	if (job->shown.source.closed && !job->shown.bare)
		status_line("the text of source files is not shown, since another user's spool "
			    "names them");
	err = annotate_sites_find(&job->sites, merge, &job->names);
	if (err)
		return status_line_error(NULL, err);
	if (job->sites.count)
		return 0;
	return fail(-ENOENT, "no sample of what was asked for is in %.200s", job->function);
}

static int write_copy(struct job *job, size_t index)
{
	struct profile *profile = job->sources.input.profile;
	const struct annotate_listing_options how = {
		.machine = job->machine,
		.text = &job->shown.source,
		.intel = job->intel,
		.no_lines = job->shown.bare,
		.no_instructions = job->shown.lines,
	};
	struct annotate_listing listing;
	int err = annotate_listing_make(&listing, &job->sites, &job->sites.copies[index], &how);

	if (!err && job->json)
		annotate_write_json(&listing, &job->shown, &job->out);
	else if (!err)
		err = annotate_write_text(&listing, profile, &job->shown, stdout);
	annotate_listing_free(&listing);
	return status_line_error(NULL, err);
}

static int write_all(struct job *job)
{
	struct profile *profile = job->sources.input.profile;
	int err = 0;

	job->out.file = stdout;
	if (job->json)
		annotate_write_json_begin(&job->sites, profile, &job->out);
	else
		annotate_write_skid(&job->sites, profile, stdout);
	for (size_t i = 0; !err && i < job->sites.count; i++) {
		if (!job->json)
			putchar('\n');
		err = write_copy(job, i);
	}
	if (job->json)
		annotate_write_json_end(&job->out);
	return err;
}

static int read_and_write(struct job *job, char **paths, size_t count)
{
	struct profile_options profile = input_options_profile(&job->reading, status_line_text);
	int err;

	job->machine = machine_new(status_line_text);
	if (!job->machine)
		return status_line_error(NULL, -ENOMEM);
	profile.machine = job->machine;
	profile.locations = true;
	profile.lines = false;
	progress_start();
	err = sources_open(&job->sources, &job->reading, &profile, paths, count);
	progress_print();
	if (!err)
		err = check_input(job);
	if (!err)
		err = choose_counters(job);
	if (!err)
		err = find(job);
	if (!err)
		err = write_all(job);
	progress_end();
	return err || job->sources.input.skipped ? 1 : 0;
}

static const struct manual_option annotate_options[] = {
	{ "rows", 'n', "N", NULL, input_options_rows, offsetof(struct job, shown.rows),
	  "the hottest instructions or lines, shown with three neighbours on each side; 0 is all "
	  "that have a weight (default 20)" },
	{ "all", 0, NULL, NULL, options_flag, offsetof(struct job, shown.all),
	  "the whole function" },
	{ "calls", 0, NULL, NULL, options_flag, offsetof(struct job, shown.calls),
	  "a second column for each counter: the weight with what is called from there" },
	{ "source", 0, NULL, NULL, options_flag, offsetof(struct job, shown.lines),
	  "source lines only" },
	{ "instructions", 0, NULL, NULL, options_flag, offsetof(struct job, shown.bare),
	  "instructions only" },
	{ "intel", 0, NULL, NULL, options_flag, offsetof(struct job, intel),
	  "instructions of x86 in Intel's syntax; the default is AT&T's, as in perf annotate" },
	{ "json", 0, NULL, NULL, options_flag, offsetof(struct job, json),
	  "everything as JSON, for programs: addresses, bytes, instructions, lines, weights" },
	{ 0 },
};

const struct manual manual_annotate = {
	.name = "annotate",
	.synopsis = { "annotate [OPTION...] FUNCTION FILE|PID..." },
	.summary = "show the hot lines and instructions of a function",
	.text = "Prints the source lines and instructions of a function, each with its percentage "
		"of the function's own weight in each counter. Rows with 5 % or more are marked "
		"with >.\n\n"
		"FUNCTION is a name as report prints it, with or without its suffix; a part of it "
		"that is clear (compute for app::compute), or a pattern such as 'str*'. Every "
		"copy is shown: in several files, static functions of one name, and with --inline "
		"the copies in functions that inline it. Functions of an interpreted program have "
		"lines only.\n\n"
		"Lines come from debug information (-g), their text from the source file, and "
		"instructions from the program's own file, if it is the one that was sampled. "
		"capstone disassembles (Debian: libcapstone4 or libcapstone5); without it, lines "
		"alone are shown. Source files are those that debug information names, by any "
		"path; their text is not shown for another user's spool.\n\n"
		"Addresses are as exact as the counter: a line for each tells what they mean. "
		"With task-clock, a slow instruction shows at the one after it.",
	.options = { annotate_options, manual_reading },
	.least = 2,
	.most = MANUAL_ANY_COUNT,
	.operands = MANUAL_PROFILE,
	.status = "0; 1 if the function has no samples or a file cannot be read; 2 for wrong "
		  "usage.",
	.examples = {
		{ "flametrap annotate compute app.spool", "The hot parts of compute" },
		{ "flametrap annotate --all --intel compute app.spool",
		  "All of it, in Intel's syntax" },
		{ "flametrap annotate --source compute app.spool", "Its source lines" },
		{ "flametrap annotate --inline compute app.spool",
		  "The functions that inline compute, too" },
		{ "flametrap annotate --json compute app.spool", "The same for a program" },
	},
};

int verb_annotate(int argc, char **argv)
{
	struct job job = { .shown.rows = ROWS_DEFAULT };
	enum frame_kind kind;
	int status = 2;
	size_t bytes;
	int first = arguments_read(&manual_annotate, argc, argv, ARGUMENTS(&job, &job.reading),
				   &status);

	if (first < 0)
		goto out;
	if (job.shown.lines && job.shown.bare) {
		status_line("--source and --instructions: one of them, or neither for both");
		goto out;
	}
	job.function = argv[first];
	kind = frame_kind_of(job.function, &bytes);
	job.reading.inlined |= kind == FRAME_KIND_INLINED;
	if (job.json)
		terminal_safe_data();
	status = read_and_write(&job, argv + first + 1, (size_t)(argc - first - 1));
	annotate_names_free(&job.names);
	annotate_sites_free(&job.sites);
	source_text_free(&job.shown.source);
	sources_close(&job.sources);
	machine_free(job.machine);
	if (status_line_flushed())
		status = 1;
out:
	input_options_free(&job.reading);
	return status;
}
