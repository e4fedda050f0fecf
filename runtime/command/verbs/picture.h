/*
 * What the verbs that draw have in common: options, the profiles they read, the file they
 * write.
 */
#ifndef RUNTIME_COMMAND_VERBS_PICTURE_H
#define RUNTIME_COMMAND_VERBS_PICTURE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "runtime/command/options/reading.h"
#include "runtime/fold/graph/graph.h"
#include "runtime/fold/graph/counter_views.h"
#include "runtime/fold/graph/ratio_trees.h"
#include "runtime/spool/format.h"

struct frame_tree;

struct picture_choice {
	struct graph_options graph; /* texts are argv's */
	const char *output;	    /* NULL: not given; "-": standard output */
	struct reading reading;
	const char *color_by; /* a ratio, as ratios_find reads it; NULL: none */
	bool reverse;
	bool may_all;		 /* the verb can draw all counters of spools in one picture */
	char name[NAME_MAX + 1]; /* of files made of a pid, set by picture_read; empty: of a file */
	char first[PATH_MAX];	 /* the first of the files that could be read; set likewise */
	size_t skipped;		 /* those that could not, which were named */
	char title[512];	 /* where graph's texts lie when they were not given */
	char notes[1024];
	char counter[SPOOL_NAME_MAX]; /* whose widths a ratio colours */
	struct ratios_pair pair;
	struct graph_ratio ratio;
	struct ratio_trees trees;
	struct counter_views *all; /* set by picture_read in the place of *tree; NULL: not */
};

/* Take an option of manual_picture or manual_reading with its value, which is argv's.
 * Returns as reading_take. */
int picture_take(struct picture_choice *choice, int key, const char *text, char *line,
		 size_t bytes);

/* Read and merge profiles and folded files into sorted, where asked for reversed, stacks.
 * What the user did not say about title, notes and unit is taken from them, and a ratio that
 * was asked for is added to choice->graph.  Where the verb may, several counters of spools become
 * choice->all, and *tree NULL, unless one of them was asked for.  picture_free in any case.
 * Returns 0 with *tree to be freed by frame_tree_free; or -errno after saying what is wrong. */
int picture_read(struct picture_choice *choice, char **paths, size_t count,
		 struct frame_tree **tree);

/* Turn stacks that picture_read left as they are into reversed ones.  Returns 0 or -ENOMEM, with
 * the old ones in place. */
int picture_reverse(const struct picture_choice *choice, struct frame_tree **tree);

/* Free what picture_take and picture_read left in the choice. */
void picture_free(struct picture_choice *choice);

/* Have `draw` write the picture to the file that was chosen, or else to `path`, which appears
 * only once it is complete; "-" is standard output.  -ENODATA from draw is no failure.
 * Returns 0; or -errno after saying what is wrong. */
int picture_write(const struct picture_choice *choice, const char *path,
		  int (*draw)(FILE *file, void *context), void *context);

/* The name of a picture of a file: "x.svg" for "x.folded", "-" for "-".
 * Returns 0 or -ENAMETOOLONG. */
int picture_name(const char *path, char *name, size_t bytes);

#endif
