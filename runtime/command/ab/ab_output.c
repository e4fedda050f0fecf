/*
 * Spools are DIRECTORY/a-001.PID.spool and so on; a run of several processes has several.  The
 * picture is drawn once, at the end: the changes of all frames take longer than those of functions.
 */
#include "runtime/command/ab/ab.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/command/base/paths.h"
#include "runtime/command/base/status_line.h"
#include "runtime/output/graph/graph.h"
#include "runtime/output/page/difference_draw.h"
#include "runtime/profile/base/atomic_file.h"
#include "runtime/spool/spool_name.h"

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

int ab_output_check_picture(const struct ab_options *options, char *line, size_t bytes)
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
	return difference_draw_graph(draw, comparison->counters[0].runs, &graph, file);
}

static int write_picture(const struct difference_draw *draw, const char *path)
{
	struct atomic_file picture;
	int err = atomic_file_open(&picture, path);

	if (err)
		return err;
	err = difference_draw_is_page(path) ? difference_draw_page(draw, picture.file)
					    : draw_graph(draw, picture.file);
	/* a picture that says that there is nothing to draw is one, too */
	err = atomic_file_flush(&picture, err == -ENODATA ? 0 : err);
	if (!err)
		err = atomic_file_name(&picture, path, true);
	atomic_file_close(&picture);
	return err;
}

int ab_output_draw(const struct ab_options *options, const struct comparison *comparison)
{
	const struct difference_draw draw = { .comparison = comparison };
	const char *path = path_of(options);
	int err;

	if (options->no_picture || (!comparison->counter_count && !difference_draw_is_page(path)))
		return 0;
	err = write_picture(&draw, path);
	if (!err && !options->output)
		status_line("wrote %s", path);
	return status_line_error(path, err);
}

/* Returns whether a name is that of a spool of a run, or of any run if `run` is NULL. */
static bool is_saved(const char *name, const char *run)
{
	size_t length = run ? strlen(run) : 0;

	if (strncmp(name, "a-", 2) != 0 && strncmp(name, "b-", 2) != 0)
		return false;
	return ends_with(name, SPOOL_NAME_ENDING) &&
	       (!run || (strncmp(name, run, length) == 0 && name[length] == '.'));
}

/* Returns whether a directory holds spools of a run, and removes them if asked to. */
static bool find_saved(const char *directory, const char *run, bool remove)
{
	DIR *stream = opendir(directory);
	struct dirent *entry;
	bool found = false;

	while (stream && (entry = readdir(stream))) {
		if (!is_saved(entry->d_name, run))
			continue;
		found = true;
		if (remove)
			unlinkat(dirfd(stream), entry->d_name, 0);
	}
	if (stream)
		closedir(stream);
	return found;
}

int ab_output_make_directory(const struct ab_options *options, char *line, size_t bytes)
{
	const char *directory = options->save;
	struct stat status;
	int err;

	if (!directory)
		return 0;
	err = mkdir(directory, 0777) && errno != EEXIST ? -errno : 0;
	if (!err && (stat(directory, &status) || !S_ISDIR(status.st_mode)))
		err = -ENOTDIR;
	if (!err)
		err = access(directory, W_OK | X_OK) ? -errno : 0;
	if (err)
		return refuse(line, bytes, err, "--save %.300s: %s", directory, strerror(-err));
	if (!find_saved(directory, NULL, false))
		return 0;
	return refuse(line, bytes, -EEXIST, "--save %.300s: it holds runs of an earlier comparison",
		      directory);
}

void ab_output_forget(const struct ab_options *options, const char *name)
{
	if (options->save)
		find_saved(options->save, name, true);
}

const char *ab_output_stem(const struct ab_options *options, const char *name, char *stem,
			   size_t bytes)
{
	if (!options->save)
		return NULL;
	snprintf(stem, bytes, "%s/%s", options->save, name);
	return stem;
}
