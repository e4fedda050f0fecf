/*
 * Copies of unwind information. memory_copy() costs a microsecond, so blocks are kept for as long
 * as rules are: until rule_table_forget().
 */
#ifndef RUNTIME_SAMPLE_CFI_UNWIND_MEMORY_H
#define RUNTIME_SAMPLE_CFI_UNWIND_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
