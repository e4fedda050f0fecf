/*
 * The call tree by address, process and thread, for formats that need more than names: the file and
 * address of a frame, and the thread of its stack.
 *
 * All spools are in one struct call_tree.  The root's children are owners (a thread of a process),
 * all other nodes are locations (an address).  Both are numbers, from 1 on.
 */
#ifndef RUNTIME_PROFILE_TREE_LOCATIONS_H
#define RUNTIME_PROFILE_TREE_LOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/profile/base/map.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/profile/tree/profile_options.h"
#include "runtime/spool/format_log.h"

struct label_part;
struct spool_read_node;
struct spool_read_thread;
struct spool_read_weight;

/* One file with its build ID, at the addresses where the first process had it mapped; or the
 * functions of one interpreter, `[python]`. */
struct location_mapping {
	uint64_t start;
	uint64_t end;
	uint64_t bias;
	uint32_t path; /* a number of locations.strings, like all texts below */
	uint32_t build_id_bytes;
	uint8_t build_id[SPOOL_BUILD_ID_MAX];
	uint64_t file_bytes; /* with options.sources; 0: not known yet, UINT64_MAX: no file */
	bool kernel;
	bool named;   /* one of its locations has a function's name */
	bool lined;   /* one of its locations has a line */
	bool inlined; /* one of its locations has an inlined function */
};

struct location {
	uint64_t address; /* within its mapping, if any: as if the file were mapped there */
	uint32_t mapping; /* 0: none */
	uint32_t name;	  /* of the frame */
	uint32_t lines;	  /* for locations_lines(); 0: none */
	uint32_t zero;
};

/* One function at a location, from the source information. */
struct location_line {
	uint32_t name;
	uint32_t file; /* 0: file and line are unknown */
	uint32_t line;
	uint32_t start_line; /* first line of the function; 0: unknown */
};

#define LOCATIONS_LINES_MAX 64

struct location_owner {
	uint32_t pid;
	uint32_t tid; /* 0: merged ended threads of one name */
	uint32_t command;
	uint32_t thread;
	uint32_t labels; /* for locations_labels(); 0: none */
};

struct location_label {
	uint32_t key; /* a number of locations.strings, like the value */
	uint32_t value;
};

/* Others only read it. */
struct locations {
	struct profile_options options;
	struct namer *namer;
	struct string_table *strings; /* has the texts of all numbers */
	struct call_tree *calls;
	struct string_table table;  /* bytes of struct location */
	struct string_table owners; /* bytes of struct location_owner */
	struct string_table lines;  /* bytes of one or more struct location_line */
	struct string_table labels; /* bytes of one or more struct location_label */
	struct string_table files;  /* keys of mappings: their numbers are the mappings' */
	/* by number - 1; the first is the first process's executable */
	struct location_mapping *mappings;
	uint32_t mapping_count;
	struct location_line *leaves; /* by location - 1: of those with options.sources */
	uint32_t leaf_count;
	const struct spool_read *spool; /* the spool that is being added */
	struct map addresses;		/* of that spool: {pc, generation} to location */
};

/* `namer` and `strings` must outlive the result.  Locations of native code have lines only if
 * `options` requests lines or inlined functions.  Returns NULL when memory is out. */
struct locations *locations_new(struct namer *namer, struct string_table *strings,
				const struct profile_options *options);
void locations_free(struct locations *locations);

/* The threads of a spool follow; namer_begin() was called for it.  Returns 0 or -ENOMEM. */
int locations_begin(struct locations *locations, const struct spool_read *spool);

/* Returns the owner of the stacks of a thread of that spool, or of a part of it (label_split.h;
 * NULL: the whole).  CALL_TREE_NONE when memory is out. */
uint32_t locations_thread(struct locations *locations, const struct spool_read_thread *thread,
			  const struct label_part *part);

/* Returns the node of locations.calls for a node of that thread.  `nodes` has the results for the
 * nodes before it.  CALL_TREE_NONE when memory is out. */
uint32_t locations_node(struct locations *locations, const struct spool_read_node *node,
			uint32_t owner, const uint32_t *nodes);

/* Returns the node at which the stacks of a node of that thread end: it, or one below the owner if
 * no frame of the stack is shown.  CALL_TREE_NONE when memory is out. */
uint32_t locations_end(struct locations *locations, uint32_t node, uint32_t owner);

/* Add a weight of the profile's counter `counter` to a node of that thread.  Returns 0 or
 * -ENOMEM. */
int locations_weigh(struct locations *locations, uint32_t node, uint32_t owner, uint32_t counter,
		    const struct spool_read_weight *weight);

/* Find the source line of the leaf of a stack that ends at a node of that thread, where `options`
 * requests sources.  Returns 0 or -ENOMEM. */
int locations_find_leaf(struct locations *locations, uint32_t node,
			const struct spool_read_node *leaf);

/* Returns true, with the innermost function and its line, for a node of locations.calls whose line
 * is known. */
bool locations_leaf(const struct locations *locations, uint32_t node, struct location_line *line);

/* Add a stack without addresses: the command, then frames, outermost first.  Returns 0 or
 * -ENOMEM. */
int locations_add_stack(struct locations *locations, const char *const *names, size_t depth,
			const struct spool_read_weight *weight, uint32_t counter);

/* Returns the symbol in its file that a frame's name was made of. */
const char *locations_symbol(const struct locations *locations, uint32_t name);

struct location locations_get(const struct locations *locations, uint32_t number);

/* List the functions of a location, innermost inlined one first.  Returns how many; 0 without
 * lines. */
size_t locations_lines(const struct locations *locations, uint32_t lines,
		       struct location_line list[LOCATIONS_LINES_MAX]);

/* List the functions of a location, innermost first: its lines, or its name alone.  Returns how
 * many, at least 1. */
size_t locations_functions(const struct locations *locations, const struct location *at,
			   struct location_line list[LOCATIONS_LINES_MAX]);

#define LOCATIONS_LABELS_MAX (SPOOL_LABEL_SET_MAX + 2)

/* List the labels of an owner, and its trace as `trace_id` and `span_id`.  Returns how many. */
size_t locations_labels(const struct locations *locations, uint32_t labels,
			struct location_label list[LOCATIONS_LABELS_MAX]);

struct location_owner locations_owner(const struct locations *locations, uint32_t owner);

#endif
