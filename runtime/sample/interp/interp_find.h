/*
 * The interpreters among the loaded objects: at most one object for each runtime.
 */
#ifndef RUNTIME_SAMPLE_INTERP_INTERP_FIND_H
#define RUNTIME_SAMPLE_INTERP_INTERP_FIND_H

#include <stdbool.h>
#include <stdint.h>

struct interp_runtime;

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
