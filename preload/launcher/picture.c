/*
 * Drawing, as the verbs graph and diff do it.
 *
 * A picture is written beside its place under another name and renamed when complete.  What is
 * there and is no regular file (a pipe, a terminal) cannot be replaced and is written to.
 */
#include "preload/launcher/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/launcher/progress.h"
#include "preload/launcher/say.h"
#include "runtime/fold/publish.h"

enum {
	KEY_TITLE = 0x100,
	KEY_NOTES,
	KEY_REVERSE,
	KEY_MIN_WIDTH,
	KEY_COLORS,
	KEY_UNIT,
	KEY_WIDTH,
};

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "Write to FILE; - is standard output", 0 },
	{ "title", KEY_TITLE, "TEXT", 0, "Title", 0 },
	{ "notes", KEY_NOTES, "TEXT", 0, "A line under the title", 0 },
	{ "inverted", 'i', NULL, 0, "Outermost frames on top (icicle)", 0 },
	{ "reverse", KEY_REVERSE, NULL, 0,
	  "Turn stacks round: leaves first, callers behind; with --threads below each thread", 0 },
	{ "min-width", KEY_MIN_WIDTH, "PERCENT", 0,
	  "Leave out frames narrower than that (default 0.001)", 0 },
	{ "colors", KEY_COLORS, "NAME", 0,
	  "hot, safe (for colour-blind eyes) or grey (default hot)", 0 },
	{ "unit", KEY_UNIT, "NAME", 0, "What a value counts (default samples)", 0 },
	{ "width", KEY_WIDTH, "PIXELS", 0,
	  "Width where no script runs; elsewhere the window's (default 1200)", 0 },
	{ "counter", READING_COUNTER, "NAME", 0,
	  "One counter of spools (default: graph all, diff the first)", 0 },
	{ "weight", READING_WEIGHT, "KIND", 0, "samples or events (default samples)", 0 },
	{ "threads", READING_THREADS, "KIND", 0, "merge, name or id (default merge)", 0 },
	{ "inline", READING_INLINE, NULL, 0, "Frames of inlined functions of spools (name_[i])",
	  0 },
	{ "lines", READING_LINES, NULL, 0, "Lines in names of spools (name:file:line)", 0 },
	{ "no-demangle", READING_NO_DEMANGLE, NULL, 0,
	  "Names of C++, Rust and D functions of spools as the linker knows them", 0 },
	{ "tidy", READING_TIDY, NULL, 0,
	  "The compiler's copies and parts of a function (.isra.0, .constprop.0, .part.1) of "
	  "spools "
	  "under its own name",
	  0 },
	{ 0 },
};

static void parse_number(struct argp_state *state, const char *name, const char *text, double least,
			 double most, double *number)
{
	char *end;

	*number = strtod(text, &end);
	if (*end == '%' && end != text)
		end++;
	if (end == text || *end || !(*number >= least && *number <= most))
		argp_error(state, "--%s is '%s', not a number from %g to %g", name, text, least,
			   most);
}

static void parse_colors(struct argp_state *state, const char *text, enum graph_colors *colors)
{
	if (strcmp(text, "hot") == 0)
		*colors = GRAPH_COLORS_HOT;
	else if (strcmp(text, "safe") == 0)
		*colors = GRAPH_COLORS_SAFE;
	else if (strcmp(text, "grey") == 0 || strcmp(text, "gray") == 0)
		*colors = GRAPH_COLORS_GREY;
	else
		argp_error(state, "--colors is '%s', not hot, safe or grey", text);
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct picture_choice *choice = state->input;
	char line[SETTINGS_LINE_MAX];
	double number;
	int err = reading_take(&choice->reading, key, text, line, sizeof(line));

	if (err == -EINVAL)
		argp_error(state, "%s", line);
	if (err != -ENOENT)
		return 0;
	switch (key) {
	case 'o':
		choice->output = text;
		break;
	case 'i':
		choice->graph.inverted = true;
		break;
	case KEY_TITLE:
		choice->graph.title = text;
		break;
	case KEY_NOTES:
		choice->graph.notes = text;
		break;
	case KEY_REVERSE:
		choice->reverse = true;
		break;
	case KEY_MIN_WIDTH:
		parse_number(state, "min-width", text, 1e-9, 100, &choice->graph.min_width_percent);
		break;
	case KEY_COLORS:
		parse_colors(state, text, &choice->graph.colors);
		break;
	case KEY_UNIT:
		choice->graph.unit = text;
		break;
	case KEY_WIDTH:
		parse_number(state, "width", text, 100, 100000, &number);
		choice->graph.width_px = (unsigned)lround(number);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp picture_argp = { .options = options, .parser = parse };

/* Draw to a file that is open already, and close it.  Returns 0 or -errno. */
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

/* A device or a pipe.  It may have become somebody's file since it was looked at, which must not
 * be emptied. */
static FILE *open_special(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	struct stat status;
	FILE *file;

	if (fd < 0)
		return NULL;
	errno = EBUSY;
	file = fstat(fd, &status) || S_ISREG(status.st_mode) ? NULL : fdopen(fd, "w");
	if (!file) {
		int err = errno;

		close(fd);
		errno = err;
	}
	return file;
}

/* Links of our own and the system's are followed: /dev/stdout is one, and stays.  Another
 * user's is replaced by the file. */
static const char *behind_link(const char *path, char *real)
{
	struct stat link;

	if (lstat(path, &link) || !S_ISLNK(link.st_mode) ||
	    (link.st_uid != geteuid() && link.st_uid != 0))
		return path;
	return realpath(path, real) ? real : path;
}

static int write_file(const char *path, int (*draw)(FILE *file, void *context), void *context)
{
	struct publish publish;
	char real[PATH_MAX];
	struct stat status;
	FILE *file;
	int err;

	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
		file = open_special(path);
		return file ? draw_to(file, draw, context) : -errno;
	}
	path = behind_link(path, real);
	err = publish_open(&publish, path);
	if (err)
		return err;
	err = draw(publish.file, context);
	err = publish_flush(&publish, err == -ENODATA ? 0 : err);
	if (!err)
		err = publish_name(&publish, path, true);
	publish_close(&publish);
	return err;
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
	err = standard ? draw_to(stdout, draw, context) : write_file(path, draw, context);
	progress_end();
	if (err)
		say("%s: %s", standard ? "standard output" : path, strerror(-err));
	else if (!choice->output && !standard)
		say("wrote %s", path);
	return err;
}

int picture_name(const char *path, char *name, size_t bytes)
{
	static const char *const endings[] = { ".folded", ".spool", ".txt" };
	size_t length = strlen(path);

	if (strcmp(path, "-") == 0)
		return snprintf(name, bytes, "-") < (int)bytes ? 0 : -ENAMETOOLONG;
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		size_t ending = strlen(endings[i]);

		if (length > ending && strcmp(path + length - ending, endings[i]) == 0) {
			length -= ending;
			break;
		}
	}
	return snprintf(name, bytes, "%.*s.svg", (int)length, path) < (int)bytes ? 0
										 : -ENAMETOOLONG;
}
