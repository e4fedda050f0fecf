/*
 * The elements around the data are those that viewer_data.h lists.
 */
#include "runtime/output/page/viewer_write.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/output/page/page_asset.h"
#include "runtime/output/page/viewer_data.h"
#include "runtime/output/page/viewer_head.h"
#include "runtime/output/page/viewer_parts.h"
#include "runtime/output/page/viewer_shell.h"

#define TITLE_BYTES  512
#define SAMPLE_BYTES 4 /* a sample takes about that much, or more */

static void write_start(const struct viewer_data *data, FILE *file)
{
	char title[TITLE_BYTES];

	viewer_head_title(data, title, sizeof(title));
	viewer_shell_begin(title, "", file);
}

static int write_page(struct viewer_data *data, FILE *file)
{
	int err;

	write_start(data, file);
	err = viewer_data_write(data, file);
	if (err)
		return err;
	viewer_shell_end(page_asset_viewer_script, file);
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
