/*
 * The elements around the data are those that viewer_data.h lists.
 */
#include "runtime/fold/viewer/viewer_write.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/base/safe_text.h"
#include "runtime/fold/graph/graph_color.h"
#include "runtime/fold/profile/merge.h"
#include "runtime/fold/profile/profile.h"
#include "runtime/fold/viewer/viewer_asset.h"
#include "runtime/fold/viewer/viewer_data.h"
#include "runtime/fold/viewer/viewer_head.h"
#include "runtime/fold/viewer/viewer_parts.h"

#define TITLE_BYTES  512
#define SAMPLE_BYTES 4 /* a sample takes about that much, or more */

static void write_start(const struct viewer_data *data, FILE *file)
{
	char title[TITLE_BYTES];

	viewer_head_title(data, title, sizeof(title));
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; "
	      "form-action 'none'\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
	      file);
	safe_text_xml(file, title, strlen(title));
	fputs("</title>\n<style>\n", file);
	fputs(viewer_asset_style, file);
	fputs("</style>\n<style id=\"palette\">\n", file);
	graph_color_css(file, GRAPH_COLORS_HOT);
	fputs("</style>\n</head>\n<body class=\"viewer\">\n"
	      "<noscript>This page needs JavaScript.</noscript>\n"
	      "<script type=\"application/octet-stream\" id=\"profile\">",
	      file);
}

static int write_page(struct viewer_data *data, FILE *file)
{
	int err;

	write_start(data, file);
	err = viewer_data_write(data, file);
	if (err)
		return err;
	fputs("</script>\n<script>\n", file);
	fputs(viewer_asset_script, file);
	fputs("</script>\n</body>\n</html>\n", file);
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

int viewer_write(const struct profile *profile, enum settings_weight weight, uint64_t most,
		 FILE *file)
{
	struct viewer_data data;
	int err = viewer_data_make(&data, profile, profile_merge(profile)->timeline, weight);

	if (!err)
		err = most ? write_within(&data, most, file) : write_page(&data, file);
	viewer_data_free(&data);
	return err;
}
