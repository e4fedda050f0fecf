/* The JSON text is made in memory, because its length precedes it; the columns are never. */
#include "runtime/output/page/viewer_data.h"

#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/output/graph/asset.h"
#include "runtime/output/graph/graph_color.h"
#include "runtime/output/page/viewer_parts.h"
#include "runtime/profile/base/gzip.h"
#include "runtime/profile/base/safe_text.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/merge/profile_trees.h"

#define SHIFT_LEAST  8 /* finer times take space and show nothing more */
#define TITLE_BYTES  512
#define SAMPLE_BYTES 4 /* a sample takes about that much, or more */

/* The scripts are joined with their modules by join.awk. */
ASSET(viewer_script, GENERATED_FOLDER "viewer.js");
ASSET(viewer_style, "runtime/output/page/view/viewer.css");
ASSET(difference_script, GENERATED_FOLDER "difference.js");
ASSET(difference_style, "runtime/output/page/view/difference.css");

/* The security policy lets a page run its own script, and reach nothing else. */
void viewer_shell_begin(enum viewer_shell shell, const char *title, FILE *file)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; "
	      "form-action 'none'\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
	      file);
	safe_text_xml(file, title, strlen(title));
	fputs("</title>\n<style>\n", file);
	fputs(viewer_style, file);
	fputs(shell == VIEWER_SHELL_DIFFERENCE ? difference_style : "", file);
	fputs("</style>\n<style id=\"palette\">\n", file);
	graph_color_css(file, GRAPH_COLORS_HOT);
	fputs("</style>\n</head>\n<body class=\"viewer\">\n"
	      "<noscript>This page needs JavaScript.</noscript>\n"
	      "<script type=\"application/octet-stream\" id=\"profile\">",
	      file);
}

void viewer_shell_end(enum viewer_shell shell, FILE *file)
{
	fputs("</script>\n<script>\n", file);
	fputs(shell == VIEWER_SHELL_DIFFERENCE ? difference_script : viewer_script, file);
	fputs("</script>\n</body>\n</html>\n", file);
}

void viewer_shell_pack(struct gzip *gzip, const char *text, size_t length)
{
	static const uint8_t zeros[8];
	uint32_t bytes = htole32((uint32_t)length);

	gzip_write(gzip, &bytes, sizeof(bytes));
	gzip_write(gzip, text, length);
	gzip_write(gzip, zeros, -(sizeof(bytes) + length) & 7);
}

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
