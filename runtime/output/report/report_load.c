/* Times are written in the seconds that --from and --to take. */
#include "runtime/output/report/report.h"

#include <stdint.h>
#include <string.h>

#include "runtime/profile/base/json.h"
#include "runtime/profile/base/number_text.h"
#include "runtime/profile/base/safe_text.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/time/timeline.h"
#include "runtime/output/report/intervals.h"
#include "runtime/profile/spool/event_scale.h"

#define COLUMNS_DEFAULT 64u
#define COLUMNS_JSON	100u
#define MARGIN		14u /* cells before the bars */
#define AFTER_NAME	32u /* cells: " 100.0% instead of 100.0%", and what leads to a name */
#define UNUSUAL_MAX	3u
#define LEVELS		8
#define DIGITS		6 /* of a number in JSON */

/* Returns false if the profile has no timeline. */
static bool get_source(const struct profile *profile, unsigned counter, struct load_source *source)
{
	const struct profile_trees *merge = profile_merge(profile);

	*source = (struct load_source){
		.timeline = merge->timeline,
		.calls = merge->calls,
		.names = merge->strings.count,
		.counter = counter,
		.lasts = profile_counter(profile, counter)->unit == SPOOL_UNIT_NS,
		.waits = profile_counter(profile, counter)->flags & SPOOL_COUNTER_OFF_CPU,
	};
	return merge->timeline;
}

/* The load over time, and the most unusual moments. */
struct found {
	struct load_curve shape;
	struct interval_words unusual[UNUSUAL_MAX];
	unsigned unusual_count;
};

static int explain(const struct profile *profile, const struct load_source *source,
		   const struct interval_records *records, const struct intervals *moments,
		   struct found *found)
{
	struct interval_sums whole;
	int err = interval_sums_make(source, records, NULL, records->from_ns, records->to_ns + 1,
				     &whole);

	for (unsigned i = 0; !err && i < moments->count && i < UNUSUAL_MAX; i++) {
		err = intervals_explain(source, profile, records, &whole, &moments->kinds[i],
					&found->unusual[i]);
		found->unusual_count += !err;
	}
	interval_sums_free(&whole);
	return err;
}

/* Waits have no unusual moments: all of them end in the scheduler. */
static int find(const struct profile *profile, const struct load_source *source, unsigned columns,
		struct found *found)
{
	struct interval_records records;
	struct intervals moments = { 0 };
	int err;

	*found = (struct found){ 0 };
	load_curve_find(source, columns, &found->shape);
	if (!found->shape.columns || source->waits)
		return 0;
	err = interval_records_read(source, &records);
	if (!err)
		err = intervals_find(&records, &moments);
	if (!err && moments.count)
		err = explain(profile, source, &records, &moments, found);
	intervals_free(&moments);
	interval_records_free(&records);
	return err;
}

static void print_seconds(FILE *file, uint64_t ns)
{
	uint64_t ms = (ns + 500000) / 1000000, rest = ms % 1000;
	int digits = rest % 10 ? 3 : rest % 100 ? 2 : 1;

	fprintf(file, "%llu", (unsigned long long)(ms / 1000));
	if (rest)
		fprintf(file, ".%0*llu", digits,
			(unsigned long long)(digits == 3   ? rest
					     : digits == 2 ? rest / 10
							   : rest / 100));
}

static void print_moment(FILE *file, uint64_t from_ns, uint64_t to_ns)
{
	print_seconds(file, from_ns);
	fputs(" to ", file);
	print_seconds(file, to_ns);
	fputs(" s", file);
}

static void print_load(FILE *file, const struct spool_counter *about, double load)
{
	char text[64];

	if (about->unit == SPOOL_UNIT_NS) {
		fprintf(file, "%.2f %s", load,
			about->flags & SPOOL_COUNTER_OFF_CPU ? "threads" : "CPUs");
		return;
	}
	if (event_scale_exists(about))
		event_scale_text(about, (uint64_t)(load * 1e9), text, sizeof(text));
	else
		number_text_short(text, load * 1e9);
	fprintf(file, "%s%s", text, event_scale_exists(about) ? " a second" : " events a second");
}

static void print_bars(const struct load_curve *shape, bool ascii, FILE *file)
{
	static const char *const blocks[LEVELS + 1] = {
		" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"
	};
	static const char *const signs[LEVELS + 1] = {
		" ", ".", ":", "-", "=", "+", "*", "#", "@"
	};

	fputs("  load       |", file);
	for (unsigned i = 0; i < shape->columns; i++) {
		double part = shape->peak > 0 ? shape->load[i] / shape->peak : 0;
		unsigned level = (unsigned)(part * LEVELS + 0.5);

		if (part > 0 && !level)
			level = 1;
		fputs(ascii ? signs[level] : blocks[level], file);
	}
	fputs("|\n", file);
}

static void print_busiest(const struct load_curve *shape, const struct spool_counter *about,
			  FILE *file)
{
	fputs("  busiest    ", file);
	print_moment(file, shape->busiest_from_ns, shape->busiest_to_ns);
	fputs(": ", file);
	print_load(file, about, shape->busiest_load);
	fputs(", usually ", file);
	print_load(file, about, shape->usual_load);
	fputc('\n', file);
}

