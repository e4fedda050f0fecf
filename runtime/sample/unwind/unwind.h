/*
 * The unwinder as a whole: its start, and what it forgets.  unwind_walk.h has the walk.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_UNWIND_H
#define RUNTIME_SAMPLE_UNWIND_UNWIND_H

/* Load libunwind privately, map the rule cache, close what libunwind opened.
 * Returns 0; or -errno (-ENOENT: no libunwind; walks then use frame pointers only).
 * Context: init, once per process image. */
int unwind_start(void);

/* Touch all that walks write to.  Without this a page is taken when a walk first writes to it,
 * in a handler, which a target that counts page faults would see.
 * Context: init, after unwind_start. */
void unwind_populate(void);

/* Forget all rules: call after a library was unloaded.  Before glibc 2.35 this also lists the
 * loaded objects anew (unwind_snapshot.h), and takes the loader's lock.  Context: thread. */
void unwind_forget(void);

#endif
