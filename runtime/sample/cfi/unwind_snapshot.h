/*
 * The loaded objects at the time of the last snapshot, for C libraries without _dl_find_object
 * (glibc before 2.35), where a handler cannot ask.  The list is taken at the start and after each
 * unload of a library.  An object that dlopen(3) loads is unknown until then, and its frames are
 * guessed.
 */
#ifndef RUNTIME_SAMPLE_CFI_UNWIND_SNAPSHOT_H
#define RUNTIME_SAMPLE_CFI_UNWIND_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

/* One loaded object. */
struct unwind_object {
	uint64_t start; /* of all that is mapped, holes included */
	uint64_t end;
	uint64_t eh_frame; /* PT_GNU_EH_FRAME: .eh_frame_hdr; 0: none */
};

/* Takes the list again, under the loader's lock.  Context: init, thread. */
void unwind_snapshot_take(void);

/* Finds the object that address lies in.  False: there is none, or a snapshot is being taken.
 * Context: signal. */
bool unwind_snapshot_find(uint64_t address, struct unwind_object *object);

#endif
