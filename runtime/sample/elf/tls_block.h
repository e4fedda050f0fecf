/*
 * Where the thread-local variables of a loaded object are, for the calling thread.  The loader is
 * never asked by a call, which could allocate them or wait for its lock: libc publishes for
 * debuggers where its records have what is needed (nptl_db, `_thread_db_…`).
 */
#ifndef RUNTIME_SAMPLE_ELF_TLS_BLOCK_H
#define RUNTIME_SAMPLE_ELF_TLS_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct tls_block {
	uint64_t module; /* the loader's number of the object; 0: it has no such variables */
	bool is_static;	 /* the block has the same distance from every thread's pointer … */
	int64_t offset;	 /* … which is this */
};

/* Learn where libc has it.  False: it does not say so.  Context: init. */
bool tls_block_start(void);

/* Get an object's block by the address of its struct link_map, which may be gone.  False: it cannot
 * be read.  Context: any. */
bool tls_block_of(uint64_t link_map, struct tls_block *block);

/* Get the address of the calling thread's block.  False: the thread has none yet.  Context: any. */
bool tls_block_address(const struct tls_block *block, uint64_t *address);

/* Returns the index, in words from the thread pointer, of the table of the thread's blocks.
 * Context: any. */
unsigned tls_block_table(void);

/* True with the distance of a static block from the thread pointer, for the loader's l_tls_offset;
 * false: the block is not static.  Context: any. */
bool tls_block_distance(uint64_t offset, int64_t *distance);

#endif
