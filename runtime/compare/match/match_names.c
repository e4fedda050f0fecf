/*
 * A name is copied when it is numbered, so that it outlives the stacks that had it.
 */
#include "runtime/compare/match/match_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/compare/statistics/noise.h"
#include "runtime/profile/symbols/frame_kind.h"

void match_names_free(struct match *match)
{
	for (int role = 0; role < MATCH_ROLES; role++) {
		string_table_free(&match->names[role]);
		free(match->list[role]);
	}
	string_table_free(&match->texts);
	free(match->pairs);
	free(match->commands);
	*match = (struct match){ .pairs = NULL };
}

const char *match_names_text(struct match *match, const char *text, size_t bytes)
{
	uint32_t number = string_table_intern(&match->texts, text, bytes);

	return number ? string_table_text(&match->texts, number) : NULL;
}

int match_names_tell(struct match *match, enum match_role role, uint32_t number, const char *old,
		     const char *new_name)
{
	if (!grow(&match->pairs, match->pair_count, sizeof(*match->pairs)))
		return -ENOMEM;
	match->pairs[match->pair_count++] = (struct match_pair){
		.old = old, .new_name = new_name, .role = role, .number = number
	};
	return 0;
}

uint32_t match_names_number(struct match *match, enum match_role role, const char *name)
{
	struct string_table *names = &match->names[role];
	uint32_t number = string_table_intern(names, name, strlen(name));
	size_t bytes;

	if (number <= match->count[role])
		return number;
	if (!grow(&match->list[role], match->count[role], sizeof(*match->list[role])))
		return 0;
	name = string_table_text(names, number);
	match->list[role][match->count[role]++] = (struct match_name){
		.name = name,
		.as = name,
		.noise = role == MATCH_INNER && noise_is(name),
		.interp = frame_kind_of(name, &bytes) == FRAME_KIND_INTERP,
	};
	return number;
}

int match_names_has(struct match *match, enum match_role role, enum runs_side side,
		    const char *name)
{
	uint32_t number = match_names_number(match, role, name);

	return number ? match->list[role][number - 1].runs[side] > 0 : -ENOMEM;
}

static int by_weight(const void *left, const void *right)
{
	const struct match_pair *a = left;
	const struct match_pair *b = right;
	int order = (a->weight < b->weight) - (a->weight > b->weight);

	if (!order)
		order = strcmp(a->old, b->old);
	return order ? order : strcmp(a->new_name, b->new_name);
}

void match_names_order(struct match *match)
{
	for (size_t i = 0; i < match->pair_count; i++) {
		struct match_pair *pair = &match->pairs[i];
		const struct match_name *name = &match->list[pair->role][pair->number - 1];

		pair->weight = name->total[RUNS_BEFORE] + name->total[RUNS_AFTER];
	}
	if (match->pairs)
		qsort(match->pairs, match->pair_count, sizeof(*match->pairs), by_weight);
}
