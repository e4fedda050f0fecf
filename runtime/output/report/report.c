/* Numbers are written as they are stored.  Only times are converted to a readable unit. */
#include "runtime/output/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/maths.h"
#include "runtime/profile/base/number_text.h"
#include "runtime/profile/base/safe_text.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/merge/notes.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/analysis/selection.h"
#include "runtime/profile/analysis/wait_sites.h"
#include "runtime/profile/spool/event_scale.h"
#include "runtime/profile/symbols/data_frames.h"
#include "runtime/profile/symbols/frame_kind.h"
#include "runtime/spool/spool_settings.h"

#define MULTIPLEX_WARNING 1.2 /* above it, scaled counts are mostly guesses */
#define NAME_COLUMN	  34  /* column where names start */

const char *report_by_name(enum report_by by)
{
	static const char *const names[REPORT_BY_COUNT] = {
		[REPORT_BY_FUNCTION] = "function", [REPORT_BY_MODULE] = "module",
		[REPORT_BY_THREAD] = "thread",	   [REPORT_BY_PROCESS] = "process",
		[REPORT_BY_FILE] = "file",	   [REPORT_BY_LINE] = "line",
		[REPORT_BY_LABEL] = "label",
	};

	return names[by];
}

bool report_by_origin(enum report_by by)
{
	return by == REPORT_BY_THREAD || by == REPORT_BY_PROCESS || by == REPORT_BY_LABEL;
}

static void print_value(FILE *file, const char *label, uint64_t value,
			const struct spool_counter *about)
{
	char text[64];

	if (about->unit == SPOOL_UNIT_NS)
		number_text_duration(value, text, sizeof(text));
	else if (event_scale_exists(about))
		event_scale_text(about, value, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "%llu events", (unsigned long long)value);
	fprintf(file, "%s %s", label, text);
}

static void print_row(const struct function *function, uint64_t whole,
		      const struct report_options *options, FILE *file)
{
	unsigned columns = options->columns;
	size_t cells = columns > NAME_COLUMN + 8 ? columns - NAME_COLUMN : columns ? 8 : SIZE_MAX;

	fprintf(file, "%6.2f %% %6.2f %% ", maths_percent(function->self, whole),
		maths_percent(function->total, whole));
	if (options->measured)
		fprintf(file, "%14.6g  ", event_scale_apply(options->measured, function->self));
	else
		fprintf(file, "%14llu  ", (unsigned long long)function->self);
	safe_text_terminal(file, function->name, cells);
	fputc('\n', file);
}

static int print_callers(struct frame_tree *tree, const char *unit,
			 const struct report_options *options, FILE *file)
{
	struct callers found;
	int err = callers_find(tree, options->function, &found);

	if (err)
		return err;
	if (found.total)
		callers_print(&found, options->function, unit, options->rows, options->columns,
			      file);
	else
		fputs("  (it has no samples)\n", file);
	callers_free(&found);
	return 0;
}

int report_table(struct frame_tree *tree, const char *unit, const struct report_options *options,
		 FILE *file)
{
	uint64_t whole = frame_tree_root(tree)->total;
	const char *by = report_by_name(options->by);
	struct function *list;
	const char *plural;
	size_t shown;
	size_t count;
	int err;

	if (options->function)
		return print_callers(tree, unit, options, file);
	err = functions_list(tree, 1, options->by_total, &list, &count);
	if (err)
		return err;
	shown = options->rows && options->rows < count ? options->rows : count;
	plural = options->by == REPORT_BY_PROCESS ? "es" : "s";
	fprintf(file, "    self    total %14s  %s\n", unit, by);
	for (size_t i = 0; i < shown; i++)
		print_row(&list[i], whole, options, file);
	if (!count)
		fprintf(file, "  (no samples)\n");
	if (shown < count)
		fprintf(file, "%34s%zu more %s%s\n", "", count - shown, by,
			count - shown == 1 ? "" : plural);
	free(list);
	return 0;
}

