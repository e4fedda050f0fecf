/*
 * The same function in two builds and in several runs: decides which names are one.
 *
 * Names that differ only by what name_form() leaves out are candidates.  Names that both sides have
 * stay apart from each other, unless most of the weight of addresses is on one side only, a
 * function has a copy on one side only, or some of its calls were inlined and others were not.
 */
#ifndef RUNTIME_COMPARE_MATCH_MATCH_H
#define RUNTIME_COMPARE_MATCH_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/compare/match/runs_options.h"
#include "runtime/profile/base/string_table.h"

/*
 * Names of functions without what differs between two builds of the same program, so that the same
 * function is one in both.
 */

/* What a name has that its form lacks, and what it says of two names with one form.  If several
 * were left out, the largest counts. */
enum name_form {
	NAME_FORM_SAME,	   /* nothing: the name is its own form */
	NAME_FORM_VERSION, /* a version: two of them in one profile are two things */
	NAME_FORM_COPY,	   /* what compilers add to copies of a function: all are that function */
	NAME_FORM_NUMBER,  /* a number of a process or thread: chosen anew by each run */
	NAME_FORM_ADDRESS, /* an address: it holds for one build, or for one run */
};

/* Write a frame's name without: versions of libraries ("[libz.so.1.2.13]"), addresses of code
 * and data without a name ("libz.so.1@0x12ab", "0x7f12ab", "[data libz.so.1+0x40]"), addresses of
 * Java's hidden classes, suffixes of copies that compilers make (".constprop.0", ".cold",
 * "[clone .isra.0]"), the mark of inlined functions, hashes of Rust's symbols and of BPF programs,
 * and the optimisation marks of V8 ("LazyCompile:*f").  Suffixes of other kinds of code stay.
 * `form` has room for strlen(name) + 1 bytes, and for 16.  Context: any. */
enum name_form name_form(const char *name, char *form);

/* The same for a module's name that is not in brackets. */
enum name_form name_form_module(const char *name, char *form);

/* The same for a frame that stands for a command, process, thread or label: without numbers of
 * processes and threads ("worker/1234"), and versions ("python3.11"). */
enum name_form name_form_outer(const char *name, char *form);

/* Write the module of a name of an address with its version, in brackets as modules are:
 * "[libz.so.1]" of "libz.so.1@0x12ab"; for other names the name itself.  `place` has room as a form
 * has. */
void name_form_place(const char *name, char *place);

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

/* Returns the number of a name of a side, from 1, for match->list; 0 when memory is out.  Names of
 * the side before get their new names if the user gave them, or with their command, so the other
 * side's come first. */
uint32_t match_number(struct match *match, enum match_role role, enum runs_side side,
		      const char *name);

/* Decide what each name of a role is compared as, after all were numbered and weighed, outer ones
 * before the first inner one.  `runs`: how many each side has.  Returns 0 or -ENOMEM. */
int match_decide(struct match *match, enum match_role role, const size_t runs[RUNS_SIDES]);

/* Order the pairs, largest weight first. */
void match_order(struct match *match);

/* Frees what a zeroed struct was filled with. */
void match_free(struct match *match);

/* Returns true if a frame of this name, with its callees, is noise of the machine: interrupts and
 * their deferred work (softirqs), preemption, and sampling itself.  It varies between runs of a
 * program by more than samples do, so it takes no part in a comparison. */
bool match_is_noise(const char *name);

/*
 * The steps of match_decide().
 */

/* Returns 1 if a run of that side has the name, 0 if none has it so far; or -ENOMEM. */
int match_has(struct match *match, enum match_role role, enum runs_side side, const char *name);

/* Add a pair to the list.  Returns 0 or -ENOMEM. */
int match_add_pair(struct match *match, enum match_role role, uint32_t number, const char *old,
		   const char *new_name);

/* Returns a copy of a text that the match owns; NULL when memory is out. */
const char *match_text(struct match *match, const char *text, size_t bytes);

/* Returns what a name of the side before is called after: by the user's renames (sets *given), or
 * by those of commands.  The match owns a new text.  NULL when memory is out. */
const char *match_renamed(struct match *match, enum match_role role, const char *name, bool *given);

/* Decide for the names of one form whether they are one: set `as` of all names of a role that are
 * compared as another.  Returns 0 or -ENOMEM. */
int match_groups(struct match *match, enum match_role role, const size_t runs[RUNS_SIDES]);

/* After outer names were decided: compare the largest commands that only one side has as one, and
 * keep the names of all commands that have two.  Returns 0 or -ENOMEM. */
int match_commands(struct match *match);

/* If the script that ran longest on each side is one that the other side lacks, compare both as
 * one: set `as` of the functions of the side before.  Returns 0 or -ENOMEM. */
int match_scripts(struct match *match);

#endif
