/*
 * Drawn once, at the end: the changes of all frames take longer than those of functions.
 */
#include "runtime/command/ab/ab_picture.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/command/base/paths.h"
#include "runtime/command/base/say.h"
#include "runtime/fold/base/publish.h"
#include "runtime/fold/compare/changes.h"
#include "runtime/fold/compare/runs.h"
#include "runtime/fold/compare/tree_changes.h"
#include "runtime/fold/graph/graph.h"
#include "runtime/fold/viewer/difference_page.h"

#define DEFAULT_PATH "ab.diff.svg"

struct picture {
	const struct comparison *comparison;
	struct tree_changes **trees; /* by counter of the comparison */
};

static const char *path_of(const struct ab_options *options)
{
	return options->output ? options->output : DEFAULT_PATH;
}

static bool ends_with(const char *path, const char *ending)
{
	size_t length = strlen(path), wanted = strlen(ending);

	return length > wanted && strcmp(path + length - wanted, ending) == 0;
}

int ab_picture_check(const struct ab_options *options, char *line, size_t bytes)
{
	const char *path = path_of(options);
	char directory[PATH_MAX];
	struct stat st;
	int err;

	if (options->no_picture)
		return 0;
	if (!ends_with(path, ".svg") && !ends_with(path, ".html")) {
		snprintf(line, bytes, "-o %.300s: the name ends neither with .svg nor with .html",
			 path);
		return -EINVAL;
	}
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		snprintf(line, bytes, "the picture cannot be written: %.300s: %s", path,
			 strerror(EISDIR));
		return -EISDIR;
	}
	paths_directory(path, directory, sizeof(directory));
	if (access(directory, W_OK | X_OK) == 0)
		return 0;
	err = -errno;
	snprintf(line, bytes, "the picture cannot be written in %.300s: %s; -o names another place",
		 directory, strerror(-err));
	return err;
}

/* Compute the changes of the frames of each counter. */
static int make_trees(const struct picture *picture, const struct tally *tally)
{
	const struct comparison *comparison = picture->comparison;
	const struct changes_options options = {
		.alpha = comparison->alpha,
		.paired = comparison->paired,
		.least_share = CHANGES_LEAST,
	};
	int err = 0;

	for (size_t i = 0; !err && i < comparison->counter_count; i++)
		for (size_t k = 0; !err && k < tally->counter_count; k++)
			if (strcmp(tally->counter[k].name, comparison->counters[i].name) == 0)
				err = tree_changes_make(tally->counter[k].runs, &options, false, 0,
							&picture->trees[i]);
	return err;
}

static int draw_graph(const struct picture *picture, FILE *file)
{
	const struct comparison *comparison = picture->comparison;
	const struct comparison_counter *counter = &comparison->counters[0];
	char title[600];
	const struct graph_options graph = {
		.title = title,
		.unit = counter->unit,
	};

	snprintf(title, sizeof(title), "%s \xe2\x86\x92 %s", comparison->label[RUNS_BEFORE],
		 comparison->label[RUNS_AFTER]);
	return graph_write_diff(picture->trees[0],
				counter->changes.has_intervals ? comparison->alpha : 0, &graph,
				file);
}

static int write_picture(const struct picture *picture, const char *path)
{
	struct publish publish;
	int err = publish_open(&publish, path);

	if (err)
		return err;
	if (ends_with(path, ".html"))
		err = difference_page_write(picture->comparison,
					    (const struct tree_changes *const *)picture->trees,
					    publish.file);
	else
		err = draw_graph(picture, publish.file);
	/* a picture that says that there is nothing to draw is one, too */
	err = publish_flush(&publish, err == -ENODATA ? 0 : err);
	if (!err)
		err = publish_name(&publish, path, true);
	publish_close(&publish);
	return err;
}

int ab_picture_draw(const struct ab_options *options, const struct tally *tally,
		    const struct comparison *comparison)
{
	const char *path = path_of(options);
	struct picture picture = { .comparison = comparison };
	int err;

	if (options->no_picture || (!comparison->counter_count && !ends_with(path, ".html")))
		return 0;
	picture.trees = calloc(comparison->counter_count + 1, sizeof(struct tree_changes *));
	err = picture.trees ? make_trees(&picture, tally) : -ENOMEM;
	if (!err)
		err = write_picture(&picture, path);
	for (size_t i = 0; picture.trees && i < comparison->counter_count; i++)
		tree_changes_free(picture.trees[i]);
	free(picture.trees);
	if (!err && !options->output)
		say("wrote %s", path);
	return say_error(path, err);
}
