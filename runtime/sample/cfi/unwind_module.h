/*
 * Finds the loaded object of an address and its unwind information. glibc's _dl_find_object takes
 * no lock and may be called in a signal handler. dl_iterate_phdr waits for the loader's mutex and
 * is never called there.
 *
 * Only unwind_memory.c reads an object: another thread may unload it, or unmap its pages, at any
 * moment.  What its headers say is kept for as long as rules are.
 */
#ifndef RUNTIME_SAMPLE_CFI_UNWIND_MODULE_H
#define RUNTIME_SAMPLE_CFI_UNWIND_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Copies of unwind information. memory_copy() costs a microsecond, so blocks are kept for as long
 * as rules are: until rule_table_forget().
 */

#define UNWIND_MEMORY_BLOCK  2048 /* divides every page size */
#define UNWIND_MEMORY_BLOCKS 128  /* 256 KB in all */

/* Touch the room for blocks, so that no page fault comes in a handler.  Context: init. */
void unwind_memory_populate(void);

/* Returns a copy of the block that `address` lies in, as it was at some time of this generation of
 * rules; valid until the next call.  NULL: it cannot be read.  Context: signal, holding
 * unwind_lock; likewise the next two. */
const uint8_t *unwind_memory_block(uint64_t address);

/* Copy what was at `address`, at most a block. */
bool unwind_memory_read(void *to, uint64_t address, size_t bytes);

/* Returns a number that identifies these copies of the blocks from `address` on.  0: not all are
 * kept.  Conclusions from the bytes stay valid while the number is the same. */
uint64_t unwind_memory_stamp(uint64_t address, size_t bytes);

#define UNWIND_MODULE_SEGMENTS 12

struct unwind_segment {
	uint64_t low;
	uint64_t high; /* one past the last byte of the last page */
	bool writable; /* its bytes may change while rules are kept */
};

/* A loaded object; `segment` lists its readable parts. */
struct unwind_module {
	uint64_t start; /* bounds of all its mappings, holes included */
	uint64_t end;
	uint64_t header;     /* of .eh_frame_hdr; 0: none */
	uint64_t table;	     /* its rows, 0: not searched for yet … */
	uint64_t rows;	     /* … and how many */
	uint64_t generation; /* the generation of rules it was described for */
	uint64_t copied;     /* the block that was read last … */
	const uint8_t *copy; /* … and where it is now, NULL: nowhere */
	unsigned segments;
	unsigned recent; /* segment of the last read */
	bool faulted;	 /* memory that should be mapped could not be read */
	struct unwind_segment segment[UNWIND_MODULE_SEGMENTS];
};

/* The location of a function's description. */
struct unwind_entry {
	uint64_t at;	/* address of its row in the table of .eh_frame_hdr */
	uint64_t start; /* first address of the function */
	uint64_t end;	/* where it ends; 0: not known (cfi_verify.h) */
	uint64_t next;	/* first address of the function after the looked-up address; 0: none */
};

/* Find _dl_find_object; without it (glibc before 2.35), take a list.  Context: init. */
void unwind_module_start(void);

/* Take the list again where there is no _dl_find_object; else nothing.  Context: thread. */
void unwind_module_refresh(void);

/* True if address lies in a loaded object.  Context: signal. */
bool unwind_module_has(uint64_t address);

/* Describe the object that address lies in; NULL: none.  Good until the next call.
 * Context: signal, holding unwind_lock; likewise the rest. */
struct unwind_module *unwind_module_find(uint64_t address);

/* Read bytes, not more than a page, that lie wholly in one readable segment.  What a segment
 * should hold and cannot be read sets module->faulted. */
bool unwind_module_copy(struct unwind_module *module, void *to, uint64_t address, unsigned size);

/* Like unwind_module_copy(), for a word.  Most words are in the block that was read last. */
static inline bool unwind_module_read(struct unwind_module *module, uint64_t address,
				      uint64_t *word)
{
	if (!module->copy || address - module->copied > UNWIND_MEMORY_BLOCK - sizeof(*word))
		return unwind_module_copy(module, word, address, sizeof(*word));
	memcpy(word, module->copy + (address - module->copied), sizeof(*word));
	return true;
}

/* Read code as unwind_module_copy() does, of whichever object `address` lies in.  Nothing in a
 * writable segment is read: a kept block would hide what was written there since. */
bool unwind_module_code(void *to, uint64_t address, unsigned size);

/* Returns the bytes of a pointer in one of the encodings of .eh_frame (DW_EH_PE_*, LSB core).  0:
 * no linker writes this one. */
unsigned unwind_module_pointer_bytes(unsigned encoding);

/* Find the last function that starts at or below address.  False: no usable table, or no
 * function below; entry->next is valid all the same. */
bool unwind_module_entry(struct unwind_module *module, uint64_t address,
			 struct unwind_entry *entry);

#endif
