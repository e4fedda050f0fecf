/* The sides of a comparison, and how their names are matched. */
#ifndef RUNTIME_COMPARE_MATCH_RUNS_OPTIONS_H
#define RUNTIME_COMPARE_MATCH_RUNS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum runs_side { RUNS_BEFORE, RUNS_AFTER, RUNS_SIDES };

/* A user's --rename OLD=NEW: the function OLD of the side before is the function NEW of the side
 * after.  Both are whole names, with or without the suffix of the kind ("_[k]"). */
struct runs_rename {
	const char *old;
	const char *new_name;
};

struct runs_options {
	const struct runs_rename *renames;
	size_t rename_count;
	size_t outer; /* frames for command, process and thread, after the first
		       * (input_options_outer())
		       */
	bool origins; /* processes, threads or labels are compared too, like functions */
	bool modules; /* frames are modules */
	bool exact;   /* match no names but equal ones and the renames */
};

#endif
