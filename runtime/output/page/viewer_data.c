/* The JSON text is made in memory, because its length precedes it; the columns are never. */
#include "runtime/output/page/viewer_data.h"

#include <errno.h>
#include <stdlib.h>

#include "runtime/profile/base/gzip.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/output/page/viewer_parts.h"

#define SHIFT_LEAST  8 /* finer times take space and show nothing more */
#define TITLE_BYTES  512
#define SAMPLE_BYTES 4 /* a sample takes about that much, or more */

static uint64_t end_of(const struct viewer_samples *samples)
{
	const struct timeline *timeline = samples->timeline;
	uint64_t end = timeline->end_ns > timeline->from_ns ? timeline->end_ns : timeline->from_ns;

	if (samples->listed && samples->list[samples->listed - 1].time_ns > end)
		end = samples->list[samples->listed - 1].time_ns;
	return end;
}

static int make_tables(struct viewer_data *data)
{
	const struct profile_trees *merge = profile_merge(data->profile);
	int err = viewer_nodes_make(&data->nodes, merge, &data->samples);

	return err ? err : viewer_lines_make(&data->lines, merge, &data->samples);
}

int viewer_data_make(struct viewer_data *data, const struct profile *profile,
		     const struct timeline *timeline, enum settings_weight weight)
{
	int err;

	*data = (struct viewer_data){ .profile = profile, .weight = weight, .shift = SHIFT_LEAST };
	err = viewer_samples_make(&data->samples, profile, timeline);
	if (!err)
		err = make_tables(data);
	if (!err)
		err = viewer_code_make(&data->code, profile);
	if (err)
		return err;
	data->end_ns = end_of(&data->samples);
	while (data->end_ns >> data->shift > UINT32_MAX)
		data->shift++;
	return 0;
}

void viewer_data_free(struct viewer_data *data)
{
	viewer_code_free(data->code);
	viewer_lines_free(&data->lines);
	viewer_nodes_free(&data->nodes);
	viewer_samples_free(&data->samples);
}

int viewer_data_halve(struct viewer_data *data)
{
	int err = viewer_samples_halve(&data->samples);

	if (err)
		return err;
	viewer_lines_free(&data->lines);
	viewer_nodes_free(&data->nodes);
	data->lines = (struct viewer_lines){ 0 };
	return make_tables(data);
}

int viewer_data_write(struct viewer_data *data, FILE *file)
{
	struct viewer_columns columns;
	struct gzip *gzip;
	char *text = NULL;
	size_t length = 0;
	FILE *head = open_memstream(&text, &length);
	int err;

	if (!head)
		return -ENOMEM;
	viewer_columns_make(&columns, data);
	viewer_head_write(data, &columns, head);
	err = ferror(head) ? -ENOMEM : 0;
	if (fclose(head) || length > UINT32_MAX)
		err = -ENOMEM;
	if (!err)
		err = gzip_new_base64(file, &gzip);
	if (!err) {
		viewer_shell_pack(gzip, text, length);
		viewer_columns_write(&columns, data, gzip);
		err = gzip_free(gzip);
	}
	free(text);
	return err;
}

static int write_page(struct viewer_data *data, FILE *file)
{
	char title[TITLE_BYTES];
	int err;

	viewer_head_title(data, title, sizeof(title));
	viewer_shell_begin(VIEWER_SHELL_PROFILE, title, file);
	err = viewer_data_write(data, file);
	if (err)
		return err;
	viewer_shell_end(VIEWER_SHELL_PROFILE, file);
	return ferror(file) ? -EIO : 0;
}

/* Make the page in memory.  Returns 0 with *page, to be freed; or -errno. */
static int make_page(struct viewer_data *data, char **page, size_t *bytes)
{
	FILE *memory = open_memstream(page, bytes);
	int err;

	if (!memory)
		return -ENOMEM;
	err = write_page(data, memory);
	if (fclose(memory) && !err)
		err = -ENOMEM;
	if (err)
		free(*page);
	return err;
}

/* Halve the samples until so much is about `most`.  Returns 0, -ENODATA if no samples can be
 * joined, or -ENOMEM. */
static int shrink(struct viewer_data *data, uint64_t bytes, uint64_t most)
{
	int err = 0;

	for (; !err && bytes > most; bytes /= 2)
		err = viewer_data_halve(data);
	return err;
}

static int write_within(struct viewer_data *data, uint64_t most, FILE *file)
{
	int err = shrink(data, SAMPLE_BYTES * data->samples.count, most);
	size_t bytes = 0;
	char *page;

	for (;;) {
		bool last = err == -ENODATA;

		err = err && !last ? err : make_page(data, &page, &bytes);
		if (err)
			return err;
		if (bytes <= most || last)
			break;
		free(page);
		err = shrink(data, bytes, most);
	}
	if (fwrite(page, 1, bytes, file) != bytes)
		err = -EIO;
	free(page);
	return err == -ENODATA ? 0 : err;
}

int viewer_data_page(const struct profile *profile, enum settings_weight weight, uint64_t most,
		     FILE *file)
{
	struct viewer_data data;
	int err = viewer_data_make(&data, profile, profile_merge(profile)->timeline, weight);

	if (!err)
		err = most ? write_within(&data, most, file) : write_page(&data, file);
	viewer_data_free(&data);
	return err;
}
