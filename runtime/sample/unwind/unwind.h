/*
 * The unwinder as a whole: how it starts and how it forgets.  The walk is in unwind_walk.h.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_UNWIND_H
#define RUNTIME_SAMPLE_UNWIND_UNWIND_H

/* Load libunwind privately, map the rule cache, close what libunwind opened.
 * Returns 0; or -errno (-ENOENT: no libunwind; walks then use frame pointers only).
 * Context: init, once per process image. */
int unwind_start(void);

/* Touch all memory that walks write to.  Otherwise a walk's first write to a page would cause a
 * page fault in a handler, which is visible in a target that counts page faults.  Context: init,
 * after unwind_start. */
void unwind_populate(void);

/* Forget all rules.  Call it after a library was unloaded.  Before glibc 2.35 it also takes the
 * list of loaded objects again (unwind_snapshot.h), under the loader's lock.  Context: thread. */
void unwind_forget(void);

#endif
