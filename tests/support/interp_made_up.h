/*
 * Made-up runtimes for unit tests: their interpreters are libc and cmocka.  A test puts them in
 * place of those that flametrap knows: interp_runtimes[] = { &interp_made_up_libc,
 * &interp_made_up_cmocka }.  A case begins without a known object, and the runtimes find nothing.
 */
#ifndef TESTS_SUPPORT_INTERP_MADE_UP_H
#define TESTS_SUPPORT_INTERP_MADE_UP_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/interp/interp.h"
#include "runtime/sample/interp/interp_runtime.h"

/* The depth of the one native stack, whose addresses are 0x1000, 0x1001, … */
#define INTERP_MADE_UP_DEPTH  6
#define INTERP_MADE_UP_PLACES 16

struct interp_made_up {
	struct modules *modules;
	uint64_t in_libc, in_cmocka; /* addresses of code */
	uint64_t pcs[INTERP_MADE_UP_DEPTH];
	const char *refusal; /* what both runtimes say of an object; NULL: they accept it */
	unsigned looks, forgets, walks;
	char noted[128];
	struct { /* what the two runtimes find */
		struct interp_place place[INTERP_MADE_UP_PLACES];
		unsigned count;
		enum interp_outcome outcome;
	} finds[2];
};

extern struct interp_made_up interp_made_up;
extern const struct interp_runtime interp_made_up_libc, interp_made_up_cmocka;

/* Begin a table of modules anew, as the child of a fork does. */
void interp_made_up_modules(void);

/* Start as a session does, with all loaded objects, up to the first sample. */
void interp_made_up_start(void);

/* The same when libc's code is at that place of the stack. */
void interp_made_up_libc_runs(unsigned place);

/* Receives the line of a refusal. */
void interp_made_up_note(const char *line);

/* Let a runtime find one more function. */
void interp_made_up_place(unsigned runtime, uint32_t native, uint64_t pc);

/* What a merge of the stack came to. */
struct interp_made_up_merged {
	enum interp_outcome outcome;
	unsigned depth;
	const uint64_t *pcs;
	bool cut;
};

/* Merge the stack, with room for that many frames, at most four times its depth. */
struct interp_made_up_merged interp_made_up_merge(unsigned room);

#endif
