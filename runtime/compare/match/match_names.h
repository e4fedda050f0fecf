/*
 * The names of both sides while they are matched, with their weights and what each is compared as.
 */
#ifndef RUNTIME_COMPARE_MATCH_MATCH_NAMES_H
#define RUNTIME_COMPARE_MATCH_MATCH_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/profile/base/string_table.h"
#include "runtime/compare/match/name_form.h"
#include "runtime/compare/match/runs_options.h"

enum match_role {
	MATCH_OUTER, /* commands, processes, threads, labels */
	MATCH_INNER, /* functions or modules */
	MATCH_ROLES
};

/* One name of a role.  The caller sums the values. */
struct match_name {
	const char *name;
	const char *as;		    /* the name that it is compared as */
	double self[RUNS_SIDES];    /* sums over all runs */
	double total[RUNS_SIDES];   /* sums over all frames of that name */
	double command[RUNS_SIDES]; /* of these, first frames */
	double script[RUNS_SIDES];  /* … functions of an interpreter that no other one called */
	size_t runs[RUNS_SIDES];    /* how many have it */
	size_t last[RUNS_SIDES];    /* the last run that was counted, from 1 */
	bool noise;
	bool interp; /* a function of an interpreted program */
	bool given;  /* a rename of the user's leads to it */
	enum name_form kind;
	uint32_t group; /* names of one form */
};

/* Two names that are one, for readers. */
struct match_pair {
	const char *old;
	const char *new_name;
	enum match_role role;
	uint32_t number; /* of the name whose weight orders the list */
	double weight;
};

struct match {
	struct runs_options options;
	struct string_table names[MATCH_ROLES];
	struct match_name *list[MATCH_ROLES]; /* by number - 1 */
	size_t count[MATCH_ROLES];
	struct string_table texts; /* names that no run has */
	struct match_pair *pairs;
	size_t pair_count;
	const char *(*commands)[2]; /* commands of two names: before and after */
	size_t command_count;
};

void match_names_free(struct match *match); /* frees what a zeroed struct was filled with */

/* Returns the number of a name, from 1, for match->list; 0 when memory is out. */
uint32_t match_names_number(struct match *match, enum match_role role, const char *name);

/* Returns 1 if a run of that side has the name, 0 if none has it so far; or -ENOMEM. */
int match_names_has(struct match *match, enum match_role role, enum runs_side side,
		    const char *name);

/* Order the pairs, largest weight first. */
void match_names_order(struct match *match);

/* Add a pair to the list.  Returns 0 or -ENOMEM. */
int match_names_tell(struct match *match, enum match_role role, uint32_t number, const char *old,
		     const char *new_name);

/* Returns a copy of a text that the match owns; NULL when memory is out. */
const char *match_names_text(struct match *match, const char *text, size_t bytes);

#endif
