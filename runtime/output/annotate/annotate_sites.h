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
#include "runtime/spool/format.h"

struct annotate_names;
struct profile_trees;
struct symbols;

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
