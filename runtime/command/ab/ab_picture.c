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
#include "runtime/command/base/status_line.h"
#include "runtime/profile/base/atomic_file.h"
#include "runtime/output/graph/graph.h"
#include "runtime/output/page/difference_draw.h"

#define DEFAULT_PATH "ab.diff.svg"

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
	if (!ends_with(path, ".svg") && !ends_with(path, ".html"))
		return refuse(line, bytes, -EINVAL,
			      "-o %.300s: the name ends neither with .svg nor with .html", path);
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return refuse(line, bytes, -EISDIR, "the picture cannot be written: %.300s: %s",
			      path, strerror(EISDIR));
	paths_directory(path, directory, sizeof(directory));
	if (access(directory, W_OK | X_OK) == 0)
		return 0;
	err = -errno;
	return refuse(line, bytes, err,
		      "the picture cannot be written in %.300s: %s; -o names another place",
		      directory, strerror(-err));
}

/* Returns the runs of the comparison's counters, to be freed; NULL when memory is out. */
static const struct runs **list_runs(const struct comparison *comparison,
				     const struct samples *tally)
{
	const struct runs **runs = calloc(comparison->counter_count + 1, sizeof(struct runs *));

	for (size_t i = 0; runs && i < comparison->counter_count; i++)
		for (size_t k = 0; k < tally->counter_count; k++)
			if (strcmp(tally->counter[k].name, comparison->counters[i].name) == 0)
				runs[i] = tally->counter[k].runs;
	return runs;
}

static int draw_graph(const struct difference_draw *draw, FILE *file)
{
	const struct comparison *comparison = draw->comparison;
	char title[600];
	const struct graph_options graph = {
		.title = title,
		.unit = comparison->counters[0].unit,
	};

	snprintf(title, sizeof(title), "%s \xe2\x86\x92 %s", comparison->label[RUNS_BEFORE],
		 comparison->label[RUNS_AFTER]);
	return difference_draw_graph(draw, draw->runs[0], &graph, file);
}

static int write_picture(const struct difference_draw *draw, const char *path)
{
	struct atomic_file publish;
	int err = atomic_file_open(&publish, path);

	if (err)
		return err;
	err = difference_draw_is_page(path) ? difference_draw_page(draw, publish.file)
					    : draw_graph(draw, publish.file);
	/* a picture that says that there is nothing to draw is one, too */
	err = atomic_file_flush(&publish, err == -ENODATA ? 0 : err);
	if (!err)
		err = atomic_file_name(&publish, path, true);
	atomic_file_close(&publish);
	return err;
}

int ab_picture_draw(const struct ab_options *options, const struct samples *tally,
		    const struct comparison *comparison)
{
	const char *path = path_of(options);
	const struct runs **runs;
	int err;

	if (options->no_picture || (!comparison->counter_count && !difference_draw_is_page(path)))
		return 0;
	runs = list_runs(comparison, tally);
	if (runs) {
		const struct difference_draw draw = { .comparison = comparison, .runs = runs };

		err = write_picture(&draw, path);
	} else {
		err = -ENOMEM;
	}
	free(runs);
	if (!err && !options->output)
		status_line("wrote %s", path);
	return status_line_error(path, err);
}
