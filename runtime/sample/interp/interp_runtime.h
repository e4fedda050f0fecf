/*
 * What one runtime is to interp_find.c and interp_merge.c: how it is recognised, and how its
 * functions are found.
 */
#ifndef RUNTIME_SAMPLE_INTERP_INTERP_RUNTIME_H
#define RUNTIME_SAMPLE_INTERP_INTERP_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/sample/interp/interp.h"
#include "runtime/spool/format_code.h"

/* A loaded object that exports a runtime's mark. */
struct interp_object {
	uint64_t start, end; /* its mappings */
	uint64_t bias;
};

/* Get the address and the size of a symbol that the object exports; of a thread-local one, its
 * offset in the object's block.  False if it has none, or if its tables cannot be read.  Reads by
 * memory_copy().  Context: within look(). */
bool interp_object_symbol(const struct interp_object *object, const char *name, uint64_t *address,
			  uint64_t *bytes);

/* A range of code. */
struct interp_range {
	uint64_t start, end;
};

/* Get the range of a function that the object exports.  False if it has none, or an empty one. */
static inline bool interp_object_range(const struct interp_object *object, const char *name,
				       struct interp_range *range)
{
	uint64_t bytes;

	if (!interp_object_symbol(object, name, &range->start, &bytes))
		return false;
	range->end = range->start + bytes;
	return bytes != 0;
}

static inline bool interp_is_in(struct interp_range range, uint64_t pc)
{
	return pc - range.start < range.end - range.start;
}

/* False if there is no room: the outermost functions are cut, and the walk may end. */
static inline bool interp_place_add(struct interp_places *places, uint32_t native, uint64_t pc)
{
	if (places->count == places->max)
		return false;
	places->place[places->count++] = (struct interp_place){ native, pc };
	return true;
}

struct interp_runtime {
	const char *name; /* for one line in the profile: "CPython" */
	const char *mark; /* a symbol that only this interpreter exports */
	/* Find what is needed of libc.  NULL: nothing is.  Context: init. */
	void (*start)(void);
	/* Learn what is needed of the object that exports the mark, from what the runtime
	 * publishes. False, with `why` a text such as "3.15 is not known", or NULL for no line in
	 * the profile: the object is left alone.  It may be called again for another object, for
	 * the same file loaded anew, and for the same object after forget(). Context: init, signal;
	 * no other call of this runtime at the same time. */
	bool (*look)(const struct interp_object *object, const char **why);
	/* Find the functions in a stack that has a frame in the object.  The places of an outcome
	 * other than MERGED, PENDING and PARTIAL are dropped.
	 * Context: signal, any number of threads. */
	enum interp_outcome (*walk)(const struct interp_stack *stack, struct interp_reader *reader,
				    struct interp_places *places);
	/* The object is gone, or the process is the child of a fork, whose functions have no
	 * numbers yet.  Context: as look(). */
	void (*forget)(void);
};

#define INTERP_RUNTIMES_ONE(id, number, name) +1
#define INTERP_RUNTIMES_MAX		      (0 SPOOL_LANGUAGES(INTERP_RUNTIMES_ONE))

/* The runtimes of all rows of SPOOL_LANGUAGES, and NULL behind them. */
extern const struct interp_runtime *const interp_runtimes[INTERP_RUNTIMES_MAX + 1];

#define INTERP_RUNTIMES_ROW(id, number, name) extern const struct interp_runtime interp_##name;
SPOOL_LANGUAGES(INTERP_RUNTIMES_ROW)

/* The interpreters among the loaded objects, for interp_merge.c: at most one for each runtime. */

/* An object whose runtime has learnt from it all that it needs. */
struct interp_found {
	const struct interp_runtime *runtime;
	uint64_t start, end;
	bool stays; /* it is the executable, which is never unloaded */
};

enum interp_find {
	INTERP_FIND_SURE,  /* each object is there */
	INTERP_FIND_STALE, /* each was there; it is read only if it stays */
	INTERP_FIND_NONE,  /* they are being looked at */
};

/* Keep the objects that were found from being forgotten, until interp_find_leave(), which is called
 * unless the result is NONE.  Never waits.  Context: signal; likewise the others. */
enum interp_find interp_find_enter(void);
void interp_find_leave(void);

/* Returns the object of the runtime of that number, in between; NULL if there is none. */
const struct interp_found *interp_find_get(unsigned runtime);

#endif
