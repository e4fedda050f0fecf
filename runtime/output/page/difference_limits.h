/*
 * What the page of a comparison leaves out, so that a browser opens it whatever the profiles hold.
 *
 * A counter has room for a number of functions and of frames.  If there are more, those that are
 * small on both sides are left out: the least share doubles until the rest has room.
 */
#ifndef RUNTIME_OUTPUT_PAGE_DIFFERENCE_LIMITS_H
#define RUNTIME_OUTPUT_PAGE_DIFFERENCE_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

struct changes;
struct changes_function;
struct frame;
struct tree_changes;

#define DIFFERENCE_LIMITS_FUNCTIONS 20000  /* of all counters together */
#define DIFFERENCE_LIMITS_FRAMES    100000 /* likewise */
#define DIFFERENCE_LIMITS_FRAME	    1e-5   /* of the whole: smaller frames are always left out */

/* Shares of the whole, 0 … 1, with callees. */
struct difference_limits {
	double function;
	double frame;
	double lost; /* of all frames that are left out together */
};

/* Returns the limits of one of so many counters.  `tree` may be NULL. */
struct difference_limits difference_limits_find(const struct changes *changes,
						const struct tree_changes *tree, size_t counters);

/* Returns whether a function is large enough on one of the sides. */
bool difference_limits_function(const struct difference_limits *limits,
				const struct changes *changes,
				const struct changes_function *function);

/* Returns the next frame that is large enough, in the order of the tree; NULL after the last. */
const struct frame *difference_limits_next(const struct difference_limits *limits,
					   const struct tree_changes *tree,
					   const struct frame *frame);

/* Write a sentence that says which functions and frames of a counter are left out; an empty text if
 * they do not matter.  `name` is the counter's, and may be empty. */
void difference_limits_tell(const struct difference_limits *limits, const char *name, char *text,
			    size_t bytes);

#endif
