/*
 * A column is made twice, to find its largest value and to write it, so that it takes no memory.
 */
#include "runtime/output/page/viewer_columns.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/profile/base/gzip.h"
#include "runtime/profile/base/json.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/output/page/viewer_code.h"
#include "runtime/output/page/viewer_parts.h"

#define BUFFER_BYTES 65536

enum rows { ROWS_NODES, ROWS_LINES, ROWS_SAMPLES };

/* One row of a column. */
struct row {
	uint32_t number;
	const struct timeline_sample *sample;
};

struct viewer_column_kind {
	const char *name;
	enum rows rows;
	bool differences; /* of times, as u32d */
	uint64_t (*value)(struct viewer_data *data, const struct row *row);
};

static uint64_t node_parent(struct viewer_data *data, const struct row *row)
{
	uint32_t node = data->nodes.node[row->number];

	return data->nodes.number[call_tree_node(data->nodes.merge->calls, node).parent];
}

static uint64_t node_name(struct viewer_data *data, const struct row *row)
{
	return viewer_nodes_name(&data->nodes, row->number);
}

static uint64_t node_module(struct viewer_data *data, const struct row *row)
{
	return data->nodes.module[data->nodes.node[row->number]];
}

static uint64_t node_wait(struct viewer_data *data, const struct row *row)
{
	return data->waits.row[row->number];
}

static uint64_t line_file(struct viewer_data *data, const struct row *row)
{
	return data->lines.lines[row->number].file;
}

static uint64_t line_number(struct viewer_data *data, const struct row *row)
{
	return data->lines.lines[row->number].line;
}

static uint64_t sample_time(struct viewer_data *data, const struct row *row)
{
	return viewer_parts_time(data, row->sample->time_ns);
}

static uint64_t sample_node(struct viewer_data *data, const struct row *row)
{
	return data->nodes.number[row->sample->node];
}

static uint64_t sample_track(struct viewer_data *data, const struct row *row)
{
	(void)data;
	return row->sample->track;
}

static uint64_t sample_counter(struct viewer_data *data, const struct row *row)
{
	return data->samples.number[row->sample->counter];
}

static uint64_t sample_samples(struct viewer_data *data, const struct row *row)
{
	(void)data;
	return row->sample->samples;
}

static uint64_t sample_events(struct viewer_data *data, const struct row *row)
{
	(void)data;
	return row->sample->events;
}

static uint64_t sample_labels(struct viewer_data *data, const struct row *row)
{
	(void)data;
	return row->sample->labels;
}

static uint64_t sample_line(struct viewer_data *data, const struct row *row)
{
	return viewer_lines_number(&data->lines, row->sample->location);
}

static uint64_t sample_instruction(struct viewer_data *data, const struct row *row)
{
	return viewer_code_number(data->code, row->sample->location);
}

static const struct viewer_column_kind kinds[] = {
	{ "nodeParent", ROWS_NODES, false, node_parent },
	{ "nodeName", ROWS_NODES, false, node_name },
	{ "nodeModule", ROWS_NODES, false, node_module },
	{ "nodeWait", ROWS_NODES, false, node_wait },
	{ "lineFile", ROWS_LINES, false, line_file },
	{ "lineNumber", ROWS_LINES, false, line_number },
	{ "time", ROWS_SAMPLES, true, sample_time },
	{ "node", ROWS_SAMPLES, false, sample_node },
	{ "track", ROWS_SAMPLES, false, sample_track },
	{ "counter", ROWS_SAMPLES, false, sample_counter },
	{ "samples", ROWS_SAMPLES, false, sample_samples },
	{ "events", ROWS_SAMPLES, false, sample_events },
	{ "labels", ROWS_SAMPLES, false, sample_labels },
	{ "line", ROWS_SAMPLES, false, sample_line },
	{ "instruction", ROWS_SAMPLES, false, sample_instruction },
};

