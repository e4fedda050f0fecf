/*
 * The JSON text is made in memory, because its length precedes it; the columns are never.
 */
#include "runtime/output/page/viewer_data.h"

#include <errno.h>
#include <stdlib.h>

#include "runtime/profile/base/gzip.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/output/page/viewer_code.h"
#include "runtime/output/page/viewer_columns.h"
#include "runtime/output/page/viewer_head.h"
#include "runtime/output/page/viewer_parts.h"
#include "runtime/output/page/viewer_shell.h"

#define SHIFT_LEAST 8 /* finer times take space and show nothing more */

static uint64_t end_of(const struct viewer_samples *samples)
{
	const struct timeline *timeline = samples->timeline;
	uint64_t end = timeline->end_ns > timeline->from_ns ? timeline->end_ns : timeline->from_ns;

	if (samples->listed && samples->list[samples->listed - 1].time_ns > end)
		end = samples->list[samples->listed - 1].time_ns;
	return end;
}

int viewer_data_make(struct viewer_data *data, const struct profile *profile,
		     const struct timeline *timeline, enum settings_weight weight)
{
	const struct profile_trees *merge = profile_merge(profile);
	int err;

	*data = (struct viewer_data){ .profile = profile, .weight = weight, .shift = SHIFT_LEAST };
	err = viewer_samples_make(&data->samples, profile, timeline);
	if (!err)
		err = viewer_nodes_make(&data->nodes, merge, &data->samples);
	if (!err)
		err = viewer_lines_make(&data->lines, merge, &data->samples);
	if (!err)
		err = viewer_waits_make(&data->waits, &data->nodes, &data->samples);
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
	viewer_waits_free(&data->waits);
	viewer_lines_free(&data->lines);
	viewer_nodes_free(&data->nodes);
	viewer_samples_free(&data->samples);
}

int viewer_data_halve(struct viewer_data *data)
{
	const struct profile_trees *merge = profile_merge(data->profile);
	int err = viewer_samples_halve(&data->samples);

	if (err)
		return err;
	viewer_waits_free(&data->waits);
	viewer_lines_free(&data->lines);
	viewer_nodes_free(&data->nodes);
	data->waits = (struct viewer_waits){ 0 };
	data->lines = (struct viewer_lines){ 0 };
	err = viewer_nodes_make(&data->nodes, merge, &data->samples);
	if (!err)
		err = viewer_lines_make(&data->lines, merge, &data->samples);
	return err ? err : viewer_waits_make(&data->waits, &data->nodes, &data->samples);
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
