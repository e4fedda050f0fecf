/* Which functions of a profile a user means by a name. */
#ifndef RUNTIME_OUTPUT_ANNOTATE_ANNOTATE_NAMES_H
#define RUNTIME_OUTPUT_ANNOTATE_ANNOTATE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/profile/symbols/name_fit.h"

struct locations;

struct annotate_names {
	uint8_t *fit;	/* by number of locations->strings: 1 + enum name_fit; 0: no name of a
			 * function */
	uint32_t count; /* of those numbers, with 0 */
	enum name_fit best;
};

/* Compare all functions of a profile with a name.  `inlined`: inlined functions too, where the
 * profile was read with them.  Returns 0 or -ENOMEM; call annotate_names_free() in both cases. */
int annotate_names_find(struct annotate_names *names, const struct locations *locations,
			const char *given, bool inlined);
void annotate_names_free(struct annotate_names *names);

/* Returns true for the number of a name that is meant. */
bool annotate_names_has(const struct annotate_names *names, uint32_t number);

/* Write up to 3 names that resemble the given one, nearest first: "a, b, c"; or an empty text. */
void annotate_names_near(const struct annotate_names *names, const struct locations *locations,
			 const char *given, char *text, size_t bytes);

#endif
