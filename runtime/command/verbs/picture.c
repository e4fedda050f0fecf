/*
 * Drawing for the verbs graph and diff.  The data to draw (one counter, or all counters of spools,
 * with the requested ratios) outlives the files that it was read from.
 *
 * A picture is written beside its place under another name and renamed when complete.  An existing
 * output that is no regular file (a pipe, a terminal) cannot be replaced and is written in place.
 */
#include "runtime/command/verbs/picture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/collect/sources.h"
#include "runtime/command/base/status_line.h"
#include "runtime/command/options/manual.h"
#include "runtime/profile/base/atomic_file.h"
#include "runtime/profile/base/stream.h"
#include "runtime/profile/merge/notes.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/spool/spool_name.h"

/* The spools supply the texts that the user did not give. */
static void take_notes(struct picture_choice *choice, const struct input *input, unsigned counter)
{
	struct notes notes;

	if (!input->profile || input->folded_count)
		return;
	notes_make(&notes, input->profile, counter, choice->reading.weight);
	if (!choice->graph.title) {
		memcpy(choice->title, notes.title, sizeof(choice->title));
		choice->graph.title = choice->title;
	}
	if (!choice->graph.notes) {
		memcpy(choice->notes, notes.notes, sizeof(choice->notes));
		choice->graph.notes = choice->notes;
	}
	if (!choice->graph.unit)
		choice->graph.unit = notes.unit;
}

/* Makes the ratio's trees, reversed like those that are drawn. */
static int make_ratio(struct picture_choice *choice)
{
	struct graph_ratio *ratio = &choice->ratio;
	int err = graph_ratio_fill(&choice->trees, &choice->pair, ratio);

	if (err || !choice->reverse)
		return err;
	err = graph_ratio_trees_reverse(&choice->trees, input_options_outer(&choice->reading));
	return err ? err : graph_ratio_fill(&choice->trees, &choice->pair, ratio);
}

/* Folded files do not contain the unit of their numbers. */
static int read_ratio(struct picture_choice *choice, const struct input *input)
{
	char line[1024];
	int err;

	if (!input->profile || input->folded_count)
		return fail(-EINVAL,
			    "--color-by needs spools (--format svg,spool keeps them): folded files "
			    "do not say what their numbers count");
	err = ratios_find(input->profile, choice->color_by, &choice->pair, line, sizeof(line));
	if (err)
		return fail(err, "--color-by: %s", line);
	choice->trees.profile = input->profile;
	return status_line_error(NULL, make_ratio(choice));
}

/* The widths are those of the divisor unless the user named another counter. */
static int choose_counter(const struct picture_choice *choice, const struct input *input)
{
	int counter = input_options_counter(&choice->reading, input);

	return counter >= 0 && choice->color_by && !choice->reading.counter ? (int)choice->pair.by
									    : counter;
}

static void show_ratio(struct picture_choice *choice, const char *counter)
{
	snprintf(choice->counter, sizeof(choice->counter), "%s", counter);
	choice->graph.counter = choice->counter;
	choice->graph.ratios = &choice->ratio;
	choice->graph.ratio_count = 1;
	choice->graph.by_ratio = true;
}

/* Reads all counters of spools, as for a run's own picture. */
static int read_all(struct picture_choice *choice, const struct input *input)
{
	const struct graph_options given = choice->graph;
	bool ratios = choice->reading.sort == INPUT_OPTIONS_SORT_NONE;
	int err = counter_views_new(input->profile, choice->reading.weight, ratios, &choice->all);

	if (!err && choice->reverse)
		err = counter_views_reverse(choice->all, input_options_outer(&choice->reading));
	if (err)
		return status_line_error(NULL, err);
	take_notes(choice, input, 0);
	for (unsigned i = 0; i < choice->all->count; i++) {
		struct graph_view *one = &choice->all->view[i];

		input_options_order(&choice->reading, one->tree);
		one->notes = given.notes ? given.notes : one->notes;
		one->unit = given.unit ? given.unit : one->unit;
	}
	return 0;
}

static bool wants_all(const struct picture_choice *choice, const struct input *input)
{
	return choice->may_all && !choice->color_by && !choice->reading.counter && input->profile &&
	       !input->folded_count && counter_views_are_several(input->profile);
}

int picture_read(struct picture_choice *choice, char **paths, size_t count,
		 struct frame_tree **tree)
{
	struct profile_options profile = input_options_profile(&choice->reading, status_line_text);
	struct sources sources;
	const struct input *input = &sources.input;
	int counter;
	int err;

	interrupt_expect(NULL);
	progress_start();
	err = sources_open(&sources, &choice->reading, &profile, paths, count);
	snprintf(choice->name, sizeof(choice->name), "%s", sources.name);
	if (!err && choice->color_by)
		err = read_ratio(choice, input);
	if (err)
		goto out;
	if (!input->profile || !notes_window(input->profile, choice->part, sizeof(choice->part)))
		choice->part[0] = '\0';
	if (wants_all(choice, input)) {
		err = read_all(choice, input);
		goto out;
	}
	counter = choose_counter(choice, input);
	if (counter < 0) {
		err = counter;
		goto out;
	}
	err = input_tree(&sources.input, (unsigned)counter, choice->reading.weight, tree);
	if (err)
		goto out;
	take_notes(choice, input, (unsigned)counter);
	if (choice->color_by)
		show_ratio(choice, profile_counter(input->profile, (unsigned)counter)->name);
	if (choice->reverse)
		err = frame_tree_reverse(tree, input_options_outer(&choice->reading));
	if (!err)
		input_options_order(&choice->reading, *tree);
	if (err) {
		frame_tree_free(*tree);
		*tree = NULL;
		status_line_error(NULL, err);
	}
out:
	choice->skipped += input->skipped;
	snprintf(choice->first, sizeof(choice->first), "%s", input->first ? input->first : "");
	sources_close(&sources);
	progress_print();
	return err;
}

void picture_free(struct picture_choice *choice)
{
	graph_ratio_trees_free(&choice->trees);
	counter_views_free(choice->all);
	input_options_free(&choice->reading);
}

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
	struct atomic_file atomic;
	char real[PATH_MAX];
	struct stat status;
	FILE *file;
	int err;

	if (stream_is(path) || (stat(path, &status) == 0 && !S_ISREG(status.st_mode))) {
		err = stream_open(path, &file);
		return err ? err : draw_to(file, draw, context);
	}
	path = behind_link(path, real);
	err = atomic_file_open(&atomic, path);
	if (err)
		return err;
	err = draw(atomic.file, context);
	err = atomic_file_flush(&atomic, err == -ENODATA ? 0 : err);
	if (!err)
		err = atomic_file_name(&atomic, path, true);
	atomic_file_close(&atomic);
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
