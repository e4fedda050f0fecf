/*
 * Times are written in the seconds that --from and --to take.
 */
#include "runtime/fold/report/report_shape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/fold/base/number_text.h"
#include "runtime/fold/base/safe_text.h"
#include "runtime/fold/profile/merge.h"
#include "runtime/fold/profile/profile.h"
#include "runtime/fold/profile/timeline.h"
#include "runtime/fold/report/shape.h"
#include "runtime/fold/spool/event_scale.h"

#define COLUMNS_DEFAULT 64u
#define COLUMNS_JSON	100u
#define MARGIN		14u /* cells before the bars */
#define NAME_COLUMN	37u
#define LEVELS		8

/* Returns false if the profile has no timeline. */
static bool get_source(const struct profile *profile, unsigned counter, struct shape_source *source)
{
	const struct merge *merge = profile_merge(profile);

	*source = (struct shape_source){
		.timeline = merge->timeline,
		.calls = merge->calls,
		.names = merge->strings.count,
		.counter = counter,
		.spans = profile_counter(profile, counter)->flags & SPOOL_COUNTER_OFF_CPU,
	};
	return merge->timeline;
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

static void print_bars(const struct shape *shape, bool ascii, FILE *file)
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

static void print_busiest(const struct shape *shape, const struct spool_counter *about, FILE *file)
{
	fputs("  busiest    ", file);
	print_moment(file, shape->busiest_from_ns, shape->busiest_to_ns);
	fputs(": ", file);
	print_load(file, about, shape->busiest_load);
	fputs(", usually ", file);
	print_load(file, about, shape->usual_load);
	fputc('\n', file);
}

static void print_unusual(const struct profile *profile, const struct shape_unusual *unusual,
			  unsigned columns, FILE *file)
{
	size_t cells = columns > NAME_COLUMN + 8 ? columns - NAME_COLUMN : columns ? 8 : SIZE_MAX;

	fputs("  unusual    ", file);
	print_moment(file, unusual->from_ns, unusual->to_ns);
	if (unusual->more)
		fprintf(file, ", and %u more time%s", unusual->more, unusual->more == 1 ? "" : "s");
	fputs(":\n", file);
	for (unsigned i = 0; i < unusual->function_count; i++) {
		const struct shape_function *function = &unusual->functions[i];

		fprintf(file, "%15.0f %% (elsewhere %3.0f %%)  ", 100 * function->share,
			100 * function->elsewhere);
		safe_text_terminal(file,
				   string_table_text(&profile_merge(profile)->strings,
						     function->name),
				   cells);
		fputc('\n', file);
	}
}

/* Print the command that shows one moment alone. */
static void print_command(const struct shape *shape, const char *files, FILE *file)
{
	bool has_unusual = shape->unusual_count;

	if (!files || (!has_unusual && !shape->has_busiest))
		return;
	fputs("             flametrap report --from ", file);
	print_seconds(file, has_unusual ? shape->unusual[0].from_ns : shape->busiest_from_ns);
	fputs(" --to ", file);
	print_seconds(file, has_unusual ? shape->unusual[0].to_ns : shape->busiest_to_ns);
	fprintf(file, " %s\n", files);
}

int report_shape_print(const struct profile *profile, unsigned counter,
		       const struct report_shape_look *look, FILE *file)
{
	const struct spool_counter *about = profile_counter(profile, counter);
	unsigned columns = look->columns;
	struct shape_source source;
	struct shape shape;
	int err;

	columns = columns > MARGIN + 1 ? columns - MARGIN - 1 : columns ? 1 : COLUMNS_DEFAULT;
	if (!get_source(profile, counter, &source))
		return 0;
	err = shape_find(&source, columns, &shape);
	if (err || !shape.columns)
		return err;
	print_bars(&shape, look->ascii, file);
	fputs("             ", file);
	print_moment(file, shape.from_ns, shape.to_ns);
	fputs("; a full bar is ", file);
	print_load(file, about, shape.peak);
	if (source.timeline->partial || source.timeline->dropped)
		fputs("; not all samples have a time", file);
	fputc('\n', file);
	if (shape.has_busiest)
		print_busiest(&shape, about, file);
	for (unsigned i = 0; i < shape.unusual_count; i++)
		print_unusual(profile, &shape.unusual[i], look->columns, file);
	print_command(&shape, look->files, file);
	fputc('\n', file);
	return 0;
}

static void json_moment(FILE *file, uint64_t from_ns, uint64_t to_ns)
{
	fprintf(file, "\"from_ns\":%llu,\"to_ns\":%llu", (unsigned long long)from_ns,
		(unsigned long long)to_ns);
}

static void json_unusual(const struct profile *profile, const struct shape_unusual *unusual,
			 FILE *file)
{
	putc('{', file);
	json_moment(file, unusual->from_ns, unusual->to_ns);
	fprintf(file, ",\"more\":%u,\"functions\":[", unusual->more);
	for (unsigned i = 0; i < unusual->function_count; i++) {
		const struct shape_function *function = &unusual->functions[i];
		const char *name =
			string_table_text(&profile_merge(profile)->strings, function->name);

		fputs(i ? ",{\"name\":" : "{\"name\":", file);
		safe_text_json(file, name, strlen(name));
		fprintf(file, ",\"share\":%.4f,\"elsewhere\":%.4f}", function->share,
			function->elsewhere);
	}
	fputs("]}", file);
}

int report_shape_json(const struct profile *profile, unsigned counter, FILE *file)
{
	struct shape_source source;
	struct shape shape = { 0 };
	int err = 0;

	if (get_source(profile, counter, &source))
		err = shape_find(&source, COLUMNS_JSON, &shape);
	if (err || !shape.columns) {
		fputs(",\"shape\":null", file);
		return err;
	}
	fputs(",\"shape\":{", file);
	json_moment(file, shape.from_ns, shape.to_ns);
	fputs(",\"load\":[", file);
	for (unsigned i = 0; i < shape.columns; i++)
		fprintf(file, i ? ",%.6g" : "%.6g", 1e9 * shape.load[i]);
	fputs("],\"busiest\":", file);
	if (shape.has_busiest) {
		putc('{', file);
		json_moment(file, shape.busiest_from_ns, shape.busiest_to_ns);
		fprintf(file, ",\"load\":%.6g,\"usual_load\":%.6g}", 1e9 * shape.busiest_load,
			1e9 * shape.usual_load);
	} else {
		fputs("null", file);
	}
	fputs(",\"unusual\":[", file);
	for (unsigned i = 0; i < shape.unusual_count; i++) {
		if (i)
			putc(',', file);
		json_unusual(profile, &shape.unusual[i], file);
	}
	fputs("]}", file);
	return 0;
}
