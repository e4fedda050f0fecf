/*
 * flametrap diff BEFORE AFTER: the changes between two profiles, as a picture and a table.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/command/base/say.h"
#include "runtime/command/options/manual.h"
#include "runtime/command/verbs/picture.h"
#include "runtime/command/verbs/verbs.h"
#include "runtime/fold/profile/frame_tree.h"
#include "runtime/fold/report/compare.h"
#include "runtime/fold/report/renamed.h"

#define ROWS_DEFAULT 20

struct job {
	struct picture_choice choice;
	struct compare_options table;
	struct window window; /* of before: --before-from and --before-to */
	char *path[2];	      /* before, after */
	char part[2][96];     /* of their time: notes_window(); empty: all */
	struct frame_tree *trees[2];
	char *renamed[2]; /* names of one command in the two; NULL: equal */
};

static const struct arguments_option options[] = {
	{ 'n', reading_rows, offsetof(struct job, table.rows) },
	{ OPTION_BEFORE_FROM, reading_from, offsetof(struct job, window.from) },
	{ OPTION_BEFORE_TO, reading_to, offsetof(struct job, window.to) },
	{ 0 },
};

static int draw(FILE *file, void *context)
{
	struct job *job = context;

	return graph_write_diff(job->trees[0], job->trees[1], &job->choice.graph, file);
}

static int write_table(struct job *job)
{
	const char *unit = job->choice.graph.unit ? job->choice.graph.unit : "samples";
	int err;

	job->table.columns = reading_columns();
	job->table.samples = strcmp(unit, "samples") == 0;
	job->table.unit = unit;
	for (int side = 0; side < 2; side++)
		printf("%s %s: %llu %s%s%s\n", side ? "after " : "before", job->path[side],
		       (unsigned long long)frame_tree_root(job->trees[side])->total, unit,
		       job->part[side][0] ? ", " : "", job->part[side]);
	if (job->renamed[0])
		printf("the commands %s and %s are compared as one\n", job->renamed[0],
		       job->renamed[1]);
	err = compare_write(job->trees[0], job->trees[1], &job->table, stdout);
	if (fflush(stdout) && !err)
		err = -errno;
	return say_error("standard output", err);
}

/* Two programs with different names, such as two builds of one, are compared as one command. */
static int match_commands(struct job *job)
{
	const struct reading *reading = &job->choice.reading;
	const char *name[2];
	int err;

	if (!renamed_find(job->trees[0], job->trees[1], &name[0], &name[1]))
		return 0;
	job->renamed[0] = strdup(name[0]);
	job->renamed[1] = strdup(name[1]);
	if (!job->renamed[0] || !job->renamed[1])
		err = -ENOMEM;
	else
		err = renamed_apply(&job->trees[0], job->renamed[0], job->renamed[1],
				    reading_outer(reading), reading->by == REPORT_BY_MODULE);
	return say_error(NULL, err);
}

/* Read both.  Texts that the user did not give refer to both, not to one of them. */
static int read_both(struct job *job)
{
	static const char notes[] =
		"Widths show the profile after; red: a larger share than before, "
		"blue: a smaller one";
	const struct graph_options given = job->choice.graph;
	const struct window window = job->choice.reading.window;
	bool apart = window_is_set(&job->window);

	for (int side = 0; side < 2; side++) {
		int err;

		job->choice.graph = given;
		job->choice.reading.window = apart && !side ? job->window : window;
		err = picture_read(&job->choice, &job->path[side], 1, &job->trees[side]);
		if (err)
			return err;
		snprintf(job->part[side], sizeof(job->part[side]), "%s", job->choice.part);
		if (frame_tree_root(job->trees[side])->total == 0) {
			say("%s: no samples, so there is nothing to compare", job->path[side]);
			return -ENODATA;
		}
	}
	if (!given.title) {
		snprintf(job->choice.title, sizeof(job->choice.title), "%s \xe2\x86\x92 %s",
			 job->path[0], job->path[1]);
		job->choice.graph.title = job->choice.title;
	}
	if (!given.notes)
		job->choice.graph.notes = notes;
	return 0;
}

/* Only the picture is reversed: the tables find the command by its position. */
static int reverse(struct job *job)
{
	int err = 0;

	for (int side = 0; !err && side < 2; side++)
		err = frame_tree_reverse(&job->trees[side], reading_outer(&job->choice.reading));
	return say_error(NULL, err);
}

static int compare(struct job *job)
{
	bool reversed = job->choice.reverse;
	char path[4096];
	int err = picture_name(job->path[1], ".diff.svg", path, sizeof(path));
	bool standard = strcmp(job->choice.output ? job->choice.output : path, "-") == 0;

	if (err)
		return say_error(job->path[1], err);
	job->choice.reverse = false;
	err = read_both(job);
	if (!err)
		err = match_commands(job);
	if (err)
		return err;
	if (!standard)
		err = write_table(job);
	if (!err && reversed)
		err = reverse(job);
	if (!err)
		err = picture_write(&job->choice, path, draw, job);
	return err;
}

int verb_diff(int argc, char **argv)
{
	struct job job = { .table = { .rows = ROWS_DEFAULT } };
	int status;
	int first = arguments_read("diff", argc, argv,
				   ARGUMENTS({ options, &job }, { picture_options, &job.choice },
					     { reading_options, &job.choice.reading }),
				   &status);
	int err;

	if (first < 0)
		return status;
	job.path[0] = argv[first];
	job.path[1] = argv[first + 1];
	err = compare(&job);
	frame_tree_free(job.trees[0]);
	frame_tree_free(job.trees[1]);
	free(job.renamed[0]);
	free(job.renamed[1]);
	picture_free(&job.choice);
	return err || job.choice.skipped ? 1 : 0;
}
