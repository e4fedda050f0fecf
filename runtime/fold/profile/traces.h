/*
 * Calling contexts by address, process and thread, for formats that want to know more than
 * names: where in which file a frame lay, and whose stack it was on.
 *
 * All spools are in one struct contexts.  The root's children are owners (a thread of a
 * process), all other nodes places (an address); both are numbers, from 1 on.
 */
#ifndef RUNTIME_FOLD_PROFILE_TRACES_H
#define RUNTIME_FOLD_PROFILE_TRACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/spool/spool.h"

struct contexts;
struct namer;
struct profile_options;
struct spool_read;
struct spool_read_node;
struct spool_read_thread;
struct spool_read_weight;
struct string_table;
struct traces;

/* One file with its build-id, at the addresses where the first process had it. */
struct traces_mapping {
	uint64_t start;
	uint64_t end;
	uint64_t bias;
	uint32_t path; /* a number for traces_text, as all texts below */
	uint32_t build_id_bytes;
	uint8_t build_id[SPOOL_BUILD_ID_MAX];
	bool kernel;
	bool named;   /* one of its places has the name of a function */
	bool lined;   /* the same for a line */
	bool inlined; /* the same for an inlined function */
};

struct traces_place {
	uint64_t address; /* within the mapping if there is one: as if loaded where it is */
	uint32_t mapping; /* 0: none */
	uint32_t name;	  /* of the frame */
	uint32_t lines;	  /* for traces_lines; 0: none */
	uint32_t zero;
};

/* What the source says of a place: one function of it. */
struct traces_line {
	uint32_t name;
	uint32_t file; /* 0: unknown, and so is the line */
	uint32_t line;
	uint32_t start_line; /* of the function; 0: unknown */
};

#define TRACES_LINES_MAX 64

struct traces_owner {
	uint32_t pid;
	uint32_t tid; /* 0: ended threads of one name */
	uint32_t command;
	uint32_t thread;
};

/* `namer` and `strings` must outlive the result.  Places have lines only if `options` asks for
 * lines or inlined functions.  NULL when memory is out. */
struct traces *traces_new(struct namer *namer, struct string_table *strings,
			  const struct profile_options *options);
void traces_free(struct traces *traces);

/* A spool's threads come next; namer_begin was called for it.  Returns 0 or -ENOMEM. */
int traces_begin(struct traces *traces, const struct spool_read *spool);

/* The owner of the stacks of a thread of that spool.  CONTEXTS_NONE when memory is out. */
uint32_t traces_thread(struct traces *traces, const struct spool_read_thread *thread);

/* The node of traces_contexts for a node of that thread; `nodes` has those of the nodes before it.
 * CONTEXTS_NONE when memory is out. */
uint32_t traces_node(struct traces *traces, const struct spool_read_node *node, uint32_t owner,
		     const uint32_t *nodes);

/* Add the weights of a node of that thread, by the spool's counters, which are known to traces by
 * the numbers in `counter`.  Returns 0 or -ENOMEM. */
int traces_weigh(struct traces *traces, uint32_t node, uint32_t owner, const uint32_t *counter,
		 const struct spool_read_weight *weights);

/* Add a stack without addresses: the command, then frames, outermost first.
 * Returns 0 or -ENOMEM. */
int traces_add_stack(struct traces *traces, const char *const *names, size_t depth,
		     const struct spool_read_weight *weight, uint32_t counter);

/* The text of a number, and the symbol in its file that a frame's name was made of. */
const char *traces_text(const struct traces *traces, uint32_t number);
const char *traces_symbol(const struct traces *traces, uint32_t name);

const struct contexts *traces_contexts(const struct traces *traces);

/* The first mapping is the first process's executable. */
uint32_t traces_mapping_count(const struct traces *traces);
const struct traces_mapping *traces_mapping(const struct traces *traces, uint32_t mapping);

uint32_t traces_place_count(const struct traces *traces);
struct traces_place traces_place(const struct traces *traces, uint32_t place);

/* The functions of a place, innermost inlined one first.  Returns how many, 0 without lines. */
size_t traces_lines(const struct traces *traces, uint32_t lines,
		    struct traces_line list[TRACES_LINES_MAX]);

uint32_t traces_owner_count(const struct traces *traces);
struct traces_owner traces_owner(const struct traces *traces, uint32_t owner);

#endif
