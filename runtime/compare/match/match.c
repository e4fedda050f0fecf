/*
 * Renames apply before a name is numbered, so that everything after that sees the new name on both
 * sides.
 */
#include "runtime/compare/match/match.h"

#include <errno.h>
#include <string.h>

#include "runtime/compare/match/match_commands.h"
#include "runtime/compare/match/match_groups.h"
#include "runtime/compare/match/match_scripts.h"

/* Tell readers of a name that the user changed, once for all runs that have it. */
static int tell(struct match *match, enum match_role role, uint32_t number, const char *old)
{
	for (size_t i = 0; i < match->pair_count; i++) {
		const struct match_pair *pair = &match->pairs[i];

		if (pair->number == number && pair->role == role && !strcmp(pair->old, old))
			return 0;
	}
	old = match_names_text(match, old, strlen(old));
	return old ? match_names_tell(match, role, number, old, match->list[role][number - 1].name)
		   : -ENOMEM;
}

uint32_t match_number(struct match *match, enum match_role role, enum runs_side side,
		      const char *name)
{
	const char *as = name;
	bool given = false;
	uint32_t number;

	if (side == RUNS_BEFORE)
		as = match_renamed(match, role, name, &given);
	number = as ? match_names_number(match, role, as) : 0;
	if (!number || !given)
		return number;
	match->list[role][number - 1].given = true;
	return tell(match, role, number, name) ? 0 : number;
}

int match_decide(struct match *match, enum match_role role, const size_t runs[RUNS_SIDES])
{
	int err = 0;

	if (!match->options.exact)
		err = match_groups(match, role, runs);
	if (!err && role == MATCH_OUTER)
		err = match_commands(match);
	if (!err && role == MATCH_INNER && !match->options.exact)
		err = match_scripts(match);
	return err;
}
