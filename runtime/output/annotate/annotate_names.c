/* All names are compared once, and only the best of them are meant. */
#include "runtime/output/annotate/annotate_sites.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/text/text.h"
#include "runtime/profile/tree/locations.h"
#include "runtime/profile/symbols/frame_kind.h"

#define NEAR_MOST 3

static void note(struct annotate_names *names, const struct locations *locations, const char *given,
		 uint32_t number)
{
	enum name_fit fit;

	if (!number || number >= names->count || names->fit[number])
		return;
	fit = name_fit(given, string_table_text(locations->strings, number));
	names->fit[number] = (uint8_t)(1 + fit);
	if (fit > names->best)
		names->best = fit;
}

int annotate_names_find(struct annotate_names *names, const struct locations *locations,
			const char *given, bool inlined)
{
	struct location_line list[LOCATIONS_LINES_MAX];

	*names = (struct annotate_names){ .count = locations->strings->count + 1 };
	names->fit = calloc(names->count, 1);
	if (!names->fit)
		return -ENOMEM;
	for (uint32_t i = 1; i <= locations->table.count; i++) {
		struct location at = locations_get(locations, i);
		size_t count = inlined && at.lines ? locations_lines(locations, at.lines, list) : 0;

		note(names, locations, given, at.name);
		for (size_t k = 0; k + 1 < count; k++)
			note(names, locations, given, list[k].name);
	}
	return 0;
}

void annotate_names_free(struct annotate_names *names)
{
	free(names->fit);
	names->fit = NULL;
}

bool annotate_names_has(const struct annotate_names *names, uint32_t number)
{
	return names->best != NAME_FIT_NONE && number < names->count &&
	       names->fit[number] == 1 + names->best;
}

/* Names that contain the given text are nearer than those with typing errors. */
static unsigned distance(const char *given, const char *name)
{
	size_t length = strlen(given), bytes;
	unsigned edits;

	frame_kind_of(name, &bytes);
	bytes = name_fit_without_parameters(name, bytes);
	if (length >= 3 && strcasestr(name, given))
		return 0;
	edits = text_distance(given, length, name, bytes);
	return edits <= length / 2 && edits <= 4 ? edits : UINT32_MAX;
}

void annotate_names_near(const struct annotate_names *names, const struct locations *locations,
			 const char *given, char *text, size_t bytes)
{
	uint32_t best[NEAR_MOST] = { 0 };
	unsigned edits[NEAR_MOST] = { UINT32_MAX, UINT32_MAX, UINT32_MAX };
	size_t used = 0;

	for (uint32_t i = 1; i < names->count; i++) {
		unsigned far = names->fit[i]
				       ? distance(given, string_table_text(locations->strings, i))
				       : UINT32_MAX;
		size_t place = NEAR_MOST;

		while (place && far < edits[place - 1])
			place--;
		for (size_t k = NEAR_MOST - 1; far != UINT32_MAX && k > place; k--) {
			best[k] = best[k - 1];
			edits[k] = edits[k - 1];
		}
		if (place < NEAR_MOST) {
			best[place] = i;
			edits[place] = far;
		}
	}
	text[0] = '\0';
	for (size_t k = 0; k < NEAR_MOST && best[k] && used < bytes; k++)
		used += (size_t)snprintf(text + used, bytes - used, "%s%s", k ? ", " : "",
					 string_table_text(locations->strings, best[k]));
}