_Static_assert(sizeof(kinds) / sizeof(kinds[0]) <= VIEWER_COLUMNS_MAX, "all columns fit");

static size_t count_rows(const struct viewer_data *data, enum rows rows)
{
	return rows == ROWS_NODES   ? data->nodes.count
	       : rows == ROWS_LINES ? data->lines.count
				    : data->samples.count;
}

/* Take the next row, from the first one on; false after the last. */
static bool next_row(const struct viewer_data *data, const struct viewer_column *column,
		     struct row *row, size_t done)
{
	row->number = (uint32_t)done;
	if (column->kind->rows != ROWS_SAMPLES)
		return done < column->count;
	row->sample = viewer_samples_next(&data->samples, row->sample);
	return row->sample;
}

static uint64_t largest(struct viewer_data *data, const struct viewer_column *column)
{
	struct row row = { .sample = NULL };
	uint64_t most = 0;

	for (size_t i = 0; next_row(data, column, &row, i); i++) {
		uint64_t value = column->kind->value(data, &row);

		if (value > most)
			most = value;
	}
	return most;
}

static void choose_type(struct viewer_column *column, uint64_t most)
{
	column->bytes = most <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : most <= UINT32_MAX ? 4 : 8;
	column->type = column->bytes == 1   ? "u8"
		       : column->bytes == 2 ? "u16"
		       : column->bytes == 4 ? "u32"
					    : "f64";
	if (!column->kind->differences)
		return;
	column->bytes = 4;
	column->type = "u32d";
}

void viewer_columns_make(struct viewer_columns *columns, struct viewer_data *data)
{
	uint64_t offset = 0;

	columns->count = 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct viewer_column *column = &columns->column[columns->count];
		uint64_t most;

		*column = (struct viewer_column){ .name = kinds[i].name, .kind = &kinds[i] };
		column->count = count_rows(data, kinds[i].rows);
		most = largest(data, column);
		if (!most)
			continue;
		choose_type(column, most);
		column->offset = offset;
		offset += (column->count * column->bytes + 7) / 8 * 8;
		columns->count++;
	}
}

void viewer_columns_json(const struct viewer_columns *columns, struct json *json)
{
	json_line(json);
	json_object(json, "columns");
	for (unsigned i = 0; i < columns->count; i++) {
		const struct viewer_column *column = &columns->column[i];

		json_next_line(json);
		json_array(json, column->name);
		json_text(json, NULL, column->type);
		json_uint(json, NULL, column->offset);
		json_uint(json, NULL, column->count);
		json_end(json, "]");
	}
	json_end(json, "}");
}

static void put(uint8_t *at, unsigned bytes, uint64_t value)
{
	double number = (double)value;

	if (bytes == 8)
		memcpy(&value, &number, sizeof(value));
	value = htole64(value);
	memcpy(at, &value, bytes);
}

static void write_column(const struct viewer_column *column, struct viewer_data *data,
			 struct gzip *gzip)
{
	static const uint8_t zeros[8];
	struct row row = { .sample = NULL };
	uint8_t buffer[BUFFER_BYTES];
	size_t used = 0;
	uint64_t last = 0;

	for (size_t i = 0; next_row(data, column, &row, i); i++) {
		uint64_t value = column->kind->value(data, &row);

		put(buffer + used, column->bytes, column->kind->differences ? value - last : value);
		last = value;
		used += column->bytes;
		if (used + 8 <= sizeof(buffer))
			continue;
		gzip_write(gzip, buffer, used);
		used = 0;
	}
	gzip_write(gzip, buffer, used);
	gzip_write(gzip, zeros, -(column->count * column->bytes) & 7);
}

void viewer_columns_write(const struct viewer_columns *columns, struct viewer_data *data,
			  struct gzip *gzip)
{
	for (unsigned i = 0; i < columns->count; i++)
		write_column(&columns->column[i], data, gzip);
}
