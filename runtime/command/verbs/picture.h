/* The common part of the verbs that draw: options, reading of profiles, writing of the file. */
#ifndef RUNTIME_COMMAND_VERBS_PICTURE_H
#define RUNTIME_COMMAND_VERBS_PICTURE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "runtime/command/options/input_options.h"
#include "runtime/output/graph/graph.h"
#include "runtime/output/graph/counter_views.h"
#include "runtime/output/graph/graph_ratio.h"
#include "runtime/spool/format.h"

struct frame_tree;

struct picture_choice {
	struct graph_options graph; /* its texts are owned by argv */
	const char *output;	    /* NULL: not given; "-": standard output */
	struct input_options reading;
	const char *color_by; /* a ratio in the form of ratios_find(); NULL: none */
	bool reverse;
	bool may_all;		 /* the verb can draw all counters of spools in one picture */
	char name[NAME_MAX + 1]; /* of files made of a pid, set by picture_read(); empty: a file was
				  * given */
	char first[PATH_MAX];	 /* the first readable file; set likewise */
	size_t skipped;		 /* number of unreadable files, which were reported */
	char title[512];	 /* holds graph's texts that were not given */
	char notes[1024];
	char part[96]; /* set by picture_read(): notes_window(); empty: all of the time */
	char counter[SPOOL_NAME_MAX]; /* the counter whose widths a ratio colours */
	struct ratios_pair pair;
	struct graph_ratio ratio;
	struct graph_ratio_trees trees;
	struct counter_views *all; /* set by picture_read() instead of *tree; NULL: not set */
};

/* Read and merge profiles and folded files into stacks that are sorted and, on request, reversed.
 * They supply title, notes and unit that the user did not give, and a requested ratio is added to
 * choice->graph.  If the verb allows it, several counters of spools become choice->all, with *tree
 * NULL, unless one of them was requested.  Call picture_free() in any case.  Returns 0 with *tree,
 * to be freed with frame_tree_free(); or -errno after a message. */
int picture_read(struct picture_choice *choice, char **paths, size_t count,
		 struct frame_tree **tree);

/* Free the data that the options and picture_read() stored in the choice. */
void picture_free(struct picture_choice *choice);

/* Check that the chosen file, if there is one, is none of those that are read.  Returns 0; or
 * -EINVAL after a message. */
int picture_check_output(const struct picture_choice *choice, char *const *paths, size_t count);

/* Call `draw` to write the picture to the chosen file, or else to `path`, which appears only once
 * it is complete; "-" is standard output.  -ENODATA from draw is no failure.  Returns 0; or -errno
 * after a message. */
int picture_write(const struct picture_choice *choice, const char *path,
		  int (*draw)(FILE *file, void *context), void *context);

/* Make the name of a file's picture: "x" and `ending` for "x.folded", "-" for "-".  Returns 0 or
 * -ENAMETOOLONG. */
int picture_name(const char *path, const char *ending, char *name, size_t bytes);

#endif
