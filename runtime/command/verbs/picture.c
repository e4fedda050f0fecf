/*
 * Drawing for the verbs graph and diff.
 *
 * A picture is written beside its place under another name and renamed when complete.  An existing
 * output that is no regular file (a pipe, a terminal) cannot be replaced and is written in place.
 */
#include "runtime/command/verbs/picture.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/command/base/progress.h"
#include "runtime/command/base/status_line.h"
#include "runtime/command/base/terminal_safe.h"
#include "runtime/command/options/manual.h"
#include "runtime/profile/base/atomic_file.h"
#include "runtime/profile/base/stream.h"
#include "runtime/spool/spool_name.h"

static int read_number(const char *name, const char *text, double least, double most,
		       double *number, char *line, size_t bytes)
{
	char *end;

	*number = strtod(text, &end);
	if (*end == '%' && end != text)
		end++;
	if (end != text && !*end && *number >= least && *number <= most)
		return 0;
	return refuse(line, bytes, -EINVAL, "--%s is '%.60s', not a number from %g to %g", name,
		      text, least, most);
}

static int take_min_width(const char *text, void *field, char *line, size_t bytes)
{
	return read_number("min-width", text, 1e-9, 100, field, line, bytes);
}

static int take_width(const char *text, void *field, char *line, size_t bytes)
{
	double number;
	int err = read_number("width", text, 100, 100000, &number, line, bytes);

	if (!err)
		*(unsigned *)field = (unsigned)(number + .5);
	return err;
}

static int take_colors(const char *text, void *field, char *line, size_t bytes)
{
	static const struct {
		const char *name;
		enum graph_colors colors;
	} known[] = {
		{ "hot", GRAPH_COLORS_HOT },
		{ "safe", GRAPH_COLORS_SAFE },
		{ "grey", GRAPH_COLORS_GREY },
		{ "gray", GRAPH_COLORS_GREY },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(text, known[i].name) == 0) {
			*(enum graph_colors *)field = known[i].colors;
			return 0;
		}
	return refuse(line, bytes, -EINVAL, "--colors is '%.60s', not hot, safe or grey", text);
}

const struct manual_option manual_picture[] = {
	{ "output", 'o', "FILE", MANUAL_FILE, options_text, offsetof(struct picture_choice, output),
	  "write to FILE; - is standard output" },
	{ "title", 0, "TEXT", NULL, options_text, offsetof(struct picture_choice, graph.title),
	  "title" },
	{ "notes", 0, "TEXT", NULL, options_text, offsetof(struct picture_choice, graph.notes),
	  "a line under the title" },
	{ "inverted", 'i', NULL, NULL, options_flag,
	  offsetof(struct picture_choice, graph.inverted), "outermost frames on top (icicle)" },
	{ "reverse", 0, NULL, NULL, options_flag, offsetof(struct picture_choice, reverse),
	  "leaves first, their callers behind them; with --threads below each thread" },
	{ "min-width", 0, "PERCENT", NULL, take_min_width,
	  offsetof(struct picture_choice, graph.min_width_percent),
	  "leave out frames narrower than that (default 0.001)" },
	{ "colors", 0, "NAME", "hot safe grey", take_colors,
	  offsetof(struct picture_choice, graph.colors),
	  "hot, safe (for colour-blind readers) or grey (default hot)" },
	{ "unit", 0, "NAME", NULL, options_text, offsetof(struct picture_choice, graph.unit),
	  "what a value counts (default samples)" },
	{ "width", 0, "PIXELS", NULL, take_width, offsetof(struct picture_choice, graph.width_px),
	  "width where no script runs; elsewhere that of the window (default 1200)" },
	{ 0 },
};

/* Draw to an open file, and close it.  Returns 0 or -errno. */
static int draw_to(FILE *file, int (*draw)(FILE *file, void *context), void *context)
{
	int err;

	errno = 0;
	err = draw(file, context);
	if (err == -ENODATA)
		err = 0;
	if (err == -EIO && errno)
		err = -errno;
	if (fclose(file) && !err)
		err = -errno;
	return err;
}

/* Returns the target of a dangling link: the file is created there, as the shell would do. */
static const char *behind_dangling(const char *path, char *real)
{
	char target[PATH_MAX];
	const char *slash = strrchr(path, '/');
	ssize_t length = readlink(path, target, sizeof(target) - 1);
	int before;

	if (length <= 0)
		return path;
	target[length] = '\0';
	before = target[0] == '/' || !slash ? 0 : (int)(slash - path) + 1;
	if (snprintf(real, PATH_MAX, "%.*s%s", before, path, target) >= PATH_MAX)
		return path;
	return real;
}

/* Links of our own and of the system are followed: /dev/stdout is one, and stays.  Another user's
 * link is replaced by the file. */
static const char *behind_link(const char *path, char *real)
{
	struct stat link;

	if (lstat(path, &link) || !S_ISLNK(link.st_mode) ||
	    (link.st_uid != geteuid() && link.st_uid != 0))
		return path;
	if (realpath(path, real))
		return real;
	return errno == ENOENT ? behind_dangling(path, real) : path;
}

static int write_file(const char *path, int (*draw)(FILE *file, void *context), void *context)
{
	struct atomic_file publish;
	char real[PATH_MAX];
	struct stat status;
	FILE *file;
	int err;

	if (stream_is(path) || (stat(path, &status) == 0 && !S_ISREG(status.st_mode))) {
		err = stream_open(path, &file);
		return err ? err : draw_to(file, draw, context);
	}
	path = behind_link(path, real);
	err = atomic_file_open(&publish, path);
	if (err)
		return err;
	err = draw(publish.file, context);
	err = atomic_file_flush(&publish, err == -ENODATA ? 0 : err);
	if (!err)
		err = atomic_file_name(&publish, path, true);
	atomic_file_close(&publish);
	return err;
}

int picture_check_output(const struct picture_choice *choice, char *const *paths, size_t count)
{
	struct stat output, input;

	if (!choice->output || stat(choice->output, &output) || !S_ISREG(output.st_mode))
		return 0;
	for (size_t i = 0; i < count; i++)
		if (!stat(paths[i], &input) && input.st_dev == output.st_dev &&
		    input.st_ino == output.st_ino)
			return fail(-EINVAL,
				    "-o %s names a file that is read: the picture would replace it",
				    choice->output);
	return 0;
}

int picture_write(const struct picture_choice *choice, const char *path,
		  int (*draw)(FILE *file, void *context), void *context)
{
	bool standard;
	int err;

	if (choice->output)
		path = choice->output;
	standard = strcmp(path, "-") == 0;
	progress_write();
	if (standard)
		terminal_safe_data();
	err = standard ? draw_to(stdout, draw, context) : write_file(path, draw, context);
	progress_end();
	if (err)
		status_line_error(standard ? "standard output" : path, err);
	else if (!choice->output && !standard)
		status_line("wrote %s", path);
	return err;
}

int picture_name(const char *path, const char *ending, char *name, size_t bytes)
{
	static const char *const endings[] = { ".folded", SPOOL_NAME_ENDING, ".txt" };
	size_t length = strlen(path);

	if (strcmp(path, "-") == 0)
		ending = "";
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		size_t old = strlen(endings[i]);

		if (length > old && strcmp(path + length - old, endings[i]) == 0) {
			length -= old;
			break;
		}
	}
	return snprintf(name, bytes, "%.*s%s", (int)length, path, ending) < (int)bytes
		       ? 0
		       : -ENAMETOOLONG;
}