static void print_name(const struct profile *profile, uint32_t name, unsigned columns, FILE *file)
{
	const unsigned used = MARGIN + AFTER_NAME;
	size_t cells = columns > used + 8 ? columns - used : columns ? 8 : SIZE_MAX;

	/* 0: a function, but none by more than the others */
	safe_text_terminal(file,
			   name ? string_table_text(&profile_merge(profile)->strings, name)
				: "[all]",
			   cells);
}

static void print_unusual(const struct profile *profile, const struct interval_words *unusual,
			  unsigned columns, FILE *file)
{
	fputs("  unusual    ", file);
	print_moment(file, unusual->from_ns, unusual->to_ns);
	if (unusual->count > 1)
		fprintf(file, ", %s", unusual->times);
	fputs(":\n             ", file);
	if (unusual->kind == INTERVAL_MIX) {
		print_name(profile, unusual->name, columns, file);
		fprintf(file, " %.1f%% instead of %.1f%%", 100 * unusual->share,
			100 * unusual->usual);
	} else if (unusual->kind == INTERVAL_BUSY) {
		fputs("Unusually many samples", file);
	} else {
		fputs(unusual->name ? "Nearly no samples, waits in " : "Nearly no samples", file);
		if (unusual->name)
			print_name(profile, unusual->name, columns, file);
	}
	fputc('\n', file);
}

static void print_command(const struct found *found, const char *files, FILE *file)
{
	const struct interval_words *unusual = found->unusual_count ? &found->unusual[0] : NULL;

	if (!files || (!unusual && !found->shape.has_busiest))
		return;
	fputs("             flametrap report --from ", file);
	print_seconds(file, unusual ? unusual->from_ns : found->shape.busiest_from_ns);
	fputs(" --to ", file);
	print_seconds(file, unusual ? unusual->to_ns : found->shape.busiest_to_ns);
	fprintf(file, " %s\n", files);
}

int report_load_print(const struct profile *profile, unsigned counter,
		      const struct report_options *options, FILE *file)
{
	const struct spool_counter *about = profile_counter(profile, counter);
	unsigned columns = options->columns;
	struct load_source source;
	struct found found;
	int err;

	columns = columns > MARGIN + 1 ? columns - MARGIN - 1 : columns ? 1 : COLUMNS_DEFAULT;
	if (!get_source(profile, counter, &source))
		return 0;
	err = find(profile, &source, columns, &found);
	if (err || !found.shape.columns)
		return err;
	print_bars(&found.shape, options->ascii, file);
	fputs("             ", file);
	print_moment(file, found.shape.from_ns, found.shape.to_ns);
	fputs("; a full bar is ", file);
	print_load(file, about, found.shape.peak);
	if (source.timeline->partial || source.timeline->dropped)
		fputs("; not all samples have a time", file);
	fputc('\n', file);
	if (found.shape.has_busiest)
		print_busiest(&found.shape, about, file);
	for (unsigned i = 0; i < found.unusual_count; i++)
		print_unusual(profile, &found.unusual[i], options->columns, file);
	print_command(&found, options->files, file);
	fputc('\n', file);
	return 0;
}

static void write_unusual(const struct profile *profile, const struct interval_words *unusual,
			  struct json *json)
{
	static const char *const kinds[] = {
		[INTERVAL_MIX] = "function",
		[INTERVAL_QUIET] = "quiet",
		[INTERVAL_BUSY] = "busy",
	};

	json_object(json, NULL);
	json_members(json, "kind:%s from_ns:%lu to_ns:%lu more:%u every_ns:%lu",
		     kinds[unusual->kind], unusual->from_ns, unusual->to_ns, unusual->count - 1,
		     unusual->every_ns);
	json_array(json, "functions");
	if (unusual->name) {
		json_object(json, NULL);
		json_text(json, "name",
			  string_table_text(&profile_merge(profile)->strings, unusual->name));
		if (unusual->kind == INTERVAL_MIX) {
			fprintf(json_value(json, "share"), "%.4f", unusual->share);
			fprintf(json_value(json, "usual"), "%.4f", unusual->usual);
		}
		json_end(json, "}");
	}
	json_end(json, "]}");
}

static void write_shape(const struct load_curve *shape, struct json *json)
{
	json_members(json, "from_ns:%lu to_ns:%lu", shape->from_ns, shape->to_ns);
	json_array(json, "load");
	for (unsigned i = 0; i < shape->columns; i++)
		json_real(json, NULL, 1e9 * shape->load[i], DIGITS);
	json_end(json, "]");
	if (shape->has_busiest)
		json_record(json, "busiest", "from_ns:%lu to_ns:%lu load:%.6g usual_load:%.6g",
			    shape->busiest_from_ns, shape->busiest_to_ns, 1e9 * shape->busiest_load,
			    1e9 * shape->usual_load);
	else
		json_null(json, "busiest");
}

int report_load_json(const struct profile *profile, unsigned counter, struct json *json)
{
	struct load_source source;
	struct found found = { 0 };
	int err = 0;

	if (get_source(profile, counter, &source))
		err = find(profile, &source, COLUMNS_JSON, &found);
	if (err || !found.shape.columns) {
		json_null(json, "shape");
		return err;
	}
	json_object(json, "shape");
	write_shape(&found.shape, json);
	json_array(json, "unusual");
	for (unsigned i = 0; i < found.unusual_count; i++)
		write_unusual(profile, &found.unusual[i], json);
	json_end(json, "]}");
	return 0;
}
