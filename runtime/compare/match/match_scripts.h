/*
 * Scripts of two names: old.py and new.py.  The functions of a Python script have its name
 * ("old.parse_[p]"); of scripts in other languages only the lines outside of functions have it
 * ("{main} old.php_[p]").
 */
#ifndef RUNTIME_COMPARE_MATCH_MATCH_SCRIPTS_H
#define RUNTIME_COMPARE_MATCH_MATCH_SCRIPTS_H

#include "runtime/compare/match/match_names.h"

/* If the script that ran longest on each side is one that the other side lacks, compare both as
 * one: set `as` of the functions of the side before.  Returns 0 or -ENOMEM. */
int match_scripts(struct match *match);

#endif
