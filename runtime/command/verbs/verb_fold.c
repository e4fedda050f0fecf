/*
 * flametrap fold FILE…: folded stacks on standard output, or files in other formats.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config/settings/formats.h"
#include "runtime/command/base/interrupt.h"
#include "runtime/command/base/progress.h"
#include "runtime/command/base/status_line.h"
#include "runtime/command/base/terminal_safe.h"
#include "runtime/command/options/manual.h"
#include "runtime/command/options/report_options.h"
#include "runtime/collect/sources.h"
#include "runtime/command/verbs/verbs.h"
#include "runtime/profile/base/stream.h"
#include "runtime/output/format_writers.h"
#include "runtime/output/output.h"
#include "runtime/profile/tree/frame_tree.h"

/* A folded file holds one counter; a message names the others, so that nobody takes it for all. */
static void tell_others(const struct input *input, const struct report_arguments *choice,
			int counter)
{
	unsigned count = input->profile ? profile_counter_count(input->profile) : 0;

	if (choice->reading.counter || count < 2)
		return;
	fprintf(stderr, "flametrap: writing counter %s; choose another with --counter:",
		profile_counter(input->profile, (unsigned)counter)->name);
	for (unsigned i = 1; i < count; i++)
		fprintf(stderr, " %s", profile_counter(input->profile, i)->name);
	fputc('\n', stderr);
}

static bool is_for_programs(unsigned format)
{
	return format_find(format)->facts & FORMAT_BINARY;
}

/* Formats with room for all counters get all of them, unless one is named. */
static int write_standard(struct input *input, const struct report_arguments *choice,
			  unsigned format)
{
	struct format_content content = { .profile = input->profile,
					  .weight = choice->reading.weight };
	bool one = choice->reading.counter || profile_counter_count(input->profile) == 1;
	unsigned facts = format_find(format)->facts;
	bool alone = facts & FORMAT_EACH && (one || !(facts & FORMAT_ALL));
	const char *missing = format_missing(input->profile, format);
	int counter = input_options_counter(&choice->reading, input);
	int err = 0;

	if (counter < 0)
		return counter;
	if (missing) {
		fprintf(stderr, "flametrap: standard output%s\n", missing);
		return -ENODATA;
	}
	content.counter = alone ? (unsigned)counter : FORMAT_CONTENT_ALL;
	if (alone) {
		tell_others(input, choice, counter);
		err = profile_tree(input->profile, content.counter, choice->reading.weight,
				   &content.tree);
	}
	if (err)
		return status_line_error("the stacks", err);
	if (content.tree)
		input_options_order(&choice->reading, content.tree);
	terminal_safe_data();
	err = format_find(format)->write(&content, stdout);
	frame_tree_free(content.tree);
	if (fflush(stdout) && (!err || err == -EIO))
		err = -errno;
	return status_line_error("standard output", err);
}

static void tell_written(const char *path, void *context)
{
	(void)context;
	status_line("wrote %s", path);
}

static int write_files(struct input *input, const struct report_arguments *choice, unsigned formats)
{
	struct output_request request = {
		.formats = formats,
		.weight = choice->reading.weight,
		.replaced_before_ns = UINT64_MAX,
		.written = tell_written,
	};
	const char *ending = format_find(formats)->ending;
	size_t length = strlen(choice->output);
	size_t tail = strlen(ending) + 1;
	char stem[PATH_MAX];
	char line[PATH_MAX + 256];
	int err;

	if (length && choice->output[length - 1] == '/')
		return status_line_error(choice->output, -EISDIR);
	/* A single file may be given with its full name. */
	if (!stream_is(choice->output) && !(formats & (formats - 1)) && length > tail &&
	    choice->output[length - tail] == '.' &&
	    !strcmp(choice->output + length - tail + 1, ending))
		length -= tail;
	if (snprintf(stem, sizeof(stem), "%.*s", (int)length, choice->output) >= (int)sizeof(stem))
		return status_line_error(choice->output, -ENAMETOOLONG);
	request.stem = stem;
	err = output_write(input->profile, &request, line, sizeof(line));
	if (err)
		status_line_text(line);
	return err;
}

static int write_out(struct input *input, const struct report_arguments *choice, unsigned formats)
{
	progress_write();
	if (choice->output && strcmp(choice->output, "-") != 0)
		return write_files(input, choice, formats);
	progress_print();
	if (is_for_programs(formats) && isatty(STDOUT_FILENO)) {
		status_line_text(
			"standard output is a terminal, and this format is for programs; use -o "
			"STEM");
		return -ENOTTY;
	}
	return write_standard(input, choice, formats);
}

#define WORD(id, name, number, ending, facts) " " #name

static const struct manual_option fold_options[] = {
	{ "format", OPTION_FORMAT, "LIST",
	  &(SETTINGS_FORMATS(WORD))[1], /* without the first space */
	  "what to write, separated by commas (default folded)" },
	{ "output", 'o', "STEM", MANUAL_FILE,
	  "write STEM.folded, STEM.pb.gz and so on instead of one format to standard output" },
	{ "sort", OPTION_SORT, "BY", "self total",
	  "folded stacks with the largest values first instead of in the order of names: siblings "
	  "by self (what each took itself) or total (with all that it called)" },
	{ 0 },
};

const struct manual manual_fold = {
	.name = "fold",
	.synopsis = { "fold [OPTION...] FILE|PID..." },
	.summary = "merge profiles and convert them to another format",
	.text = "Reads spools and folded files, merges them, and writes folded stacks to standard "
		"output, or the format that --format names. With -o each format of the list goes "
		"to a file of its own.\n\n"
		"A folded file holds neither addresses nor counters, so options that need them "
		"have no effect on it: flametrap --format folded,svg,spool keeps the spool of a run.",
	.options = { fold_options, manual_reading },
	.least = 1,
	.most = MANUAL_ANY_COUNT,
	.operands = MANUAL_PROFILE,
	.status = MANUAL_STATUS_READ,
	.examples = {
		{ "flametrap fold before.folded after.folded", "Merge two profiles" },
		{ "flametrap fold --lines app.spool", "Folded stacks with source lines" },
		{ "flametrap fold --format pprof -o app app.spool", "app.pb.gz, for go tool pprof" },
		{ "flametrap fold --format speedscope,svg -o app app.spool",
		  "app.speedscope.json and app.svg" },
		{ "flametrap fold --weight events --threads name app.spool",
		  "Nanoseconds or events instead of samples, by thread" },
	},
};

int verb_fold(int argc, char **argv)
{
	struct report_arguments choice;
	struct profile_options options;
	struct sources sources;
	int first = report_options_read(&choice, "fold", argc, argv);
	unsigned formats;
	int err;

	if (first < 0)
		return choice.status;
	formats = choice.formats ? choice.formats : SETTINGS_FORMAT_FOLDED;
	options = input_options_profile(&choice.reading, status_line_text);
	output_keep(formats, true, &options);
	interrupt_expect(NULL);
	progress_start();
	err = sources_open(&sources, &choice.reading, &options, argv + first,
			   (size_t)(argc - first));
	if (!err)
		err = input_merge(&sources.input, &options);
	if (!err)
		err = write_out(&sources.input, &choice, formats);
	if (sources.input.skipped)
		err = err ? err : -EINVAL;
	input_options_free(&choice.reading);
	sources_close(&sources);
	progress_end();
	return err ? 1 : 0;
}