static bool is_scaled(const struct profile_total *total)
{
	return total->running_ns && total->running_ns < total->enabled_ns;
}

uint64_t report_counted(const struct profile_total *total)
{
	if (!is_scaled(total))
		return total->counted;
	return (uint64_t)((double)total->counted * (double)total->enabled_ns /
			  (double)total->running_ns);
}

int64_t report_unsampled(const struct profile_total *total)
{
	return (int64_t)(report_counted(total) - total->events - total->dropped - total->paused);
}

static void print_account(const struct profile_total *total, const struct spool_counter *about,
			  FILE *file)
{
	uint64_t counted = report_counted(total);
	int64_t unsampled = report_unsampled(total);

	print_value(file, "counted", counted, about);
	print_value(file, " = in stacks", total->events, about);
	fprintf(file, " (%.1f %%)", maths_percent(total->events, counted));
	if (total->paused)
		print_value(file, " + paused", total->paused, about);
	print_value(file, " + lost", total->dropped, about);
	print_value(file, unsampled < 0 ? " - unsampled" : " + unsampled",
		    (uint64_t)(unsampled < 0 ? -unsampled : unsampled), about);
}

static void print_turns(const struct profile_total *total, FILE *file)
{
	double factor = (double)total->enabled_ns / (double)total->running_ns;

	fprintf(file, "\n  %stook turns with other counters: scaled by %.2f",
		factor > MULTIPLEX_WARNING ? "warning: " : "", factor);
	if (factor > MULTIPLEX_WARNING)
		fputs("; ask for fewer at once", file);
}

static void print_total(const struct profile *profile, unsigned counter, FILE *file)
{
	const struct spool_counter *about = profile_counter(profile, counter);
	struct profile_total total = profile_total(profile, counter);
	char rate[128], lacks[512];

	notes_rate(profile, counter, rate, sizeof(rate));
	fprintf(file, "\n%s: %s", about->name, rate);
	if (about->flags & SPOOL_COUNTER_UNAVAILABLE)
		fprintf(file, "; could not be opened");
	else if (about->missing)
		fprintf(file, "; nothing that was loaded has its symbol");
	if (lacks_text(&total.lacks, lacks, sizeof(lacks)))
		fprintf(file, "\n  %s", lacks);
	fprintf(file, "\n  ");
	if (total.counted)
		print_account(&total, about, file);
	else
		print_value(file, "in stacks", total.events, about);
	if (about->flags & SPOOL_COUNTER_SAMPLES)
		fprintf(file, "; %llu samples", (unsigned long long)total.samples);
	if (is_scaled(&total))
		print_turns(&total, file);
	fprintf(file, "\n\n");
}

const char *report_unit(const struct spool_counter *counter, enum settings_weight weight)
{
	if (!spool_settings_weigh_events(counter, weight))
		return "samples";
	return counter->unit == SPOOL_UNIT_NS ? "ns" : "events";
}

struct cutting {
	struct frame_tree_remaking remaking;
	size_t depth;
};

static int add_frame(void *context, const char **names, size_t depth, uint64_t value)
{
	const struct cutting *cutting = context;

	if (depth < cutting->depth)
		return 0;
	return frame_tree_add(cutting->remaking.made,
			      (const char *const[]){ "", names[cutting->depth - 1] }, 2, value);
}

int report_cut(struct frame_tree **tree, size_t depth)
{
	struct cutting cutting = { .depth = depth };

	return frame_tree_replace(tree, add_frame, &cutting.remaking);
}

/* Print the selected part of the whole; the shares below refer to it. */
static void print_selected(const struct profile *profile, unsigned counter,
			   enum settings_weight weight, struct frame_tree *tree, FILE *file)
{
	const struct spool_counter *about = profile_counter(profile, counter);
	struct profile_total total = profile_total(profile, counter);
	uint64_t selected = frame_tree_root(tree)->total;

