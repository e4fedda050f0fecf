/*
 * A track of Firefox Profiler fills the time between two samples with the nearer one.  So where a
 * thread was idle, two rows without a stack stand at the ends of the gap.
 *
 * The format has columns, and each one is made by a walk of its own over the same rows.
 */
#include <stdbool.h>

#include "runtime/output/formats/firefox_parts.h"

struct row {
	const struct timeline_sample *sample; /* NULL: idle */
	uint64_t time_ns;
};

struct rows {
	const struct timed *timed;
	const size_t *order;
	size_t count;
	size_t at;	  /* index of the next sample */
	uint64_t last_ns; /* time of the last row */
	unsigned idle;	  /* number of idle rows written before the next sample */
	bool cpu_time;
	bool off_cpu;
};

/* A gap that is shorter cannot be told from a late sample. */
#define GAP_NS	2000000U
#define EDGE_NS 1000U

static struct rows rows_of(const struct timed *timed, uint32_t track, unsigned counter)
{
	struct rows rows = {
		.timed = timed,
		.cpu_time = timed_is_cpu_time(timed, counter),
		.off_cpu = timed_is_off_cpu(timed, counter),
	};

	rows.last_ns = timed->timeline->tracks[track].start_ns;
	if (rows.last_ns < timed->timeline->from_ns)
		rows.last_ns = timed->timeline->from_ns;
	rows.order = timed_samples(timed, track, counter, &rows.count);
	return rows;
}

/* Returns whether there is a gap before a sample that began then. */
static bool is_gap(const struct rows *rows, uint64_t begin_ns)
{
	return (rows->cpu_time || rows->off_cpu) && begin_ns > rows->last_ns + GAP_NS;
}

static const struct timeline_sample *sample_at(const struct rows *rows)
{
	return &rows->timed->timeline->samples[rows->order[rows->at]];
}

/* Samples without a value are no rows: the switch that begins a wait, where waits have lengths. */
static bool next_row(struct rows *rows, struct row *row)
{
	const struct timeline_sample *sample;
	uint64_t begin_ns;

	while (rows->at < rows->count && !timed_value(rows->timed, sample_at(rows)))
		rows->at++;
	if (rows->at == rows->count)
		return false;
	sample = sample_at(rows);
	begin_ns = timed_begin(sample);
	*row = (struct row){ .time_ns = sample->time_ns };
	if (rows->idle == 1 || (!rows->idle && is_gap(rows, begin_ns))) {
		row->time_ns = rows->idle ? begin_ns - EDGE_NS : rows->last_ns + EDGE_NS;
		rows->idle++;
		if (rows->idle == 2)
			rows->last_ns = row->time_ns;
		return true;
	}
	row->sample = sample;
	if (rows->off_cpu)
		row->time_ns = begin_ns > rows->last_ns ? begin_ns : rows->last_ns;
	rows->idle = 0;
	rows->last_ns =
		rows->off_cpu && sample->time_ns > row->time_ns ? sample->time_ns : row->time_ns;
	rows->at++;
	return true;
}

static void write_stack(const struct rows *rows, const struct row *row, struct json *json)
{
	uint32_t stack = row->sample ? timed_stack_of(rows->timed, row->sample) : TIMED_NONE;

	if (stack == TIMED_NONE)
		json_null(json, NULL);
	else
		json_uint(json, NULL, stack);
}

static void write_time(const struct rows *rows, const struct row *row, struct json *json)
{
	(void)rows;
	timed_write_ms(json_value(json, NULL), row->time_ns);
}

static void write_weight(const struct rows *rows, const struct row *row, struct json *json)
{
	uint64_t value = row->sample ? timed_value(rows->timed, row->sample) : 0;

	if (row->sample && rows->timed->weigh_events[row->sample->counter] &&
	    (rows->cpu_time || rows->off_cpu))
		timed_write_ms(json_value(json, NULL), value);
	else
		json_uint(json, NULL, value);
}

static void write_cpu(const struct rows *rows, const struct row *row, struct json *json)
{
	json_uint(json, NULL, row->sample && rows->cpu_time ? row->sample->events : 0);
}

static void write_column(struct firefox *firefox, struct rows rows, const char *name,
			 void (*write)(const struct rows *, const struct row *, struct json *))
{
	struct row row;

	json_array(&firefox->json, name);
	while (next_row(&rows, &row))
		write(&rows, &row, &firefox->json);
	json_end(&firefox->json, "]");
	json_line(&firefox->json);
}

static size_t count_rows(struct rows rows)
{
	struct row row;
	size_t count = 0;

	while (next_row(&rows, &row))
		count++;
	return count;
}

void firefox_write_samples(struct firefox *firefox, uint32_t track, unsigned counter)
{
	struct rows rows = rows_of(&firefox->timed, track, counter);
	bool time = firefox->timed.weigh_events[counter] && (rows.cpu_time || rows.off_cpu);

	json_object(&firefox->json, "samples");
	write_column(firefox, rows, "stack", write_stack);
	write_column(firefox, rows, "time", write_time);
	write_column(firefox, rows, "weight", write_weight);
	if (rows.cpu_time)
		write_column(firefox, rows, "threadCPUDelta", write_cpu);
	json_text(&firefox->json, "weightType", time ? "tracing-ms" : "samples");
	json_uint(&firefox->json, "length", count_rows(rows));
	json_end(&firefox->json, "}");
}
