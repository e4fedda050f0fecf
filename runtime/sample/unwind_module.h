/*
 * Which loaded object an address belongs to, and where its unwind information is.  Found by
 * glibc's _dl_find_object, which takes no lock and may be called in a signal handler; never, there,
 * by dl_iterate_phdr, which waits for the loader's mutex.
 *
 * Nothing of an object is read but by unwind_memory.c: another thread may unload it, or take its
 * pages away, at any moment.  Headers are read again for every question: a description that is
 * kept could outlive its object.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_MODULE_H
#define RUNTIME_SAMPLE_UNWIND_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#define UNWIND_MODULE_SEGMENTS 12

struct unwind_segment {
	uint64_t low;
	uint64_t high; /* one past the last byte of the last page */
};

/* A loaded object; `segment` lists what may be read of it. */
struct unwind_module {
	uint64_t start; /* of all that is mapped, holes included */
	uint64_t end;
	uint64_t header; /* of .eh_frame_hdr; 0: none */
	unsigned segments;
	unsigned recent; /* segment of the last read */
	bool faulted;	 /* something that should be there could not be read */
	struct unwind_segment segment[UNWIND_MODULE_SEGMENTS];
};

/* Where a function's description is to be found. */
struct unwind_entry {
	uint64_t at;	/* address of its row in the table of .eh_frame_hdr */
	uint64_t start; /* first address of the function */
	uint64_t next;	/* first address of the function after the looked-up address; 0: none */
};

/* Find _dl_find_object; without it (glibc before 2.35), take a list.  Context: init. */
void unwind_module_start(void);

/* Take the list again, if there is no better way.  Context: thread. */
void unwind_module_refresh(void);

/* True if address lies in a loaded object.  Context: signal. */
bool unwind_module_has(uint64_t address);

/* Describe the object that address lies in; false: none.
 * Context: signal, holding the gate; likewise the next two. */
bool unwind_module_find(struct unwind_module *module, uint64_t address);

/* Read bytes, not more than a page, or a word, that lie wholly in one readable segment.  What a
 * segment should hold and cannot be read sets module->faulted. */
bool unwind_module_copy(struct unwind_module *module, void *to, uint64_t address, unsigned size);
bool unwind_module_read(struct unwind_module *module, uint64_t address, uint64_t *word);

/* Find the last function that starts at or below address.  False: no usable table, or no
 * function below; entry->next is valid all the same. */
bool unwind_module_entry(struct unwind_module *module, uint64_t address,
			 struct unwind_entry *entry);

#endif
