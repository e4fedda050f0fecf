/*
 * The same function in two builds and in several runs: decides which names are one.
 *
 * Names that differ only by what name_form() leaves out are candidates.  Names that both sides have
 * stay apart from each other, unless most of the weight of addresses is on one side only, a
 * function has a copy on one side only, or some of its calls were inlined and others were not.
 */
#ifndef RUNTIME_COMPARE_MATCH_MATCH_H
#define RUNTIME_COMPARE_MATCH_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/compare/match/match_names.h"

/* Returns the number of a name of a side, like match_names_number().  Names of the side before get
 * their new names if the user gave them, or with their command, so the other side's come first. */
uint32_t match_number(struct match *match, enum match_role role, enum runs_side side,
		      const char *name);

/* Decide what each name of a role is compared as, after all were numbered and weighed; outer ones
 * before the first inner one is numbered.  `runs`: how many each side has.  Returns 0 or
 * -ENOMEM. */
int match_decide(struct match *match, enum match_role role, const size_t runs[RUNS_SIDES]);

#endif
