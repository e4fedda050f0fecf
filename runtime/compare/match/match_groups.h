/*
 * Decides for the names of one form whether they are one.
 */
#ifndef RUNTIME_COMPARE_MATCH_MATCH_GROUPS_H
#define RUNTIME_COMPARE_MATCH_MATCH_GROUPS_H

#include "runtime/compare/match/match_names.h"

/* Set `as` of all names of a role that are compared as another.  Returns 0 or -ENOMEM. */
int match_groups(struct match *match, enum match_role role, const size_t runs[RUNS_SIDES]);

#endif
