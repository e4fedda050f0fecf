/*
 * The elements around the data are those that viewer_data.h lists.
 */
#include "runtime/fold/viewer/viewer_write.h"

#include <errno.h>
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

#define TITLE_BYTES 512

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

/* Make the page in memory, with half of the samples until it is small enough or no sample can be
 * joined. */
static int write_within(struct viewer_data *data, uint64_t most, FILE *file)
{
	int err = 0;

	for (bool last = false;;) {
		char *page = NULL;
		size_t bytes = 0;
		FILE *memory = open_memstream(&page, &bytes);

		if (!memory)
			return -ENOMEM;
		err = write_page(data, memory);
		if (fclose(memory) && !err)
			err = -ENOMEM;
		if (!err && bytes > most && !last) {
			free(page);
			err = viewer_data_halve(data);
			last = err == -ENODATA;
			if (err && !last)
				return err;
			continue;
		}
		if (!err && fwrite(page, 1, bytes, file) != bytes)
			err = -EIO;
		free(page);
		return err;
	}
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
