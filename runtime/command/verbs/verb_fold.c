/* flametrap fold FILE…: folded stacks on standard output, or files in other formats. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config/settings/formats.h"
#include "runtime/command/base/status_line.h"
#include "runtime/command/options/arguments.h"
#include "runtime/command/options/input_options.h"
#include "runtime/collect/sources.h"
#include "runtime/profile/base/stream.h"
#include "runtime/output/output.h"
#include "runtime/profile/tree/frame_tree.h"

struct job {
	struct input_options reading;
	unsigned formats;   /* a set */
	const char *output; /* -o STEM; NULL: not given */
};

/* A folded file holds one counter; a message names the others, so that nobody takes it for all. */
static void tell_others(const struct input *input, const struct job *job, int counter)
{
	unsigned count = input->profile ? profile_counter_count(input->profile) : 0;

	if (job->reading.counter || count < 2)
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
static int write_standard(struct input *input, const struct job *job, unsigned format)
{
	struct format_content content = { .profile = input->profile,
					  .weight = job->reading.weight };
	bool one = job->reading.counter || profile_counter_count(input->profile) == 1;
	unsigned facts = format_find(format)->facts;
	bool alone = facts & FORMAT_EACH && (one || !(facts & FORMAT_ALL));
	const char *missing = format_missing(input->profile, format);
	int counter = input_options_counter(&job->reading, input);
	int err = 0;

	if (counter < 0)
		return counter;
	if (missing) {
		fprintf(stderr, "flametrap: standard output%s\n", missing);
		return -ENODATA;
	}
	content.counter = alone ? (unsigned)counter : FORMAT_CONTENT_ALL;
	if (alone) {
		tell_others(input, job, counter);
		err = profile_tree(input->profile, content.counter, job->reading.weight,
				   &content.tree);
	}
	if (err)
		return status_line_error("the stacks", err);
	if (content.tree)
		input_options_order(&job->reading, content.tree);
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

static int write_files(struct input *input, const struct job *job, unsigned formats)
{
	struct output_request request = {
		.formats = formats,
		.weight = job->reading.weight,
		.replaced_before_ns = UINT64_MAX,
		.written = tell_written,
	};
	const char *ending = format_find(formats)->ending;
	size_t length = strlen(job->output);
	size_t tail = strlen(ending) + 1;
	char stem[PATH_MAX];
	char line[PATH_MAX + 256];
	int err;

	if (length && job->output[length - 1] == '/')
		return status_line_error(job->output, -EISDIR);
	/* A single file may be given with its full name. */
	if (!stream_is(job->output) && !(formats & (formats - 1)) && length > tail &&
	    job->output[length - tail] == '.' && !strcmp(job->output + length - tail + 1, ending))
		length -= tail;
	if (snprintf(stem, sizeof(stem), "%.*s", (int)length, job->output) >= (int)sizeof(stem))
		return status_line_error(job->output, -ENAMETOOLONG);
	request.stem = stem;
	err = output_write(input->profile, &request, line, sizeof(line));
	if (err)
		status_line_text(line);
	return err;
}

static int write_out(struct input *input, const struct job *job, unsigned formats)
{
	progress_write();
	if (job->output && strcmp(job->output, "-") != 0)
		return write_files(input, job, formats);
	progress_print();
	if (is_for_programs(formats) && isatty(STDOUT_FILENO)) {
		status_line_text(
			"standard output is a terminal, and this format is for programs; use -o "
			"STEM");
		return -ENOTTY;
	}
	return write_standard(input, job, formats);
}

static int take_formats(const char *text, void *field, char *line, size_t bytes)
{
	return input_options_setting(SETTING(formats), text, field, line, bytes);
}

#define WORD(id, name, number, ending, facts) " " #name

static const struct manual_option fold_options[] = {
	{ "format", 0, "LIST", &(SETTINGS_FORMATS(WORD))[1] /* without the first space */,
	  take_formats, offsetof(struct job, formats),
	  "what to write, separated by commas (default folded)" },
	{ "output", 'o', "STEM", MANUAL_FILE, options_text, offsetof(struct job, output),
	  "write STEM.folded, STEM.pb.gz and so on instead of one format to standard output" },
	{ "sort", 0, "BY", "self total", input_options_sort, offsetof(struct job, reading.sort),
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

static const char *wrong_output(const struct job *job, char *line, size_t bytes)
{
	unsigned formats = job->formats;
	unsigned whole = formats & format_set(FORMAT_ORIGINS) & ~format_set(FORMAT_TIMED);

	if (whole && job->reading.by != REPORT_BY_FUNCTION) {
		snprintf(line, bytes,
			 "a %s file holds functions, modules, lines, threads and processes "
			 "together: --by goes with other formats",
			 format_find(whole)->name);
		return line;
	}
	if (formats & format_set(FORMAT_TIMED) && job->reading.by != REPORT_BY_FUNCTION)
		return "a format with the time of each sample holds functions, modules and threads "
		       "together: --by goes with other formats";
	if (job->reading.sort && (job->output || formats & ~(unsigned)SETTINGS_FORMAT_FOLDED))
		return "--sort orders folded stacks on standard output";
	if (formats & SETTINGS_FORMAT_SPOOL)
		return "only a run keeps its spools: flametrap --format folded,svg,spool COMMAND";
	if (job->reading.counter && job->output)
		return "-o writes all counters: --counter goes with standard output";
	if (!job->output && (formats & (formats - 1)))
		return "standard output takes one format: several go with -o STEM";
	return NULL;
}

int verb_fold(int argc, char **argv)
{
	struct job job = { .formats = SETTINGS_FORMAT_FOLDED };
	struct profile_options options;
	struct sources sources;
	int status = 2, first = arguments_read(&manual_fold, argc, argv,
					       ARGUMENTS(&job, &job.reading), &status);
	const char *wrong;
	char line[160];
	int err;

	if (first < 0)
		goto out;
	wrong = wrong_output(&job, line, sizeof(line));
	if (wrong) {
		status_line_text(wrong);
		goto out;
	}
	options = input_options_profile(&job.reading, status_line_text);
	output_keep(job.formats, true, &options);
	interrupt_expect(NULL);
	progress_start();
	err = sources_open(&sources, &job.reading, &options, argv + first, (size_t)(argc - first));
	if (!err)
		err = input_merge(&sources.input, &options);
	if (!err)
		err = write_out(&sources.input, &job, job.formats);
	status = err || sources.input.skipped ? 1 : 0;
	sources_close(&sources);
	progress_end();
out:
	input_options_free(&job.reading);
	return status;
}