	fprintf(file, "  selected %llu %s (%.1f %%) by %s\n\n", (unsigned long long)selected,
		report_unit(about, weight),
		maths_percent(selected, spool_settings_weigh_events(about, weight) ? total.events
										   : total.samples),
		!profile_merge(profile)->options.only_key ? "--focus and --ignore"
		: selection_filters(profile_merge(profile)->options.selection)
			? "--label, --focus and --ignore"
			: "--label");
}

/* A thinned timeline keeps the sums of all samples, but not those of each label. */
static void print_estimated(const struct profile *profile, FILE *file)
{
	const struct profile_options *options = &profile_merge(profile)->options;
	uint64_t thinned = profile_summary(profile)->count[SPOOL_COUNT_LOG_THINNED];

	if (thinned && (options->label || options->only_key))
		fprintf(file,
			"  labels are estimates: %llu samples were joined with others to save "
			"space\n\n",
			(unsigned long long)thinned);
}

static bool is_off_cpu(const struct profile *profile, unsigned counter)
{
	return profile_merge(profile)->waits &&
	       profile_counter(profile, counter)->flags & SPOOL_COUNTER_OFF_CPU;
}

/* Returns true for a profile that has leaves of data. */
static bool has_data(const struct profile *profile)
{
	const struct string_table *strings = &profile_merge(profile)->strings;

	for (uint32_t i = 1; i <= strings->count; i++)
		if (data_frame_is_text(string_table_text(strings, i)))
			return true;
	return false;
}

/* The leaves of accesses to data are the data, so a table of leaves says nothing of the code.
 * Instead, a row is the code, with the data before it: "[heap] fill_table", "[data account+0x10]
 * credit:bank.c:17".  The command is no code, and the kernel's frames between code and data are
 * those of the fault. */
static int add_data_row(void *context, const char **names, size_t depth, uint64_t value)
{
	struct frame_tree *made = ((const struct frame_tree_remaking *)context)->made;
	size_t code = depth - 1;
	char *row;
	int err;

	while (code > 1 && frame_kind_is(names[code - 1], FRAME_KIND_KERNEL))
		code--;
	if (code <= 1 || !data_frame_is_text(names[depth - 1]))
		return frame_tree_add(made, names, depth, value);
	if (asprintf(&row, "%s %s", names[depth - 1], names[code - 1]) < 0)
		return -ENOMEM;
	names[code] = row;
	err = frame_tree_add(made, names, code + 1, value);
	free(row);
	return err;
}

int report_tree(struct profile *profile, unsigned counter, const struct report_options *options,
		struct frame_tree **tree)
{
	struct frame_tree_remaking remaking;
	int err = profile_tree(profile, counter, options->weight, tree);

	if (err)
		return err;
	if (report_by_origin(options->by))
		err = report_cut(tree, 2);
	else if (is_off_cpu(profile, counter) && !options->function)
		err = wait_sites_cut(profile_merge(profile)->waits, tree, 1,
				     options->by != REPORT_BY_MODULE);
	else if (options->by == REPORT_BY_FUNCTION && !options->function && has_data(profile))
		err = frame_tree_replace(tree, add_data_row, &remaking);
	if (err)
		frame_tree_free(*tree);
	return err;
}

int report_counter(struct profile *profile, unsigned counter, const struct report_options *options,
		   FILE *file)
{
	const struct spool_counter *about = profile_counter(profile, counter);
	const char *unit = report_unit(about, options->weight);
	struct report_options measured = *options;
	struct frame_tree *tree;
	int err = report_tree(profile, counter, options, &tree);

	if (err)
		return err;
	print_total(profile, counter, file);
	if (!options->function)
		err = report_load_print(profile, counter, options, file);
	print_estimated(profile, file);
	if (selection_filters(profile_merge(profile)->options.selection) ||
	    profile_merge(profile)->options.only_key)
		print_selected(profile, counter, options->weight, tree, file);
	if (!options->function && !strcmp(unit, "events") && event_scale_exists(about)) {
		measured.measured = about;
		unit = event_scale_unit(about);
	}
	if (!err)
		err = report_table(tree, unit, &measured, file);
	frame_tree_free(tree);
	return err;
}
