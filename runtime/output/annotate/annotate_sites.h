/*
 * Where in a function the weight of a profile is: by address, or by line in a function of an
 * interpreted program.
 *
 * A function may have several copies: in several files, static ones in one file, and with inlined
 * functions one in each function that inlines it.
 */
#ifndef RUNTIME_OUTPUT_ANNOTATE_ANNOTATE_SITES_H
#define RUNTIME_OUTPUT_ANNOTATE_ANNOTATE_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/profile/base/map.h"
#include "runtime/profile/symbols/name_fit.h"
#include "runtime/spool/format.h"

struct location;
struct locations;
struct profile;
struct profile_trees;
struct symbols;

/* Which functions of a profile a user means by a name. */
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

/* The code that a location of a profile is in, and whether its file is the one that was sampled. */

/* Returns the address of a location: of its file's own, or as it is for code that is in no file. */
uint64_t annotate_place_address(const struct locations *locations, const struct location *at);

/* Returns true for a location that says what a sample hit, such as the memory of a page fault: its
 * weight is that of the code above it. */
bool annotate_place_is_data(const struct locations *locations, const struct location *at);

/* Find the code that a sample weighs at which ends at a node of locations->calls: its mapping, and
 * the address in the mapping's file.  Returns false if that is in no file. */
bool annotate_place_find(const struct locations *locations, uint32_t node, uint32_t *mapping,
			 uint64_t *address);

/* Returns when the last process of a profile ended, in ns since 1970; UINT64_MAX if one still runs
 * or that is not known. */
uint64_t annotate_place_ended(const struct profile *profile);

/* Returns when a file changed, in ns since 1970; 0 if it cannot be looked at. */
uint64_t annotate_place_changed(const char *path);

struct annotate_weight {
	uint64_t self;
	uint64_t total; /* with what was called from there */
};

enum annotate_kind {
	ANNOTATE_NATIVE,      /* in a file, or the vDSO */
	ANNOTATE_INTERPRETED, /* its sites are lines */
	ANNOTATE_KERNEL,
	ANNOTATE_OTHER, /* code of a run-time compiler, or unknown */
};

struct annotate_site {
	uint64_t address; /* of a file: its own address; a line number; or an absolute address */
	size_t weights;	  /* index of its first weight */
};

struct annotate_copy {
	enum annotate_kind kind;
	uint32_t mapping;	 /* of the profile's locations; 0: none */
	const char *name;	 /* of the frame, owned by the profile */
	const char *outer;	 /* the function that inlines it; NULL: it is not inlined */
	char *inlined;		 /* its name as in the debug information, if `outer`; owned */
	const char *path;	 /* of its object; of its script; NULL: unknown */
	bool replaced;		 /* the object is not the one that was sampled */
	struct symbols *symbols; /* of its object; NULL: not known.  The machine owns them */
	uint64_t start;		 /* of the function that has the code; 0 if not known */
	uint64_t end;
	struct annotate_weight
		sum[SPOOL_COUNTERS_MAX]; /* by counter, as in struct annotate_sites */
	struct annotate_site *sites;	 /* by address */
	size_t count;
};

struct annotate_sites {
	const struct profile_trees *merge;
	unsigned counters[SPOOL_COUNTERS_MAX]; /* of the profile */
	bool events[SPOOL_COUNTERS_MAX];       /* weights are events, not samples */
	unsigned counter_count;
	uint64_t ended_ns;		    /* of the profile: annotate_place_ended() */
	uint64_t whole[SPOOL_COUNTERS_MAX]; /* of all stacks */
	struct annotate_copy *copies;	    /* those with the most weight first */
	size_t count;
	struct annotate_weight *weights; /* counter_count for each site */
	size_t weight_count;		 /* sites */
	struct map copy_numbers;
	struct map site_numbers; /* {copy, address} to its index + 1 */
};

/* Find the weights of the functions that `names` has, in stacks with locations.  The caller has
 * filled the counters and `ended_ns`.  Weights that name data, such as the memory that a page fault
 * is in, belong to the instruction.  Returns 0 or -ENOMEM; always call annotate_sites_free(). */
int annotate_sites_find(struct annotate_sites *sites, const struct profile_trees *merge,
			const struct annotate_names *names);
void annotate_sites_free(struct annotate_sites *sites);

/* Returns true if a copy has weight of its own in one of the counters. */
bool annotate_sites_has_own(const struct annotate_sites *sites, const struct annotate_copy *copy);

#endif
