/* One function in a tree of stacks: its callers and its callees. */
#ifndef RUNTIME_OUTPUT_REPORT_CALLERS_H
#define RUNTIME_OUTPUT_REPORT_CALLERS_H

#include <stdint.h>
#include <stdio.h>

struct frame_tree;

/* Each stack that contains the function counts once: for the caller of its outermost frame of the
 * function, and for the callee of its innermost frame of the function.  So the callers add up to
 * the total, and self plus the callees do too. */
struct callers {
	uint64_t self;
	uint64_t total;
	struct frame_tree *callers; /* stacks of one frame, largest first; includes a command that
				     * runs the function itself */
	struct frame_tree *callees; /* likewise */
};

/* Find the functions whose names fit `name` best, by name_fit.h, as one.  Returns 0 with *found, to
 * be freed with callers_free(), whose total is 0 if none fits; or -ENOMEM. */
int callers_find(struct frame_tree *tree, const char *name, struct callers *found);
void callers_free(struct callers *found);

/* Print callers above and callees below, each with its share of the function's total.  `unit` is
 * the unit of a value.  At most `rows` of each are shown (all if it is 0).  Names that do not fit
 * into `columns` are cut (none if it is 0). */
void callers_print(const struct callers *found, const char *name, const char *unit, unsigned rows,
		   unsigned columns, FILE *file);

#endif
