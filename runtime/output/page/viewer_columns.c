/* A column is made twice, to find its largest value and to write it, so that it takes no memory. */
#include "runtime/output/page/viewer_parts.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/profile/base/gzip.h"
#include "runtime/profile/base/json.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/merge/profile_trees.h"

#define BUFFER_BYTES 65536

/* In the order in which they lie in the data. */
enum column {
	COLUMN_NODE_PARENT,
	COLUMN_NODE_NAME,
	COLUMN_NODE_MODULE,
	COLUMN_NODE_WAIT,
	COLUMN_LINE_FILE,
	COLUMN_LINE_NUMBER,
	COLUMN_TIME,
	COLUMN_NODE,
	COLUMN_TRACK,
	COLUMN_COUNTER,
	COLUMN_SAMPLES,
	COLUMN_EVENTS,
	COLUMN_LABELS,
	COLUMN_LINE,
	COLUMN_INSTRUCTION,
};

enum rows { ROWS_NODES, ROWS_LINES, ROWS_SAMPLES };

/* One row of a column. */
struct row {
	uint32_t number;
	const struct timeline_sample *sample;
};

static const struct {
	const char *name;
	enum rows rows;
} kinds[VIEWER_COLUMNS_MAX] = {
	[COLUMN_NODE_PARENT] = { "nodeParent", ROWS_NODES },
	[COLUMN_NODE_NAME] = { "nodeName", ROWS_NODES },
	[COLUMN_NODE_MODULE] = { "nodeModule", ROWS_NODES },
	[COLUMN_NODE_WAIT] = { "nodeWait", ROWS_NODES },
	[COLUMN_LINE_FILE] = { "lineFile", ROWS_LINES },
	[COLUMN_LINE_NUMBER] = { "lineNumber", ROWS_LINES },
	[COLUMN_TIME] = { "time", ROWS_SAMPLES },
	[COLUMN_NODE] = { "node", ROWS_SAMPLES },
	[COLUMN_TRACK] = { "track", ROWS_SAMPLES },
	[COLUMN_COUNTER] = { "counter", ROWS_SAMPLES },
	[COLUMN_SAMPLES] = { "samples", ROWS_SAMPLES },
	[COLUMN_EVENTS] = { "events", ROWS_SAMPLES },
	[COLUMN_LABELS] = { "labels", ROWS_SAMPLES },
	[COLUMN_LINE] = { "line", ROWS_SAMPLES },
	[COLUMN_INSTRUCTION] = { "instruction", ROWS_SAMPLES },
};

static uint64_t value_of(struct viewer_data *data, enum column kind, const struct row *row)
{
	static const struct timeline_sample none; /* of a row of nodes or lines */
	const struct timeline_sample *sample = row->sample ? row->sample : &none;
	const struct viewer_nodes *nodes = &data->nodes;
	uint32_t i = row->number;

	switch (kind) {
	case COLUMN_NODE_PARENT:
		return nodes->number[call_tree_node(nodes->merge->calls, nodes->node[i]).parent];
	case COLUMN_NODE_NAME:
		return viewer_nodes_name(&data->nodes, i);
	case COLUMN_NODE_MODULE:
		return nodes->module[nodes->node[i]];
	case COLUMN_NODE_WAIT:
		return nodes->wait[i];
	case COLUMN_LINE_FILE:
		return data->lines.lines[i].file;
	case COLUMN_LINE_NUMBER:
		return data->lines.lines[i].line;
	case COLUMN_TIME:
		return viewer_parts_time(data, sample->time_ns);
	case COLUMN_NODE:
		return nodes->number[sample->node];
	case COLUMN_TRACK:
		return sample->track;
	case COLUMN_COUNTER:
		return data->samples.number[sample->counter];
	case COLUMN_SAMPLES:
		return sample->samples;
	case COLUMN_EVENTS:
		return sample->events;
	case COLUMN_LABELS:
		return sample->labels;
	case COLUMN_LINE:
		return viewer_lines_number(&data->lines, sample->location);
	case COLUMN_INSTRUCTION:
		return viewer_code_number(data->code, sample->location);
	}
	return 0;
}

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
	if (kinds[column->kind].rows != ROWS_SAMPLES)
		return done < column->count;
	row->sample = viewer_samples_next(&data->samples, row->sample);
	return row->sample;
}

static uint64_t largest(struct viewer_data *data, const struct viewer_column *column)
{
	struct row row = { .sample = NULL };
	uint64_t most = 0;

	for (size_t i = 0; next_row(data, column, &row, i); i++) {
		uint64_t value = value_of(data, column->kind, &row);

		if (value > most)
			most = value;
	}
	return most;
}

void viewer_columns_make(struct viewer_columns *columns, struct viewer_data *data)
{
	static const char *const types[] = { [1] = "u8", [2] = "u16", [4] = "u32", [8] = "f64" };
	uint64_t offset = 0;

	columns->count = 0;
	for (unsigned kind = 0; kind < VIEWER_COLUMNS_MAX; kind++) {
		struct viewer_column *column = &columns->column[columns->count];
		uint64_t most;

		*column = (struct viewer_column){ .kind = kind, .offset = offset };
		column->count = count_rows(data, kinds[kind].rows);
		most = largest(data, column);
		if (!most)
			continue;
		column->bytes = most <= UINT8_MAX    ? 1
				: most <= UINT16_MAX ? 2
				: most <= UINT32_MAX ? 4
						     : 8;
		column->type = types[column->bytes];
		if (kind == COLUMN_TIME) {
			column->bytes = 4;
			column->type = "u32d";
		}
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
		json_array(json, kinds[column->kind].name);
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
		uint64_t value = value_of(data, column->kind, &row);

		put(buffer + used, column->bytes,
		    column->kind == COLUMN_TIME ? value - last : value);
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
